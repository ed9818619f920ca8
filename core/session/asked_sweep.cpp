#include "core/session/asked_sweep.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/caught.h"
#include "core/base/hash.h"
#include "core/base/thread_pool.h"

namespace attnscope {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
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
  if (other) return hash.value();
  hash.take(static_cast<std::uint64_t>(how.op));
  hash.take(how.value.index());
  return hash.value();
}

std::int64_t SweepAnswer::known() const { return std::count(exact.begin(), exact.end(), true); }

std::optional<double> SweepAnswer::correlation() const {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double a = estimates[i] - base(), b = values[i] - base();
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    n += 1, x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
  }
  const double spread = (xx - x * x / n) * (yy - y * y / n);
  if (n < 3 || !(spread > 0)) return std::nullopt;
  return (xy - x * y / n) / std::sqrt(spread);
}

void AskedSweep::State::change(const std::function<void(SweepAnswer&)>& how) {
  const std::lock_guard lock(mutex);
  how(now);
  ++now.change;
}

// The two runs and the places of the question.
Result<Sweep> AskedSweep::made(State& state, const SweepRequest& request, const std::atomic<bool>& cancel) {
  TRY(const Selector steps, Selector::parse(request.steps));
  if (!request.other)
    return Sweep::ablation(request.model, request.run, request.measure, steps, request.over, request.how);
  RunOptions options;
  options.edits = request.edits;
  options.base = request.run;
  options.cancel = &cancel;
  TRY(const auto other, request.model->run(request.model->completed(*request.other), options));
  const auto &into = request.into_other ? other : request.run,
             &from = request.into_other ? request.run : other;
  TRY(const double donor, measured(request.measure, *from));
  state.change([&](SweepAnswer& answer) { answer.donor = donor; });
  return Sweep::patching(request.model, into, from, request.measure, steps, request.over);
}

// The places and their estimates.
Status AskedSweep::prepare(State& state, const SweepRequest& request, const std::atomic<bool>& cancel) {
  TRY(Sweep found, made(state, request, cancel));
  state.sweep = std::make_shared<Sweep>(std::move(found));
  const Status estimated = state.sweep->estimate();
  state.change([&](SweepAnswer& answer) {
    answer.sweep = state.sweep;
    answer.values.assign(state.sweep->cells().size(), kUnknown);
    answer.exact.assign(state.sweep->cells().size(), false);
    for (const SweepCell& cell : state.sweep->cells()) answer.estimates.push_back(cell.estimate);
    if (!estimated) answer.no_estimate = estimated.error();
  });
  return Done{};
}

void AskedSweep::work(State& state, const std::atomic<bool>& cancel) {
  const auto begin = std::chrono::steady_clock::now();
  const double before = state.now.seconds;  // written by this thread only
  const auto since = [](std::chrono::steady_clock::time_point when) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - when).count();
  };
  const auto end = [&](std::optional<Error> error) {
    state.change([&](SweepAnswer& answer) {
      answer.seconds = before + since(begin);
      answer.done = true;
      answer.stopped = answer.stopped || cancel || answer.asks;
      if (!cancel) answer.error = std::move(error);
    });
  };
  const SweepRequest request = state.now.request;  // written by this thread only
  if (state.from) {
    state.sweep = std::make_shared<Sweep>(*state.from);
    state.sweep->take_values(state.now.values);
    state.change([&](SweepAnswer& answer) { answer.sweep = state.sweep; });
  } else if (const Status ready = prepare(state, request, cancel); !ready) {
    return end(ready.error());
  }
  const auto first = std::chrono::steady_clock::now();
  const std::int64_t all = std::ssize(state.sweep->cells()), known = state.now.known();
  std::int64_t ran = 0;
  const auto long_time = [&] {  // estimated from the first cells: will the rest take long
    const double left = since(first) / static_cast<double>(ran) * static_cast<double>(all - known - ran);
    return ran == std::max<std::int64_t>(2, thread_count()) && left > state.ask_from ? std::optional(left)
                                                                                     : std::nullopt;
  };
  const Status filled = state.sweep->fill(
      [&](std::size_t cell) {
        ++ran;
        const auto left = long_time();
        state.change([&](SweepAnswer& answer) {
          answer.values[cell] = state.sweep->cells()[cell].value;
          answer.exact[cell] = true;
          answer.seconds = before + since(begin);
          if (left) answer.asks = left;
        });
        return !left;
      },
      &cancel);
  if (!filled) return end(filled.error());
  if (!request.other || cancel || state.now.asks) return end({});
  const auto self = self_check(request, *state.sweep, cancel);
  if (self) state.change([&](SweepAnswer& answer) { answer.self = *self; });
  end(self ? std::nullopt : std::optional(self.error()));
}

void AskedSweep::submit(Jobs& jobs) {
  jobs.submit("sweep", [state = state_](const std::atomic<bool>& cancel) {
    const Status done = guarded("a sweep", [&] { work(*state, cancel); });
    if (done) return;
    state->change([&](SweepAnswer& answer) {
      answer.error = done.error();
      answer.done = true;
    });
  });
}

void AskedSweep::start(Jobs& jobs, SweepRequest request, double ask_from) {
  state_ = std::make_shared<State>();
  state_->now.key = request.key();
  state_->now.request = std::move(request);
  state_->ask_from = ask_from;
  submit(jobs);
}

void AskedSweep::go_on(Jobs& jobs) {
  if (!state_ || running()) return;
  // What was stopped may still be on its way out: its state is left to it.
  const auto answer = newest();
  auto next = std::make_shared<State>();
  next->now = *answer;
  next->now.done = next->now.stopped = false;
  next->now.asks.reset();
  ++next->now.change;
  next->ask_from = std::numeric_limits<double>::infinity();
  next->from = answer->sweep;
  state_ = std::move(next);
  submit(jobs);
}

void AskedSweep::stop(Jobs& jobs) const {
  if (!running()) return;
  jobs.cancel("sweep");
  state_->change([](SweepAnswer& answer) { answer.done = answer.stopped = true; });
}

bool AskedSweep::running() const {
  if (!state_) return false;
  const std::lock_guard lock(state_->mutex);
  return !state_->now.done;
}

std::shared_ptr<const SweepAnswer> AskedSweep::newest() const {
  if (!state_) return nullptr;
  const std::lock_guard lock(state_->mutex);
  if (!state_->snapshot || state_->snapshot->change != state_->now.change)
    state_->snapshot = std::make_shared<const SweepAnswer>(state_->now);
  return state_->snapshot;
}

}  // namespace attnscope
