#include "app/cli/command.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/memory_limit.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::cli {
namespace {

// What was opened, the newest last; expanded under another limit, it would be another model.
struct KeptModel {
  std::string name;
  std::int64_t limit = 0;
  OpenedModel opened;
};
std::vector<KeptModel> kept;
std::size_t most_kept = 0;

bool as_it_was(const OpenedModel& opened) {
  return std::none_of(opened.files.begin(), opened.files.end(),
                      [](const ReadFile& file) { return file.newer() || !file.intact(); });
}

}  // namespace

void keep_opened(std::size_t most) { most_kept = most; }

Result<OpenedModel> open_named(const std::string& name) {
  const std::int64_t limit = memory_limit();
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const KeptModel& one) {
    return one.name == name && one.limit == limit && as_it_was(one.opened);
  });
  if (found != kept.end()) {
    std::rotate(found, found + 1, kept.end());
    return kept.back().opened;
  }
  std::erase_if(kept, [&](const KeptModel& one) { return one.name == name; });
  if (most_kept > 0 && kept.size() >= most_kept) kept.erase(kept.begin());  // before another is read
  TRY(OpenedModel opened, is_shipped_name(name) ? open_shipped(name) : open_model(name));
  if (most_kept > 0) kept.push_back({name, limit, opened});
  return opened;
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
