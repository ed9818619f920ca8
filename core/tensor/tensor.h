// Immutable, reference-counted float32 tensors with up to four named axes and strides.
// Recording a step is therefore a pointer copy, and a head split is a view. There is no batch axis: a batch
// is a list of sequences. No in-place changes: values are written once in a Buffer and frozen.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// What an axis counts. The text form (axis_name) is what files, the command line and the screen show.
enum class Axis : std::uint8_t {
  none,
  pos,
  query,
  key,
  head,
  d_model,
  d_head,
  concat,
  d_mlp,
  vocab,
  in,
  out,
  unit,
  dim,
  freq,
  batch
};
/// "pos", "query", "d_model", "head*d_head" (for Axis::concat), ...
std::string_view axis_name(Axis axis);

/// One axis: its name, its size, and the step between neighbours in floats.
struct Dim {
  Axis axis = Axis::none;
  std::int64_t size = 0;
  std::int64_t stride = 0;
};

/// A shape for from() and Buffer: {{Axis::pos, 4}, {Axis::d_model, 3}}. Strides follow (row-major).
using Shape = std::vector<std::pair<Axis, std::int64_t>>;

class Encoded;
class Panels;
struct BoxEdit;

class Tensor {
 public:
  static constexpr int kMaxRank = 4;

  /// The empty tensor: rank 0, no values; `empty()` is true.
  Tensor() = default;
  /// A row-major tensor that owns `values`; their number must be the product of the shape.
  static Tensor from(std::vector<float> values, const Shape& shape);
  /// A view of memory that `owner` keeps alive (a mapped file, a KV cache); `dims` carries the strides.
  static Tensor borrow(std::shared_ptr<const void> owner, const float* data, std::vector<Dim> dims);
  /// Row-major view of memory that `owner` keeps alive.
  static Tensor borrow(std::shared_ptr<const void> owner, const float* data, const Shape& shape);
  static Tensor filled(const Shape& shape, float value);
  /// Row-major view of values that stay as a file stores them and are decoded on access.
  static Tensor encoded(std::shared_ptr<const Encoded> values, const Shape& shape);

  bool empty() const { return rank_ == 0; }
  int rank() const { return rank_; }
  std::int64_t size(int dim) const { return dims_[static_cast<std::size_t>(dim)].size; }
  std::int64_t stride(int dim) const { return dims_[static_cast<std::size_t>(dim)].stride; }
  Axis axis(int dim) const { return dims_[static_cast<std::size_t>(dim)].axis; }
  const Dim& dim(int d) const { return dims_[static_cast<std::size_t>(d)]; }
  /// Index of the axis with this name, or -1.
  int find(Axis axis) const;
  /// Number of values; 0 for the empty tensor.
  std::int64_t count() const;
  std::vector<std::int64_t> sizes() const;
  /// True where the values are decoded on access, because they stay encoded in a file or because
  /// some were set by hand: there is no data(), and every copy of them (packed, values, read) is float32 in
  /// memory. To read many of them, take slices.
  bool is_encoded() const { return code_ != nullptr; }
  /// What is_encoded() speaks of, or null, and which value of it is the first here.
  const Encoded* code() const { return code_; }
  std::int64_t code_offset() const { return offset_; }
  const float* data() const {
    CHECK(code_ == nullptr);
    return data_;
  }
  /// True where the values lie in memory in row-major order without gaps.
  bool contiguous() const;
  /// True where both begin at the same place and expand it in the same way.
  bool same_place(const Tensor& other) const {
    return data_ == other.data_ && code_ == other.code_ && offset_ == other.offset_;
  }
  /// As same_place, but for values that were set by hand in encoded ones.
  bool same_bytes(const Tensor& other) const;
  /// Where it begins, as a number: for keys of caches.
  std::uintptr_t address() const {
    return code_ ? reinterpret_cast<std::uintptr_t>(code_) + static_cast<std::uintptr_t>(offset_)
                 : reinterpret_cast<std::uintptr_t>(data_);
  }

  /// One value; missing trailing indices are 0.
  float at(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0, std::int64_t l = 0) const {
    const std::int64_t index =
        i * dims_[0].stride + j * dims_[1].stride + k * dims_[2].stride + l * dims_[3].stride;
    return code_ ? expanded(index) : data_[index];
  }
  float at(const std::vector<std::int64_t>& index) const;

  // Views: no copy, same owner.
  Tensor select(int dim, std::int64_t index) const;                   ///< drops the axis
  Tensor slice(int dim, std::int64_t begin, std::int64_t end) const;  ///< keeps it
  Tensor permute(std::initializer_list<int> order) const;
  Tensor transpose() const { return permute({1, 0}); }  ///< of a matrix
  /// Splits one axis into two: [.., a*b, ..] -> [.., a, b, ..] with size(outer) = `outer`.
  Tensor split(int dim, Axis outer_axis, std::int64_t outer, Axis inner_axis) const;
  Tensor rename(std::initializer_list<Axis> axes) const;

