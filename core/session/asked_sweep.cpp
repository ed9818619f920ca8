#include "core/session/asked_sweep.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/agreement.h"
#include "core/base/caught.h"
#include "core/base/hash.h"
#include "core/base/thread_pool.h"
#include "core/session/asked_data.h"

namespace attnscope {
namespace {

constexpr double kUnknownPlace = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSelfChecked = 8;

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

void take(Hash& hash, const Input& input) {
  for (const auto* ids : {&input.ids, &input.source, &input.types}) {
    hash.take(ids->size());
    for (const int id : *ids) hash.take(static_cast<std::uint64_t>(id));
  }
  for (const auto* attention_mask : {&input.attention_mask, &input.source_attention_mask}) {
    hash.take(attention_mask->size());
    for (const std::uint8_t one : *attention_mask) hash.take(one);
  }
  hash.take(address(input.vectors.data()));
  hash.take(address(input.pixels.data()));
}

void take(Hash& hash, const std::optional<PathQuestion>& path) {
  hash.take(path ? 1 + static_cast<std::uint64_t>(path->kind) : 0);
  if (path) hash.take(path->to);
}

// A few cells, patched from the run that they lie in: the measure must stay what it is.
Result<SweepAnswer::SelfCheck> self_check(const SweepRequest& request, const Sweep& sweep,
                                          const std::atomic<bool>& cancel) {
  TRY(const Selector steps, Selector::parse(request.steps));
  TRY(const Sweep itself,
      Sweep::patching(request.model, sweep.run(), sweep.run(), request.measure, steps, request.over));
  SweepAnswer::SelfCheck out;
  const std::size_t count = itself.cells().size(), stride = std::max<std::size_t>(1, count / kSelfChecked);
  for (std::size_t cell = 0; cell < count; cell += stride) {
    TRY(const double value, itself.value(cell, &cancel));
    out.largest = std::max(out.largest, std::fabs(value - itself.base()));
    ++out.cells;
  }
  return out;
}

}  // namespace

std::uint64_t SweepRequest::key() const {
  Hash hash;
  hash.take(address(model.get()));
  if (data) {
    hash.take(address(data->prompts.get()));
    for (const auto& edit : data->start.edits) hash.take(address(edit.get()));
    hash.take(data->start.padding.on ? 1 + static_cast<std::uint64_t>(data->start.padding.to) : 0);
    const DataQuestion& asked = data->question;
    hash.take(asked.measure);
    hash.take(static_cast<std::uint64_t>(asked.at));
    hash.take(asked.steps);
    for (const std::string& axis : asked.over) hash.take(axis);
    hash.take(static_cast<std::uint64_t>(asked.how.from));
    hash.take(static_cast<std::uint64_t>(asked.how.knockout.value.index()));
    hash.take(asked.how.seed);
    hash.take(static_cast<std::uint64_t>(asked.patch));
    take(hash, asked.path);
    return hash.value();
  }
  const Input& own = run->input;
  const Input &into = other && into_other ? *other : own, &from = other && !into_other ? *other : own;
  take(hash, into);
  if (other) take(hash, from);
  hash.take(other ? 1 : 0);
  for (const auto& edit : edits) hash.take(address(edit.get()));
  hash.take(static_cast<std::uint64_t>(measure.kind));
  hash.take(static_cast<std::uint64_t>(measure.target));
  hash.take(static_cast<std::uint64_t>(measure.distractor));
  hash.take(static_cast<std::uint64_t>(measure.row));
  for (std::int64_t i = 0; !measure.reference.empty() && i < measure.reference.count(); ++i)
    hash.take(std::bit_cast<std::uint32_t>(measure.reference.at(i)));
  hash.take(steps);
  for (const std::string& axis : over) hash.take(axis);
  take(hash, path);
  if (other) return hash.value();
  hash.take(static_cast<std::uint64_t>(how.op));
  hash.take(how.value.index());
  return hash.value();
}

std::int64_t SweepAnswer::known() const { return std::count(exact.begin(), exact.end(), true); }

double SweepAnswer::shown(std::size_t cell, bool moved, bool spread) const {
  if (over_data() && data) {
    const DataCell& of = data->cells()[cell];
    const Spread& asked = moved ? of.change : of.value;
    return spread ? asked.deviation() : asked.mean();
  }
  if (spread) return kUnknownPlace;
  const double value = exact[cell] ? values[cell] : estimates[cell];
  return moved ? value - base() : value;
}

double SweepAnswer::donor_or_nan() const { return donor.value_or(kUnknownPlace); }

bool SweepAnswer::can_normalise() const { return std::fabs(clean() - corrupt()) > 0; }

double SweepAnswer::normalised(std::size_t cell) const {
  if (!can_normalise()) return kUnknownPlace;
  return (shown(cell, false, false) - corrupt()) / (clean() - corrupt());
}

std::optional<double> SweepAnswer::correlation() const {
  Agreement out;
  for (std::size_t i = 0; i < values.size(); ++i) out.add(estimates[i] - base(), values[i] - base());
  return out.r();
}

/// One computation: it owns what is known by now, and shows it with every cell.
class AskedSweep::Work {
 public:
  using Progress = Computed<SweepAnswer>::Progress;
  Work(SweepAnswer from, double ask_from)
      : now_(std::move(from)), before_(now_.seconds), ask_from_(ask_from) {}
  SweepAnswer carry_out(const Progress& progress) {
    progress_ = progress;
    begin_ = Clock::now();
    return ended(work());
  }
  SweepAnswer ended(const Status& done) {
    now_.seconds = before_ + since(begin_);
    now_.done = true;
    ++now_.change;
    now_.stopped = now_.stopped || now_.asks;
    if (!done && done.error().code() != Code::cancelled) now_.error = done.error();
    return now_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point when) {
    return std::chrono::duration<double>(Clock::now() - when).count();
  }
  void show() {
    ++now_.change;
    progress_.show(now_);
  }
  Result<Sweep> made();
  Status prepare();
  Status fill();
  Status work();
  Status over_data();

