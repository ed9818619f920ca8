#include "core/tensor/encoded.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "core/base/result.h"
#include "core/base/thread_pool.h"
#include "core/tensor/tensor.h"

namespace attnscope {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// The last blocks that single values were read from, a few for each thread.
struct Remembered {
  static constexpr std::int64_t kValues = 256;
  std::uint64_t id = 0;
  std::int64_t block = -1;
  std::array<float, kValues> values{};
};

}  // namespace

Encoded::Encoded(std::shared_ptr<const void> owner, const std::byte* bytes, DType dtype, std::int64_t rows,
                 std::int64_t width)
    : owner_(std::move(owner)),
      bytes_(bytes),
      dtype_(dtype),
      rows_(rows),
      width_(width),
      row_bytes_(storage_bytes(dtype, width)),
      id_(next_id()) {
  CHECK(width % block_values(dtype) == 0);
  if (dtype == DType::f32 && reinterpret_cast<std::uintptr_t>(bytes) % alignof(float) == 0)
    plain_ = reinterpret_cast<const float*>(bytes);
}

std::vector<Encoded::Cell>::const_iterator Encoded::first_changed(std::int64_t from) const {
  return std::lower_bound(changed_.begin(), changed_.end(), from,
                          [](const Cell& cell, std::int64_t index) { return cell.index < index; });
}

bool Encoded::changed_between(std::int64_t begin, std::int64_t end) const {
  const auto cell = first_changed(begin);
  return cell != changed_.end() && cell->index < end;
}

void Encoded::read(std::int64_t begin, std::int64_t end, float* to) const {
  const std::int64_t first = begin;
  float* at = to;
  while (begin < end) {
    const std::int64_t row = begin / width_, col = begin % width_,
                       count = std::min(end - begin, width_ - col);
    const std::int64_t stored = stored_row(row);
    expand_range(dtype_, bytes_ + stored * row_bytes_, col, col + count, at);
    if (scales_)
      for (std::int64_t i = 0; i < count; ++i) at[i] *= (*scales_)[static_cast<std::size_t>(stored)];
    begin += count;
    at += count;
  }
  for (auto cell = first_changed(first); cell != changed_.end() && cell->index < end; ++cell)
    to[cell->index - first] = cell->value;
}

float Encoded::value(std::int64_t index) const {
  if (plain_) {
    if (changed_.empty() || index < changed_.front().index || index > changed_.back().index)
      return plain_[index];
    const auto cell = first_changed(index);
    return cell->index == index ? cell->value : plain_[index];
  }
  thread_local std::array<Remembered, 4> remembered;
  Remembered& slot = remembered[id_ % remembered.size()];
  const std::int64_t block = index / Remembered::kValues, begin = block * Remembered::kValues;
  if (slot.id != id_ || slot.block != block) {
    slot.id = id_;
    slot.block = block;
    read(begin, std::min(begin + Remembered::kValues, count()), slot.values.data());
  }
  return slot.values[static_cast<std::size_t>(index - begin)];
}

std::shared_ptr<const Encoded> Encoded::take_rows(const std::vector<std::int64_t>& rows) const {
  CHECK(changed_.empty());
  auto out = std::make_shared<Encoded>(*this);
  out->order_.clear();
  out->plain_ = nullptr;
  for (const std::int64_t row : rows) {
    CHECK(row >= 0 && row < rows_);
    out->order_.push_back(stored_row(row));
  }
  out->rows_ = static_cast<std::int64_t>(rows.size());
  out->id_ = next_id();
  return out;
}

std::shared_ptr<const Encoded> Encoded::scale_rows(const std::vector<float>& by) const {
  if (!changed_.empty() || !order_.empty() || scales_ || std::ssize(by) != rows_) return nullptr;
  auto out = std::make_shared<Encoded>(*this);
  out->scales_ = std::make_shared<const std::vector<float>>(by);
  out->plain_ = nullptr;
  out->id_ = next_id();
  return out;
}

std::shared_ptr<const Encoded> Encoded::with_cells(const std::vector<Cell>& cells) const {
  auto out = std::make_shared<Encoded>(*this);
  out->changed_.clear();
  out->changed_.reserve(changed_.size() + cells.size());
  auto old = changed_.begin();
  for (const Cell& cell : cells) {
    CHECK(cell.index >= 0 && cell.index < count());
    for (; old != changed_.end() && old->index < cell.index; ++old) out->changed_.push_back(*old);
    if (old != changed_.end() && old->index == cell.index) ++old;
    out->changed_.push_back(cell);
  }
  out->changed_.insert(out->changed_.end(), old, changed_.end());
  out->id_ = next_id();
  return out;
}

