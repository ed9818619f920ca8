#include "core/session/data_edits.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/lens/donor.h"
#include "core/session/data_cells.h"
#include "core/session/prompt_list.h"
#include "core/trace/editable.h"
#include "core/train/random.h"

namespace attnscope {
namespace {

constexpr double kMostToWaitFor = 5e10;  // multiply-adds

}  // namespace

std::optional<DataOperand> data_operand(const std::string& edit) {
  for (const bool resample : {false, true}) {
    const std::string end = resample ? "=resample" : "=mean";
    if (!ends_with(edit, end)) continue;
    std::string place = edit.substr(0, edit.size() - end.size());
    if (ends_with(place, "+") || ends_with(place, "*")) place.pop_back();
    return DataOperand{std::move(place), resample};
  }
  return std::nullopt;
}

Result<std::shared_ptr<const DataEdits>> DataEdits::prepare(DataRuns& data,
                                                            const std::vector<std::string>& edits,
                                                            std::uint64_t seed,
                                                            const std::atomic<bool>* cancel) {
  std::string averaged;
  bool resamples = false;
  for (const std::string& edit : edits) {
    const auto operand = data_operand(edit);
    if (!operand) continue;
    resamples = resamples || operand->resample;
    const auto steps = Selector::parse(operand->place);  // a weight is none
    if (!operand->resample && steps) averaged += (averaged.empty() ? "" : ",") + operand->place;
  }
  TRY_OK(data.keep_lines(!resamples));
  const std::shared_ptr<DataEdits> out(new DataEdits(data.without_edits(), seed));
  if (resamples) TRY_OK(out->draw_partners(data));
  if (!averaged.empty()) TRY_OK(out->take_means(averaged, cancel));
  return std::shared_ptr<const DataEdits>(out);
}

Result<std::shared_ptr<const DataEdits>> DataEdits::of_document(const Document& document,
                                                                const std::string& edit) {
  const DataPrompts* prompts = prompts_of(document);
  if (!prompts || !data_operand(edit)) return std::shared_ptr<const DataEdits>();
  const auto numbers = static_cast<double>(document.model->weights().parameter_count());
  const std::int64_t rows = inputs_of(document).empty() ? 1 : inputs_of(document).front().length();
  if (numbers * static_cast<double>(rows) * static_cast<double>(prompts->lines.size()) > kMostToWaitFor)
    return fail(Code::no_memory, "error.session.edit.data_cost",
                {in_quotes(edit), static_cast<std::int64_t>(prompts->lines.size())});
  Document start = document;
  start.edits.clear(), start.sequences.clear();
  DataRuns data(*prompts, std::move(start));
  return prepare(data, {edit}, prompts->choice.seed);
}

Status DataEdits::take_means(const std::string& steps, const std::atomic<bool>* cancel) {
  TRY(const Selector selected, Selector::parse(steps));
  struct One {
    StepMeans sums{false};
    std::shared_ptr<const Trace> run;
  };
  const auto work = [&](const DataLine& line) -> Result<One> {
    TRY(const PromptRun run, plain_.run(line, DataSide::clean, cancel));
    auto sums = means_.of_run(*run.trace, selected);
    if (!sums) return within(line.place(plain_.path()), sums.error());
    return One{*std::move(sums), run.trace};
  };
  return plain_.through<One>(work, [&](const DataLine& line, const One& one) -> Status {
    if (!first_) first_ = one.run;
    const Status added = means_.add(one.sums);
    return added ? added : Status(within(line.place(plain_.path()), added.error()));
  });
}

Status DataEdits::draw_partners(DataRuns& data) {
  TRY(const DrawnPartners drawn, data.draw_partners(seed_));
  partners_ = drawn.partners, lengths_ = drawn.lengths;
  plain_ = data.without_edits();
  for (std::size_t i = 0; i < data.lines().size(); ++i) place_of_line_[data.lines()[i].line] = i;
  return Done{};
}

DataNumbers DataEdits::of(const DataLine* line) const {
  return
      [this, line](const std::string& name, const Target& where, const Document& document) -> Result<Frozen> {
        return name == "mean" ? mean(where) : resampled(where, document, line);
      };
}

Result<Frozen> DataEdits::mean(const Target& where) const {
  const Record* found = first_ ? first_->find(where.site) : nullptr;
  if (!found) return fail(Code::unsupported, "error.trace.no_step_to_change", {to_text(where.site)});
  Record sized{found->site, {}, false, found->shape, found->axes, 0, 0};
  for (std::size_t d = 0; d < sized.axes.size(); ++d)
    if (is_row_axis(sized.axes[d])) sized.shape[d] = 1;
  TRY(Tensor values, means_.of(sized));
  return Frozen{std::move(values), "mean(" + plain_.path() + ", " + std::to_string(plain_.count()) + ")"};
}

Result<std::size_t> DataEdits::partner(const Document& document, const DataLine* line) const {
  if (line) {
    const auto place = place_of_line_.find(line->line);
    if (place == place_of_line_.end())
      return within(line->place(plain_.path()), fail(Code::out_of_range, "error.session.resample_one"));
    return partners_[place->second];
  }
  const PromptLength own = length_of(inputs_of(document).front());
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    if (lengths_[i] == own) same.push_back(i);
  if (same.empty()) {
    if (own.source > 0)
      return fail(Code::out_of_range, "error.session.resample_lengths", {own.source, own.rows});
    return fail(Code::out_of_range, "error.session.resample_length", {own.rows});
  }
  SplitMix64 random = random_of(seed_, 0, 0);
  return same[static_cast<std::size_t>(random.below(static_cast<int>(same.size())))];
}

Result<Frozen> DataEdits::resampled(const Target& where, const Document& document,
                                    const DataLine* line) const {
  TRY(const std::size_t drawn, partner(document, line));
  const DataLine& other = plain_.lines()[drawn];
  TRY(const PromptRun from, plain_.run(other, DataSide::clean));
  std::shared_ptr<const Trace> here;
  if (line) {
    TRY(const PromptRun own, plain_.run(*line, DataSide::clean));
    here = own.trace;
  } else {
    TRY(here, document.model->run(inputs_of(document).front()));
  }
  TRY(Tensor values, Donor(here, from.trace).taken(where));
  std::string origin = "resample(" + plain_.path() + ", seed " + std::to_string(seed_);
  if (!line) origin += ", line " + std::to_string(other.line);  // over the data set each has its own
  return Frozen{std::move(values), origin + ")"};
}

}  // namespace attnscope
