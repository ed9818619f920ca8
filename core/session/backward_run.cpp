#include "core/session/backward_run.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/keep_first.h"
#include "core/base/text.h"
#include "core/trace/head.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

constexpr std::size_t kLikely = 12;

int largest_output(const Trace& trace, std::int64_t row) {
  const Tensor logits = trace.logits_row(row);
  int best = 0;
  for (int i = 1; i < static_cast<int>(logits.size(0)); ++i)
    if (logits.at(i) > logits.at(best)) best = i;
  return best;
}

// The target of every row is the token of row + `ahead`, where both are no special tokens.
std::vector<int> shifted_ids(const Trace& trace, std::int64_t rows, std::int64_t ahead) {
  const ModelConfig& config = trace.config();
  std::vector<int> targets(static_cast<std::size_t>(rows), kNotCounted);
  for (std::int64_t row = 0; row + ahead < std::min(rows, static_cast<std::int64_t>(trace.ids.size()));
       ++row) {
    const int id = trace.ids[static_cast<std::size_t>(row + ahead)];
    const bool image = config.vision() != nullptr && id == config.image_token;
    const bool attention_mask = trace.is_real(config.stack, row) && trace.is_real(config.stack, row + ahead);
    if (attention_mask && !image && id >= 0 && id < config.outputs())
      targets[static_cast<std::size_t>(row)] = id;
  }
  return targets;
}

std::int64_t last_real_row(const Trace& trace, std::int64_t rows) {
  for (std::int64_t row = rows - 1; row > 0; --row)
    if (trace.is_real(trace.config().stack, row)) return row;
  return 0;
}

}  // namespace

namespace {

// Of rows that have a target, those that count.
void keep_trained(const Trace& trace, const CountedRows& trained, std::vector<int>& targets) {
  const std::vector<bool> counts = trained.of(trace, static_cast<std::int64_t>(targets.size()));
  for (std::size_t row = 0; row < targets.size(); ++row)
    if (!counts[row]) targets[row] = kNotCounted;
}

// Targets of [MASK] rows: the hidden token is not in the input, so the most likely output is the target.
std::vector<int> hidden_targets(const Trace& trace, const CountedRows& trained, std::int64_t rows) {
  std::vector<int> targets(static_cast<std::size_t>(rows), kNotCounted);
  const std::vector<bool> counts = trained.of(trace, rows);
  for (std::int64_t row = 0; row < rows; ++row)
    if (counts[static_cast<std::size_t>(row)] && trace.is_real(trace.config().stack, row))
      targets[static_cast<std::size_t>(row)] = largest_output(trace, row);
  return targets;
}

// The row that `target` is for: the last one that counts; behind the words the last one of all.
std::size_t asked_row(const Trace& trace, const std::vector<int>& targets, bool hidden) {
  const auto last = std::find_if(targets.rbegin(), targets.rend(), [](int t) { return t >= 0; });
  if (hidden && last != targets.rend()) return static_cast<std::size_t>(targets.rend() - last) - 1;
  return static_cast<std::size_t>(last_real_row(trace, static_cast<std::int64_t>(targets.size())));
}

Error nothing_counts(const Trace& trace, const LossChoice& choice, bool hidden) {
  if (hidden) return fail(Code::unsupported, "error.session.none_hidden");
  const bool trained = choice.rows == LossRows::as_trained && trace.ids.size() > 1;
  return fail(Code::unsupported, trained ? "error.session.none_counted" : "error.session.none_follows");
}

}  // namespace

std::optional<CountedRows> trained_rows(const OpenedModel& opened) {
  if (!opened.card) return std::nullopt;
  if (opened.card->counted) return opened.card->counted;
  const auto task = find_task(opened.card->task);
  return task ? std::optional((*task)->counted()) : std::nullopt;
}