  /// The same matrix, marked as a weight: its products may keep a packed copy (panels.h) that all copies and
  /// views of what is returned share, with or without cells set by hand over it. It is the copy of `before`
  /// where both lie on the same memory. Anything but a matrix in memory comes back as it is.
  Tensor as_weight(const Tensor& before) const;
  Tensor as_weight() const { return as_weight(*this); }
  /// Where the packed copy is kept; null where this was not made by as_weight.
  Panels* panels() const { return panels_.get(); }

  /// Row-major copy (or this, when it already is).
  Tensor packed() const;
  /// All values in row-major order.
  std::vector<float> values() const;
  /// All values in row-major order into memory that has room for them.
  void read(float* to) const;

  /// The same tensor but for one value. Nothing is copied: the new value lies over the others.
  Tensor with_value(const std::vector<std::int64_t>& index, float value) const;
  /// The same tensor but for boxes of cells, edited one after the other. Their cells lie over the others, 16
  /// bytes each; where they are more than a quarter of a tensor in memory, it is copied.
  Tensor with_cells(const std::vector<BoxEdit>& edits) const;
  /// Indices of the cells that were set by hand over values that are decoded on access.
  std::vector<std::vector<std::int64_t>> set_by_hand() const;
  /// One entry per index of an axis: 1 where any of them is.
  std::vector<std::uint8_t> set_by_hand_along(int dim) const;
  /// Of a tensor in memory: itself without what was set by hand. Empty for any other.
  Tensor beneath() const;
  /// Row r of the result is row rows[r]: a copy, but of a whole encoded matrix none.
  Tensor take_rows(const std::vector<std::int64_t>& rows) const;
  /// Row r of a matrix times by[r]: a copy, but of a whole encoded matrix none.
  Tensor scale_rows(const std::vector<float>& by) const;

 private:
  bool is_whole_code() const;
  float expanded(std::int64_t index) const;
  Tensor with_edit(const BoxEdit& edit) const;
  Encoded over_memory() const;
  std::array<int, kMaxRank> axes_by_stride() const;
  template <class Visit>
  void for_each_set_by_hand(Visit visit) const;
  void read_encoded(float* to) const;
  void move_by(std::int64_t values) { code_ ? void(offset_ += values) : void(data_ += values); }

  std::shared_ptr<const void> owner_;
  const float* data_ = nullptr;
  std::shared_ptr<Panels> panels_;
  const Encoded* code_ = nullptr;  // owned by owner_; data_ is null then
  std::int64_t offset_ = 0;        // of the first value in *code_
  std::array<Dim, kMaxRank> dims_{};
  int rank_ = 0;
};

/// What is done to the cells of a box: along every axis, `size` of them from `begin` on.
struct BoxEdit {
  enum class Kind : std::uint8_t { set, add, scale };
  std::vector<std::int64_t> begin, size;
  Kind kind = Kind::set;
  float value = 0;
  Tensor values;  ///< of the box's size: a number for each cell, instead of `value`; empty: none
};

/// Memory to write a result into, once; `freeze` makes the tensor. Row-major, 64-byte aligned, not
/// initialised.
class Buffer {
 public:
  explicit Buffer(Shape shape);
  float* data() { return data_; }
  std::int64_t count() const { return count_; }
  Tensor freeze() &&;

 private:
  Shape shape_;
  std::int64_t count_ = 0;
  std::shared_ptr<void> owner_;
  float* data_ = nullptr;
};

/// "(4, 3)"; with `batch` > 0 the batch is put in front, as the literature writes it: "(2, 4, 3)".
std::string shape_text(const Tensor& tensor, std::int64_t batch = 0);
std::string shape_text(const std::vector<std::int64_t>& sizes, std::int64_t batch = 0);
/// "[pos, d_model]"
std::string axes_text(const Tensor& tensor);

/// What a tensor's values look like, skipping NaN and infinities in the range and mean.
struct Stats {
  float min = 0, max = 0;   ///< of the finite values; 0 when there is none
  double mean = 0, l2 = 0;  ///< l2 = sqrt(sum of squares)
  std::int64_t count = 0, nans = 0, infs = 0;
  std::vector<std::int64_t> first_nan;  ///< index of the first NaN, empty when none
};
Stats stats(const Tensor& tensor);

/// new - old, same shape; empty when the shapes differ. -inf minus -inf is 0 (both masked).
Tensor difference(const Tensor& now, const Tensor& before);
/// Largest |a - b|; infinity when the shapes differ. NaN in one place only counts as infinity.
double max_abs_difference(const Tensor& a, const Tensor& b);

}  // namespace attnscope
