// Norms before the parts of a block or behind their sums: gradients of each block at the very start of
// training, from the same random weights through the core's own backward pass; and the warm-up that the
// second kind needs.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/lab/pieces.h"
#include "core/model/gradients.h"
#include "core/step/catalog.h"
#include "core/train/random.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

constexpr int kLabPrepostVocab = 48, kLabPrepostWidth = 32, kLabPrepostHeads = 4, kStackRows = 24,
              kSequences = 4, kSchedule = 8000;

ModelConfig lab_prepost_model_config(int blocks, NormOrder order) {
  ModelConfig config = lab_config(kLabPrepostWidth, kLabPrepostHeads, kLabPrepostVocab, blocks);
  config.position.kind = PositionSpec::Kind::sinusoidal;
  if (order == NormOrder::post) config.final_norm.kind = NormSpec::Kind::none;
  config.head = {true, false};
  for (BlockSpec& block : config.blocks) block.order = order;
  return config;
}

// Both kinds begin with the same numbers: Glorot & Bengio 2010, as blocks with norms behind begin.
Weights lab_prepost_weights_of(int blocks, NormOrder order) {
  Weights out = first_weights(lab_prepost_model_config(blocks, NormOrder::post), 11);
  if (order == NormOrder::post) return out;
  const Tensor& like = out.get("blocks.0.ln1.weight");
  out.set("ln_final.weight", like);
  out.set("ln_final.bias", out.get("blocks.0.ln1.bias"));
  return out;
}

struct LabPrepostCase {
  Input input;
  Objective objective;
};
LabPrepostCase lab_prepost_case(std::uint64_t number) {
  SplitMix64 random = random_of(31, 0, number);
  LabPrepostCase out;
  for (int row = 0; row < kStackRows; ++row) {
    out.input.ids.push_back(random.below(kLabPrepostVocab));
    out.objective.targets.push_back(random.below(kLabPrepostVocab));
  }
  return out;
}

Result<std::shared_ptr<const Gradients>> gradients_of(const Model& model, std::uint64_t number) {
  LabPrepostCase one = lab_prepost_case(number);
  TRY(const std::shared_ptr<const Trace> trace, model.run(one.input));
  return backward(trace, std::move(one.objective));
}

// The norm of the gradients of each block's matrices together, mean of a few sequences.
Result<std::vector<double>> block_norms(int blocks, NormOrder order, const std::atomic<bool>& cancel) {
  TRY(const std::shared_ptr<const Model> model,
      Model::make(lab_prepost_model_config(blocks, order), lab_prepost_weights_of(blocks, order)));
  std::vector<double> norms(static_cast<std::size_t>(blocks), 0);
  for (std::uint64_t number = 0; number < kSequences; ++number) {
    TRY_OK(go_on(cancel));
    TRY(const std::shared_ptr<const Gradients> gradients, gradients_of(*model, number));
    std::vector<double> squares(norms.size(), 0);
    for (const auto& [name, value] : gradients->weights())
      if (name.rfind("blocks.", 0) == 0 && value.rank() == 2)
        squares[static_cast<std::size_t>(std::atoi(&name[7]))] += sum_of_squares(value);
    for (std::size_t block = 0; block < norms.size(); ++block)
      norms[block] += std::sqrt(squares[block]) / kSequences;
  }
  return norms;
}

double turn_between(const float* a, const float* b, std::int64_t count) {
  double both = 0, of_a = 0, of_b = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    both += x * y, of_a += x * x, of_b += y * y;
  }
  return std::acos(std::clamp(both / std::sqrt(of_a * of_b), -1.0, 1.0)) * 180 / std::numbers::pi;
}

// The angle between each row before a block and behind it, degrees, mean over the rows of one sequence.
Result<std::vector<double>> block_turns(int blocks, NormOrder order) {
  TRY(const std::shared_ptr<const Model> model,
      Model::make(lab_prepost_model_config(blocks, order), lab_prepost_weights_of(blocks, order)));
  TRY(const std::shared_ptr<const Trace> trace, model->run(lab_prepost_case(0).input));
  const StepKind last = order == NormOrder::post ? StepKind::norm2 : StepKind::residual_post;
  std::vector<double> out;
  TRY(Tensor before, trace->tensor(site_of(StepKind::residual_in, 0)));
  for (int block = 0; block < blocks; ++block) {
    TRY(const Tensor after, trace->tensor(site_of(last, block)));
    const std::vector<float> from = before.values(), to = after.values();
    double sum = 0;
    for (std::int64_t row = 0; row < kStackRows; ++row)
      sum += turn_between(&from[static_cast<std::size_t>(row * kLabPrepostWidth)],
                          &to[static_cast<std::size_t>(row * kLabPrepostWidth)], kLabPrepostWidth);
    out.push_back(sum / kStackRows);
    before = after;
  }
  return out;
}

