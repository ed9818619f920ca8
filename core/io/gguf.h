// GGUF versions 2 and 3: magic, counts, metadata (key, type, value), tensor descriptions, aligned data. The
// file is mapped; values and texts are read where they lie, and every count, length, offset and size is
// checked against the size of the file before it is used. Errors: unsupported for version 1, big-endian files
// and tensor formats that cannot be expanded here (with the way to convert); bad_format for overlapping or
// misplaced tensors; not_found for a missing part of a split model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/tensor_source.h"

namespace attnscope {

/// Types of metadata values, by their numbers in the file.
enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

/// One value of the metadata: a view of the file, checked when the file was opened. Reading it as another
/// type gives nothing.
class GgufValue {
 public:
  GgufValue() = default;
  GgufValue(GgufType type, GgufType element, std::uint64_t count, std::span<const std::byte> bytes)
      : type_(type), element_(element), count_(count), bytes_(bytes) {}

  GgufType type() const { return type_; }
  /// Type of an array's elements.
  GgufType element() const { return element_; }
  /// Elements of an array; 1 otherwise.
  std::uint64_t count() const { return count_; }

  /// A whole number of any width; a bool counts as 0 or 1.
  std::optional<std::int64_t> integer() const;
  /// Any number, as double.
  std::optional<double> number() const;
  std::optional<bool> flag() const;
  /// The bytes of a text as they stand (perhaps not UTF-8). They live as long as the Gguf.
  std::optional<std::string_view> text() const;
  /// The elements of an array of texts.
  std::optional<std::vector<std::string_view>> texts() const;
  /// The elements of an array of numbers (integers, floats, bools).
  std::optional<std::vector<double>> numbers() const;

 private:
  GgufType type_ = GgufType::u8, element_ = GgufType::u8;
  std::uint64_t count_ = 1;
  std::span<const std::byte> bytes_;
};

/// An opened file, or all parts of a split one.
struct Gguf {
  std::uint32_t version = 0;
  std::string what;  ///< path of the file, for errors
  std::map<std::string, GgufValue, std::less<>> metadata;
  /// Shapes are row-major, the reverse of GGUF's order: a matrix is [rows, row length]. A file that holds a
  /// vocabulary only has no tensors.
  std::shared_ptr<TensorSource> tensors;
  std::vector<std::shared_ptr<const void>> owners;  ///< keep the metadata mapped

  const GgufValue* find(std::string_view key) const;
};

/// Maps the file; of a split model, any part's name opens all parts, which lie in the same folder as
/// NAME-00001-of-0000N.gguf.
Result<Gguf> open_gguf(const std::string& path);

/// One file from memory that `owner` keeps alive; `what` is its name in errors. A part of a split model gives
/// its own tensors only.
Result<Gguf> open_gguf_bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                             const std::string& what);

}  // namespace attnscope
