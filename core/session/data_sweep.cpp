#include "core/session/data_sweep.h"

#include "core/session/asked_measure.h"
#include "core/session/data_cells.h"

namespace attnscope {

Result<DataSweep> DataSweep::prepare(DataRuns& data, DataQuestion question, const std::atomic<bool>* cancel) {
  TRY(Selector steps, Selector::parse(question.steps));
  DataSweep out(data, std::move(question), std::move(steps));
  if (out.question_.path) {
    TRY(out.to_, Selector::parse(out.question_.path->to));
  }
  if (out.resamples()) {
    TRY_OK(out.draw_partners());
  } else if (out.question_.how.from != DataKnockout::From::itself) {
    TRY_OK(data.keep_lines(true));
    TRY_OK(out.take_means(cancel));
  }
  return out;
}

Status DataSweep::draw_partners() {
  TRY(const DrawnPartners drawn, data_->draw_partners(question_.how.seed));
  partners_ = drawn.partners;
  for (std::size_t i = 0; i < data_->lines().size(); ++i) place_of_line_[data_->lines()[i].line] = i;
  return Done{};
}

Status DataSweep::take_means(const std::atomic<bool>* cancel) {
  StepMeans sum(question_.how.from == DataKnockout::From::mean_by_pos);
  const auto work = [&](const DataLine& line) -> Result<StepMeans> {
    TRY(const PromptRun run, data_->run(line, DataSide::clean, cancel));
    const auto one = sum.of_run(*run.trace, steps_);
    if (!one) return within(line.place(data_->path()), one.error());
    return one;
  };
  TRY_OK(data_->through<StepMeans>(work, [&](const DataLine& line, const StepMeans& one) {
    const Status added = sum.add(one);
    return added ? added : Status(within(line.place(data_->path()), added.error()));
  }));
  question_.how.knockout.means = std::make_shared<const StepMeans>(std::move(sum));
  return Done{};
}

Result<Sweep> DataSweep::sweep_of(const DataLine& line, const std::shared_ptr<const Trace>& run,
                                  const LogitMeasure& measure, const std::atomic<bool>* cancel) const {
  const auto& model = data_->start().model;
  if (to_) return Sweep::paths(model, run, measure, steps_, *to_, question_.path->kind, question_.over);
  if (!resamples())
    return Sweep::ablation(model, run, measure, steps_, question_.over, question_.how.knockout);
  const auto place = place_of_line_.find(line.line);
  if (place == place_of_line_.end()) return fail(Code::out_of_range, "error.session.resample_one");
  TRY(const PromptRun other, data_->run(data_->lines()[partners_[place->second]], DataSide::clean, cancel));
  return Sweep::patching(model, run, other.trace, measure, steps_, question_.over);
}

Result<PromptSweep> DataSweep::patch_of(const DataLine& line, const std::atomic<bool>* cancel) const {
  TRY(PromptRun clean, data_->run(line, DataSide::clean, cancel));
  TRY(PromptRun corrupt, data_->run(line, DataSide::corrupt, cancel));
  TRY(std::string text, data_->measure_text(line, question_.measure));
  const auto at = [&](const Error& error) { return within(line.place(data_->path()), error); };
  const auto measures = patch_measures(data_->opened(), text, question_.at, *clean.trace, *corrupt.trace);
  if (!measures) return at(measures.error());
  const bool back = question_.patch == PatchInto::clean;
  const PromptRun &into = back ? clean : corrupt, &from = back ? corrupt : clean;
  const auto donor = measured(back ? measures->corrupt : measures->clean, *from.trace);
  if (!donor) return at(donor.error());
  auto sweep = Sweep::patching(data_->start().model, into.trace, from.trace,
                               back ? measures->clean : measures->corrupt, steps_, question_.over);
  if (!sweep) return at(sweep.error());
  return PromptSweep{back ? std::move(clean) : std::move(corrupt), std::move(text), *std::move(sweep),
                     *donor};
}

Result<PromptSweep> DataSweep::of(const DataLine& line, const std::atomic<bool>* cancel) const {
  if (question_.patch != PatchInto::none) return patch_of(line, cancel);
  TRY(PromptRun prompt, data_->run(line, DataSide::clean, cancel));
  TRY(std::string text, data_->measure_text(line, question_.measure));
  const auto at = [&](const Error& error) { return within(line.place(data_->path()), error); };
  const auto measure = measure_of(data_->opened(), text, question_.at, *prompt.trace);
  if (!measure) return at(measure.error());
  auto sweep = sweep_of(line, prompt.trace, *measure, cancel);
  if (!sweep) return at(sweep.error());
  return PromptSweep{std::move(prompt), std::move(text), *std::move(sweep)};
}

Result<std::string> data_measure(const std::string& typed, const DataPrompts& prompts) {
  if (!typed.empty()) return typed;
  if (prompts.lines.empty() || prompts.lines.front().answer.empty())
    return fail(Code::not_found, "error.session.data.no_answer_typed");
  return std::string(prompts.lines.front().wrong.empty() ? "logit" : "logit_diff");
}

}  // namespace attnscope
