#include "core/lens/paths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "core/base/thread_pool.h"
#include "core/lens/sweep.h"
#include "core/model/gradients.h"
#include "core/tensor/shape_of.h"
#include "core/trace/path.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

constexpr double kPathUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostPaths = 1 << 20;

bool has_axis(const Record& record, std::string_view word) {
  return std::any_of(record.axes.begin(), record.axes.end(), [&](Axis axis) {
    const auto name = axis_name(axis);
    return name == word || (word == "pos" && name == "query");
  });
}

// The cells of one step that a sweep would go over.
class PathPlaces {
 public:
  PathPlaces(const std::shared_ptr<const Model>& model, const std::shared_ptr<const Trace>& run,
             const LogitMeasure& measure)
      : model_(model), run_(run), measure_(measure) {}

  Status add(const Target& where, const std::vector<std::string>& over, std::vector<Target>& out) const {
    TRY(const Selector steps, Selector::parse(to_text(where)));
    TRY(const Sweep sweep, Sweep::ablation(model_, run_, measure_, steps, over, {}));
    for (const SweepCell& cell : sweep.cells()) out.push_back(cell.place());
    return Done{};
  }

  // `left_out`: names of selected steps that write nothing into the stream.
  Result<std::vector<Target>> senders(const Selector& from, const std::vector<std::string>& over,
                                      std::vector<std::string>& left_out) const {
    std::vector<Target> out;
    Status wrong = no_step(from);
    for (const Record* record : run_->select(from)) {
      if (const Status can = check_sender({Target::Kind::step, record->site, {}, {}}); !can) {
        if (wrong.error().code() == Code::not_found) wrong = can;
        left_out.push_back(to_text(record->site));
        continue;
      }
      std::vector<std::string> axes;
      if (has_axis(*record, "head")) axes.emplace_back("head");
      for (const std::string& word : over)
        if (has_axis(*record, word.substr(0, word.find(':')))) axes.push_back(word);
      TRY(const auto parts, parts_of_step(*run_, from, record->site));
      for (const auto& part : parts) TRY_OK(add({Target::Kind::step, record->site, {}, part}, axes, out));
    }
    if (out.empty()) return wrong.error();
    return out;
  }

  // `left_out`: names of selected steps that read nothing from the stream.
  Result<std::vector<Target>> receivers(const Selector& to, std::vector<std::string>& left_out) const {
    const ModelConfig& config = run_->config();
    std::vector<Target> out;
    Status wrong = no_step(to);
    for (const Record* record : run_->select(to)) {
      Target whole{Target::Kind::step, record->site, {}, {}};
      const auto read = path_receivers(config, whole);
      if (!read) {
        if (wrong.error().code() == Code::not_found) wrong = read.error();
        left_out.push_back(to_text(record->site));
        continue;
      }
      const bool heads = read->front().site.is(StepRole::split);
      if (heads) whole.site = read->front().site;
      for (auto& part : to.parts(record->site, config.of(record->site.stack).n_layers())) {
        whole.at = std::move(part);
        TRY(whole.at, absolute(*run_, whole));
        if (!heads) out.push_back(whole);
        if (heads) TRY_OK(add(whole, {"head"}, out));
      }
    }
    if (out.empty()) return wrong.error();
    return out;
  }

 private:
  Status no_step(const Selector& steps) const {
    std::string near;
    for (const std::string& name : run_->nearest_steps(steps)) near += (near.empty() ? "" : ", ") + name;
    return fail(Code::not_found, "error.lens.sweep.no_step", {steps.text(), near});
  }

  const std::shared_ptr<const Model>& model_;
  const std::shared_ptr<const Trace>& run_;
  const LogitMeasure& measure_;
};

