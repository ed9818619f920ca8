#include "core/session/kept_circuit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/text.h"
#include "core/session/edit_places.h"
#include "core/trace/path.h"

namespace attnscope {
namespace {

Edits put_together(Edits edits, const Edits& more) {
  edits.insert(edits.end(), more.begin(), more.end());
  return edits;
}

// The numbers of a whole step where a part of it is set to what replaces it; null: to nothing (a path that is
// cut without numbers leaves the bias of an output where it is).
Result<std::shared_ptr<const Tensor>> replaced_step(const Sweep& senders, std::size_t cell) {
  const auto edit = senders.edit(cell);
  const NumberEdit& number = *edit->number();
  if (const auto* zero = std::get_if<float>(&number.value);
      zero && *zero == 0 && number.op == EditOp::set && path_stays(*senders.run(), number.where.site).empty())
    return std::shared_ptr<const Tensor>();
  const Trace& run = *senders.run();
  TRY(auto applied, apply(number, run.find(number.where.site)->value(), {0, &run.input.attention_mask}));
  return std::make_shared<const Tensor>(std::move(applied.value));
}

// A pattern of places means this one.
bool place_named(const Selector& pattern, const Target& place, std::int64_t blocks) {
  const auto parts = pattern.parts(place.site, blocks);
  return std::any_of(parts.begin(), parts.end(), [&](const std::vector<AxisRange>& part) {
    return within(place, Target{Target::Kind::step, place.site, {}, part});
  });
}

Target receiver_place(const Target& to) {
  const auto cell = parse_cell(receiver_text(to));
  return cell ? Target{Target::Kind::step, cell->site, {}, cell->at} : to;
}

}  // namespace

std::string CircuitPrompt::name(std::size_t part) const {
  return to.empty() ? to_text(from[part]) : to_text(from[part]) + "->" + receiver_text(to[part]);
}

Result<double> CircuitPrompt::kept(const std::vector<bool>& parts, const std::atomic<bool>* cancel) const {
  RunOptions options;
  options.edits = without_inputs(prompt.trace->edits);
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (!parts[part]) options.edits = put_together(std::move(options.edits), replaced[part]);
  options.base = prompt.trace;
  options.keep = Keep::predictions;
  options.asked = row_of(*measure, *prompt.trace);
  options.cancel = cancel;
  TRY(const auto trace, model->run(prompt.trace->input, options));
  return measured(*measure, *trace);
}

Result<CircuitRuns> CircuitRuns::prepare(DataRuns& data, CircuitQuestion question,
                                         const std::atomic<bool>* cancel) {
  question.data.over = {"head?"};
  TRY_OK(data.keep_lines(true));  // a curve goes through them more than once
  TRY(DataSweep sweeps, DataSweep::prepare(data, question.data, cancel));
  return CircuitRuns(data, std::move(question), std::move(sweeps));
}

// Every pair of a sender and a receiver; what a sender writes is replaced by what the sweep would set it to.
Status CircuitRuns::add_paths(const Sweep& senders, CircuitPrompt& out, std::optional<PathGrid>& grid) const {
  TRY(const Selector from, Selector::parse(question_.data.steps));
  TRY(const Selector to, Selector::parse(question_.to));
  TRY(grid, PathGrid::make(out.model, out.prompt.trace, *out.measure, from, to, PathKind::direct, {}));
  for (std::size_t cell = 0; cell < senders.cells().size(); ++cell) {
    TRY(const auto instead, replaced_step(senders, cell));
    grid->write_instead(senders.cells()[cell].place(), instead);
  }
  for (std::size_t i = 0; i < grid->cells().size(); ++i) {
    out.from.push_back(grid->cells()[i].from), out.to.push_back(grid->cells()[i].to);
    TRY(out.replaced.emplace_back(), grid->edits(i));
  }
  return Done{};
}

Result<CircuitPrompt> CircuitRuns::of(const DataLine& line, const std::atomic<bool>* cancel) const {
  TRY(PromptSweep asked, sweeps_.of(line, cancel));
  CircuitPrompt out;
  out.prompt = std::move(asked.prompt), out.model = data_->start().model;
  out.measure = asked.sweep.measure(), out.full = asked.sweep.base();
  if (!question_.to.empty()) {
    std::optional<PathGrid> grid;
    if (const Status added = add_paths(asked.sweep, out, grid); !added)
      return within(line.place(data_->path()), added.error());
    return out;
  }
  for (std::size_t cell = 0; cell < asked.sweep.cells().size(); ++cell) {
    out.from.push_back(asked.sweep.cells()[cell].place());
    out.replaced.push_back({asked.sweep.edit(cell)});
  }
  return out;
}

Result<std::vector<PartEffect>> CircuitRuns::effects(const std::atomic<bool>* cancel,
                                                     std::vector<std::string>& names) {
  struct OfPrompt {
    std::vector<std::string> names;
    std::vector<double> moved;
  };
  const auto work = [&](const DataLine& line) -> Result<OfPrompt> {
    TRY(PromptSweep asked, sweeps_.of(line, cancel));
    const auto at = [&](const Error& error) {
      return error.code() == Code::cancelled ? error : within(line.place(data_->path()), error);
    };
    OfPrompt out;
    const double full = asked.sweep.base();
    if (question_.to.empty()) {
      if (const Status done = question_.estimate ? asked.sweep.estimate() : asked.sweep.fill({}, cancel);
          !done)
        return at(done.error());
      for (const SweepCell& cell : asked.sweep.cells()) {
        out.names.push_back(to_text(cell.place()));
        out.moved.push_back((question_.estimate ? cell.estimate : cell.value) - full);
      }
      return out;
    }
    CircuitPrompt prompt;
    prompt.prompt = std::move(asked.prompt), prompt.model = data_->start().model;
    prompt.measure = asked.sweep.measure();
    std::optional<PathGrid> grid;
    if (const Status added = add_paths(asked.sweep, prompt, grid); !added) return at(added.error());
    if (const Status done = question_.estimate ? grid->estimate() : grid->fill(0, {}, cancel); !done)
      return at(done.error());
    for (std::size_t i = 0; i < grid->cells().size(); ++i) {
      out.names.push_back(prompt.name(i));
      out.moved.push_back((question_.estimate ? grid->cells()[i].estimate : grid->cells()[i].value) - full);
    }
    return out;
  };
  std::vector<Spread> sums;
  TRY_OK(data_->through<OfPrompt>(work, [&](const DataLine& line, const OfPrompt& one) -> Status {
    if (cancel && *cancel) return fail(Code::cancelled, "error.model.stopped");
    if (sums.empty()) names = one.names, sums.resize(names.size());
    if (names != one.names)
      return within(line.place(data_->path()), fail(Code::bad_shape, "error.session.circuit_parts"));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(one.moved[i]);
    return Done{};
  }));
  std::vector<PartEffect> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.push_back({names[i], sums[i].mean()});
  const auto size = [](const PartEffect& one) {
    return std::isnan(one.effect) ? -1.0 : std::fabs(one.effect);
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const PartEffect& a, const PartEffect& b) { return size(a) > size(b); });
  return out;
}