LabSeries norm_series(const char* key, const std::vector<double>& norms, LabInk ink) {
  LabSeries out{Text::of(key), {}, ink, false, true};
  for (std::size_t block = 0; block < norms.size(); ++block) out.points.emplace_back(block, norms[block]);
  return out;
}

LabPlot schedule_plot(double rate, int warmup) {
  Recipe recipe;
  recipe.schedule = "inverse_sqrt";
  recipe.learning_rate = rate;
  recipe.warmup = warmup;
  recipe.steps = kSchedule;
  LabPlot out;
  out.title = Text::of("lab.prepost.schedule");
  out.x_title = Text::of("lab.prepost.step");
  LabSeries with{Text::of("lab.prepost.with", {warmup}), {}, LabInk::amber};
  for (int step = 0; step < kSchedule; step += 20)
    with.points.emplace_back(step + 1, learning_rate(recipe, step));
  out.series = {with};
  out.x_marks = {static_cast<double>(std::max(1, warmup))};
  out.y = {0, rate * 1.1};
  return out;
}

Result<LabPicture> compute_prepost(const LabValues& values, const std::atomic<bool>& cancel) {
  const int blocks = static_cast<int>(values.whole("blocks")),
            warmup = static_cast<int>(values.whole("warmup"));
  const double rate = values.number("rate");
  TRY(const std::vector<double> pre, block_norms(blocks, NormOrder::pre, cancel));
  TRY(const std::vector<double> post, block_norms(blocks, NormOrder::post, cancel));
  LabPlot norms;
  norms.title = Text::of("lab.prepost.norms");
  norms.x_title = Text::of("lab.prepost.block");
  norms.series = {norm_series("lab.prepost.pre", pre, LabInk::blue),
                  norm_series("lab.prepost.post", post, LabInk::red)};
  norms.y = {0, 1.15 * std::max(*std::max_element(pre.begin(), pre.end()),
                                *std::max_element(post.begin(), post.end()))};
  TRY(const std::vector<double> pre_turns, block_turns(blocks, NormOrder::pre));
  TRY(const std::vector<double> post_turns, block_turns(blocks, NormOrder::post));
  LabPlot turns;
  turns.title = Text::of("lab.prepost.turns");
  turns.x_title = norms.x_title;
  turns.series = {norm_series("lab.prepost.pre", pre_turns, LabInk::blue),
                  norm_series("lab.prepost.post", post_turns, LabInk::red)};
  turns.y = {0, 1.15 * std::max(*std::max_element(pre_turns.begin(), pre_turns.end()),
                                *std::max_element(post_turns.begin(), post_turns.end()))};
  LabTable table;
  table.title = Text::of("lab.prepost.table");
  table.header = {Text(), "Pre-LN", "Post-LN"};
  const auto row = [&](const char* key, double a, double b) {
    table.rows.push_back(fact(Text::of(key), {shown(a, 3), shown(b, 3)}));
  };
  row("lab.prepost.first", pre.front(), post.front());
  row("lab.prepost.last", pre.back(), post.back());
  row("lab.prepost.ratio", pre.back() / pre.front(), post.back() / post.front());
  LabPicture out;
  out.pieces = {{norms, 1.4f, true, 1.2f},
                {table, 1},
                in_full({turns, 1, true, 1}),
                in_full({schedule_plot(rate, warmup), 1})};
  const double ratio = post.back() / pre.back();
  out.formula = Text::of("lab.prepost.formula", {shown(rate, 3), std::max(1, warmup)});
  out.notice = Text::of(warmup == 0                                             ? "lab.prepost.notice.cold"
                        : post.back() / post.front() > pre.back() / pre.front() ? "lab.prepost.notice.warm"
                                                                                : "lab.prepost.notice.flat",
                        {blocks, shown(post.back(), 3), shown(pre.back(), 3), shown(ratio, 3), warmup});
  return out;
}

}  // namespace

Lab lab_prepost();
Lab lab_prepost() {
  return {"lab.prepost",
          8,
          {whole_control("lab.prepost.blocks", 2, 12, 8), whole_control("lab.prepost.warmup", 0, 4000, 1000),
           real_control("lab.prepost.rate", 1e-4, 1e-2, 1e-3, true)},
          compute_prepost,
          {"blocks", 2},
          {"blocks", 12}};
}

}  // namespace attnscope