  SweepAnswer now_;
  double before_, ask_from_;
  Progress progress_;
  Clock::time_point begin_ = Clock::now();
  std::shared_ptr<Sweep> sweep_;
};

// The two runs and the places of the question.
Result<Sweep> AskedSweep::Work::made() {
  const SweepRequest& request = now_.request;
  TRY(const Selector steps, Selector::parse(request.steps));
  if (request.path) {
    TRY(const Selector to, Selector::parse(request.path->to));
    return Sweep::paths(request.model, request.run, request.measure, steps, to, request.path->kind,
                        request.over);
  }
  if (!request.other)
    return Sweep::ablation(request.model, request.run, request.measure, steps, request.over, request.how);
  RunOptions options;
  options.edits = request.edits;
  options.base = request.run;
  options.cancel = &progress_.cancel();
  TRY(const auto other, request.model->run(request.model->completed(*request.other), options));
  const auto &into = request.into_other ? other : request.run,
             &from = request.into_other ? request.run : other;
  TRY(now_.donor, measured(request.measure, *from));
  return Sweep::patching(request.model, into, from, request.measure, steps, request.over);
}

// The places and their estimates; where it goes on, the values that are known.
Status AskedSweep::Work::prepare() {
  if (now_.sweep) {
    sweep_ = std::make_shared<Sweep>(*now_.sweep);
    sweep_->take_values(now_.values);
    now_.sweep = sweep_;
    return Done{};
  }
  TRY(Sweep found, made());
  sweep_ = std::make_shared<Sweep>(std::move(found));
  const Status estimated = sweep_->estimate();
  now_.sweep = sweep_;
  now_.values.assign(sweep_->cells().size(), kUnknownPlace);
  now_.exact.assign(sweep_->cells().size(), false);
  for (const SweepCell& cell : sweep_->cells()) now_.estimates.push_back(cell.estimate);
  if (!estimated) now_.no_estimate = estimated.error();
  return Done{};
}

Status AskedSweep::Work::fill() {
  const auto first = Clock::now();
  const std::int64_t all = std::ssize(sweep_->cells()), known = now_.known();
  std::int64_t ran = 0;
  const auto long_time = [&] {  // estimated from the first cells: will the rest take long
    const double left = since(first) / static_cast<double>(ran) * static_cast<double>(all - known - ran);
    return ran == std::max<std::int64_t>(2, thread_count()) && left > ask_from_ ? std::optional(left)
                                                                                : std::nullopt;
  };
  return sweep_->fill(
      [&](std::size_t cell) {
        ++ran;
        const auto left = long_time();
        if (left) now_.asks = left;
        now_.values[cell] = sweep_->cells()[cell].value;
        now_.exact[cell] = true;
        now_.seconds = before_ + since(begin_);
        show();
        return !left;
      },
      &progress_.cancel());
}

// Shown no more often than a person can follow: what is shown is a copy of all that is known.
Status AskedSweep::Work::over_data() {
  constexpr double kShowEvery = 0.05;  // seconds
  const std::int64_t left = now_.prompts() - now_.prompts_done();
  double shown = -kShowEvery;
  std::int64_t ran = 0;
  Clock::time_point first;  // when the first exact values were there
  DataFollower follower;
  follower.due = [&](bool exact) {
    now_.seconds = before_ + since(begin_);
    if (exact && ++ran == 1) first = Clock::now();
    if (ran == std::max<std::int64_t>(3, thread_count())) {
      const double rest = since(first) / static_cast<double>(ran - 1) * static_cast<double>(left - ran);
      if (rest > ask_from_) now_.asks = rest;
    }
    return now_.asks || since(begin_) - shown > kShowEvery;
  };
  follower.show = [&] {
    show();
    shown = since(begin_);
    return !now_.asks;
  };
  return answer_over_data(now_, progress_.cancel(), follower);
}

Status AskedSweep::Work::work() {
  if (now_.over_data()) return over_data();
  TRY_OK(prepare());
  show();
  TRY_OK(fill());
  if (!now_.request.other || progress_.cancel() || now_.asks) return Done{};
  TRY(now_.self, self_check(now_.request, *sweep_, progress_.cancel()));
  return Done{};
}

void AskedSweep::begin(Workers& workers, const SweepAnswer& from, double ask_from) {
  answer_->cancel();
  answer_->put(from);
  const auto work = std::make_shared<Work>(from, ask_from);
  answer_->begin(workers,
                 OrFailed{[work](const Work::Progress& progress) { return work->carry_out(progress); },
                          [work](const Error& error) { return work->ended(error); }});
}

void AskedSweep::start(Workers& workers, SweepRequest request, double ask_from) {
  SweepAnswer first;
  first.key = request.key();
  first.request = std::move(request);
  begin(workers, first, ask_from);
}

void AskedSweep::go_on(Workers& workers) {
  if (!newest() || running()) return;
  SweepAnswer from = *newest();
  from.done = from.stopped = false;
  from.asks.reset();
  ++from.change;
  begin(workers, from, std::numeric_limits<double>::infinity());
}

void AskedSweep::stop() {
  if (!running()) return;
  SweepAnswer known = *newest();
  answer_->cancel();
  known.done = known.stopped = true;
  ++known.change;
  answer_->put(std::move(known));
}

}  // namespace attnscope
