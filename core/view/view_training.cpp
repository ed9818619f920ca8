// How does it learn? What each place should have said, with which probability the model said it, and the
// loss; of the place that is looked at, the way from the loss to single weights of the unembedding, and what
// a step against that gradient changes.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/model/gradients.h"
#include "core/session/backward_run.h"
#include "core/session/document.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostLogits = 400'000;  // computed for one picture

struct LossPlace {
  std::int64_t row = 0;
  int id = 0;
  double share = 0;  ///< that the model gave it
  double loss() const { return -std::log(share); }
};

// True where the input says what is right: the next token of the text, or what the decoder writes next.
bool says_what_is_right(const ModelConfig& config) { return config.predicts_next() || config.encoder(); }

// The rows that count in the loss, of long texts those around the looked-at one: that one first, then the
// largest loss. Where the input does not say what is right (a [MASK], a class), the likeliest output stands
// for it.
Result<std::vector<LossPlace>> targets_of(const ViewState& state) {
  const Trace& run = *state.run;
  const auto trained = trained_rows(*state.opened);
  const bool hidden = trained && trained->kind == CountedRows::Kind::masked;
  if (!says_what_is_right(run.config()) && !hidden && !run.config().head.first_row_only)
    return fail(Code::not_found, "error.view.no_loss");
  TRY(const Objective objective, default_objective(run, {}, trained));
  const std::int64_t looked = answer_row(state);
  std::vector<LossPlace> out;
  for (std::size_t row = 0; row < objective.targets.size(); ++row) {
    const int id = objective.targets[row];
    if (id < 0) continue;
    out.push_back({static_cast<std::int64_t>(row), id, 0});
  }
  if (out.empty()) return fail(Code::not_found, "error.view.no_loss");
  std::stable_sort(out.begin(), out.end(), [&](const LossPlace& a, const LossPlace& b) {
    return std::abs(a.row - looked) < std::abs(b.row - looked);
  });
  const auto most = std::max<std::int64_t>(1, kMostLogits / run.config().outputs());
  out.resize(static_cast<std::size_t>(std::min<std::int64_t>(most, std::ssize(out))));
  for (LossPlace& one : out)
    one.share = std::exp(log_probabilities(run.logits_row(one.row))[static_cast<std::size_t>(one.id)]);
  std::stable_sort(out.begin(), out.end(), [&](const LossPlace& a, const LossPlace& b) {
    return std::pair(a.row == looked, a.loss()) > std::pair(b.row == looked, b.loss());
  });
  return out;
}

figure::TableMark losses_table(const ViewState& state, const std::vector<LossPlace>& targets,
                               std::int64_t looked, bool known) {
  figure::TableMark out;
  out.card = figure::TableMark::Card::plain, out.most = std::log(2);  // of a coin
  out.header = {Text::of(known ? "figure.training.column.place" : "figure.training.column.at"),
                Text::of("figure.training.column.loss"), Text::of("figure.training.column.share")};
  for (const LossPlace& one : targets) {
    const Text place = row_label(*state.opened, *state.run, state.run->config().stack, one.row);
    out.rows.push_back({{Text::of("figure.training.then", {place, output_name(*state.opened, one.id)}),
                         Text(figure::number_text(one.loss(), 2)), percent(one.share)},
                        std::isfinite(one.loss()) ? one.loss() : 0.0,
                        {},
                        one.row == looked});
    out.most = std::max(out.most, *out.rows.back().bar);
  }
  return out;
}

// What the unembedding reads there, its column of the target, and the gradient of that column: x (p - 1).
// Nothing where more than one product stands between the two.
std::optional<figure::PartBox> weights_part(const ViewState& state, const LossPlace& target,
                                            const Text& place) {
  const Trace& run = *state.run;
  const HeadSpec& head = run.config().head;
  const Tensor *table = run.weights().find(std::string(stack_prefix(run.config().stack)) + "logits.weight"),
               *bias = run.weights().find(std::string(stack_prefix(run.config().stack)) + "logits.bias");
  const std::vector<float> read = floats_of(final_rows(run).select(0, target.row));
  if (!table || head.scale != 1.f || table->size(0) != std::ssize(read) || target.id >= table->size(1))
    return std::nullopt;
  std::vector<float> column, gradient;
  double logit = bias ? static_cast<double>(bias->at(target.id)) : 0;
  for (std::size_t dim = 0; dim < read.size(); ++dim) {
    column.push_back(table->at(static_cast<std::int64_t>(dim), target.id));
    gradient.push_back(read[dim] * static_cast<float>(target.share - 1));
    logit += static_cast<double>(read[dim]) * static_cast<double>(column.back());
  }
  if (!same_number(logit, static_cast<double>(run.logits_row(target.row).at(target.id)))) return std::nullopt;
  const Text word = output_name(*state.opened, target.id);
  const std::vector<Text> said{place, word, steps_number(target.share - 1)};
  return numbers_leaf(
      "weights",
      {{Text::of("figure.training.read", said), read},
       {Text::of("figure.training.weight", said), column},
       {Text::of("figure.training.gradient", said), gradient}},
      {Text::of("figure.training.weights", said), Text::of("figure.training.weights.short", said)}, 1);
}

