// What a language model is trained on: one-hot and smoothed targets, cross-entropy and the least it can
// become, KL, and which rows count, in numbers of the Pilot.
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/ops/backward.h"
#include "core/train/pilot_path.h"

namespace attnscope {
namespace {

constexpr int kCurve = 41, kImageRows = 16, kTextRows = 4;

/// Losses of one row whose target has probability p and whose other words share the rest.
struct LossOfRow {
  double plain = 0, smoothed = 0;
};
LossOfRow row_loss(std::int64_t vocab, double p, double smoothing) {
  std::vector<float> logits(static_cast<std::size_t>(vocab),
                            static_cast<float>(std::log((1 - p) / static_cast<double>(vocab - 1))));
  logits[0] = static_cast<float>(std::log(p));
  const CrossEntropy loss =
      cross_entropy(Tensor::from(std::move(logits), {{Axis::pos, 1}, {Axis::vocab, vocab}}), {0}, smoothing);
  return {loss.plain, loss.smoothed};
}

/// The smoothed target: what the right word gets and what every other one.
struct LossTarget {
  double right = 0, other = 0, entropy = 0;

  /// KL(target || model) where the model gives p to the right word and the others the same.
  double kl(std::int64_t vocab, double p) const {
    const double others = static_cast<double>(vocab - 1), rest = (1 - p) / others;
    return right * std::log(right / p) + (other > 0 ? others * other * std::log(other / rest) : 0);
  }
};
LossTarget target_of(std::int64_t vocab, double smoothing) {
  LossTarget out;
  out.other = smoothing / static_cast<double>(vocab);
  out.right = 1 - smoothing + out.other;
  out.entropy = -out.right * std::log(out.right);
  if (out.other > 0) out.entropy -= static_cast<double>(vocab - 1) * out.other * std::log(out.other);
  return out;
}

LabPlot loss_plot(std::int64_t vocab, double smoothing, double p, const LossTarget& target) {
  LabPlot out;
  out.title = Text::of("lab.loss.curve");
  out.x_title = Text::of("lab.loss.p");
  LabSeries plain{Text::of("lab.loss.plain"), {}, LabInk::blue},
      smoothed{Text::of("lab.loss.smoothed"), {}, LabInk::amber};
  for (int i = 0; i < kCurve; ++i) {
    // Closer together near 1, where the smoothed loss turns.
    const double share = static_cast<double>(i) / (kCurve - 1);
    const double at = 0.01 + (0.9999 - 0.01) * (1 - (1 - share) * (1 - share));
    const LossOfRow loss = row_loss(vocab, at, smoothing);
    plain.points.emplace_back(at, loss.plain);
    smoothed.points.emplace_back(at, loss.smoothed);
  }
  out.series = {plain, smoothed};
  out.x = {0, 1};
  out.y = {0, std::max(5.0, target.entropy * 2)};
  out.x_marks = {p};
  out.y_marks = {target.entropy};
  return out;
}

LabTable lab_loss_facts_of(std::int64_t vocab, double p, const LossTarget& target, const LossOfRow& loss) {
  const double others = static_cast<double>(vocab - 1);
  LabTable out;
  out.title = Text::of("lab.loss.row");
  out.header = {Text(), Text::of("lab.loss.onehot"), Text::of("lab.loss.smooth")};
  out.rows = {fact(Text::of("lab.loss.right"), {"1", shown(target.right, 7)}),
              fact(Text::of("lab.loss.other"), {"0", shown(target.other)}),
              fact(Text::of("lab.loss.model"), {shown(p, 5), shown((1 - p) / others)}),
              fact(Text::of("lab.loss.ce"), {shown(loss.plain, 5), shown(loss.smoothed, 5)}),
              fact(Text::of("lab.loss.least"), {"0", shown(target.entropy, 4)}),
              fact(Text::of("lab.loss.kl"), {shown(loss.plain, 5), shown(target.kl(vocab, p), 3)})};
  out.lit = 4;
  return out;
}

/// The Pilot's first input: loss of every row whose target is a word or an action.
struct PilotLoss {
  std::vector<double> rows;
  std::vector<Text> names;
  double text = 0, actions = 0, all = 0;
};

Result<PilotLoss> pilot_loss() {
  TRY(const std::shared_ptr<const OpenedModel> pilot, shipped_model("pilot"));
  CHECK(pilot->card && !pilot->card->inputs.empty());
  const Input& input = pilot->card->inputs.front();
  TRY(const std::shared_ptr<const Trace> trace, pilot->model->run(input));
  PilotLoss out;
  for (std::int64_t row = kImageRows - 1; row + 1 < trace->length; ++row) {
    const int said = input.ids[static_cast<std::size_t>(row + 1)];
    const Tensor logits = trace->logits_row(row);
    const Tensor one = Tensor::from(logits.values(), {{Axis::pos, 1}, {Axis::vocab, logits.count()}});
    const double loss = cross_entropy(one, {said}, 0).plain;
    const std::size_t at = out.rows.size();
    out.names.emplace_back(at < kTextRows ? Text(token_label(*pilot, said))
                                          : Text::of(kArmActionKeys[at - kTextRows]));
    (at < kTextRows ? out.text : out.actions) += loss;
    out.rows.push_back(loss);
  }
  const auto count = static_cast<double>(out.rows.size());
  out.all = (out.text + out.actions) / count;
  out.text /= kTextRows;
  out.actions /= count - kTextRows;
  return out;
}

LabBars pilot_bars(const PilotLoss& loss, bool all) {
  LabBars out;
  out.title = Text::of(all ? "lab.loss.pilot.all" : "lab.loss.pilot.actions",
                       {shown(all ? loss.all : loss.actions, all ? 5 : 4)});
  for (std::size_t row = 0; row < loss.rows.size(); ++row)
    out.bars.push_back({loss.names[row], loss.rows[row], shown(loss.rows[row], 3),
                        all || row >= kTextRows ? LabInk::amber : LabInk::dim});
  return out;
}

Result<LabPicture> compute_loss(const LabValues& values, const std::atomic<bool>& cancel) {
  const std::int64_t vocab = values.whole("vocab");
  const double smoothing = values.number("smoothing"), p = values.number("p");
  const bool all = values.choice("counted") == 1;
  const LossTarget target = target_of(vocab, smoothing);
  const LossOfRow loss = row_loss(vocab, p, smoothing);
  TRY_OK(go_on(cancel));
  TRY(const PilotLoss pilot, pilot_loss());
  LabPicture out;
  out.pieces = {{loss_plot(vocab, smoothing, p, target), 0.9f, true, 1},
                {lab_loss_facts_of(vocab, p, target, loss), 1.3f},
                in_full({pilot_bars(pilot, all), 0.75f})};
  out.formula = Text::of("lab.loss.formula",
                         {shown(loss.smoothed, 4), shown(target.entropy, 4), shown(target.kl(vocab, p), 3)});
  out.notice = Text::of(smoothing == 0            ? "lab.loss.notice.hard"
                        : p > target.right + 1e-4 ? "lab.loss.notice.sure"
                                                  : "lab.loss.notice.least",
                        {shown(target.entropy, 4), shown(smoothing, 3), shown(target.right, 4),
                         shown(pilot.all, 5), shown(pilot.actions, 4)});
  return out;
}

}  // namespace

Lab lab_loss();
Lab lab_loss() {
  return {"lab.loss",
          4,
          {whole_control("lab.loss.vocab", 2, 100000, 30000, true),
           real_control("lab.loss.smoothing", 0, 0.5, 0.1), real_control("lab.loss.p", 0.01, 0.9999, 0.6),
           choice_control("lab.loss.counted", {"lab.loss.counted.actions", "lab.loss.counted.all"})},
          compute_loss,
          {"p", 0.05},
          {"p", 0.99, "smoothing"}};
}

}  // namespace attnscope
