#include "core/tensor/tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/tensor/block_pool.h"
#include "core/tensor/panels.h"
#include "core/tensor/shape_of.h"

namespace attnscope {

std::string_view axis_name(Axis axis) {
  switch (axis) {
    case Axis::none: return "";
    case Axis::pos: return "pos";
    case Axis::query: return "query";
    case Axis::key: return "key";
    case Axis::head: return "head";
    case Axis::d_model: return "d_model";
    case Axis::d_head: return "d_head";
    case Axis::concat: return "head*d_head";
    case Axis::d_mlp: return "d_mlp";
    case Axis::vocab: return "vocab";
    case Axis::in: return "in";
    case Axis::out: return "out";
    case Axis::unit: return "1";
    case Axis::dim: return "dim";
    case Axis::freq: return "freq";
    case Axis::batch: return "batch";
  }
  return "";
}

namespace {

std::vector<Dim> row_major(const Shape& shape) {
  std::vector<Dim> dims(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    dims[d] = {shape[d].first, shape[d].second, stride};
    stride *= shape[d].second;
  }
  return dims;
}

// Calls visit(value, index) for every value in row-major order.
template <class Visit>
void for_each(const Tensor& t, Visit visit) {
  if (t.empty()) return;
  const auto last = static_cast<std::size_t>(t.rank() - 1);
  std::array<std::int64_t, Tensor::kMaxRank> size{1, 1, 1, 1}, at{};
  for (std::size_t d = 0; d < last; ++d) size[d] = t.size(static_cast<int>(d));
  const std::int64_t count = t.size(t.rank() - 1), stride = t.stride(t.rank() - 1);
  const float* const data = t.is_encoded() ? nullptr : t.data();
  const auto row = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    at = {i, j, k, 0};
    const float* const from = data ? data + (last > 0 ? i * t.stride(0) : 0) +
                                         (last > 1 ? j * t.stride(1) : 0) + (last > 2 ? k * t.stride(2) : 0)
                                   : nullptr;
    for (std::int64_t l = 0; l < count; ++l) {
      at[last] = l;
      visit(from ? from[l * stride] : t.at(at[0], at[1], at[2], at[3]), at);
    }
  };
  for (std::int64_t i = 0; i < size[0]; ++i)
    for (std::int64_t j = 0; j < size[1]; ++j)
      for (std::int64_t k = 0; k < size[2]; ++k) row(i, j, k);
}

// Calls `row` with the first value of every row of a tensor in memory: what lies along its last axis.
template <class Row>
void for_each_row(const Tensor& t, Row row) {
  const int last = t.rank() - 1;
  std::array<std::int64_t, 3> size{1, 1, 1}, stride{};
  for (int d = 0; d < last; ++d)
    size[static_cast<std::size_t>(d)] = t.size(d), stride[static_cast<std::size_t>(d)] = t.stride(d);
  for (std::int64_t i = 0; i < size[0]; ++i)
    for (std::int64_t j = 0; j < size[1]; ++j)
      for (std::int64_t k = 0; k < size[2]; ++k)
        row(t.data() + i * stride[0] + j * stride[1] + k * stride[2]);
}

}  // namespace

Tensor Tensor::from(std::vector<float> values, const Shape& shape) {
  auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  Tensor t = borrow(owner, owner->data(), shape);
  CHECK(t.count() == static_cast<std::int64_t>(owner->size()));
  return t;
}

Tensor Tensor::borrow(std::shared_ptr<const void> owner, const float* data, std::vector<Dim> dims) {
  CHECK(!dims.empty() && dims.size() <= kMaxRank);
  Tensor t;
  t.owner_ = std::move(owner);
  t.data_ = data;
  t.rank_ = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), t.dims_.begin());
  return t;
}

Tensor Tensor::borrow(std::shared_ptr<const void> owner, const float* data, const Shape& shape) {
  return borrow(std::move(owner), data, row_major(shape));
}

Tensor Tensor::filled(const Shape& shape, float value) {
  Buffer buffer(shape);
  std::fill_n(buffer.data(), buffer.count(), value);
  return std::move(buffer).freeze();
}

int Tensor::find(Axis axis) const {
  for (int d = 0; d < rank_; ++d)
    if (this->axis(d) == axis) return d;
  return -1;
}