// ---- what a Tensor does with them -----------------------------------------------------------------

Tensor Tensor::encoded(std::shared_ptr<const Encoded> values, const Shape& shape) {
  Tensor t = borrow(values, nullptr, shape);
  CHECK(t.count() == values->count());
  t.code_ = values.get();
  return t;
}

float Tensor::expanded(std::int64_t index) const { return code_->value(offset_ + index); }

std::array<int, Tensor::kMaxRank> Tensor::axes_by_stride() const {
  std::array<int, kMaxRank> order{0, 1, 2, 3};
  std::stable_sort(order.begin(), order.begin() + rank_, [&](int a, int b) { return stride(a) > stride(b); });
  return order;
}

template <class Visit>
void Tensor::for_each_set_by_hand(Visit visit) const {
  if (!code_) return;
  const auto order = axes_by_stride();
  for (const auto& [index, value] : code_->changed()) {
    std::array<std::int64_t, kMaxRank> at{};
    std::int64_t rest = index - offset_;
    bool inside = rest >= 0;
    for (int d = 0; d < rank_; ++d) {
      const int axis = order[static_cast<std::size_t>(d)];
      const std::int64_t i = inside && size(axis) > 1 ? rest / stride(axis) : 0;
      at[static_cast<std::size_t>(axis)] = i;
      rest -= i * stride(axis);
      inside = inside && i < size(axis);
    }
    if (inside && rest == 0) visit(at);
  }
}

std::vector<std::vector<std::int64_t>> Tensor::set_by_hand() const {
  std::vector<std::vector<std::int64_t>> out;
  for_each_set_by_hand([&](const auto& at) { out.emplace_back(at.begin(), at.begin() + rank_); });
  return out;
}

std::vector<std::uint8_t> Tensor::set_by_hand_along(int dim) const {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(size(dim)), 0);
  for_each_set_by_hand(
      [&](const auto& at) { out[static_cast<std::size_t>(at[static_cast<std::size_t>(dim)])] = 1; });
  return out;
}

Tensor Tensor::beneath() const {
  if (!code_ || !code_->plain()) return {};
  Tensor t = *this;
  t.data_ = code_->plain() + offset_;
  t.code_ = nullptr;
  t.offset_ = 0;
  return t;
}

bool Tensor::same_bytes(const Tensor& other) const {
  const auto start = [](const Tensor& t) {
    if (!t.code_) return t.data_;
    return t.code_->plain() ? t.code_->plain() + t.offset_ : nullptr;
  };
  if (start(*this) || start(other)) return start(*this) == start(other);
  return code_ && other.code_ && code_->same_bytes(*other.code_) && offset_ == other.offset_;
}

bool Tensor::is_whole_code() const {
  return code_ && rank_ == 2 && stride(1) == 1 && stride(0) == size(1) && offset_ == 0 &&
         count() == code_->count() && code_->changed().empty();
}

Tensor Tensor::scale_rows(const std::vector<float>& by) const {
  CHECK(rank_ == 2 && static_cast<std::int64_t>(by.size()) == size(0));
  const Shape shape{{axis(0), size(0)}, {axis(1), size(1)}};
  if (is_whole_code())
    if (auto scaled = code_->scale_rows(by)) return encoded(std::move(scaled), shape);
  Buffer out(shape);
  read(out.data());
  parallel_for(size(0), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t col = 0; col < size(1); ++col)
        out.data()[row * size(1) + col] *= by[static_cast<std::size_t>(row)];
  });
  return std::move(out).freeze();
}

Tensor Tensor::take_rows(const std::vector<std::int64_t>& rows) const {
  CHECK(rank_ > 0);
  Shape shape{{axis(0), static_cast<std::int64_t>(rows.size())}};
  for (int d = 1; d < rank_; ++d) shape.emplace_back(axis(d), size(d));
  if (is_whole_code()) return encoded(code_->take_rows(rows), shape);
  Buffer out(shape);
  const std::int64_t width = rows.empty() ? 0 : out.count() / shape[0].second;
  for (std::size_t row = 0; row < rows.size(); ++row)
    slice(0, rows[row], rows[row] + 1).read(out.data() + static_cast<std::int64_t>(row) * width);
  return std::move(out).freeze();
}

Tensor Tensor::with_value(const std::vector<std::int64_t>& index, float value) const {
  return with_cells({{index, std::vector<std::int64_t>(index.size(), 1), BoxEdit::Kind::set, value, {}}});
}

