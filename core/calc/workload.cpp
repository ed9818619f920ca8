#include "core/calc/workload.h"

#include <cmath>
#include <iterator>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostServed = std::int64_t{1} << 40;

struct OtherName {
  const char *name, *format;
};
constexpr OtherName kOtherNames[] = {{"float32", "f32"},   {"fp32", "f32"},    {"float", "f32"},
                                     {"bfloat16", "bf16"}, {"float16", "f16"}, {"fp16", "f16"},
                                     {"half", "f16"},      {"fp8", "f8"},      {"float8", "f8"},
                                     {"i8", "int8"},       {"i4", "int4"}};

Status workload_check(const char* field, std::int64_t value, std::int64_t least) {
  if (value >= least && value <= kMostServed) return Done{};
  return fail(Code::out_of_range, "error.calc.workload", {field, value, least, kMostServed});
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all{{"f32", 128}, {"bf16", 64}, {"f16", 64},  {"f8", 32},   {"int8", 32},
                                       {"int4", 16}, {"q8_0", 34}, {"q5_0", 22}, {"q4_0", 18}, {"q4_k", 18}};
  return all;
}

std::string binary_bytes(Count bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = bytes.real();
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return format(value < 10 && value != std::floor(value) ? "%.2f %s" : "%.4g %s", value, kUnits[unit]);
}

Result<Format> format_named(const std::string& name) {
  std::string wanted;
  for (const char c : name.substr(0, 32))
    wanted += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const OtherName& other : kOtherNames)
    if (wanted == other.name) wanted = other.format;
  std::vector<std::string> known;
  for (const Format& format : formats()) {
    if (format.name == wanted) return format;
    known.push_back(format.name);
  }
  return fail(Code::bad_format, "error.calc.dtype", {in_quotes(name), join(known, ", ")});
}

Status check_workload(const Workload& work) {
  TRY_OK(workload_check("seq", work.seq, 1));
  TRY_OK(workload_check("batch", work.batch, 1));
  return workload_check("source", work.source, 0);
}

}  // namespace attnscope
