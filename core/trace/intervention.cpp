#include "core/trace/intervention.h"

#include <array>

namespace attnscope {
namespace {

struct Box {
  std::array<std::int64_t, Tensor::kMaxRank> begin{}, end{1, 1, 1, 1};
  bool empty = false;
};

// The part of the tensor that the coordinates leave open.
Box box_of(const Cell& where, const Tensor& value) {
  Box box;
  for (int d = 0; d < value.rank(); ++d) box.end[static_cast<std::size_t>(d)] = value.size(d);
  for (const Coordinate& c : where.at) {
    int found = -1;
    for (int d = 0; d < value.rank(); ++d)
      if (axis_name(value.axis(d)) == c.axis) found = d;
    if (found < 0 || c.index >= value.size(found)) {
      box.empty = true;
      return box;
    }
    box.begin[static_cast<std::size_t>(found)] = c.index;
    box.end[static_cast<std::size_t>(found)] = c.index + 1;
  }
  return box;
}

template <class Visit>
void for_each_cell(const Box& box, Visit visit) {
  for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i)
    for (std::int64_t j = box.begin[1]; j < box.end[1]; ++j)
      for (std::int64_t k = box.begin[2]; k < box.end[2]; ++k)
        for (std::int64_t l = box.begin[3]; l < box.end[3]; ++l) visit(i, j, k, l);
}

float edited(const Edit& how, float old, float mean) {
  switch (how.kind) {
    case Edit::Kind::set: return how.value;
    case Edit::Kind::add: return old + how.value;
    case Edit::Kind::scale: return old * how.value;
    case Edit::Kind::zero: return 0.f;
    case Edit::Kind::mean: return mean;
  }
  return old;
}

}  // namespace

Tensor apply(const Intervention& intervention, const Tensor& value) {
  const Box box = box_of(intervention.where, value);
  if (box.empty || value.empty()) return value;
  double sum = 0;
  std::int64_t count = 0;
  for_each_cell(box, [&](auto i, auto j, auto k, auto l) {
    sum += value.at(i, j, k, l);
    ++count;
  });
  const float mean = count ? static_cast<float>(sum / static_cast<double>(count)) : 0.f;
  Shape shape;
  for (int d = 0; d < value.rank(); ++d) shape.emplace_back(value.axis(d), value.size(d));
  std::vector<float> values = value.values();
  Tensor copy = Tensor::from(std::move(values), shape);
  float* write = const_cast<float*>(copy.data());  // ours alone: made two lines above
  for_each_cell(box, [&](auto i, auto j, auto k, auto l) {
    float& cell =
        write[i * copy.stride(0) + j * copy.dim(1).stride + k * copy.dim(2).stride + l * copy.dim(3).stride];
    cell = edited(intervention.how, cell, mean);
  });
  return copy;
}

}  // namespace attnscope