Result<Objective> default_objective(const Trace& trace, const LossChoice& choice,
                                    const std::optional<CountedRows>& trained) {
  const ModelConfig& config = trace.config();
  const Record* logits = trace.find(trace.main(StepRole::logits));
  if (!logits) return fail(Code::unsupported, "error.session.no_predictions");
  if (trace.weights().all().empty()) return fail(Code::unsupported, "error.session.recording_backward");
  const std::int64_t rows = logits->shape[0];
  const int target = choice.target;
  if (target >= config.outputs())
    return fail(Code::unsupported, "error.session.target", {target, config.outputs()});
  Objective out;
  if (config.head.first_row_only) {
    out.targets = {target >= 0 ? target : largest_output(trace, 0)};
    return out;
  }
  const bool both_ways = !config.causal();
  const bool as_trained = choice.rows == LossRows::as_trained && trained;
  const bool hidden = as_trained && trained->kind == CountedRows::Kind::masked;
  out.targets = hidden ? hidden_targets(trace, *trained, rows) : shifted_ids(trace, rows, both_ways ? 0 : 1);
  if (as_trained && !hidden) keep_trained(trace, *trained, out.targets);
  const std::size_t row = asked_row(trace, out.targets, hidden);
  if (choice.rows == LossRows::last) {
    const int own = out.targets[row];
    std::fill(out.targets.begin(), out.targets.end(), kNotCounted);
    out.targets[row] = own >= 0 ? own : largest_output(trace, static_cast<std::int64_t>(row));
  }
  const bool counted = std::any_of(out.targets.begin(), out.targets.end(), [](int t) { return t >= 0; });
  if (target >= 0 && !(hidden && !counted)) out.targets[row] = target;
  if (counted || (target >= 0 && !hidden)) return out;
  return nothing_counts(trace, choice, hidden);
}

const std::vector<Site>& BackwardResult::readers_of(const Site& site) const {
  static const std::vector<Site> none;
  const auto at = readers.find(site);
  return at == readers.end() ? none : at->second;
}

namespace {

void find_losses(BackwardResult& grads) {
  const Gradients& gradients = *grads.gradients;
  const Trace& trace = gradients.trace();
  const Tensor rows = final_rows(trace);  // [pos, d_model]
  grads.losses.assign(static_cast<std::size_t>(gradients.predictions()),
                      std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < grads.losses.size(); ++row) {
    const int target = gradients.objective().targets[row];
    if (target < 0) continue;
    const auto at = static_cast<std::int64_t>(row);
    const Tensor logits = unembed(trace.config(), trace.weights(), rows.slice(0, at, at + 1),
                                  {0, trace.config().outputs()});  // [1, vocab]
    grads.losses[row] = cross_entropy(logits, {target}, 0).plain;
  }
  grads.loss = gradients.loss().smoothed / static_cast<double>(gradients.loss().counted);
}

// Of the last row, or of the last hidden one where these count.
void find_likely(BackwardResult& grads, const Trace& trace, const std::vector<int>& targets) {
  const Record* record = trace.find(trace.main(StepRole::logits));
  if (!record) return;
  std::int64_t row = last_real_row(trace, record->shape[0]);
  if (grads.hidden && !targets.empty()) row = static_cast<std::int64_t>(asked_row(trace, targets, true));
  const Tensor logits = trace.logits_row(row);
  std::vector<int> order(static_cast<std::size_t>(logits.size(0)));
  std::iota(order.begin(), order.end(), 0);
  keep_first(order, kLikely, [&](int a, int b) { return logits.at(a) > logits.at(b); });
  grads.likely = std::move(order);
}

std::atomic<std::uint64_t> next_version{1};

}  // namespace

std::vector<TimelineStep> reversed_steps(const std::vector<TimelineStep>& steps, const Gradients& gradients) {
  std::vector<TimelineStep> out;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    TimelineStep back = *step;
    std::erase_if(back.sites, [&](const Site& site) { return !gradients.find(site); });
    if (back.sites.empty()) continue;
    std::reverse(back.sites.begin(), back.sites.end());
    if (!gradients.find(back.main)) back.main = back.sites.front();
    out.push_back(std::move(back));
  }
  return out;
}

std::shared_ptr<const BackwardResult> grads_of(std::shared_ptr<const RunResult> run, int sequence,
                                               const LossChoice& choice) {
  auto out = std::make_shared<BackwardResult>();
  out->version = next_version++;
  out->run = run;
  out->sequence = sequence;
  out->choice = choice;
  const std::shared_ptr<const Trace> trace = run->shared(sequence);
  const auto& opened = run->document.opened;
  const auto trained = opened ? trained_rows(*opened) : std::nullopt;
  Result<Objective> objective = default_objective(*trace, choice, trained);
  out->hidden = choice.rows == LossRows::as_trained && trained && trained->kind == CountedRows::Kind::masked;
  if (!trace->weights().all().empty())
    find_likely(*out, *trace, objective ? objective->targets : std::vector<int>());
  if (!objective) {
    out->error = objective.error();
    return out;
  }
  auto gradients = backward(trace, *std::move(objective));
  if (!gradients) {
    out->error = gradients.error();
    return out;
  }
  out->gradients = *std::move(gradients);
  find_losses(*out);
  out->readers = gradient_readers(*out->gradients);
  auto walk = std::make_shared<RunResult>(*run);
  walk->steps = reversed_steps(timeline(*trace, ""), *out->gradients);
  out->walk = std::move(walk);
  return out;
}

