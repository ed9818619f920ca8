// Why the scores are divided by the root of d_k: random queries and keys of growing width through the core's
// own products and softmax, and the scores of a trained model with and without it.
#include <algorithm>
#include <cmath>

#include "core/base/words.h"
#include "core/lab/pieces.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kQueries = 256, kMostWidth = 512;
constexpr const char* kLabSqrtStory = "The cat sat on the mat because it was tired";

/// What a set of score rows is like, as means over the rows.
struct Sharpness {
  double variance = 0, entropy = 0, largest = 0, gradient = 0;  ///< gradient: p (1 - p) of the largest
  std::vector<double> first;                                    ///< weights of the first row
};

Sharpness sharpness_of(const Tensor& scores, double variance) {
  Sharpness out;
  out.variance = variance;
  const Tensor weights = softmax_rows(scores);  // [query, key]
  const auto rows = static_cast<double>(weights.size(0));
  for (std::int64_t row = 0; row < weights.size(0); ++row) {
    std::vector<double> shares;
    for (std::int64_t key = 0; key < weights.size(1); ++key)
      shares.push_back(static_cast<double>(weights.at(row, key)));
    const double top = *std::max_element(shares.begin(), shares.end());
    out.entropy += entropy_of(shares) / rows;
    out.largest += top / rows;
    out.gradient += top * (1 - top) / rows;
    if (row == 0) out.first = std::move(shares);
  }
  return out;
}

// Scores of random queries and keys of width d, scaled or not.
Sharpness random_scores(std::int64_t d, std::int64_t keys, bool scaled) {
  const Tensor q = normal_rows(7, kQueries, d), k = normal_rows(8, keys, d);
  Tensor scores = linear(q, k.transpose(), {}, Axis::key);  // [query, key]
  if (scaled) scores = scale(scores, static_cast<float>(1 / std::sqrt(static_cast<double>(d))));
  return sharpness_of(scores, spread_of(scores).variance);
}

struct Live {
  double deviation = 0, entropy = 0, largest = 0, gradient = 0;
};

// All rows of all heads of a trained model that see at least four keys: the scores as they are, divided by
// the root of d_k, and the same ones undivided.
struct LiveScores {
  Live divided, undivided;
};
Result<LiveScores> live_scores(const OpenedModel& opened) {
  TRY(const Input input, text_input(opened, kLabSqrtStory));
  TRY(const std::shared_ptr<const Trace> trace, opened.model->run(input, {}));
  const ModelConfig& config = trace->config();
  const float undone = 1 / config.blocks[0].attention.scale;
  const auto measured = [&](float times) {
    Live out;
    double rows = 0, cells = 0, squares = 0, sum = 0;
    for (int layer = 0; layer < config.n_layers(); ++layer)
      for (int head = 0; head < config.blocks[0].attention.n_heads; ++head)
        for (std::int64_t row = 3; row < trace->length; ++row) {
          const Tensor scores = scale(
              trace->slice(trace->main(StepKind::scale, layer), head, {row, row + 1}, {0, row + 1}), times);
          const Tensor weights = softmax_rows(scores);
          std::vector<double> shares;
          for (std::int64_t key = 0; key <= row; ++key) {
            const double score = static_cast<double>(scores.at(0, key));
            sum += score, squares += score * score, cells += 1;
            shares.push_back(static_cast<double>(weights.at(0, key)));
          }
          const double top = *std::max_element(shares.begin(), shares.end());
          out.entropy += entropy_of(shares), out.largest += top, out.gradient += top * (1 - top);
          rows += 1;
        }
    out.deviation = std::sqrt(std::max(0.0, squares / cells - sum / cells * sum / cells));
    out.entropy /= rows, out.largest /= rows, out.gradient /= rows;
    return out;
  };
  return LiveScores{measured(1), measured(undone)};
}

LabTable live_table(const LiveScores& of) {
  const Live &with = of.divided, &without = of.undivided;
  LabTable out;
  out.title = Text::of("lab.sqrt.live");
  out.header = {Text(), Text::of("lab.sqrt.divided"), Text::of("lab.sqrt.undivided")};
  const auto row = [&](const char* key, double a, double b) {
    out.rows.push_back(fact(Text::of(key), {shown(a, 3), shown(b, 3)}));
  };
  row("lab.sqrt.deviation", with.deviation, without.deviation);
  row("lab.sqrt.entropy", with.entropy, without.entropy);
  row("lab.sqrt.largest", with.largest, without.largest);
  row("lab.sqrt.gradient", with.gradient, without.gradient);
  return out;
}

