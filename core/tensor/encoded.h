// Values that stay where they are (in a file as half precision or quantised blocks, or in memory as floats)
// and are decoded on access, with an overlay of cells that were set by hand: the storage of a
// Tensor where the expanded model would not fit into memory, or where a few of its numbers were
// edited. Rows may be in another order than in the file. No errors: the bytes were checked when the
// file was opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor/dtype.h"

namespace attnscope {

class Encoded {
 public:
  /// `rows` rows of `width` values (whole blocks) at `bytes`, which `owner` keeps alive.
  Encoded(std::shared_ptr<const void> owner, const std::byte* bytes, DType dtype, std::int64_t rows,
          std::int64_t width);

  DType dtype() const { return dtype_; }
  std::int64_t count() const { return rows_ * width_; }
  std::int64_t width() const { return width_; }
  /// The bytes of a row, without what was set by hand.
  const std::uint8_t* row(std::int64_t row) const {
    return reinterpret_cast<const std::uint8_t*>(bytes_) + stored_row(row) * row_bytes_;
  }
  /// True where values are those bytes times a factor of their row.
  bool scaled() const { return scales_ != nullptr; }

  /// Values [begin, end) of the rows one after another.
  void read(std::int64_t begin, std::int64_t end, float* to) const;
  /// One value. Its block is cached per thread, so that neighbours are cheap.
  float value(std::int64_t index) const;

  /// Row r of the result is row rows[r].
  std::shared_ptr<const Encoded> take_rows(const std::vector<std::int64_t>& rows) const;
  /// Row r of the result is row r times by[r]; null where rows were taken, scaled or set by hand before.
  std::shared_ptr<const Encoded> scale_rows(const std::vector<float>& by) const;
  /// A cell that was set by hand.
  struct Cell {
    std::int64_t index;
    float value;
  };
  /// The same values but for these cells, sorted by index; they go over what was set before.
  std::shared_ptr<const Encoded> with_cells(const std::vector<Cell>& cells) const;
  /// What was set by hand, sorted by index.
  const std::vector<Cell>& changed() const { return changed_; }
  /// True where some of values [begin, end) were.
  bool changed_between(std::int64_t begin, std::int64_t end) const;
  /// The values without what was set by hand, where they lie in memory as they are; else null.
  const float* plain() const { return plain_; }
  /// True where both expand the same bytes in the same order (values set by hand aside).
  bool same_bytes(const Encoded& other) const {
    return bytes_ == other.bytes_ && dtype_ == other.dtype_ && order_ == other.order_ &&
           scales_ == other.scales_;
  }

 private:
  std::vector<Cell>::const_iterator first_changed(std::int64_t from) const;
  std::int64_t stored_row(std::int64_t row) const {
    return order_.empty() ? row : order_[static_cast<std::size_t>(row)];
  }

  std::shared_ptr<const void> owner_;
  const std::byte* bytes_;
  DType dtype_;
  std::int64_t rows_, width_, row_bytes_;
  std::vector<std::int64_t> order_;
  std::shared_ptr<const std::vector<float>> scales_;  ///< of the stored rows; null: none
  const float* plain_ = nullptr;
  std::vector<Cell> changed_;
  std::uint64_t id_;  ///< unique per object: the key of the cache of decoded blocks
};

}  // namespace attnscope
