#include "core/base/number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/read_all.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

// The power of ten that the last letter of a number stands for; 0: it is none of them.
int thousands(std::string_view text) {
  if (text.empty()) return 0;
  switch (text.back()) {
    case 'k':
    case 'K': return 3;
    case 'M': return 6;
    case 'G':
    case 'B': return 9;
    case 'T': return 12;
    default: return 0;
  }
}

bool times(std::uint64_t& value, std::uint64_t factor) {
  if (factor != 0 && value > std::numeric_limits<std::uint64_t>::max() / factor) return false;
  value *= factor;
  return true;
}

// value * 10^power where that is whole and small enough.
bool shift_decimals(std::uint64_t& value, std::int64_t power) {
  if (value == 0) return true;
  for (; power > 0; --power)
    if (!times(value, 10)) return false;
  for (; power < 0; ++power) {
    if (value % 10 != 0) return false;
    value /= 10;
  }
  return true;
}

// "1.5" and a power of ten: exactly, in whole numbers.
bool read_decimals(std::string_view text, std::int64_t power, std::uint64_t& value) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  if (point != std::string_view::npos) {
    digits += text.substr(point + 1);
    power -= static_cast<std::int64_t>(text.size() - point - 1);
  }
  return read_all(std::string_view(digits), value) && shift_decimals(value, power);
}

// "2^20"
bool read_power(std::string_view base, std::string_view exponent, std::uint64_t& value) {
  std::uint64_t factor = 0, count = 0;
  if (!read_all(base, factor) || !read_all(exponent, count)) return false;
  value = factor == 0 && count > 0 ? 0 : 1;
  if (factor < 2) return true;
  for (; count > 0; --count)
    if (!times(value, factor)) return false;
  return true;
}

// A point alone makes no whole number: "1.5k" is one, "1.0" is not.
bool read_whole(std::string_view text, std::uint64_t& value) {
  if (read_all(text, value)) return true;
  if (const std::size_t hat = text.find('^'); hat != std::string_view::npos)
    return read_power(text.substr(0, hat), text.substr(hat + 1), value);
  if (const int power = thousands(text)) return read_decimals(text.substr(0, text.size() - 1), power, value);
  const std::size_t e = text.find_first_of("eE");
  int power = 0;
  return e != std::string_view::npos && read_all(text.substr(e + 1), power) &&
         read_decimals(text.substr(0, e), power, value);
}

bool read_real(std::string_view text, double& value) {
  if (read_all(text, value)) return true;
  if (const std::size_t hat = text.find('^'); hat != std::string_view::npos) {
    const bool minus = text.front() == '-';
    double base = 0, exponent = 0;
    if (!read_all(text.substr(minus ? 1 : 0, hat - (minus ? 1 : 0)), base) ||
        !read_all(text.substr(hat + 1), exponent) || std::signbit(base))
      return false;
    value = std::pow(base, exponent) * (minus ? -1 : 1);
    return true;
  }
  const int power = thousands(text);
  if (power == 0) return false;
  const std::string plain = std::string(text.substr(0, text.size() - 1));
  if (plain.find_first_of("eE") != std::string::npos) return false;
  return read_all(std::string_view(plain + "e" + std::to_string(power)), value);
}

Error refused(Code code, std::string_view text, const Text& takes) {
  return fail(code, "error.number", {takes, in_quotes(text, 40)});
}

}  // namespace

std::string plain_number(std::string_view typed) {
  constexpr std::string_view kMinus = "\u2212";
  std::string out(typed);
  for (std::size_t at; (at = out.find(kMinus)) != std::string::npos;) out.replace(at, kMinus.size(), "-");
  out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
  out.erase(out.find_last_not_of(' ') + 1);
  if (starts_with(out, "+")) out.erase(0, 1);
  return out;
}

Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const Text takes = Text::of("error.number.whole", {least, most});
  std::uint64_t value = 0;
  if (!read_whole(text, value)) return refused(Code::bad_format, text, takes);
  if (value < least || value > most) return refused(Code::out_of_range, text, takes);
  return value;
}

Result<double> parse_real(std::string_view text, double least, double most) {
  const Text takes = Text::of("error.number.real", {format("%.12g", least), format("%.12g", most)});
  double value = 0;
  if (!read_real(text, value)) return refused(Code::bad_format, text, takes);
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
