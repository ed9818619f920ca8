#include "core/io/entries.h"

#include <set>

#include "core/base/text.h"

namespace attnscope {
namespace {

Error bad_name(const std::string& path, const std::string& name, std::string_view key) {
  return fail(Code::bad_format, key, {quoted_path(path), in_quotes(name)});
}

Status check_name(const std::string& path, const std::string& name, std::set<std::string>& seen) {
  if (name.empty()) return bad_name(path, name, "error.io.name_empty");
  if (name == "__metadata__") return bad_name(path, name, "error.io.name_reserved");
  if (!is_valid_utf8(name)) return bad_name(path, name, "error.io.name_utf8");
  if (!seen.insert(name).second) return bad_name(path, name, "error.io.name_twice");
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
      return fail(Code::bad_shape, "error.io.write.count",
                  {quoted_path(path), in_quotes(item.name), item.values.size(), shape_text(item.shape)});
    entries.push_back({&item.name, item.shape, nullptr, &item, item.values.size() * sizeof(std::int64_t)});
  }
  for (const NamedTensor& item : tensors) {
    TRY_OK(check_name(path, item.name, seen));
    if (item.value.empty())
      return fail(Code::bad_shape, "error.io.write.no_values", {quoted_path(path), in_quotes(item.name)});
    const auto count = static_cast<std::uint64_t>(item.value.count());
    entries.push_back({&item.name, item.value.sizes(), &item.value, nullptr, count * sizeof(float)});
  }
  return entries;
}

}  // namespace attnscope
