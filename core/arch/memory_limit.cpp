#include "core/arch/memory_limit.h"

#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/base/text.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

constexpr double kMost = 1e18;
constexpr const char* kVariable = "ATTNSCOPE_MEMORY_LIMIT";

std::atomic<std::int64_t>& chosen() {
  static std::atomic<std::int64_t> limit{-1};
  return limit;
}

// Half of the memory.
std::int64_t usual_limit() {
  if (const char* text = std::getenv(kVariable))
    if (const auto limit = parse_size(text)) return *limit;
  return static_cast<std::int64_t>(machine_memory() / 2);
}

// The factor of "", "K", "KB", "KiB", ...; 0 for anything else.
double unit_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1;
  const std::size_t power = std::string_view("KMGTkmgt").find(unit.front());
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "b" || rest == "iB"))
    return 0;
  return std::pow(1024.0, static_cast<double>(power % 4 + 1));
}

}  // namespace

Result<std::int64_t> parse_size(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const double bytes = number * unit_of(unit);
  if (error == std::errc() && unit_of(unit) > 0 && number >= 0 && bytes <= kMost)
    return static_cast<std::int64_t>(bytes);
  return fail(Code::bad_format, "error.arch.memory", {in_quotes(text, 40)});
}

std::string memory_size(std::string& text) {
  if (parse_size(text)) return "";
  return Text::of("error.number", {Text::of("error.number.memory"), in_quotes(text, 40)}).str();
}

Status choose_memory_limit(const std::string& asked) {
  const char* variable = std::getenv(kVariable);
  if (!asked.empty()) {
    TRY(const std::int64_t bytes, parse_size(asked));
    set_memory_limit(bytes);
  } else if (variable && !parse_size(variable)) {
    return fail(Code::bad_format, "error.arch.memory_variable", {kVariable, in_quotes(variable, 40)});
  }
  return Done{};
}

std::int64_t memory_limit() {
  const std::int64_t limit = chosen();
  return limit >= 0 ? limit : usual_limit();
}

void set_memory_limit(std::int64_t bytes) { chosen() = bytes; }

}  // namespace attnscope