// ---- checks, and the functions for the window ---------------------------------------------------
bool GradientCheck::agrees() const {
  const double size = std::max(std::abs(numbers.analytic), std::abs(numbers.measured));
  return done && !error &&
         std::abs(numbers.analytic - numbers.measured) <= 2 * numbers.uncertainty + 1e-3 * size;
}

namespace {

std::shared_ptr<const BackwardResult> without_grads(const std::shared_ptr<const RunResult>& run, int sequence,
                                                    const LossChoice& choice, const Error& error) {
  auto out = std::make_shared<BackwardResult>();
  out->version = next_version++;
  out->run = run;
  out->sequence = sequence;
  out->choice = choice;
  out->error = error;
  return out;
}

// Gradients of the one may stand for those of the other for a moment: the same steps of the same tokens.
bool alike(const RunResult& a, const RunResult& b, int sequence) {
  if (a.traces.size() != b.traces.size() || a.traces.empty()) return false;
  const Trace &x = a.trace(sequence), &y = b.trace(sequence);
  return x.records().size() == y.records().size() && x.length == y.length && x.ids == y.ids &&
         x.config().outputs() == y.config().outputs() && x.config().d_model == y.config().d_model;
}

}  // namespace

void BackwardRun::follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
                         const LossChoice& choice) {
  if (!run || run->traces.empty()) return;
  const auto kept = newest();
  if (kept && (kept->sequence != sequence || !alike(*kept->run, *run, sequence))) values_->grads.put(nullptr);
  const std::shared_ptr<const Trace>& trace = run->traces.front();
  const bool asked = values_->grads.asked(1);  // and not given up
  if (asked && asked_trace_.lock() == trace && asked_sequence_ == sequence && asked_choice_ == choice) return;
  asked_trace_ = trace;
  asked_sequence_ = sequence;
  asked_choice_ = choice;
  const auto work = [run, sequence, choice](const std::atomic<bool>&) {
    return grads_of(run, sequence, choice);
  };
  const auto failed = [run, sequence, choice](const Error& error) {
    return without_grads(run, sequence, choice, error);
  };
  values_->grads.begin(0, 1, workers, OrFailed{work, failed});
}

std::shared_ptr<const BackwardResult> BackwardRun::newest() const {
  const auto made = values_->grads.newest();
  return made ? *made : nullptr;
}

namespace {

GradientCheck checked_gradient(GradientCheck found, const Result<FiniteDifference>& numbers) {
  found.done = true;
  if (numbers)
    found.numbers = *numbers;
  else
    found.error = numbers.error();
  return found;
}

Result<FiniteDifference> measured_gradient(const Gradients& gradients, const Site& site,
                                           const std::string& weight,
                                           const std::vector<std::int64_t>& index) {
  if (weight.empty()) return check_cell(gradients, site, index);
  const WeightCell kept = kept_weight(gradients.trace().config(), weight, index);
  return check_weight(gradients, kept.name, kept.index);
}

}  // namespace

void BackwardRun::check(Workers& workers, std::shared_ptr<const BackwardResult> grads, const Site& site,
                        const std::string& weight, std::vector<std::int64_t> index) {
  if (!grads || !grads->gradients) return;
  GradientCheck asked;
  asked.name = weight.empty() ? gradient_name(site) : weight + ".grad";
  asked.index = std::move(index);
  asked.grads = grads->version;
  values_->check.put(asked);
  const auto work = [grads, site, weight, asked](const std::atomic<bool>&) {
    return checked_gradient(asked, measured_gradient(*grads->gradients, site, weight, asked.index));
  };
  const auto failed = [asked](const Error& error) { return checked_gradient(asked, error); };
  values_->check.begin(workers, OrFailed{work, failed});
}

}  // namespace attnscope
