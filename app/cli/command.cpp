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

void print_json(const nlohmann::json& value) {
  std::printf("%s\n", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace attnscope::cli