Tensor Tensor::with_cells(const std::vector<BoxEdit>& edits) const {
  Tensor out = *this;
  if (count() == 0) return out;
  for (const BoxEdit& edit : edits) out = out.with_edit(edit);
  const bool most = out.code_ && out.code_->plain() &&
                    4 * static_cast<std::int64_t>(out.code_->changed().size()) > out.count();
  return most ? out.packed() : out;
}

namespace {

float edited(const BoxEdit& edit, float old, float by) {
  switch (edit.kind) {
    case BoxEdit::Kind::set: return by;
    case BoxEdit::Kind::add: return old + by;
    case BoxEdit::Kind::scale: return old * by;
  }
  return old;
}

}  // namespace

Tensor Tensor::with_edit(const BoxEdit& edit) const {
  const auto rank = static_cast<std::size_t>(rank_);
  CHECK(edit.begin.size() == rank && edit.size.size() == rank);
  CHECK(edit.values.empty() || edit.values.sizes() == edit.size);
  std::array<std::int64_t, kMaxRank> begin{}, size_of{1, 1, 1, 1};
  for (std::size_t d = 0; d < rank; ++d) {
    CHECK(edit.begin[d] >= 0 && edit.size[d] >= 0 && edit.begin[d] + edit.size[d] <= dims_[d].size);
    begin[d] = edit.begin[d];
    size_of[d] = edit.size[d];
  }
  const auto order = axes_by_stride();  // cells come in the order of memory
  const auto length = [&](std::size_t d) { return size_of[static_cast<std::size_t>(order[d])]; };
  std::vector<Encoded::Cell> cells;
  std::array<std::int64_t, kMaxRank> i{}, by{};
  for (i[0] = 0; i[0] < length(0); ++i[0])
    for (i[1] = 0; i[1] < length(1); ++i[1])
      for (i[2] = 0; i[2] < length(2); ++i[2])
        for (i[3] = 0; i[3] < length(3); ++i[3]) {
          std::int64_t index = offset_;
          for (std::size_t d = 0; d < kMaxRank; ++d) {
            const auto axis = static_cast<std::size_t>(order[d]);
            by[axis] = i[d];
            index += (begin[axis] + i[d]) * dims_[axis].stride;
          }
          const float old = code_ ? code_->value(index) : data_[index];
          cells.push_back(
              {index, edited(edit, old,
                             edit.values.empty() ? edit.value : edit.values.at(by[0], by[1], by[2], by[3]))});
        }
  Tensor out = *this;
  std::shared_ptr<const Encoded> code = code_ ? code_->with_cells(cells) : over_memory().with_cells(cells);
  out.code_ = code.get();
  out.owner_ = std::move(code);
  out.data_ = nullptr;
  return out;
}

// All of the memory that this looks at, from its first value to its last.
Encoded Tensor::over_memory() const {
  std::int64_t extent = 1;
  for (int d = 0; d < rank_; ++d) extent += (size(d) - 1) * stride(d);
  return {owner_, reinterpret_cast<const std::byte*>(data_), DType::f32, 1, extent};
}

// Runs along the axis whose neighbours lie side by side; each is read in one piece and put where it belongs.
void Tensor::read_encoded(float* to) const {
  std::array<std::int64_t, kMaxRank> out_stride{};  // of the row-major result
  std::int64_t stride_out = 1;
  int run = rank_ - 1;
  for (int d = rank_; d-- > 0;) {
    out_stride[static_cast<std::size_t>(d)] = stride_out;
    stride_out *= size(d);
    if (stride(run) != 1 && stride(d) == 1) run = d;
  }
  const std::int64_t length = stride(run) == 1 ? size(run) : 1;
  const std::int64_t runs = count() / std::max<std::int64_t>(1, length);
  const std::int64_t step = out_stride[static_cast<std::size_t>(run)];
  parallel_for(runs, 1 + (1 << 14) / (length + 1), [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> line(step == 1 ? 0 : static_cast<std::size_t>(length));
    for (std::int64_t r = begin; r < end; ++r) {
      std::int64_t rest = r, from = offset_, place = 0;
      for (int d = rank_; d-- > 0;) {  // the run's index in every axis but its own
        if (d == run && stride(run) == 1) continue;
        const std::int64_t i = rest % size(d);
        rest /= size(d);
        from += i * stride(d);
        place += i * out_stride[static_cast<std::size_t>(d)];
      }
      float* target = step == 1 ? to + place : line.data();
      code_->read(from, from + length, target);
      for (std::int64_t i = 0; step != 1 && i < length; ++i)
        to[place + i * step] = line[static_cast<std::size_t>(i)];
    }
  });
}

}  // namespace attnscope
