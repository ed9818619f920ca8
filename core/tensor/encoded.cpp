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
    : owner_(std::move(owner)), bytes_(bytes), dtype_(dtype), rows_(rows), width_(width), id_(next_id()) {
  CHECK(width % block_values(dtype) == 0);
}

void Encoded::read(std::int64_t begin, std::int64_t end, float* to) const {
  const std::int64_t first = begin;
  const std::int64_t row_bytes = storage_bytes(dtype_, width_);
  float* at = to;
  while (begin < end) {
    const std::int64_t row = begin / width_, col = begin % width_,
                       count = std::min(end - begin, width_ - col);
    expand_range(dtype_, bytes_ + stored_row(row) * row_bytes, col, col + count, at);
    begin += count;
    at += count;
  }
  for (auto it = changed_.lower_bound(first); it != changed_.end() && it->first < end; ++it)
    to[it->first - first] = it->second;
}

float Encoded::value(std::int64_t index) const {
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
  for (const std::int64_t row : rows) {
    CHECK(row >= 0 && row < rows_);
    out->order_.push_back(stored_row(row));
  }
  out->rows_ = static_cast<std::int64_t>(rows.size());
  out->id_ = next_id();
  return out;
}

std::shared_ptr<const Encoded> Encoded::with_value(std::int64_t index, float value) const {
  CHECK(index >= 0 && index < count());
  auto out = std::make_shared<Encoded>(*this);
  out->changed_[index] = value;
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

std::vector<std::vector<std::int64_t>> Tensor::set_by_hand() const {
  std::vector<std::vector<std::int64_t>> out;
  if (!code_) return out;
  std::vector<int> order;  // axes by falling stride
  for (int d = 0; d < rank_; ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return stride(a) > stride(b); });
  for (const auto& [index, value] : code_->changed()) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(rank_));
    std::int64_t rest = index - offset_;
    bool inside = rest >= 0;
    for (const int d : order) {
      const std::int64_t i = inside && size(d) > 1 ? rest / stride(d) : 0;
      at[static_cast<std::size_t>(d)] = i;
      rest -= i * stride(d);
      inside = inside && i < size(d);
    }
    if (inside && rest == 0) out.push_back(std::move(at));
  }
  return out;
}

bool Tensor::same_bytes(const Tensor& other) const {
  if (!code_ || !other.code_) return same_place(other);
  return code_->same_bytes(*other.code_) && offset_ == other.offset_;
}

Tensor Tensor::take_rows(const std::vector<std::int64_t>& rows) const {
  CHECK(rank_ > 0);
  Shape shape{{axis(0), static_cast<std::int64_t>(rows.size())}};
  for (int d = 1; d < rank_; ++d) shape.emplace_back(axis(d), size(d));
  const bool whole = code_ && rank_ == 2 && stride(1) == 1 && stride(0) == size(1) && offset_ == 0 &&
                     count() == code_->count() && code_->changed().empty();
  if (whole) return encoded(code_->take_rows(rows), shape);
  Buffer out(shape);
  const std::int64_t width = rows.empty() ? 0 : out.count() / shape[0].second;
  for (std::size_t row = 0; row < rows.size(); ++row)
    slice(0, rows[row], rows[row] + 1).read(out.data() + static_cast<std::int64_t>(row) * width);
  return std::move(out).freeze();
}

Tensor Tensor::with_value(const std::vector<std::int64_t>& index, float value) const {
  CHECK(static_cast<int>(index.size()) == rank_);
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * dims_[d].stride;
  Tensor out = *this;
  if (code_) {
    auto changed = code_->with_value(offset_ + at, value);
    out.code_ = changed.get();
    out.owner_ = std::move(changed);
    return out;
  }
  Shape shape;
  for (int d = 0; d < rank_; ++d) shape.emplace_back(axis(d), size(d));
  std::vector<float> all = values();
  std::int64_t place = 0;
  for (std::size_t d = 0; d < index.size(); ++d) place = place * dims_[d].size + index[d];
  all[static_cast<std::size_t>(place)] = value;
  return from(std::move(all), shape);
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
