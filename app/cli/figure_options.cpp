#include "app/cli/figure_options.h"

#include <algorithm>

namespace attnscope::cli {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostIndex = 1 << 30;

void take(const json& from, std::string& to) {
  if (from.is_string()) to = from.get<std::string>();
}
void take(const json& from, std::int64_t& to) {
  if (from.is_number_integer() && from.get<std::int64_t>() >= -1 && from.get<std::int64_t>() <= kMostIndex)
    to = from.get<std::int64_t>();
}
void take(const json& from, double& to) {
  if (from.is_number()) to = from.get<double>();
}
void take(const json& from, bool& to) {
  if (from.is_boolean()) to = from.get<bool>();
}
void take(const json& from, std::vector<std::string>& to) {
  if (!from.is_array()) return;
  to.clear();
  for (const json& one : from)
    if (one.is_string()) to.push_back(one.get<std::string>());
}

}  // namespace

json figure_words(const FigureOptions& options) {
  json out = json::object();
  each_figure_option(options, [&](const char* name, const auto& value) { out[name] = value; });
  return out;
}

void take_figure_words(const json& words, FigureOptions& options) {
  each_figure_option(options, [&](const char* name, auto& value) {
    if (!options.given.contains(name) && words.contains(name)) take(words[name], value);
  });
  const std::vector<std::string> known = languages();
  if (std::find(known.begin(), known.end(), options.lang) == known.end()) options.lang = language();
}

}  // namespace attnscope::cli
