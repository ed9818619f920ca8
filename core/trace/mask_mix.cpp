#include "core/trace/mask_mix.h"

#include <algorithm>

#include "core/base/trimmed.h"
#include "core/trace/config.h"

namespace attnscope {
namespace {

// A parenthesis that holds a count or a matrix, not an expression.
bool is_term(const std::string& part) {
  if (part.empty() || part[0] == '(' || part[0] == '!') return false;
  const std::size_t open = part.find('(');
  if (open == std::string::npos || part.find('"') < open) return true;
  return part.back() == ')' && part.find_first_of("&|!", open) == std::string::npos;
}

}  // namespace

bool MaskMix::has(std::string_view part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::string mask_text(const MaskMix& mix) {
  std::string text;
  for (const std::string& part : mix.parts) text += (text.empty() ? "" : mix.all ? " & " : " | ") + part;
  return text.empty() ? "model" : text;
}

std::string mask_text(const AttentionSpec& spec) {
  if (!spec.mask.empty()) return spec.mask;
  if (spec.window <= 0) return spec.causal ? "causal" : "full";
  const std::string window = "window(" + std::to_string(spec.window) + ")";
  return spec.causal ? "causal & " + window : window;
}

std::optional<MaskMix> mask_mix(std::string_view text) {
  MaskMix mix;
  if (trimmed(text) == "model") return mix;
  char used = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : '\0';
    if (c == '"') quoted = !quoted;
    const bool joins = !quoted && (c == '&' || c == '|');
    if (!joins && at < text.size()) continue;
    if (joins && used != 0 && used != c) return std::nullopt;
    if (joins) used = c;
    const std::string part(trimmed(text.substr(begin, at - begin)));
    if (!is_term(part) || mix.has(part)) return std::nullopt;
    mix.parts.push_back(part);
    begin = at + 1;
  }
  mix.all = used != '|';
  return mix;
}

MaskMix with_part(MaskMix mix, const std::string& part, bool causal) {
  const auto at = std::find(mix.parts.begin(), mix.parts.end(), part);
  if (at != mix.parts.end()) {
    mix.parts.erase(at);
    return mix;
  }
  if (mix.parts.size() == 1) mix.all = part.starts_with("window") || mix.parts[0].starts_with("window");
  if (causal && mix.parts.empty() && part.starts_with("window")) return {{"causal", part}, true};
  mix.parts.push_back(part);
  return mix;
}

}  // namespace attnscope