// Sum over the cells of a target of the gradient there times `change` of the whole step.
double along(const Gradients& gradients, const Trace& run, const Target& where, const Tensor& change) {
  const Record& record = *run.find(where.site);
  double sum = 0;
  for_each_plane(record, where, [&](std::int64_t head, Range row, Range col) {
    const Tensor gradient = gradients.slice(where.site, head, row, col);
    for (std::int64_t r = row.begin; r < row.end; ++r)
      for (std::int64_t c = col.begin; c < col.end; ++c) {
        const float moved = change.rank() == 3 ? change.at(head, r, c) : change.at(r, c);
        sum += static_cast<double>(gradient.at(r - row.begin, c - col.begin)) * static_cast<double>(moved);
      }
  });
  return sum;
}

// What differs between two runs at a step, as a change to be added.
Tensor step_difference(const Trace& now, const Trace& before, const Site& site) {
  const std::vector<float> a = now.find(site)->value().values(), b = before.find(site)->value().values();
  std::vector<float> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return Tensor::from(std::move(out), shape_of(before.find(site)->value()));
}

// A sender that writes nothing: zero, or the bias that stays of it in every row.
std::shared_ptr<const Edit> without_write(const Trace& run, const Target& from) {
  const Tensor bias = path_stays(run, from.site);
  if (bias.empty()) return set_to(from, 0.f);
  const Record& record = *run.find(from.site);
  Buffer rows({{record.axes[0], record.shape[0]}, {record.axes[1], record.shape[1]}});
  for (std::int64_t row = 0; row < record.shape[0]; ++row)
    for (std::int64_t i = 0; i < record.shape[1]; ++i) rows.data()[row * record.shape[1] + i] = bias.at(i);
  return make_edit(NumberEdit{from, EditOp::set, Frozen{std::move(rows).freeze(), to_text(from)}});
}

// A sender half way to what it writes instead, or to nothing.
std::shared_ptr<const Edit> half_write(const Trace& run, const Target& from, const Tensor* instead) {
  const Tensor now = run.find(from.site)->value(), bias = path_stays(run, from.site);
  std::vector<float> half = now.values();
  const std::vector<float> other = instead ? instead->values() : std::vector<float>();
  for (std::size_t i = 0; i < half.size(); ++i) {
    const float end = instead        ? other[i]
                      : bias.empty() ? 0.f
                                     : bias.at(static_cast<std::int64_t>(i) % bias.count());
    half[i] = 0.5f * (half[i] + end);
  }
  return make_edit(
      NumberEdit{from, EditOp::set, Frozen{Tensor::from(std::move(half), shape_of(now)), to_text(from)}});
}

}  // namespace

Status RunMeasures::add(const LogitMeasure& measure, const Trace& run) {
  TRY(const double base, measured(measure, run));
  all.push_back(measure), bases.push_back(base);
  return Done{};
}

Result<std::vector<double>> RunMeasures::under(const Edits& edits, const Model& model,
                                               const std::shared_ptr<const Trace>& run,
                                               const std::atomic<bool>* cancel) const {
  RunOptions options;
  options.edits = without_inputs(run->edits);
  options.edits.insert(options.edits.end(), edits.begin(), edits.end());
  options.base = run;
  options.keep = Keep::predictions;
  options.asked = run->length;
  for (const LogitMeasure& measure : all) options.asked = std::min(options.asked, row_of(measure, *run));
  options.cancel = cancel;
  TRY(const auto trace, model.run(run->input, options));
  std::vector<double> out;
  for (const LogitMeasure& measure : all) {
    TRY(out.emplace_back(), measured(measure, *trace));
  }
  return out;
}

PathGrid::PathGrid(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run, LogitMeasure measure)
    : model_(std::move(model)), run_(std::move(run)), measures_{{std::move(measure)}, {}} {}

