// Two trainings side by side: the same data, seed and recipe, and one part of the model that differs. Loss
// and accuracy of both by step, on held-out examples at the end, and what the model
// generates by itself.
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/lab/tiny_training.h"

namespace attnscope {
namespace {

constexpr double kTwo = 0.69314718055994531;  // ln 2: the entropy of the two letters that can follow
constexpr std::size_t kSmooth = 7;            // steps that a point of a curve is the mean of

const std::vector<std::string>& part_keys() {
  static const std::vector<std::string> keys{
      "lab.pair.part.usual",        "lab.pair.part.post",      "lab.pair.part.no_norms",
      "lab.pair.part.smoothing",    "lab.pair.part.two_keys",  "lab.pair.part.one_key",
      "lab.pair.part.sinusoidal",   "lab.pair.part.rope",      "lab.pair.part.alibi",
      "lab.pair.part.no_positions", "lab.pair.part.full_mask", "lab.pair.part.no_skip",
      "lab.pair.part.untied"};
  return keys;
}

Text lab_pair_part_name(TinyPart part) { return Text::of(part_keys()[static_cast<std::size_t>(part)]); }

template <class Number>
LabSeries curve(const TinyRun& run, const Text& name, LabInk ink, const Number& number) {
  LabSeries out{name, {}, ink};
  for (std::size_t end = kSmooth; end <= run.reports.size(); ++end) {
    double sum = 0;
    for (std::size_t i = end - kSmooth; i < end; ++i) sum += number(run.reports[i]);
    out.points.emplace_back(run.reports[end - 1].step, sum / kSmooth);
  }
  return out;
}

// A tied table is counted once.
double learned_numbers(const Model& model) {
  double out = 0;
  for (const std::string& name : parameters(model.config(), model.weights()))
    out += static_cast<double>(model.weights().get(name).count());
  return out;
}

LabTable reached(const TinyRun& a, const TinyRun& b, const Text& name_a, const Text& name_b, bool writes) {
  LabTable out;
  out.title = Text::of("lab.pair.reached");
  out.header = {Text(), name_a, name_b};
  out.rows = {fact(Text::of("lab.pair.loss"), {shown(a.loss, 3), shown(b.loss, 3)}),
              fact(Text::of("lab.pair.accuracy"), {shown_share(a.accuracy), shown_share(b.accuracy)}),
              fact(Text::of("lab.pair.confidence"), {shown_share(a.confidence), shown_share(b.confidence)}),
              fact(Text::of("lab.pair.numbers"),
                   {shown(learned_numbers(*a.model), 6), shown(learned_numbers(*b.model), 6)})};
  if (writes)
    out.rows.insert(out.rows.end() - 1, fact(Text::of("lab.pair.generated"),
                                             {shown_share(a.generated), shown_share(b.generated)}));
  return out;
}

Text notice(TinyPart part, const TinyRun& a, const TinyRun& b, const Text& name_a, const Text& name_b) {
  const TinyRun* peeks = part == TinyPart::full_mask && b.generated > 0 ? &b : nullptr;
  if (peeks && peeks->accuracy > peeks->generated + 0.2)
    return Text::of("lab.pair.notice.peek",
                    {shown(peeks->loss, 2), shown_share(peeks->accuracy), shown_share(peeks->generated)});
  const double better = a.accuracy - b.accuracy;
  if (std::fabs(better) < 0.03) {
    const bool same_loss = std::max(a.loss, b.loss) < 1.25 * std::min(a.loss, b.loss);
    return Text::of(same_loss ? "lab.pair.notice.alike" : "lab.pair.notice.as_many",
                    {name_a, name_b, shown_share(a.accuracy), shown_share(b.accuracy), shown(a.loss, 3),
                     shown(b.loss, 3)});
  }
  const bool first = better > 0;
  return Text::of("lab.pair.notice.better",
                  {first ? name_a : name_b, shown_share(first ? a.accuracy : b.accuracy),
                   first ? name_b : name_a, shown_share(first ? b.accuracy : a.accuracy)});
}

Result<LabPicture> compute_pair(const LabValues& values, const std::atomic<bool>& cancel) {
  const auto part_a = static_cast<TinyPart>(values.choice("a")),
             part_b = static_cast<TinyPart>(values.choice("b"));
  const int steps = static_cast<int>(values.whole("steps"));
  const double rate = values.number("rate");
  const auto data = static_cast<TinyData>(values.choice("data"));
  TRY(const auto a, tiny_run({data, part_a, steps, rate}, cancel));
  TRY(const auto b, tiny_run({data, part_b, steps, rate}, cancel));
  const Text name_a = Text::of("lab.pair.a_is", {lab_pair_part_name(part_a)}),
             name_b = Text::of("lab.pair.b_is", {lab_pair_part_name(part_b)});
  LabPlot loss, accuracy;
  loss.title = Text::of("lab.pair.loss_by_step");
  accuracy.title = Text::of("lab.pair.accuracy_by_step");
  loss.x_title = accuracy.x_title = Text::of("lab.pair.step");
  const auto plain = [](const StepReport& report) { return report.plain_loss; };
  const auto share = [](const StepReport& report) { return report.accuracy; };
  loss.series = {curve(*a, name_a, LabInk::blue, plain), curve(*b, name_b, LabInk::red, plain)};
  accuracy.series = {curve(*a, name_a, LabInk::blue, share), curve(*b, name_b, LabInk::red, share)};
  loss.y = {0, 3};
  accuracy.y = {0, 1.02};
  const bool follows = data == TinyData::followers || data == TinyData::woven;
  if (follows) loss.y_marks = {kTwo}, accuracy.y_marks = {0.5};
  if (data == TinyData::things)
    loss.y_marks = {std::log(kTinyThings)}, accuracy.y_marks = {1.0 / kTinyThings};
  LabPicture out;
  out.pieces = {{loss, 1, true, 1},
                {accuracy, 1},
                in_full({reached(*a, *b, name_a, name_b, data != TinyData::things), 1.5f})};
  out.formula = Text::of(follows                    ? "lab.pair.formula.followers"
                         : data == TinyData::things ? "lab.pair.formula.things"
                         : data == TinyData::deep   ? "lab.pair.formula.deep"
                                                    : "lab.pair.formula.copying",
                         {shown(a->loss, 3), shown(b->loss, 3)});
  const bool swapped = part_a == TinyPart::full_mask && part_b != TinyPart::full_mask;
  out.notice = swapped ? notice(part_a, *b, *a, name_b, name_a) : notice(part_b, *a, *b, name_a, name_b);
  return out;
}

}  // namespace

Lab lab_pair();
Lab lab_pair() {
  return {
      "lab.pair",
      16,
      {choice_control("lab.pair.data",
                      {"lab.pair.data.followers", "lab.pair.data.copying", "lab.pair.data.things",
                       "lab.pair.data.woven", "lab.pair.data.deep"},
                      static_cast<int>(TinyData::woven)),
       choice_control("lab.pair.a", part_keys(), static_cast<int>(TinyPart::usual)),
       choice_control("lab.pair.b", part_keys(), static_cast<int>(TinyPart::full_mask)),
       whole_control("lab.pair.steps", 20, 600, 300), real_control("lab.pair.rate", 3e-4, 3e-2, 1e-2, true)},
      compute_pair,
      {},
      {"b", static_cast<double>(TinyPart::no_positions), "data"}};
}

}  // namespace attnscope
