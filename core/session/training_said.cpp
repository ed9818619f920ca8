#include "core/session/training_said.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/session/training_curves.h"

namespace attnscope {
namespace {

constexpr int kSaidMeanOver = 10;  // steps: a single one says little

double mean_of_steps(const std::vector<double>& values, std::size_t from, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[from + i];
  return sum / static_cast<double>(count);
}

Text said_percent(double share) { return Text::of("number.percent", {format("%.1f", 100 * share)}); }

}  // namespace

Text training_said(const TrainingSnapshot& run, TrainingState state) {
  const TrainingCurves& curves = *run.curves;
  const std::string steps = format_count(run.steps);
  if (curves.steps() == 0) return Text::of("easy.train.begins", {steps});
  const auto all = static_cast<std::size_t>(curves.steps()), over = std::min<std::size_t>(kSaidMeanOver, all);
  // Where the curve beside the sentence begins (shortened_curve).
  const double begin = curves.plain_loss.front(), end = mean_of_steps(curves.plain_loss, all - over, over);
  const std::string first = format("%.2f", begin), last = format("%.2f", end);
  const char* key = first == last ? "easy.train.same" : end < begin ? "easy.train.falls" : "easy.train.rises";
  const Text way = Text::of(key, {format_count(run.now.step), steps, first, last,
                                  said_percent(mean_of_steps(curves.accuracy, all - over, over))});
  if (state == TrainingState::paused) return Text::of("easy.train.paused", {way});
  if (run.measures.empty()) return way;
  return Text::of("easy.train.finished",
                  {way, said_percent(run.measures.front().value), format_count(run.measured_on)});
}

}  // namespace attnscope
