#include "core/base/text.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace attnscope {

std::string format(const char* pattern, ...) {
  va_list args;
  va_start(args, pattern);
  va_list again;
  va_copy(again, args);
  char few[64];
  const int length = std::vsnprintf(few, sizeof few, pattern, args);
  va_end(args);
  if (length < static_cast<int>(sizeof few)) {
    va_end(again);
    return std::string(few, static_cast<std::size_t>(length > 0 ? length : 0));
  }
  std::string out(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(out.data(), out.size() + 1, pattern, again);
  va_end(again);
  return out;
}

namespace {

// Length of the well-formed sequence that starts at `at`, and its code point; 0 when ill-formed.
int decode(std::string_view text, std::size_t at, char32_t& out) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    out = lead;
    return 1;
  }
  const int length = lead >= 0xC2 && lead < 0xE0   ? 2
                     : lead >= 0xE0 && lead < 0xF0 ? 3
                     : lead >= 0xF0 && lead < 0xF5 ? 4
                                                   : 0;
  if (length == 0 || at + static_cast<std::size_t>(length) > text.size()) return 0;
  char32_t value = lead & (0xFF >> (length + 1));
  for (int i = 1; i < length; ++i) {
    const unsigned char next = byte(static_cast<std::size_t>(i));
    if ((next & 0xC0) != 0x80) return 0;
    value = (value << 6) | (next & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
  out = value;
  return length;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  char32_t value = 0xFFFD;
  const int length = decode(text, at, value);
  at += length > 0 ? static_cast<std::size_t>(length) : 1;
  return length > 0 ? value : U'\xFFFD';
}

void append_utf8(std::string& out, char32_t c) {
  const auto push = [&](char32_t v) { out.push_back(static_cast<char>(static_cast<unsigned char>(v))); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xC0 | (c >> 6));
    push(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    push(0xE0 | (c >> 12));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  } else {
    push(0xF0 | (c >> 18));
    push(0x80 | ((c >> 12) & 0x3F));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  }
}

bool is_valid_utf8(std::string_view text) {
  char32_t ignored = 0;
  for (std::size_t at = 0; at < text.size();) {
    const int length = decode(text, at, ignored);
    if (length == 0) return false;
    at += static_cast<std::size_t>(length);
  }
  return true;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) append_utf8(out, next_code_point(text, at));
  return out;
}

namespace {

// Obeyed by a terminal instead of shown, or shown as if other words stood there.
bool misleads(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB);
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size() && shown < limit; ++shown) {
    const char32_t code = next_code_point(text, at);
    append_utf8(out, misleads(code) ? U'\uFFFD' : code);
  }
  return at < text.size() ? out + "..." : out;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  const std::string shown = printable(text, limit);
  if (shown.find('"') != std::string::npos && shown.find('\'') == std::string::npos)
    return '\'' + shown + '\'';
  std::string out = "\"";
  for (const char c : shown) out += c == '"' ? std::string("\\\"") : std::string(1, c);
  return out + '"';
}

// The end of a long one tells files apart.
std::string quoted_path(std::string_view path) {
  constexpr std::size_t kMostShown = 90;
  const std::string whole = printable(path, path.size());
  const std::size_t length = utf8_length(whole);
  if (length <= kMostShown) return in_quotes(whole, kMostShown);
  std::size_t at = 0;
  for (std::size_t left = length - kMostShown + 3; left > 0; --left) next_code_point(whole, at);
  return in_quotes("..." + whole.substr(at), kMostShown);
}

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 4) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? format("%.0f B", value) : format("%.1f %s", value, kUnits[unit]);
}

std::string format_count(std::int64_t count) {
  std::string digits = format("%lld", static_cast<long long>(count < 0 ? -count : count));
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return count < 0 ? "-" + digits : digits;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  // Goes back to the last star only, so that the time is at most pattern times text.
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace attnscope
