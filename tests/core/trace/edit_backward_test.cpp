// Back through one edit of a step against a plain double loop: every number before the edit is moved a
// little, and what follows is computed anew, by the edit's meaning.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/trace/edit.h"

namespace attnscope {
namespace {

constexpr int kHeads = 2, kRows = 4, kWidth = 3;
using Numbers = std::vector<double>;  // [head, pos, d_head]
const std::vector<std::uint8_t> kReal{1, 1, 0, 1};

std::size_t at(int head, int row, int d) {
  return static_cast<std::size_t>((head * kRows + row) * kWidth + d);
}

bool inside(const Target& where, Axis axis, int index) {
  const AxisRange* range = range_on(where, axis);
  return !range || (index >= range->begin && index < range->end);
}

Numbers edit_backward_edited(const NumberEdit& edit, const Numbers& x) {
  Numbers out = x;
  for (int head = 0; head < kHeads; ++head)
    for (int row = 0; row < kRows; ++row)
      for (int d = 0; d < kWidth; ++d) {
        if (!inside(edit.where, Axis::head, head) || !inside(edit.where, Axis::pos, row) ||
            !inside(edit.where, Axis::d_head, d))
          continue;
        double operand = 0;
        if (const auto* from = std::get_if<FromPos>(&edit.value))
          operand = x[at(head, static_cast<int>(from->pos), d)];
        else
          for (int other = 0; other < kRows; ++other)
            operand += kReal[static_cast<std::size_t>(other)] ? x[at(head, other, d)] / (kRows - 1) : 0.0;
        double& cell = out[at(head, row, d)];
        cell = edit.op == EditOp::set ? operand : edit.op == EditOp::add ? cell + operand : cell * operand;
      }
  return out;
}

Tensor tensor(const Numbers& x) {
  return Tensor::from({x.begin(), x.end()},
                      {{Axis::head, kHeads}, {Axis::pos, kRows}, {Axis::d_head, kWidth}});
}

TEST(ApplyBackward, MeansAndCopiesOfTheSameStep) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Numbers x, dy;
  for (Numbers* each : {&x, &dy})
    for (int i = 0; i < kHeads * kRows * kWidth; ++i)
      each->push_back(static_cast<double>(static_cast<float>(normal(random))));
  for (const char* place : {"", "[head=1]", "[pos=1-2]", "[head=0,pos=3,d_head=1]", "[pos=2]"})
    for (const char* op : {"=mean", "+=mean", "*=mean", "=@pos:2", "+=@pos:2", "*=@pos:2"}) {
      const std::string text = std::string("blocks.0.attn.z") + place + op;
      const auto read = parse_edit(text);
      ASSERT_TRUE(read) << text;
      const NumberEdit& edit = *(*read)->number();
      const RowFrame rows{0, &kReal};
      const auto now = apply(edit, tensor(x), rows);
      const auto dx = apply_backward(edit, tensor(dy), rows, tensor(x));
      ASSERT_TRUE(now && dx) << text;
      const std::vector<float> found = dx->values();
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(now->value.values()[i], edit_backward_edited(edit, x)[i], 1e-6) << text;
        Numbers up = x, down = x;
        up[i] += 1e-5;
        down[i] -= 1e-5;
        const Numbers high = edit_backward_edited(edit, up), low = edit_backward_edited(edit, down);
        double measured = 0;
        for (std::size_t j = 0; j < x.size(); ++j) measured += dy[j] * (high[j] - low[j]) / 2e-5;
        EXPECT_NEAR(static_cast<double>(found[i]), measured, 2e-6 * std::max(1.0, std::fabs(measured)))
            << text << " " << i;
      }
    }
}

}  // namespace
}  // namespace attnscope