// The measure of every prompt with each of these sets of parts kept.
Status CircuitRuns::points(const std::vector<std::vector<std::string>>& sets, const std::atomic<bool>* cancel,
                           CircuitAnswer& out) {
  struct OfPrompt {
    std::vector<std::string> names, kept;
    double full = 0, none = 0;
    std::vector<double> values;
    std::vector<std::int64_t> counts;
  };
  const auto work = [&](const DataLine& line) -> Result<OfPrompt> {
    TRY(const CircuitPrompt prompt, of(line, cancel));
    const auto at = [&](const Error& error) {
      return error.code() == Code::cancelled ? error : within(line.place(data_->path()), error);
    };
    OfPrompt found;
    found.full = prompt.full;
    for (std::size_t i = 0; i < prompt.replaced.size(); ++i) found.names.push_back(prompt.name(i));
    const auto none = prompt.kept(std::vector<bool>(prompt.replaced.size(), false), cancel);
    if (!none) return at(none.error());
    found.none = *none;
    for (const std::vector<std::string>& set : sets) {
      TRY(const std::vector<bool> kept, parts_named(prompt, set));
      const auto value = prompt.kept(kept, cancel);
      if (!value) return at(value.error());
      found.values.push_back(*value);
      found.counts.push_back(std::count(kept.begin(), kept.end(), true));
      if (sets.size() > 1) continue;
      for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept[i]) found.kept.push_back(found.names[i]);
    }
    return found;
  };
  out.points.resize(sets.size());
  return data_->through<OfPrompt>(work, [&](const DataLine& line, const OfPrompt& one) -> Status {
    if (cancel && *cancel) return fail(Code::cancelled, "error.model.stopped");
    if (out.full.n() == 0) out.parts = one.names, kept_ = one.kept;
    if (out.parts != one.names)
      return within(line.place(data_->path()), fail(Code::bad_shape, "error.session.circuit_parts"));
    out.full.add(one.full), out.none.add(one.none);
    for (std::size_t i = 0; i < sets.size(); ++i)
      out.points[i].kept = one.counts[i], out.points[i].value.add(one.values[i]);
    return Done{};
  });
}

