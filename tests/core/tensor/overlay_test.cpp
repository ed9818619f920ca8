// Cells set by hand over tensors in memory: what is read is what a really changed copy holds, and nothing is
// copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/tensor/panels.h"
#include "core/tensor/tensor.h"

namespace attnscope {
namespace {

using Index = std::vector<std::int64_t>;

Tensor counted(const Shape& shape) {
  Buffer buffer(shape);
  for (std::int64_t i = 0; i < buffer.count(); ++i) buffer.data()[i] = static_cast<float>(i) * 0.37f - 5.f;
  return std::move(buffer).freeze();
}

// The same edits on a list of all values.
std::vector<float> by_hand(const Tensor& t, const std::vector<BoxEdit>& edits) {
  std::vector<float> values = t.values();
  const Index sizes = t.sizes();
  for (const BoxEdit& edit : edits)
    for (std::size_t i = 0; i < values.size(); ++i) {
      Index at(sizes.size()), inside(sizes.size());
      bool hit = true;
      for (std::size_t d = sizes.size(), rest = i; d-- > 0; rest /= static_cast<std::size_t>(sizes[d])) {
        at[d] = static_cast<std::int64_t>(rest) % sizes[d];
        inside[d] = at[d] - edit.begin[d];
        hit = hit && inside[d] >= 0 && inside[d] < edit.size[d];
      }
      if (!hit) continue;
      const float by = edit.values.empty() ? edit.value : edit.values.at(inside);
      if (edit.kind == BoxEdit::Kind::set) values[i] = by;
      if (edit.kind == BoxEdit::Kind::add) values[i] += by;
      if (edit.kind == BoxEdit::Kind::scale) values[i] *= by;
    }
  return values;
}

// One tensor in memory in every layout that views make of it.
std::vector<Tensor> views() {
  const Tensor fused = counted({{Axis::in, 40}, {Axis::out, 90}});
  const Tensor cube = counted({{Axis::head, 4}, {Axis::pos, 9}, {Axis::d_head, 12}});
  return {fused,
          fused.transpose(),
          fused.slice(1, 30, 60),
          fused.slice(1, 30, 60).slice(0, 3, 33).transpose(),
          fused.select(0, 7),
          fused.select(1, 5),
          cube,
          cube.permute({2, 0, 1}),
          cube.select(2, 3),
          cube.split(2, Axis::dim, 3, Axis::unit)};
}

// A few random boxes.
std::vector<BoxEdit> boxes(const Tensor& t, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BoxEdit> out;
  for (const auto kind : {BoxEdit::Kind::set, BoxEdit::Kind::scale, BoxEdit::Kind::add, BoxEdit::Kind::set}) {
    BoxEdit edit{{}, {}, kind, static_cast<float>(random() % 100) * 0.11f - 3.f, {}};
    Shape shape;
    for (int d = 0; d < t.rank(); ++d) {
      const auto most = static_cast<unsigned>(t.size(d));
      edit.begin.push_back(random() % most);
      edit.size.push_back(1 +
                          random() % std::min<unsigned>(3, most - static_cast<unsigned>(edit.begin.back())));
      shape.emplace_back(Axis::none, edit.size.back());
    }
    if (out.size() == 3) edit.values = counted(shape);
    out.push_back(std::move(edit));
  }
  return out;
}

void expect_values(const Tensor& t, const std::vector<float>& expected) {
  EXPECT_EQ(t.values(), expected);
  EXPECT_EQ(t.packed().values(), expected);
  std::size_t i = 0;
  if (t.rank() != 2) return;
  for (std::int64_t row = 0; row < t.size(0); ++row)
    for (std::int64_t col = 0; col < t.size(1); ++col) ASSERT_EQ(t.at(row, col), expected[i++]);
}

TEST(Overlay, ReadsLikeAChangedCopy) {
  for (const Tensor& t : views()) {
    SCOPED_TRACE(shape_text(t));
    const std::vector<float> before = t.values();
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto edits = boxes(t, seed);
      const std::vector<float> expected = by_hand(t, edits);
      const Tensor changed = t.with_cells(edits);
      expect_values(changed, expected);
      const Tensor copy = Tensor::from(expected, [&] {
        Shape shape;
        for (int d = 0; d < t.rank(); ++d) shape.emplace_back(t.axis(d), t.size(d));
        return shape;
      }());
      EXPECT_EQ(max_abs_difference(changed, copy), 0);
      EXPECT_EQ(stats(changed).max, stats(copy).max);
      EXPECT_EQ(stats(difference(changed, t)).max, stats(difference(copy, t)).max);
      if (t.rank() > 1) {
        expect_values(changed.slice(0, 1, 3), copy.slice(0, 1, 3).values());
        expect_values(changed.select(1, 2), copy.select(1, 2).values());
        EXPECT_EQ(changed.take_rows({2, 0, 2}).values(), copy.take_rows({2, 0, 2}).values());
      }
      if (t.rank() == 2) expect_values(changed.transpose(), copy.transpose().values());
    }
    EXPECT_EQ(t.values(), before);
  }
}

TEST(Overlay, CopiesNothingAndStaysFlat) {
  const Tensor t = counted({{Axis::vocab, 300}, {Axis::d_model, 200}}).transpose();
  Tensor changed = t;
  for (int i = 0; i < 50; ++i)
    changed = changed.with_value({7, 11}, static_cast<float>(i)).with_value({i, 299 - i}, 1.f);
  EXPECT_TRUE(changed.is_encoded());
  EXPECT_EQ(changed.beneath().data(), t.data());
  EXPECT_TRUE(changed.same_bytes(t));
  EXPECT_TRUE(t.same_bytes(changed));
  EXPECT_TRUE(changed.slice(0, 3, 9).same_bytes(t.slice(0, 3, 9)));
  EXPECT_FALSE(changed.same_bytes(t.slice(0, 3, 9)));
  EXPECT_FALSE(changed.same_place(t));
  EXPECT_TRUE(changed.transpose().transpose().same_place(changed));
  EXPECT_EQ(changed.set_by_hand().size(), 51u);
  EXPECT_EQ(changed.select(1, 11).set_by_hand(), (std::vector<Index>{{7}}));
  const std::vector<std::uint8_t> rows = changed.set_by_hand_along(0);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), 1), 50);
  EXPECT_EQ(changed.at(7, 11), 49.f);
  EXPECT_TRUE(t.beneath().empty());
  EXPECT_TRUE(t.set_by_hand().empty());
}

