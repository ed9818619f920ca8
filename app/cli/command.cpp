#include "app/cli/command.h"

#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {

Result<OpenedModel> open_named(const std::string& name) {
  return is_shipped_name(name) ? open_shipped(name) : open_model(name);
}

Result<OpenedModel> open_to_run(const std::string& name) {
  TRY(OpenedModel opened, open_named(name));
  for (const std::string& warning : in_words(opened.warnings))
    std::fprintf(stderr, "attnscope-cli: %s: %s\n", name.c_str(), warning.c_str());
  return opened;
}

std::vector<std::string> texts_of(const Edits& edits) {
  std::vector<std::string> texts;
  for (const auto& edit : edits) texts.push_back(to_text(*edit));
  return texts;
}

void put_unknown(nlohmann::json& object, const std::vector<std::string>& pieces) {
  if (!pieces.empty()) object["unknown"] = pieces;
}

void put_edits(nlohmann::json& object, const Edits& edits) {
  if (!edits.empty()) object["edits"] = texts_of(edits);
}

NamedInts bytes_of(const std::string& name, const std::string& text) {
  NamedInts out{name, {}, {std::ssize(text)}};
  for (const char c : text) out.values.push_back(static_cast<unsigned char>(c));
  return out;
}

void print_json(const nlohmann::json& value) {
  std::printf("%s\n", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace attnscope::cli
