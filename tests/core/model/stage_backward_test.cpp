// Back through an attention whose stages were edited by means and by other rows, against a plain double loop:
// every q, k and v is moved a little, and the loss is computed anew, cell by cell.
#include "core/model/stage_backward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/edits.h"

namespace attnscope {
namespace {

constexpr int kHeads = 2, kRows = 5, kWidth = 3;
using Plane = std::array<std::array<double, kRows>, kRows>;
using Numbers = std::vector<double>;  // [head, row, d]

double& at(Numbers& x, int head, int row, int d) {
  return x[static_cast<std::size_t>((head * kRows + row) * kWidth + d)];
}

Tensor tensor(const Numbers& x, Axis rows) {
  return Tensor::from({x.begin(), x.end()}, {{Axis::head, kHeads}, {rows, kRows}, {Axis::d_head, kWidth}});
}

// The edits of one stage by their meaning, on one head's plane.
void edit_plane(Plane& plane, const Edits& edits, const std::string& stage, int head) {
  for (const auto& edit : edits) {
    const NumberEdit& number = *edit->number();
    const Target& where = number.where;
    if (to_text(where.site) != "blocks.0.attn." + stage) continue;
    const AxisRange *heads = range_on(where, Axis::head), *queries = range_on(where, Axis::query),
                    *keys = range_on(where, Axis::key);
    if (heads && head != heads->begin) continue;
    const Plane old = plane;
    for (int row = 0; row < kRows; ++row) {
      if (queries && (row < queries->begin || row >= queries->end)) continue;
      for (int key = 0; key < kRows; ++key) {
        if (keys && (key < keys->begin || key >= keys->end)) continue;
        const auto k = static_cast<std::size_t>(key);
        double operand = 0;
        if (const auto* from = std::get_if<FromPos>(&number.value))
          operand = old[static_cast<std::size_t>(from->pos)][k];
        else
          for (const auto& other : old) operand += other[k] / kRows;
        double& cell = plane[static_cast<std::size_t>(row)][k];
        cell = number.op == EditOp::set   ? operand
               : number.op == EditOp::add ? cell + operand
                                          : cell * operand;
      }
    }
  }
}

// sum of w * z of an attention that is causal, with the edits carried out stage by stage.
double loss_of(const Edits& edits, std::array<Numbers, 3> qkv, Numbers w) {
  double loss = 0;
  for (int head = 0; head < kHeads; ++head) {
    Plane plane{};
    const auto each = [&](auto cell) {
      for (int row = 0; row < kRows; ++row)
        for (int key = 0; key < kRows; ++key)
          cell(row, key, plane[static_cast<std::size_t>(row)][static_cast<std::size_t>(key)]);
    };
    each([&](int row, int key, double& x) {
      for (int d = 0; d < kWidth; ++d) x += at(qkv[0], head, row, d) * at(qkv[1], head, key, d);
    });
    edit_plane(plane, edits, "scores", head);
    each([&](int, int, double& x) { x *= 0.5; });
    edit_plane(plane, edits, "scaled", head);
    each([&](int row, int key, double& x) { x = key <= row ? x : -INFINITY; });
    edit_plane(plane, edits, "masked", head);
    for (auto& row : plane) {
      double sum = 0;
      for (const double x : row) sum += std::exp(x);
      for (double& x : row) x = std::exp(x) / sum;
    }
    edit_plane(plane, edits, "pattern", head);
    each([&](int row, int key, double& x) {
      for (int d = 0; d < kWidth; ++d) loss += x * at(qkv[2], head, key, d) * at(w, head, row, d);
    });
  }
  return loss;
}

void expect_gradients(const std::vector<const char*>& texts) {
  Edits edits;
  for (const char* text : texts)
    edits.push_back(testing::edit((std::string("blocks.0.attn.") + text).c_str()));
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::array<Numbers, 3> qkv;
  Numbers w;
  for (Numbers* each : {&qkv[0], &qkv[1], &qkv[2], &w})
    for (int i = 0; i < kHeads * kRows * kWidth; ++i)
      each->push_back(static_cast<double>(static_cast<float>(normal(random))));
  AttentionState state;
  state.in = {
      tensor(qkv[0], Axis::query), tensor(qkv[1], Axis::key), tensor(qkv[2], Axis::key), 0.5f, 0.f, {}, {}};
  const AttentionResult plain = attend(state.in);
  state.lse = plain.lse;
  Edits reached;
  auto made =
      StageEdits::make(edits, *parse_site("blocks.0.attn.pattern"), state.in, state.lse, nullptr, reached);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(reached.size(), edits.size());
  state.edits = std::make_shared<const StageEdits>(*std::move(made));
  SentByHead sent;
  const AttentionGrads grads = attention_backward(state, tensor(w, Axis::query), plain.z, sent);
  const Tensor* found[] = {&grads.q, &grads.k, &grads.v};
  for (std::size_t which = 0; which < 3; ++which) {
    const std::vector<float> analytic = found[which]->packed().values();
    for (std::size_t i = 0; i < analytic.size(); ++i) {
      std::array<Numbers, 3> up = qkv, down = qkv;
      up[which][i] += 1e-5;
      down[which][i] -= 1e-5;
      const double measured = (loss_of(edits, up, w) - loss_of(edits, down, w)) / 2e-5;
      EXPECT_NEAR(static_cast<double>(analytic[i]), measured, 2e-5 * std::max(1.0, std::fabs(measured)))
          << texts.front() << ": "
          << "qkv"[which] << " " << i;
    }
  }
}

TEST(StageBackward, GoesThroughMeans) {
  expect_gradients({"pattern[head=0]=mean"});
  expect_gradients({"scores[head=1,query=1-3]=mean"});
  expect_gradients({"scaled[head=0,query=2,key=1]+=mean", "pattern[head=0,query=3]*=mean"});
}

TEST(StageBackward, GoesThroughOtherRows) {
  expect_gradients({"pattern[head=0,query=3]=@pos:1"});
  expect_gradients({"scores[head=1,query=1]=@pos:4", "scores[head=1,query=4]=@pos:1"});
  expect_gradients({"masked[query=2,key=0-1]=@pos:1", "pattern[head=1,query=0,key=0]+=@pos:2"});
}

TEST(StageBackward, EditsOfOneHeadFeedOneAnother) {
  expect_gradients({"scores[head=0,query=2]=@pos:1", "scores[head=0]=mean", "scaled[head=0,query=3]*=@pos:2",
                    "pattern[head=0,query=4]=@pos:3", "pattern[head=0,query=1]+=mean"});
}

}  // namespace
}  // namespace attnscope