std::int64_t Tensor::count() const {
  if (rank_ == 0) return 0;
  std::int64_t product = 1;
  for (int d = 0; d < rank_; ++d) product *= size(d);
  return product;
}

std::vector<std::int64_t> Tensor::sizes() const {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rank_));
  for (int d = 0; d < rank_; ++d) out.push_back(size(d));
  return out;
}

bool Tensor::contiguous() const {
  if (code_) return false;
  std::int64_t expected = 1;
  for (int d = rank_; d-- > 0;) {
    if (size(d) != 1 && stride(d) != expected) return false;
    expected *= size(d);
  }
  return true;
}

float Tensor::at(const std::vector<std::int64_t>& index) const {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * dims_[d].stride;
  return code_ ? expanded(at) : data_[at];
}

Tensor Tensor::select(int dim, std::int64_t index) const {
  CHECK(rank_ > 1 && dim < rank_ && index >= 0 && index < size(dim));
  Tensor t = *this;
  t.move_by(index * stride(dim));
  for (int d = dim; d + 1 < rank_; ++d)
    t.dims_[static_cast<std::size_t>(d)] = t.dims_[static_cast<std::size_t>(d) + 1];
  t.dims_[static_cast<std::size_t>(--t.rank_)] = Dim{};
  return t;
}

Tensor Tensor::slice(int dim, std::int64_t begin, std::int64_t end) const {
  CHECK(dim < rank_ && begin >= 0 && begin <= end && end <= size(dim));
  Tensor t = *this;
  t.move_by(begin * stride(dim));
  t.dims_[static_cast<std::size_t>(dim)].size = end - begin;
  return t;
}

Tensor Tensor::permute(std::initializer_list<int> order) const {
  CHECK(static_cast<int>(order.size()) == rank_);
  Tensor t = *this;
  std::size_t to = 0;
  for (int from : order) t.dims_[to++] = dims_[static_cast<std::size_t>(from)];
  return t;
}

Tensor Tensor::split(int dim, Axis outer_axis, std::int64_t outer, Axis inner_axis) const {
  CHECK(rank_ < kMaxRank && dim < rank_ && outer > 0 && size(dim) % outer == 0);
  Tensor t = *this;
  for (int d = rank_; d > dim + 1; --d)
    t.dims_[static_cast<std::size_t>(d)] = t.dims_[static_cast<std::size_t>(d) - 1];
  const std::int64_t inner = size(dim) / outer;
  t.dims_[static_cast<std::size_t>(dim)] = {outer_axis, outer, stride(dim) * inner};
  t.dims_[static_cast<std::size_t>(dim) + 1] = {inner_axis, inner, stride(dim)};
  ++t.rank_;
  return t;
}

Tensor Tensor::rename(std::initializer_list<Axis> axes) const {
  CHECK(static_cast<int>(axes.size()) == rank_);
  Tensor t = *this;
  std::size_t d = 0;
  for (Axis axis : axes) t.dims_[d++].axis = axis;
  return t;
}

Tensor Tensor::as_weight(const Tensor& before) const {
  const Tensor plain = code_ ? beneath() : *this;
  if (plain.rank() != 2 || (panels_ && panels_->covers(plain))) return *this;
  Tensor t = *this;
  const bool known = before.panels_ && before.panels_->covers(plain);
  t.panels_ = known ? before.panels_ : Panels::of_weight(plain);
  return t;
}

Tensor Tensor::packed() const {
  if (empty() || contiguous()) return *this;
  Buffer out(shape_of(*this));
  read(out.data());
  return std::move(out).freeze();
}

std::vector<float> Tensor::values() const {
  std::vector<float> out(static_cast<std::size_t>(count()));
  read(out.data());
  return out;
}

void Tensor::read(float* to) const {
  if (empty()) return;
  if (code_) return read_encoded(to);
  if (contiguous()) {
    std::copy_n(data_, count(), to);
    return;
  }
  const std::int64_t wide = size(rank_ - 1), step = stride(rank_ - 1);
  for_each_row(*this, [&](const float* from) {
    if (step == 1)
      std::copy_n(from, wide, to);
    else
      for (std::int64_t l = 0; l < wide; ++l) to[l] = from[l * step];
    to += wide;
  });
}

