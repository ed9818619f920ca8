#include "core/trace/rows.h"

#include <algorithm>

#include "core/tensor/shape_of.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostPieces = 8;  // more are joined: looking for a row must stay cheap

std::int64_t end_of(std::int64_t begin, const Tensor& rows, int axis) { return begin + rows.size(axis); }

}  // namespace

int row_axis(const Tensor& tensor) {
  for (int d = 0; d < tensor.rank(); ++d)
    if (tensor.axis(d) == Axis::pos || tensor.axis(d) == Axis::query) return d;
  return 0;
}

Tensor joined_along(int axis, const std::vector<Tensor>& parts) {
  if (parts.size() == 1) return parts.front();
  const Tensor& like = parts.front();
  Shape shape = shape_of(like);
  auto& count = shape[static_cast<std::size_t>(axis)].second;
  count = 0;
  for (const Tensor& part : parts) count += part.size(axis);
  std::int64_t outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= like.size(d);
  for (int d = axis + 1; d < like.rank(); ++d) inner *= like.size(d);
  Buffer out(shape);
  std::int64_t done = 0;
  for (const Tensor& part : parts) {
    const Tensor rows = part.packed();
    const std::int64_t run = part.size(axis) * inner;
    for (std::int64_t i = 0; i < outer; ++i)
      std::copy_n(rows.data() + i * run, run, out.data() + (i * count + done) * inner);
    done += part.size(axis);
  }
  return std::move(out).freeze();
}

StepRows::StepRows(Tensor whole) {
  if (whole.empty()) return;
  state_ = std::make_shared<State>();
  state_->axis = row_axis(whole);
  state_->pieces.push_back({0, whole});
}

StepRows StepRows::first(std::int64_t count) const {
  if (empty() || count >= this->count()) return *this;
  StepRows out;
  out.state_ = std::make_shared<State>();
  out.state_->axis = state_->axis;
  for (const Piece& piece : state_->pieces) {
    if (piece.begin >= count && !out.state_->pieces.empty()) break;
    const std::int64_t kept = std::min(piece.rows.size(state_->axis), count - piece.begin);
    out.state_->pieces.push_back({piece.begin, piece.rows.slice(state_->axis, 0, kept)});
  }
  return out;
}

StepRows StepRows::joined(const StepRows& before, std::int64_t shared, Tensor own) {
  if (before.empty() || shared == 0) return {std::move(own)};
  StepRows out;
  out.state_ = std::make_shared<State>();
  out.state_->axis = before.state_->axis;
  out.state_->pieces = before.first(shared).state_->pieces;
  if (out.state_->pieces.size() >= kMostPieces) {
    std::vector<Tensor> parts;
    for (const Piece& piece : out.state_->pieces) parts.push_back(piece.rows);
    out.state_->pieces = {{0, joined_along(out.state_->axis, parts)}};
  }
  if (own.size(out.state_->axis) > 0) out.state_->pieces.push_back({shared, std::move(own)});
  return out;
}

std::int64_t StepRows::count() const {
  if (empty()) return 0;
  const Piece& last = state_->pieces.back();
  return end_of(last.begin, last.rows, state_->axis);
}

const Tensor& StepRows::whole() const {
  static const Tensor none;
  if (empty()) return none;
  std::call_once(state_->once, [&] {
    std::vector<Tensor> parts;
    for (const Piece& piece : state_->pieces) parts.push_back(piece.rows);
    state_->whole = joined_along(state_->axis, parts);
  });
  return state_->whole;
}

Tensor StepRows::range(std::int64_t begin, std::int64_t end) const {
  if (empty()) return {};
  std::vector<Tensor> parts;
  for (const Piece& piece : state_->pieces) {
    const std::int64_t from = std::max(begin, piece.begin);
    const std::int64_t to = std::min(end, end_of(piece.begin, piece.rows, state_->axis));
    if (from < to) parts.push_back(piece.rows.slice(state_->axis, from - piece.begin, to - piece.begin));
  }
  if (parts.empty()) return state_->pieces.front().rows.slice(state_->axis, 0, 0);
  return joined_along(state_->axis, parts);
}

float StepRows::at(const std::vector<std::int64_t>& index) const {
  if (state_->pieces.size() == 1) return state_->pieces.front().rows.at(index);
  const auto axis = static_cast<std::size_t>(state_->axis);
  const Piece* holds = &state_->pieces.front();
  for (const Piece& piece : state_->pieces)
    if (piece.begin <= index[axis]) holds = &piece;
  std::vector<std::int64_t> own = index;
  own[axis] -= holds->begin;
  return holds->rows.at(own);
}

}  // namespace attnscope
