// Tensors as data for other programs: safetensors, NumPy (.npy, .npz) and JSON, chosen by the file's
// extension. Every writer puts the new file in place whole or leaves the old one (atomic_file.h). Values are
// float32 (I64 for integers), little endian. Errors: names that are empty, doubled or not UTF-8, tensors
// without values, and npz archives over 4 GB (the zip format's limit without its 64-bit extension).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/atomic_file.h"
#include "core/tensor/tensor.h"

namespace attnscope {

struct NamedTensor {
  std::string name;
  Tensor value;
};

/// Integers with a name: token ids, positions. The product of `shape` is the number of values.
struct NamedInts {
  std::string name;
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> shape;
};

using Metadata = std::map<std::string, std::string>;

/// Errors of all writers: io_failed (with the system's reason and what to do), bad_format (names), bad_shape.
Status write_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                         const std::vector<NamedInts>& ints = {}, const Metadata& metadata = {});
/// As write_safetensors, into a file that the caller commits; `path` is its name in errors.
Status put_safetensors(AtomicFile& file, const std::string& path, const std::vector<NamedTensor>& tensors,
                       const std::vector<NamedInts>& ints = {}, const Metadata& metadata = {});
/// A zip of NAME.npy files, not compressed; numpy.load(path)[NAME] reads it. Metadata has no place in it.
Status write_npz(const std::string& path, const std::vector<NamedTensor>& tensors,
                 const std::vector<NamedInts>& ints = {});
Status write_npy(const std::string& path, const Tensor& tensor);
/// As these, into a file that the caller commits.
Status put_npz(AtomicFile& file, const std::string& path, const std::vector<NamedTensor>& tensors,
               const std::vector<NamedInts>& ints = {});
Status put_npy(AtomicFile& file, const std::string& path, const Tensor& tensor);
/// {"NAME": {"shape": [2, 3], "axes": ["pos", "d_model"], "values": [[...], [...]]}, ...}; what JSON has no
/// numbers for is written "NaN", "Infinity", "-Infinity". Metadata stands under "__metadata__".
Status write_json(const std::string& path, const std::vector<NamedTensor>& tensors,
                  const std::vector<NamedInts>& ints = {}, const Metadata& metadata = {});
/// By extension: .safetensors, .npz, .npy (exactly one tensor), .json; streams without one get JSON. Unknown
/// ones: unsupported, names the known.
Status write_tensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                     const std::vector<NamedInts>& ints = {}, const Metadata& metadata = {});

}  // namespace attnscope