Result<CircuitAnswer> CircuitRuns::keep(const std::vector<std::string>& parts,
                                        const std::atomic<bool>* cancel) {
  CircuitAnswer out;
  TRY_OK(points({parts}, cancel, out));
  return out;
}

Result<CircuitAnswer> CircuitRuns::curve(std::size_t best, const std::atomic<bool>* cancel) {
  CircuitAnswer out;
  TRY(out.effects, effects(cancel, out.parts));
  const std::size_t most = best == 0 ? out.effects.size() : std::min(best, out.effects.size());
  std::vector<std::vector<std::string>> sets(1);
  for (std::size_t i = 0; i < most; ++i) {
    sets.push_back(sets.back());
    sets.back().push_back(out.effects[i].part);
  }
  TRY_OK(points(sets, cancel, out));
  return out;
}

std::vector<std::string> circuit_parts(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else if (c != ' ' || depth > 0)
      out.back() += c;
  }
  std::erase(out, "");
  return out;
}

Result<std::vector<bool>> parts_named(const CircuitPrompt& prompt, const std::vector<std::string>& names) {
  std::vector<bool> out(prompt.replaced.size(), false);
  std::map<std::string, std::size_t> exact;
  for (std::size_t i = 0; i < out.size(); ++i) exact[prompt.name(i)] = i;
  const ModelConfig& config = prompt.model->config();
  for (const std::string& name : names) {
    if (const auto found = exact.find(name); found != exact.end()) {
      out[found->second] = true;
      continue;
    }
    const std::size_t arrow = name.find("->");
    const bool path = arrow != std::string::npos;
    bool any = false;
    TRY(const Selector from, Selector::parse(name.substr(0, arrow)));
    TRY(const Selector to, Selector::parse(path ? name.substr(arrow + 2) : "*"));
    for (std::size_t i = 0; i < out.size() && path == !prompt.to.empty(); ++i) {
      if (!place_named(from, prompt.from[i], config.of(prompt.from[i].site.stack).n_layers())) continue;
      if (path) {
        const Target read = receiver_place(prompt.to[i]);
        if (!place_named(to, read, config.of(read.site.stack).n_layers())) continue;
      }
      out[i] = any = true;
    }
    if (!any) return fail(Code::not_found, "error.session.circuit_name", {in_quotes(name)});
  }
  return out;
}

}  // namespace attnscope