Result<PathGrid> PathGrid::make(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run,
                                LogitMeasure measure, const Selector& from, const Selector& to, PathKind kind,
                                const std::vector<std::string>& over) {
  PathGrid out(std::move(model), std::move(run), std::move(measure));
  out.kind_ = kind;
  const LogitMeasure& first = out.measures_.all.front();
  TRY(out.measures_.bases.emplace_back(), measured(first, *out.run_));
  const PathPlaces places(out.model_, out.run_, first);
  TRY(const std::vector<Target> senders, places.senders(from, over, out.no_senders_));
  TRY(const std::vector<Target> receivers, places.receivers(to, out.no_receivers_));
  for (const Target& sender : senders)
    for (const Target& receiver : receivers) {
      TRY(const std::vector<Target> steps, path_receivers(out.run_->config(), receiver));
      if (!has_path(*out.run_, sender.site, steps.front().site)) {
        ++out.without_;
        continue;
      }
      if (out.cells_.size() >= kMostPaths)
        return fail(Code::no_memory, "error.lens.sweep.large", {kMostPaths});
      out.cells_.push_back({sender, receiver, kPathUnknown, kPathUnknown, nullptr});
    }
  if (!out.cells_.empty()) return out;
  if (senders.front().site.stack != receivers.front().site.stack)
    return fail(Code::unsupported, "error.trace.path.stacks",
                {to_text(senders.front()), receiver_text(receivers.front())});
  return fail(Code::unsupported, "error.trace.path.none",
              {to_text(senders.front()), receiver_text(receivers.front())});
}

Result<std::shared_ptr<const Trace>> PathGrid::without(const Target& from,
                                                       const std::atomic<bool>* cancel) const {
  RunOptions options;
  options.edits = without_inputs(run_->edits);
  options.edits.push_back(without_write(*run_, from));
  options.base = run_;
  options.cancel = cancel;
  return model_->run(run_->input, options);
}

Result<Edits> PathGrid::edits_of(const PathCell& cell, const Trace* without) const {
  TRY(const std::vector<Target> steps, path_receivers(run_->config(), cell.to));
  Edits out;
  for (const Target& step : steps)
    out.push_back(make_edit(
        without ? NumberEdit{step, EditOp::set, Frozen{without->find(step.site)->value(), to_text(cell.from)}}
                : NumberEdit{step, EditOp::set, WithoutPath{cell.from, cell.instead}}));
  return out;
}

Result<Edits> PathGrid::edits(std::size_t cell) const {
  std::shared_ptr<const Trace> absent;
  if (kind_ == PathKind::total) {
    TRY(absent, without(cells_[cell].from, nullptr));
  }
  return edits_of(cells_[cell], absent.get());
}

Status PathGrid::add_measure(const LogitMeasure& measure) {
  TRY_OK(measures_.add(measure, *run_));
  for (PathCell& cell : cells_) cell.also.emplace_back(kPathUnknown, kPathUnknown);
  return Done{};
}

Result<std::vector<double>> PathGrid::values(const PathCell& cell, const Trace* without,
                                             const std::atomic<bool>* cancel) const {
  TRY(const Edits own, edits_of(cell, without));
  return measures_.under(own, *model_, run_, cancel);
}

std::vector<std::vector<std::size_t>> PathGrid::by_sender() const {
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (out.empty() || cells_[out.back().front()].from != cells_[i].from)
      out.push_back({i});
    else
      out.back().push_back(i);
  return out;
}

void PathGrid::write_instead(const Target& from, const std::shared_ptr<const Tensor>& numbers) {
  for (PathCell& cell : cells_)
    if (cell.from == from) cell.instead = numbers;
}

void PathGrid::take_values(const std::vector<double>& values) {
  for (std::size_t i = 0; i < std::min(values.size(), cells_.size()); ++i) cells_[i].value = values[i];
}

void PathGrid::keep(const std::vector<std::int64_t>& cells) {
  std::vector<PathCell> kept;
  for (const std::int64_t cell : cells) kept.push_back(std::move(cells_[static_cast<std::size_t>(cell)]));
  cells_ = std::move(kept);
}

