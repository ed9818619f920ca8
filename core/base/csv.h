// Fields of CSV (RFC 4180).
#pragma once

#include <string>

namespace attnscope {

/// The text between quotes, its own quotes doubled.
inline std::string csv_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// The text, between quotes where it must be.
inline std::string csv_field(const std::string& text) {
  return text.find_first_of(",\"\r\n") == std::string::npos ? text : csv_quoted(text);
}

}  // namespace attnscope