TEST(Overlay, OfMostCellsIsACopy) {
  const Tensor t = counted({{Axis::in, 10}, {Axis::out, 8}});
  const Tensor half = t.with_cells({{{0, 0}, {5, 8}, BoxEdit::Kind::scale, 2.f, {}}});
  EXPECT_FALSE(half.is_encoded());
  EXPECT_EQ(half.at(4, 7), 2 * t.at(4, 7));
  EXPECT_EQ(half.at(5, 0), t.at(5, 0));
  EXPECT_TRUE(t.with_cells({{{0, 0}, {2, 8}, BoxEdit::Kind::scale, 2.f, {}}}).is_encoded());
  EXPECT_TRUE(t.with_cells({}).same_place(t));
}

TEST(Overlay, KeepsWhatProductsHaveMade) {
  const Tensor table = counted({{Axis::vocab, 30}, {Axis::d_model, 20}}).as_weight();
  const Tensor head = table.transpose().as_weight();
  ASSERT_NE(table.panels(), nullptr);
  EXPECT_NE(table.panels(), head.panels());
  const Tensor changed = table.with_value({3, 4}, 1.f);
  EXPECT_EQ(changed.as_weight().panels(), table.panels());
  EXPECT_EQ(changed.transpose().as_weight(head).panels(), head.panels());
  EXPECT_NE(counted({{Axis::d_model, 20}, {Axis::vocab, 30}}).as_weight(head).panels(), head.panels());
}

}  // namespace
}  // namespace attnscope
