// What all writers share: tensors and integers as one list of entries, checked before a file is touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/writers.h"

namespace attnscope {

/// One thing to write: either a float tensor or integers.
struct Entry {
  const std::string* name = nullptr;
  std::vector<std::int64_t> shape;
  const Tensor* tensor = nullptr;  // or
  const NamedInts* ints = nullptr;
  std::uint64_t bytes = 0;  ///< of the values: 4 each (float32) or 8 each (int64)
};

/// Integers first (they need the wider alignment), then tensors, in the given order. Checks names and shapes.
Result<std::vector<Entry>> make_entries(const std::string& path, const std::vector<NamedTensor>& tensors,
                                        const std::vector<NamedInts>& ints);

/// Calls use(pointer, bytes) with the entry's values in row-major order; copies at most this one tensor.
template <class Use>
void with_values(const Entry& entry, Use use) {
  if (entry.ints) {
    use(static_cast<const void*>(entry.ints->values.data()), static_cast<std::size_t>(entry.bytes));
    return;
  }
  const Tensor packed = entry.tensor->packed();
  use(static_cast<const void*>(packed.data()), static_cast<std::size_t>(entry.bytes));
}

}  // namespace attnscope