LabTable lab_sqrt_facts_of(const Sharpness& now, std::int64_t d, std::int64_t keys, bool scaled) {
  const double wide = scaled ? 1 : std::sqrt(static_cast<double>(d));
  const float far = static_cast<float>(wide);
  const float pair = softmax_rows(Tensor::from({far, -far}, {{Axis::query, 1}, {Axis::key, 2}})).at(0, 0);
  LabTable out;
  out.title = Text::of("lab.sqrt.facts");
  out.header = {Text(), Text::of("lab.sqrt.measured"), Text::of("lab.sqrt.expected")};
  out.rows = {
      fact(Text::of("lab.sqrt.variance"), {shown(now.variance), shown(wide * wide)}),
      fact(Text::of("lab.sqrt.deviation"), {shown(std::sqrt(now.variance)), shown(wide)}),
      fact(Text::of("lab.sqrt.entropy"),
           {shown(now.entropy), Text::of("lab.sqrt.at_most", {shown(std::log(keys))})}),
      fact(Text::of("lab.sqrt.largest"),
           {shown(now.largest), Text::of("lab.sqrt.at_least", {shown(1 / static_cast<double>(keys))})}),
      fact(Text::of("lab.sqrt.gradient"), {shown(now.gradient), Text::of("lab.sqrt.at_most", {shown(0.25)})}),
      fact(Text::of("lab.sqrt.pair", {shown(wide, 3)}),
           {shown(static_cast<double>(pair), 8), shown(1 / (1 + std::exp(-2 * wide)), 8)})};
  return out;
}

LabPlot variance_plot(const std::vector<double>& widths, const std::vector<Sharpness>& at, std::int64_t d) {
  LabPlot out;
  out.title = Text::of("lab.sqrt.variance");
  out.x_title = Text::of("lab.sqrt.d_k");
  out.log_x = out.log_y = true;
  out.x_marks = {static_cast<double>(d)};
  LabSeries measured{Text::of("lab.sqrt.measured"), {}, LabInk::blue, false, true};
  LabSeries line{Text::of("lab.sqrt.line"), {}, LabInk::dim, true};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    measured.points.emplace_back(widths[i], at[i].variance);
    line.points.emplace_back(widths[i], widths[i]);
  }
  out.series = {measured, line};
  out.y = {0.5, 1000};
  return out;
}

LabPlot weight_plot(const std::vector<double>& widths, const std::vector<Sharpness>& at, std::int64_t d) {
  LabPlot out;
  out.title = Text::of("lab.sqrt.softmax");
  out.x_title = Text::of("lab.sqrt.d_k");
  out.log_x = true;
  out.y = {0, 1};
  out.x_marks = {static_cast<double>(d)};
  LabSeries largest{Text::of("lab.sqrt.largest"), {}, LabInk::amber, false, true};
  LabSeries gradient{Text::of("lab.sqrt.gradient"), {}, LabInk::red, false, true};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    largest.points.emplace_back(widths[i], at[i].largest);
    gradient.points.emplace_back(widths[i], at[i].gradient);
  }
  out.series = {largest, gradient};
  return out;
}

LabBars row_bars(const Sharpness& now) {
  LabBars out;
  out.title = Text::of("lab.sqrt.row");
  out.most = 1;
  for (std::size_t key = 0; key < now.first.size(); ++key)
    out.bars.push_back(
        {Text::of("lab.sqrt.key", {key}), now.first[key], shown(now.first[key], 3), LabInk::amber});
  return out;
}

Result<LabPicture> compute_sqrt(const LabValues& values, const std::atomic<bool>& cancel) {
  const std::int64_t d = values.whole("d_k"), keys = values.whole("keys");
  const bool scaled = values.on("scaling");
  std::vector<double> widths;
  std::vector<Sharpness> at;
  for (std::int64_t width = 1; width <= kMostWidth; width *= 2) {
    TRY_OK(go_on(cancel));
    widths.push_back(static_cast<double>(width));
    at.push_back(random_scores(width, keys, scaled));
  }
  const Sharpness now = random_scores(d, keys, scaled);
  TRY(const std::shared_ptr<const OpenedModel> story, shipped_model("storyteller"));
  TRY(const LiveScores live, live_scores(*story));
  LabPicture out;
  out.pieces = {in_full({variance_plot(widths, at, d), 1, true, 1.1f}),
                {weight_plot(widths, at, d)},
                in_full({lab_sqrt_facts_of(now, d, keys, scaled), 1.5f, true, 1}),
                {row_bars(now), 0.65f},
                in_full({live_table(live), 1.15f})};
  const std::string root = shown(std::sqrt(static_cast<double>(d)), 3);
  out.formula = Text::of(scaled ? "lab.sqrt.formula.on" : "lab.sqrt.formula.off", {d, root});
  out.notice = Text::of(scaled              ? "lab.sqrt.notice.on"
                        : now.largest > 0.9 ? "lab.sqrt.notice.saturated"
                        : now.variance < 3  ? "lab.sqrt.notice.narrow"
                                            : "lab.sqrt.notice.off",
                        {d, shown(now.variance, 3), shown(now.largest, 3), shown(now.gradient, 3)});
  return out;
}

}  // namespace

Lab lab_sqrt();
Lab lab_sqrt() {
  return {"lab.sqrt",
          1,
          {whole_control("lab.sqrt.d_k", 1, kMostWidth, 64, true), whole_control("lab.sqrt.keys", 2, 32, 8),
           switch_control("lab.sqrt.scaling", false)},
          compute_sqrt,
          {"d_k", 1},
          {"d_k", 512, "scaling"}};
}

}  // namespace attnscope
