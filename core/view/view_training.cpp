// How does it learn? What each place should have said, with which probability the model said it, and the
// loss; of the place that is looked at, the way from the loss to single weights of the unembedding, and what
// a step against that gradient changes.
#include <algorithm>
#include <cmath>

#include "core/base/keep_first.h"
#include "core/base/text.h"
#include "core/session/backward_run.h"
#include "core/session/document.h"
#include "core/view/training_parts.h"

namespace attnscope {
namespace {

constexpr double kLearned = 0.005;  // a loss that two digits show as 0.00

constexpr std::int64_t kMostLogits = 400'000;  // computed for one picture

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
  keep_first(order, 3, [&](int a, int b) {
    return before[static_cast<std::size_t>(a)] > before[static_cast<std::size_t>(b)];
  });
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
  const char* title = state.level == Level::easy ? "figure.training.step.easy"
                      : known                    ? "figure.training.step"
                                                 : "figure.training.step.at";
  return figure::leaf(
      {"step", std::move(out), 1, {Text::of(title, said), Text::of("figure.training.step.short", said)}, ""});
}

// The loss of the place that is looked at alone.
Result<std::shared_ptr<const Gradients>> gradients_of_loss(const ViewState& state) {
  TRY(const std::vector<LossPlace> targets, targets_of(state));
  TRY(Objective objective, default_objective(*state.run, {}, trained_rows(*state.opened)));
  std::fill(objective.targets.begin(), objective.targets.end(), kNotCounted);
  objective.targets[static_cast<std::size_t>(targets.front().row)] = targets.front().id;
  return backward(state.run, std::move(objective));
}

Result<ViewDrawing> draw_losses(const ViewState& state, const std::vector<LossPlace>& targets,
                                const Text& place) {
  const std::int64_t row = answer_row(state);
  const LossPlace& shown = targets.front();
  double sum = 0, largest = 0, least = 1;
  for (const LossPlace& one : targets)
    sum += one.loss(), largest = std::max(largest, one.loss()), least = std::min(least, one.share);
  const std::vector<Text> said{place,
                               output_name(*state.opened, shown.id),
                               percent(shown.share),
                               figure::number_text(shown.loss(), 2),
                               targets.size(),
                               figure::number_text(sum / static_cast<double>(targets.size()), 2),
                               row_label(*state.opened, *state.run, state.run->config().stack, row),
                               percent(std::floor(least * 1000) / 1000)};  // not more than it is
  const bool known = says_what_is_right(state.run->config());
  const std::string key = std::string("figure.training.") + (!known               ? "assumed"
                                                             : largest < kLearned ? "learned"
                                                             : shown.row != row   ? "elsewhere"
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
  const bool reads = !final_rows(*state.run).empty() && state.run->config().head.scale == 1.f;
  out.picture =
      reads ? figure::either({std::move(losses), step_part(state, shown, place, known)}) : std::move(losses);
  return out;
}

constexpr const char* kLossPage = "loss";
std::vector<Station> training_stations(const ViewState& state) {
  const auto targets = targets_of(state);
  if (!targets) return {};
  std::vector<Station> out = stations_back(state, targets->front());
  out.insert(out.begin(), {kLossPage, Text::of("figure.training.name.loss"), figure::Ink::warning,
                           state.run->main(StepRole::logits)});
  return out;
}

Result<ViewDrawing> draw_training(const ViewState& state) {
  TRY(const std::vector<LossPlace> targets, targets_of(state));
  const LossPlace& target = targets.front();
  const Text place = row_label(*state.opened, *state.run, state.run->config().stack, target.row);
  if (state.page.empty() || state.page == kLossPage) return draw_losses(state, targets, place);
  const std::vector<Station> all = training_stations(state);
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Station& one) { return one.id == state.page; });
  if (at == all.end())
    return fail(Code::not_found, "error.view.page",
                {in_quotes(state.page), join(pages_of(**find_view("training"), state), ", ")});
  std::shared_ptr<const Gradients> gradients = state.gradients;
  if (!gradients) {
    TRY(gradients, gradients_of_loss(state));
  }
  TRY(StationDrawing drawn, station_back(at->id, {state, target, place, output_name(*state.opened, target.id),
                                                  says_what_is_right(state.run->config()), gradients}));
  const std::vector<Text> said{place, at - all.begin() + 1, all.size(), at->name};
  ViewDrawing out{{Text::of("figure.training.title", said), Text::of("figure.training.title.short", said)},
                  std::move(drawn.sentence),
                  {}};
  out.above = std::move(drawn.picture), out.answer = target.row, out.right = target.id;
  return out;
}

}  // namespace

ViewSpec view_training() {
  ViewSpec out{"training", 65, true, true, draw_training};
  out.heads = true, out.stations = training_stations, out.gradients = gradients_of_loss;
  return out;
}

}  // namespace attnscope
