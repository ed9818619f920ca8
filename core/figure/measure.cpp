#include "core/figure/measure.h"

#include "core/base/text.h"

namespace attnscope::figure {
namespace {

constexpr float kRounding = 0.05f;  // pixels: widths are sums of floats
constexpr const char* kEllipsis = "\xE2\x80\xA6";

}  // namespace

float Measure::width(std::string_view text, float em, Face face) const {
  float out = 0;
  for (std::size_t at = 0; at < text.size();) out += letters_.glyph(face, next_code_point(text, at)).advance;
  return out * em;
}

std::string Measure::fitted(const std::string& text, float em, Face face, float room) const {
  if (width(text, em, face) <= room + kRounding) return text;
  const float dots = width(kEllipsis, em, face);
  float used = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    used += letters_.glyph(face, next_code_point(text, at)).advance * em;
    if (used + dots > room) break;
    end = at;
  }
  return text.substr(0, end) + kEllipsis;
}

namespace {

// Words between spaces; "20.4 %" is one, and "= 0.99".
std::vector<std::string> words_of_line(const std::string& text) {
  std::vector<std::string> out;
  for (std::string& word : split(text, ' '))
    if (!out.empty() && (word.starts_with('%') || out.back() == "=" || out.back() == "\xE2\x89\x88"))
      out.back() += ' ' + word;
    else
      out.push_back(std::move(word));
  return out;
}

}  // namespace

std::vector<std::string> Measure::lines(const std::string& text, float em, Face face, float room) const {
  std::vector<std::string> out(1);
  float used = 0;
  const auto put = [&](std::string_view piece, float wide) { out.back() += piece, used += wide; };
  for (const std::string& word : words_of_line(text)) {
    const float blank = used > 0 ? width(" ", em, face) : 0, wide = width(word, em, face);
    if (used > 0 && used + blank + wide > room)
      out.emplace_back(), used = 0;
    else if (used > 0)
      put(" ", blank);
    if (wide <= room) {
      put(word, wide);
      continue;
    }
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      const float letter = letters_.glyph(face, next_code_point(word, at)).advance * em;
      if (used > 0 && used + letter > room) out.emplace_back(), used = 0;
      put(std::string_view(word).substr(begin, at - begin), letter);
    }
  }
  return out;
}

}  // namespace attnscope::figure
