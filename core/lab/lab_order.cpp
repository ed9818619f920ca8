// Attention is permutation equivariant: two words are swapped in a small model with and without
// positions, with and without a causal mask, and the rows are compared number by number.
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/model/model.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

constexpr int kLabOrderWords = 5, kLabOrderWidth = 16, kLabOrderHeads = 2;
constexpr double kLabOrderRounding = 1e-5;  // differences below it are those of sums in another order
constexpr const char* kOrderNames[kLabOrderWords] = {"I", "love", "you", "and", "tea"};

ModelConfig lab_order_model_config(bool positions, bool causal) {
  ModelConfig config = lab_config(kLabOrderWidth, kLabOrderHeads, kLabOrderWords, 1);
  config.position.kind = positions ? PositionSpec::Kind::sinusoidal : PositionSpec::Kind::none;
  config.final_norm.kind = NormSpec::Kind::none;
  config.blocks[0].attention.causal = causal;
  return config;
}

Result<std::shared_ptr<const Trace>> run(const Model& model, const std::vector<int>& ids) {
  Input input;
  input.ids = ids;
  return model.run(input);
}

/// What the swap changed of one word's row.
struct Moved {
  double largest = 0;
  std::int64_t same_bits = 0;
};

// Row `from` of a against row `to` of b.
Moved compared(const Tensor& a, std::int64_t from, const Tensor& b, std::int64_t to) {
  Moved out;
  for (std::int64_t d = 0; d < a.size(1); ++d) {
    const float x = a.at(from, d), y = b.at(to, d);
    out.largest = std::max(out.largest, std::fabs(static_cast<double>(x) - static_cast<double>(y)));
    out.same_bits += x == y ? 1 : 0;
  }
  return out;
}

std::vector<Text> names_of(const std::vector<int>& ids) {
  std::vector<Text> out;
  for (const int id : ids) out.emplace_back(kOrderNames[id]);
  return out;
}

LabMatrix pattern_of(const Trace& trace, const std::vector<int>& ids, const char* title) {
  LabMatrix out;
  out.title = Text::of(title);
  const auto count = static_cast<std::int64_t>(ids.size());
  out.values = trace.slice(trace.main(StepRole::pattern, 0), 0, {0, count}, {0, count});
  out.row_labels = out.col_labels = names_of(ids);
  out.scale = LabMatrix::Scale::share;
  return out;
}

Result<LabPicture> compute_order(const LabValues& values, const std::atomic<bool>&) {
  const auto first = static_cast<std::size_t>(values.whole("first")),
             second = static_cast<std::size_t>(values.whole("second"));
  const bool positions = values.on("positions"), causal = values.on("causal");
  ModelConfig config = lab_order_model_config(positions, causal);
  Weights weights = first_weights(config, 5);
  TRY(const std::shared_ptr<const Model> model, Model::make(std::move(config), std::move(weights)));
  std::vector<int> ids, swapped;
  for (int id = 0; id < kLabOrderWords; ++id) ids.push_back(id);
  swapped = ids;
  std::swap(swapped[first], swapped[second]);
  TRY(const std::shared_ptr<const Trace> before, run(*model, ids));
  TRY(const std::shared_ptr<const Trace> after, run(*model, swapped));
  const Tensor &x = before->find(before->main(StepKind::residual_post, 0))->value(),
               &y = after->find(after->main(StepKind::residual_post, 0))->value();
  LabTable table;
  table.title = Text::of("lab.order.rows");
  table.header = {Text::of("lab.order.word"), Text::of("lab.order.from"), Text::of("lab.order.to"),
                  Text::of("lab.order.difference"), Text::of("lab.order.bits")};
  double largest = 0;
  int changed = 0;
  for (int id = 0; id < kLabOrderWords; ++id) {
    const auto to = std::find(swapped.begin(), swapped.end(), id) - swapped.begin();
    const Moved moved = compared(x, id, y, to);
    largest = std::max(largest, moved.largest);
    changed += moved.largest < kLabOrderRounding ? 0 : 1;
    table.rows.push_back({kOrderNames[id], id, static_cast<std::int64_t>(to), shown(moved.largest, 2),
                          Text::of("lab.order.of", {moved.same_bits, x.size(1)})});
  }
  LabPicture out;
  out.pieces = {{pattern_of(*before, ids, "lab.order.before"), 1, true, 1.4f},
                {pattern_of(*after, swapped, "lab.order.after"), 1},
                in_full({table, 1, true, 1})};
  const bool rounding = changed == 0;
  out.formula = Text::of(rounding    ? "lab.order.formula.off"
                         : positions ? "lab.order.formula.on"
                                     : "lab.order.formula.causal",
                         {shown(largest, 2)});
  out.notice =
      Text::of(first == second ? "lab.order.notice.none"
               : rounding      ? "lab.order.notice.same"
               : positions     ? "lab.order.notice.positions"
                               : "lab.order.notice.causal",
               {kOrderNames[first], kOrderNames[second], shown(largest, 2), changed, kLabOrderWords});
  return out;
}

}  // namespace

Lab lab_order();
Lab lab_order() {
  return {"lab.order",
          3,
          {whole_control("lab.order.first", 0, kLabOrderWords - 1, 0),
           whole_control("lab.order.second", 0, kLabOrderWords - 1, 2),
           switch_control("lab.order.positions", false), switch_control("lab.order.causal", false)},
          compute_order,
          {"second", 4},
          {"positions", 1, "second"}};
}

}  // namespace attnscope
