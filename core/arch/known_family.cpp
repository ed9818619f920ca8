#include "core/arch/known_family.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

std::string known_architectures() {
  std::vector<std::string> names;
  for (const Family& family : families())
    for (const std::string& type : family.model_types) names.push_back(type);
  return join(names, ", ");
}

// "XLM-RoBERTa" -> "xlmroberta"
std::string letters_of(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string architecture_of(const Json& config) {
  const auto names = config.is_object() ? config.find("architectures") : config.end();
  if (!config.is_object() || names == config.end() || !names->is_array() || names->empty()) return {};
  return names->front().is_string() ? names->front().get<std::string>() : std::string();
}

// "Gemma2ForCausalLM" begins with gemma2, and with gemma, which is shorter.
Result<KnownFamily> known_family(const Json& config, const std::string& what) {
  std::string type;
  if (config.is_object() && config.contains("model_type") && config["model_type"].is_string())
    type = config["model_type"].get<std::string>();
  const std::string architecture = architecture_of(config), letters = letters_of(architecture);
  KnownFamily found;
  for (const Family& family : families()) {
    for (const std::string& known : family.model_types) {
      if (type == known) return KnownFamily{&family, type};
      if (!type.empty() || known.size() <= found.type.size()) continue;
      if (starts_with(letters, letters_of(known))) found = {&family, known};
    }
  }
  if (found.family) return found;
  const std::string named = !type.empty() ? type : architecture;
  if (named.empty()) {
    return fail(Code::bad_format, "error.arch.no_architecture", {what, known_architectures()});
  }
  return fail(Code::unsupported, "error.arch.architecture", {what, in_quotes(named), known_architectures()});
}

}  // namespace attnscope
