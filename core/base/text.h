// Small text helpers: UTF-8 stepping and checking, untrusted text made fit for a sentence, printf-like
// formatting into std::string, joins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// printf into a std::string.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

/// Reads the code point that starts at `at` and moves `at` past it. A byte that is not valid UTF-8 gives
/// U+FFFD and moves by one byte, so that the loop ends for any bytes.
char32_t next_code_point(std::string_view text, std::size_t& at);
/// Appends a code point as UTF-8.
void append_utf8(std::string& out, char32_t code_point);
/// True where every byte belongs to a well-formed UTF-8 sequence (Unicode 15, table 3-7).
bool is_valid_utf8(std::string_view text);
/// The text with every ill-formed byte replaced by U+FFFD, so that it can be shown and written as JSON.
std::string valid_utf8(std::string_view text);
/// Untrusted text (names, paths, what was typed) made fit for a sentence: control characters, marks that
/// turn the direction of writing and ill-formed bytes become U+FFFD; at most `limit` code points, then "...".
std::string printable(std::string_view text, std::size_t limit);
/// The same in double quotes; in single ones where it has double ones itself.
std::string in_quotes(std::string_view text, std::size_t limit = 96);
/// A path in double quotes: as long as paths are.
std::string quoted_path(std::string_view path);
/// As long as any sentence of our own may be, in code points: the longest name two paths.
inline constexpr std::size_t kMostOfSentence = 1600;
/// Number of code points.
std::size_t utf8_length(std::string_view text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);
/// Latin letters in lower case; all else as it is.
std::string lower(std::string text);
/// Formats a count of bytes: "1.4 MB".
std::string format_bytes(std::uint64_t bytes);
/// Groups digits: 124439808 -> "124,439,808".
std::string format_count(std::int64_t count);
/// True where `pattern`, in which * stands for any run of bytes, matches all of `text`.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace attnscope