Buffer::Buffer(Shape shape) : shape_(std::move(shape)) {
  count_ = 1;
  for (const auto& [axis, size] : shape_) count_ *= size;
  owner_ = tensor_memory((static_cast<std::size_t>(count_) * sizeof(float) + 63) / 64 * 64 + 64);
  data_ = static_cast<float*>(owner_.get());
}

Tensor Buffer::freeze() && { return Tensor::borrow(std::move(owner_), data_, shape_); }

std::string shape_text(const std::vector<std::int64_t>& sizes, std::int64_t batch) {
  std::vector<std::string> parts;
  if (batch > 0) parts.push_back(std::to_string(batch));
  for (std::int64_t size : sizes) parts.push_back(std::to_string(size));
  constexpr std::size_t kMostShown = 12;  // a damaged file may tell of any number
  if (parts.size() > kMostShown) parts.resize(kMostShown), parts.emplace_back("...");
  return "(" + join(parts, ", ") + ")";
}

std::string shape_text(const Tensor& tensor, std::int64_t batch) { return shape_text(tensor.sizes(), batch); }

std::string axes_text(const Tensor& tensor) {
  std::vector<std::string> parts;
  parts.reserve(static_cast<std::size_t>(tensor.rank()));
  for (int d = 0; d < tensor.rank(); ++d) parts.emplace_back(axis_name(tensor.axis(d)));
  return "[" + join(parts, ", ") + "]";
}

namespace {

// Running totals of Stats over one or several pieces.
struct Totals {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  double sum = 0, squares = 0;

  void take(const Tensor& piece, std::int64_t first_row, Stats& s) {
    for_each(piece, [&](float v, const auto& index) {
      if (std::isnan(v)) {
        if (s.nans++ > 0) return;
        s.first_nan.assign(index.begin(), index.begin() + piece.rank());
        s.first_nan[0] += first_row;
      } else if (std::isinf(v)) {
        ++s.infs;
      } else {
        low = std::min(low, v);
        high = std::max(high, v);
        sum += v;
        squares += static_cast<double>(v) * v;
      }
    });
  }
};

// Piece by piece in the order of the file, never whole.
void take_encoded(const Tensor& tensor, Totals& totals, Stats& s) {
  const bool swapped = tensor.rank() == 2 && tensor.stride(0) == 1 && tensor.stride(1) != 1;
  const Tensor t = swapped ? tensor.transpose() : tensor;
  const std::int64_t rows =
      std::max<std::int64_t>(1, (1 << 18) * t.size(0) / std::max<std::int64_t>(1, t.count()));
  for (std::int64_t row = 0; row < t.size(0); row += rows)
    totals.take(t.slice(0, row, std::min(row + rows, t.size(0))).packed(), row, s);
  if (swapped) std::reverse(s.first_nan.begin(), s.first_nan.end());
}

}  // namespace

Stats stats(const Tensor& tensor) {
  Stats s;
  Totals totals;
  s.count = tensor.count();
  if (tensor.is_encoded())
    take_encoded(tensor, totals, s);
  else
    totals.take(tensor, 0, s);
  const std::int64_t finite = s.count - s.nans - s.infs;
  if (finite > 0) {
    s.min = totals.low;
    s.max = totals.high;
    s.mean = totals.sum / static_cast<double>(finite);
    s.l2 = std::sqrt(totals.squares);
  }
  return s;
}

Tensor difference(const Tensor& now, const Tensor& before) {
  if (now.empty() || now.sizes() != before.sizes()) return {};
  if (now.is_encoded() || before.is_encoded()) return difference(now.packed(), before.packed());
  Buffer out(shape_of(now));
  std::int64_t at = 0;
  for_each(now, [&](float v, const auto& i) {
    const float old = before.at(i[0], i[1], i[2], i[3]);
    out.data()[at++] = std::isinf(v) && v == old ? 0.f : v - old;
  });
  return std::move(out).freeze();
}

double max_abs_difference(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  if (a.is_encoded() || b.is_encoded()) return max_abs_difference(a.packed(), b.packed());
  double worst = 0;
  for_each(a, [&](float v, const auto& i) {
    const float w = b.at(i[0], i[1], i[2], i[3]);
    if (std::isnan(v) && std::isnan(w)) return;
    if (v == w) return;
    const double gap = std::fabs(static_cast<double>(v) - w);
    worst = std::max(worst, std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap);
  });
  return worst;
}

}  // namespace attnscope
