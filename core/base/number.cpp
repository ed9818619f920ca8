#include "core/base/number.h"

#include <charconv>
#include <cmath>

#include "core/base/text.h"

namespace attnscope {
namespace {

// All of the text as a number, in decimal.
template <class T>
bool read_all(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Error refused(Code code, std::string_view text, const Text& takes) {
  return fail(code, "error.number", {takes, in_quotes(text, 40)});
}

}  // namespace

Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const Text takes = Text::of("error.number.whole", {least, most});
  std::uint64_t value = 0;
  if (!read_all(text, value)) return refused(Code::bad_format, text, takes);
  if (value < least || value > most) return refused(Code::out_of_range, text, takes);
  return value;
}

Result<double> parse_real(std::string_view text, double least, double most) {
  const Text takes = Text::of("error.number.real", {format("%.12g", least), format("%.12g", most)});
  double value = 0;
  if (!read_all(text, value)) return refused(Code::bad_format, text, takes);
  if (!std::isfinite(value) || value < least || value > most) return refused(Code::out_of_range, text, takes);
  return value;
}

NumberCheck whole_number(std::uint64_t least, std::uint64_t most) {
  return [=](std::string& text) {
    const auto value = parse_whole(text, least, most);
    if (value) text = std::to_string(*value);
    return value ? std::string() : value.error().sentence();
  };
}

NumberCheck real_number(double least, double most) {
  return [=](std::string& text) {
    const auto value = parse_real(text, least, most);
    if (value) text = format("%.17g", *value);
    return value ? std::string() : value.error().sentence();
  };
}

}  // namespace attnscope