// Of what the cells of one sender have in common.
Status PathGrid::estimate_sender(const std::vector<std::size_t>& group) {
  const PathCell& first = cells_[group.front()];
  RunOptions options;
  options.edits = without_inputs(run_->edits);
  options.edits.push_back(half_write(*run_, first.from, first.instead.get()));
  options.base = run_;
  TRY(const auto half, model_->run(run_->input, options));
  std::vector<std::shared_ptr<const Gradients>> gradients;  // of each measure
  for (const LogitMeasure& measure : measures_.all) {
    TRY(gradients.emplace_back(), backward(half, {{}, 0, 0, measure}));
  }
  std::shared_ptr<const Trace> absent;
  if (kind_ == PathKind::total) {
    TRY(absent, without(first.from, nullptr));
  }
  std::map<Site, Tensor> changes;
  for (const std::size_t i : group) {
    TRY(const std::vector<Target> steps, path_receivers(run_->config(), cells_[i].to));
    std::vector<double> sums;
    for (std::size_t m = 0; m < gradients.size(); ++m) sums.push_back(base(m));
    for (const Target& step : steps) {
      Tensor& change = changes[step.site];
      if (change.empty() && absent) change = step_difference(*absent, *run_, step.site);
      if (change.empty()) {
        TRY(change, path_change(*run_, {first.from, first.instead}, step.site));
      }
      for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += along(*gradients[m], *run_, step, change);
    }
    cells_[i].estimate = sums.front();
    for (std::size_t m = 1; m < sums.size(); ++m) cells_[i].also[m - 1].second = sums[m];
  }
  return Done{};
}

Status PathGrid::estimate() {
  const std::vector<std::vector<std::size_t>> groups = by_sender();
  std::vector<Status> ends(groups.size(), Done{});
  parallel_for(std::ssize(groups), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      ends[static_cast<std::size_t>(i)] = estimate_sender(groups[static_cast<std::size_t>(i)]);
  });
  for (const Status& end : ends) TRY_OK(end);
  return Done{};
}

Status PathGrid::fill(std::size_t most, const std::function<bool(std::size_t)>& done,
                      const std::atomic<bool>* cancel) {
  std::vector<std::size_t> order(cells_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto effect = [&](std::size_t i) { return std::fabs(cells_[i].estimate - base()); };
  if (most > 0 && most < order.size()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return effect(a) > effect(b); });
    order.resize(most);
  }
  const std::vector<bool> asked = [&] {
    std::vector<bool> out(cells_.size(), false);
    for (const std::size_t i : order) out[i] = std::isnan(cells_[i].value);
    return out;
  }();
  std::vector<std::vector<std::size_t>> groups = by_sender();
  const auto most_of = [&](const std::vector<std::size_t>& group) {
    double out = 0;
    for (const std::size_t i : group) out = std::max(out, effect(i));  // NaN: not estimated
    return out;
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const auto& a, const auto& b) { return most_of(a) > most_of(b); });
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  Status status = Done{};
  const auto run_group = [&](const std::vector<std::size_t>& group) -> Status {
    std::shared_ptr<const Trace> absent;
    if (std::none_of(group.begin(), group.end(), [&](std::size_t i) { return asked[i]; })) return Done{};
    if (kind_ == PathKind::total) {
      TRY(absent, without(cells_[group.front()].from, cancel));
    }
    for (const std::size_t i : group) {
      if (!asked[i] || stop) continue;
      TRY(const std::vector<double> found, values(cells_[i], absent.get(), cancel));
      const std::lock_guard lock(mutex);
      cells_[i].value = found.front();
      for (std::size_t m = 1; m < found.size(); ++m) cells_[i].also[m - 1].first = found[m];
      if (done && !done(i)) stop = true;
    }
    return Done{};
  };
  parallel_for(std::min<std::int64_t>(thread_count(), std::ssize(groups)), 1,
               [&](std::int64_t, std::int64_t) {
                 for (std::size_t i = next++; i < groups.size(); i = next++) {
                   if (cancel && *cancel) return;
                   const Status ended = run_group(groups[i]);
                   if (ended) continue;
                   const std::lock_guard lock(mutex);
                   if (ended.error().code() != Code::cancelled) status = ended;
                   stop = true;
                 }
               });
  return status;
}

}  // namespace attnscope
