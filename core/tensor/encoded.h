// Values that stay as a file stores them (half precision, quantised blocks) and are expanded piece by piece
// when they are asked for: what a Tensor looks at when the expanded model would not fit into memory. Rows may
// be in another order than in the file, and single values may have been set by hand. Refuses nothing: the
// bytes were checked when the file was opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

  /// Values [begin, end) of the rows one after another.
  void read(std::int64_t begin, std::int64_t end, float* to) const;
  /// One value. Its block is remembered, so that neighbours come cheap.
  float value(std::int64_t index) const;

  /// Row r of the result is row rows[r].
  std::shared_ptr<const Encoded> take_rows(const std::vector<std::int64_t>& rows) const;
  /// The same values but for one.
  std::shared_ptr<const Encoded> with_value(std::int64_t index, float value) const;
  /// What was set by hand, by index.
  const std::map<std::int64_t, float>& changed() const { return changed_; }
  /// True where both expand the same bytes in the same order (values set by hand aside).
  bool same_bytes(const Encoded& other) const {
    return bytes_ == other.bytes_ && dtype_ == other.dtype_ && order_ == other.order_;
  }

 private:
  std::int64_t stored_row(std::int64_t row) const {
    return order_.empty() ? row : order_[static_cast<std::size_t>(row)];
  }

  std::shared_ptr<const void> owner_;
  const std::byte* bytes_;
  DType dtype_;
  std::int64_t rows_, width_;
  std::vector<std::int64_t> order_;
  std::map<std::int64_t, float> changed_;
  std::uint64_t id_;  ///< no two objects share one: remembered blocks are told apart by it
};

}  // namespace attnscope