// What one step of gradient descent on the unembedding changes, for this place alone: its column of a word
// moves by -rate x (p - y), so that the word's logit moves by -rate |x|^2 (p - y). The rate: the largest
// power of ten that moves no logit by more than kMostMove.
constexpr double kMostMove = 3;
figure::PartBox step_part(const ViewState& state, const LossPlace& target, const Text& place, bool known) {
  const std::vector<float> read = floats_of(final_rows(*state.run).select(0, target.row));
  double square = 0, rate = 1;
  for (const float one : read) square += static_cast<double>(one) * static_cast<double>(one);
  while (rate * square > kMostMove && rate > 1e-9) rate /= 10;
  const Tensor logits = state.run->logits_row(target.row);
  const std::vector<double> before = log_probabilities(logits);
  std::vector<float> moved;
  for (std::size_t id = 0; id < before.size(); ++id) {
    const double right = static_cast<int>(id) == target.id ? 1 : 0;
    moved.push_back(logits.at(static_cast<std::int64_t>(id)) -
                    static_cast<float>(rate * square * (std::exp(before[id]) - right)));
  }
  const auto count = std::ssize(moved);
  const std::vector<double> after = log_probabilities(Tensor::from(std::move(moved), {{Axis::vocab, count}}));
  std::vector<int> order;
  for (int id = 0; id < count; ++id)
    if (id != target.id) order.push_back(id);
  const std::size_t shown = std::min<std::size_t>(3, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](int a, int b) {
                      return before[static_cast<std::size_t>(a)] > before[static_cast<std::size_t>(b)];
                    });
  order.resize(shown);
  order.insert(order.begin(), target.id);
  figure::TableMark out;
  out.card = figure::TableMark::Card::plain;
  out.header = {Text::of("figure.training.column.word"), Text::of("figure.training.column.before"),
                Text::of("figure.training.column.after")};
  for (const int id : order) {
    const double was = std::exp(before[static_cast<std::size_t>(id)]),
                 is = std::exp(after[static_cast<std::size_t>(id)]);
    out.rows.push_back(
        {{Text(output_name(*state.opened, id)), percent(was), percent(is)}, is, was, id == target.id});
  }
  const std::vector<Text> said{Text(format("%g", rate)), place};
  return figure::leaf({"step",
                       std::move(out),
                       1,
                       {Text::of(known ? "figure.training.step" : "figure.training.step.at", said),
                        Text::of("figure.training.step.short", said)},
                       ""});
}

Result<ViewDrawing> draw_training(const ViewState& state) {
  TRY(const std::vector<LossPlace> targets, targets_of(state));
  const std::int64_t row = answer_row(state);
  const LossPlace& shown = targets.front();
  double sum = 0;
  for (const LossPlace& one : targets) sum += one.loss();
  const Text place = row_label(*state.opened, *state.run, state.run->config().stack, shown.row),
             looked = row_label(*state.opened, *state.run, state.run->config().stack, row);
  const std::vector<Text> said{place,
                               output_name(*state.opened, shown.id),
                               percent(shown.share),
                               figure::number_text(shown.loss(), 2),
                               targets.size(),
                               figure::number_text(sum / static_cast<double>(targets.size()), 2),
                               looked};
  const bool known = says_what_is_right(state.run->config());
  const std::string key = std::string("figure.training.") + (!known             ? "assumed"
                                                             : shown.row != row ? "elsewhere"
                                                                                : "sentence");
  figure::PartBox losses =
      figure::leaf({"losses",
                    losses_table(state, targets, shown.row, known),
                    3,
                    {Text::of(known ? "figure.training.losses" : "figure.training.losses.assumed"),
                     Text::of("figure.training.losses.short")},
                    ""});
  ViewDrawing out{
      {Text::of("figure.training.question")}, {Text::of(key, said), Text::of(key + ".short", said)}, {}};
  out.below = weights_part(state, shown, place);
  if (out.below)
    out.picture = figure::either({std::move(losses), step_part(state, shown, place, known)});
  else
    out.picture = std::move(losses);
  return out;
}

}  // namespace

ViewSpec view_training() { return {"training", 65, true, true, draw_training}; }

}  // namespace attnscope
