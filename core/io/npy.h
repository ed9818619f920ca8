// NumPy's files: .npy (one array) and .npz (a zip of them, compressed or not), read with every length checked
// against the file. Errors: archives that would expand to more than half of the memory, other compressions
// than deflate, big-endian and object arrays, and Fortran order for more than one dimension; the hint says
// how to save the array instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/tensor_source.h"

namespace attnscope {

/// Opens an archive; tensors are named as numpy names them (without ".npy"). Checks the CRC of every member,
/// of large deflated ones when they are loaded: until then only their header is expanded.
Result<std::shared_ptr<TensorSource>> read_npz(const std::string& path);
/// Opens a single array; it is named "array".
Result<std::shared_ptr<TensorSource>> read_npy(const std::string& path);
/// The same from memory that `owner` keeps alive; `what` is its name in errors.
Result<std::shared_ptr<TensorSource>> read_npz_bytes(std::shared_ptr<const void> owner,
                                                     std::span<const std::byte> bytes,
                                                     const std::string& what);

/// The header of an array: "\x93NUMPY", version, dictionary; padded to 64 bytes. `descr` is "<f4" or "<i8".
std::string npy_header(std::string_view descr, const std::vector<std::int64_t>& shape);
/// Reads the header at the start of `bytes`; the offset and bytes of the result count from there. `whole`:
/// how many bytes there are where `bytes` are only the first of them. Errors: a header that is cut off or
/// none, another number of values than in the header, unknown formats.
Result<TensorInfo> parse_npy(std::span<const std::byte> bytes, std::uint64_t whole, const std::string& name,
                             const std::string& what);

}  // namespace attnscope
