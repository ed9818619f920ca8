#include "core/io/entries.h"

#include <set>

#include "core/base/text.h"

namespace attnscope {
namespace {

Error bad_name(const std::string& path, const std::string& name, const std::string& why) {
  return fail_words(
      Code::bad_format,
      "Cannot write " + quoted_path(path) + ": the tensor name " + in_quotes(name) + " " + why + ".",
      "Give every tensor a name of its own.");
}

Status check_name(const std::string& path, const std::string& name, std::set<std::string>& seen) {
  if (name.empty()) return bad_name(path, name, "is empty");
  if (name == "__metadata__") return bad_name(path, name, "is reserved by the format");
  if (!is_valid_utf8(name)) return bad_name(path, name, "is not valid UTF-8");
  if (!seen.insert(name).second) return bad_name(path, name, "stands twice");
  return Done{};
}

bool shape_fits(const NamedInts& ints) {
  std::uint64_t product = 1;
  for (std::int64_t size : ints.shape) {
    if (size < 0 || __builtin_mul_overflow(product, static_cast<std::uint64_t>(size), &product)) return false;
  }
  return product == ints.values.size();
}

}  // namespace

Result<std::vector<Entry>> make_entries(const std::string& path, const std::vector<NamedTensor>& tensors,
                                        const std::vector<NamedInts>& ints) {
  std::vector<Entry> entries;
  std::set<std::string> seen;
  for (const NamedInts& item : ints) {
    TRY_OK(check_name(path, item.name, seen));
    if (!shape_fits(item))
      return fail_words(Code::bad_shape,
                        "Cannot write " + quoted_path(path) + ": " + in_quotes(item.name) +
                            format(" has %zu values, but its shape is ", item.values.size()) +
                            shape_text(item.shape) + ".",
                        "The product of the shape is the number of values.");
    entries.push_back({&item.name, item.shape, nullptr, &item, item.values.size() * sizeof(std::int64_t)});
  }
  for (const NamedTensor& item : tensors) {
    TRY_OK(check_name(path, item.name, seen));
    if (item.value.empty())
      return fail_words(Code::bad_shape,
                        "Cannot write " + quoted_path(path) + ": " + in_quotes(item.name) + " has no values.",
                        "Leave it out.");
    const auto count = static_cast<std::uint64_t>(item.value.count());
    entries.push_back({&item.name, item.value.sizes(), &item.value, nullptr, count * sizeof(float)});
  }
  return entries;
}

}  // namespace attnscope
