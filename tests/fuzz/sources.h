// What formats of tensors share: everything that can be asked of an opened file is asked, and small files are
// packed.
#pragma once

#include <memory>
#include <string>

#include "core/io/tensor_source.h"
#include "tests/fuzz/format.h"

namespace attnscope::fuzz {

/// Loads every tensor in every way. A file of `file_bytes` bytes may expand to `values_per_byte` values for
/// each byte.
void read_all(const std::shared_ptr<TensorSource>& source, std::size_t file_bytes,
              std::size_t values_per_byte = 1);
/// A zip of the files, stored or deflated.
std::string zipped(const Files& files, bool deflated = false);
/// A file that must be there.
std::string file_text(const std::string& path);

}  // namespace attnscope::fuzz
