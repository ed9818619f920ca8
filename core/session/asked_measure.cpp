#include "core/session/asked_measure.h"

#include <algorithm>

#include "core/lens/alignment.h"
#include "core/session/measure_text.h"

namespace attnscope {
namespace {

using AskedMeasureKind = LogitMeasure::Kind;

}  // namespace

bool same_input(const Input& a, const Input& b) {
  return a.ids == b.ids && a.source == b.source && a.vectors.data() == b.vectors.data() &&
         a.pixels.data() == b.pixels.data() && a.types == b.types && a.spans == b.spans &&
         a.attention_mask == b.attention_mask && a.source_attention_mask == b.source_attention_mask;
}

std::int64_t asked_row(const OpenedModel& opened, const Trace& trace) {
  if (trace.config().head.first_row_only) return prediction_row(trace);
  const auto mask = mask_token(opened);
  const auto hidden = mask ? std::find(trace.ids.begin(), trace.ids.end(), *mask) : trace.ids.end();
  if (hidden != trace.ids.end()) return hidden - trace.ids.begin();
  const std::vector<Span>& spans = trace.input.spans;
  const bool acts = !spans.empty() && spans.back().name == "action" && spans.back().begin > 0;
  return acts ? std::min(spans.back().begin, trace.length) - 1 : prediction_row(trace);
}

Result<LogitMeasure> measure_of(const OpenedModel& opened, const std::string& text, std::int64_t at,
                                const Trace& run) {
  TRY(LogitMeasure measure, parse_measure(opened, text, at, &run));
  if (const std::int64_t row = asked_row(opened, run); measure.row < 0 && row != prediction_row(run))
    measure.row = row;
  if (measure.kind != LogitMeasure::Kind::kl) return measure;
  TRY_OK(measured(LogitMeasure{LogitMeasure::Kind::logit, 0, -1, measure.row, {}}, run));
  measure.reference = run.logits_row(row_of(measure, run));
  return measure;
}

Result<PatchMeasures> patch_measures(const OpenedModel& opened, const std::string& text, std::int64_t at,
                                     const Trace& clean, const Trace& corrupt) {
  TRY(const LogitMeasure measure, measure_of(opened, text, at, clean));
  PatchMeasures out{measure, measure};
  TRY(const LogitMeasure own, measure_of(opened, text, at, corrupt));
  out.corrupt.row = own.row;
  return out;
}

Result<LogitMeasure> most_likely_measure(const Trace& trace, std::int64_t row) {
  LogitMeasure out{AskedMeasureKind::logit, 0, -1, row, {}};
  TRY(const double first_value, measured(out, trace));
  (void)first_value;
  const Tensor logits = trace.logits_row(row_of(out, trace));
  std::vector<int> best{0};
  for (int i = 1; i < static_cast<int>(logits.size(0)); ++i) {
    const auto lower = [&](int other) { return logits.at(i) > logits.at(other); };
    best.insert(std::find_if(best.begin(), best.end(), lower), i);
    if (best.size() > 2) best.pop_back();
  }
  out.target = best[0];
  if (best.size() < 2) return out;
  out.kind = AskedMeasureKind::logit_diff;
  out.distractor = best[1];
  return out;
}

std::string with_target(const OpenedModel& opened, const LogitMeasure& measure, int id) {
  LogitMeasure out = measure;
  if (out.kind == AskedMeasureKind::kl || (out.kind == AskedMeasureKind::logit_diff && out.distractor == id))
    out.kind = AskedMeasureKind::logit;
  out.target = id;
  return to_text(opened, out);
}

std::string with_distractor(const OpenedModel& opened, const LogitMeasure& measure, int id) {
  LogitMeasure out = measure;
  if (out.target < 0 || out.target == id) return with_target(opened, measure, id);
  out.kind = AskedMeasureKind::logit_diff;
  out.distractor = id;
  return to_text(opened, out);
}

std::shared_ptr<const Trace> AskedMeasure::unedited_run(Unedited& unedited, const RunResult& run,
                                                        int sequence, const std::atomic<bool>& cancel) {
  const auto inputs = inputs_of(run.document);
  const Input input =
      run.document.model->completed(inputs.at(static_cast<std::size_t>(std::max(0, sequence))));
  if (unedited.trace && unedited.model == run.document.model && same_input(unedited.trace->input, input))
    return unedited.trace;
  RunOptions options;
  options.cancel = &cancel;
  options.base = run.traces.at(static_cast<std::size_t>(sequence));
  const auto trace = run.document.model->run(input, options);
  if (!trace) return nullptr;
  unedited = {*trace, run.document.model};
  return *trace;
}

namespace {

// What kl at a row of `trace` is compared with: the answer of A at the row that belongs to it.
Result<Tensor> reference_of(const Trace& trace, const LogitMeasure& measure, const Trace& other) {
  if (!same_vocabulary(trace, other)) return fail(Code::bad_shape, "error.model.vocabularies");
  LogitMeasure there{AskedMeasureKind::logit, 0, -1, -1, {}};
  if (measure.row >= 0) {
    const Alignment rows = align_rows(trace, other, trace.config().stack);
    if (rows.matches(measure.row)) there.row = rows.to_b[static_cast<std::size_t>(measure.row)];
  }
  TRY(const double logit, measured(there, other));
  (void)logit;
  return other.logits_row(row_of(there, other));
}

}  // namespace

MeasureAnswer AskedMeasure::answered(Unedited& kept, const RunResult& run, const RunResult* pinned,
                                     MeasureAnswer answer, std::int64_t row,
                                     const std::atomic<bool>& cancel) {
  const OpenedModel& opened = *run.document.opened;
  const Trace& trace = run.trace(answer.sequence);
  const bool edited = !run.recorded() && !edits_for(run.document.edits, answer.sequence).empty();
  const auto unedited = edited ? unedited_run(kept, run, answer.sequence, cancel) : nullptr;
  const Trace& plain = unedited ? *unedited : trace;
  if (row >= std::max<std::int64_t>(1, trace.length)) row = -1;
  if (row < 0) row = asked_row(opened, trace);
  if (row == prediction_row(trace)) row = -1;  // another input has its own
  const auto take = [&](const Result<LogitMeasure>& found) {
    if (!found) {
      answer.error = found.error();
      return false;
    }
    answer.measure = *found;
    if (found->kind == AskedMeasureKind::kl) {
      const auto reference = reference_of(trace, *found, pinned ? pinned->trace(answer.sequence) : plain);
      answer.measure->reference = reference ? *reference : Tensor();
      answer.error = reference ? std::nullopt : std::optional(reference.error());
    }
    const auto value = answer.error ? Result<double>(*answer.error) : measured(*answer.measure, trace);
    if (!value) {
      answer.error = value.error();
      answer.measure.reset();
      return false;
    }
    answer.value = *value;
    return true;
  };
  const bool there = !answer.asked.empty() && take(parse_measure(opened, answer.asked, row, &trace));
  if (!there) {
    auto wrong = std::move(answer.error);
    answer.error.reset();
    if (take(most_likely_measure(plain, row)) && wrong) answer.error = std::move(wrong);
  }
  if (!answer.measure) return answer;
  answer.text = to_text(opened, *answer.measure);
  if (const auto before = unedited ? measured(*answer.measure, *unedited) : Result<double>(Error{}))
    answer.unedited = *before;
  return answer;
}

void AskedMeasure::follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
                          const std::shared_ptr<const RunResult>& pinned) {
  if (!run || run->traces.empty() || !run->document.opened) return;
  sequence = run->nearest(sequence);
  const std::string& wanted = of_prompt.empty() ? text : of_prompt;
  const std::uint64_t key =
      key_of({run->version, pinned ? pinned->version : 0, static_cast<std::uint64_t>(sequence),
              static_cast<std::uint64_t>(row), key_of(wanted)});
  if (answer_->asked(key)) return;
  MeasureAnswer asked;
  asked.run = run->version;
  asked.sequence = sequence;
  asked.asked = wanted;
  const auto work = [kept = unedited_, run, pinned, asked, row = row](const std::atomic<bool>& cancel) {
    return answered(*kept, *run, pinned.get(), asked, row, cancel);
  };
  const auto failed = [asked](const Error& error) {
    MeasureAnswer out = asked;
    out.error = error;
    out.failed = true;
    return out;
  };
  answer_->begin(0, key, workers, OrFailed{work, failed});
}

std::shared_ptr<const MeasureAnswer> AskedMeasure::of(const RunResult& run) const {
  const auto answer = newest();
  return answer && answer->run == run.version ? answer : nullptr;
}

}  // namespace attnscope
