// One step of training: examples, packed into a few runs; forward and backward of the runs over the threads,
// the sum of their gradients in the order of the sequences, clipping, AdamW, a new model.
#include "core/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/text/tokenizer.h"
#include "core/train/packing.h"

namespace attnscope {
namespace {

using GradientRuns = std::vector<std::shared_ptr<const Gradients>>;
using NamedTensors = std::map<std::string, Tensor>;

// Calls body(index) for each of `count` items, on all threads; items are handed out one by one.
template <class Body>
void for_each_of(std::size_t count, const Body& body) {
  std::atomic<std::size_t> next{0};
  const auto drain = [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  parallel_for(std::min<std::int64_t>(thread_count(), static_cast<std::int64_t>(count)), 1, drain);
}

// "blocks.3.attn.q.weight" -> "blocks.3"; what stands before the blocks is "embed", behind them "head".
std::string layer_of(const std::string& name) {
  const std::size_t at = name.find("blocks.");
  if (at != std::string::npos) return name.substr(0, name.find('.', at + 7));
  const std::size_t dot = name.find('.');
  const std::string first = name.substr(0, dot);
  const std::string stack = first == "enc" || first == "dec" || first == "vision" ? first + "." : "";
  const bool before = name.find("embed") != std::string::npos || name.find("rel_bias") != std::string::npos;
  return stack + (before ? "embed" : "head");
}

std::int64_t counted(const std::vector<int>& targets) {
  return std::count_if(targets.begin(), targets.end(), [](int target) { return target >= 0; });
}

std::int64_t rows_of(const Trace& trace) {
  std::int64_t rows = trace.length;
  for (const ModelConfig& encoder : trace.config().encoders) rows += trace.rows(encoder.stack);
  return rows;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Error no_number(int step, const Text& what) {
  return fail(Code::out_of_range, "error.train.no_number", {step, what});
}

// The first step of the forward pass that holds a number that is none; empty where there is none.
std::string first_broken_record(const Trace& trace) {
  for (const Record& record : trace.records())
    if (!record.derived && !std::isfinite(sum_of_squares(record.value()))) return to_text(record.site);
  return {};
}

std::string first_broken_weight(const Weights& weights) {
  for (const auto& [name, value] : weights.all())
    if (!std::isfinite(sum_of_squares(value))) return name;
  return {};
}

CrossEntropy trainer_sum_of(const std::vector<CrossEntropy>& all) {
  CrossEntropy sum;
  for (const CrossEntropy& one : all) {
    sum.plain += one.plain;
    sum.smoothed += one.smoothed;
    sum.counted += one.counted;
    sum.right += one.right;
  }
  return sum;
}

// Writes the means of a sum into a report.
template <class Report>
void fill(Report& report, const CrossEntropy& sum) {
  const double rows = static_cast<double>(std::max<std::int64_t>(1, sum.counted));
  report.loss = sum.smoothed / rows;
  report.plain_loss = sum.plain / rows;
  report.accuracy = static_cast<double>(sum.right) / rows;
}

// Norms by layer, and the norm of all.
double add_up(const std::vector<std::string>& names, const std::vector<double>& squares,
              std::map<std::string, double>& layers) {
  double total = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    total += squares[i];
    layers[layer_of(names[i])] += squares[i];
  }
  for (auto& [layer, value] : layers) value = std::sqrt(value);
  return std::sqrt(total);
}

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> out;
  for (const auto& [name, value] : tensors) out.push_back(name);
  return out;
}

Status check_shape(const TrainState& state, const std::string& name, const Tensor& wanted,
                   const Tensor& found, const Text& what) {
  if (found.sizes() == wanted.sizes()) return Done{};
  return fail(Code::bad_shape, "error.train.state_shape",
              {what, name, state.step, shape_text(found), shape_text(wanted)});
}

}  // namespace

struct Trainer::Batch {
  std::vector<Example> examples;  // those with a target: from the others nothing can be learned; packed
  std::int64_t counted = 0;       // rows with a target
};

Result<Trainer> Trainer::make(std::shared_ptr<const Task> task, const TaskSizes& sizes, const Recipe& recipe,
                              std::uint64_t seed) {
  TRY_OK(check_recipe(recipe));
  TRY(ModelConfig config, task->config(sizes));
  if (config.blocks.empty()) return fail(Code::bad_shape, "error.train.no_blocks");
  config.family = task->title();
  if (const auto tokenizer = tokenizer_from_json(task->tokenizer().dump(), "tokenizer.json"))
    config.texts = texts_of(*tokenizer, config.vocab_size);
  Weights weights = first_weights(config, seed);
  Trainer out;
  TRY(out.state_.model, Model::make(std::move(config), std::move(weights)));
  out.task_ = std::move(task);
  out.sizes_ = sizes;
  out.recipe_ = recipe;
  out.seed_ = seed;
  return out;
}

Status Trainer::resume(TrainState state) {
  CHECK(state.model != nullptr);
  const Weights &mine = state_.model->weights(), &given = state.model->weights();
  for (const auto& [name, value] : mine.all()) {
    const Tensor* found = given.find(name);
    if (!found) return fail(Code::not_found, "error.train.state_lacks", {name});
    TRY_OK(check_shape(state, name, value, *found, Text::of("error.train.the_weight")));
    const auto moments = state.adam.find(name);
    if (moments == state.adam.end()) continue;
    TRY_OK(check_shape(state, name, value, moments->second.m, Text::of("error.train.first_moment")));
    TRY_OK(check_shape(state, name, value, moments->second.v, Text::of("error.train.second_moment")));
  }
  if (given.all().size() != mine.all().size()) return fail(Code::bad_shape, "error.train.state_more");
  state_ = std::move(state);
  return Done{};
}

Result<Trainer::Batch> Trainer::make_batch() const {
  Batch out;
  out.examples.resize(static_cast<std::size_t>(recipe_.batch));
  const std::int64_t first = std::int64_t{state_.step} * recipe_.batch;
  for_each_of(out.examples.size(), [&](std::size_t i) {
    out.examples[i] = task_->example(seed_, Split::train, first + static_cast<std::int64_t>(i));
  });
  std::erase_if(out.examples, [](const Example& example) { return counted(example.targets) == 0; });
  for (const Example& example : out.examples) out.counted += counted(example.targets);
  if (can_pack(state_.model->config())) out.examples = packed_examples(std::move(out.examples));
  if (out.counted == 0) return fail(Code::out_of_range, "error.train.no_target");
  return out;
}

Result<GradientRuns> Trainer::run_all(const Batch& batch, const std::atomic<bool>* cancel) const {
  GradientRuns runs(batch.examples.size());
  std::vector<Status> status(batch.examples.size(), Done{});
  RunOptions options;
  options.cancel = cancel;
  const double factor = 1.0 / static_cast<double>(batch.counted);
  const auto one = [&](const Example& example) -> Result<std::shared_ptr<const Gradients>> {
    TRY(auto trace, state_.model->run(example.input, options));
    return backward_of_weights(std::move(trace), {example.targets, recipe_.smoothing, factor});
  };
  for_each_of(runs.size(), [&](std::size_t i) {
    if (cancel && *cancel) return;
    auto gradients = one(batch.examples[i]);
    if (gradients)
      runs[i] = *std::move(gradients);
    else
      status[i] = gradients.error();
  });
  for (const Status& each : status) TRY_OK(Status(each));
  if (cancel && *cancel) return fail(Code::cancelled, "error.train.stopped");
  return runs;
}

Status Trainer::check_numbers(const GradientRuns& runs, const NamedTensors& gradients, double norm) const {
  const int step = state_.step + 1;
  for (const auto& run : runs) {
    if (std::isfinite(run->loss().smoothed) && std::isfinite(run->loss().plain)) continue;
    if (const std::string weight = first_broken_weight(state_.model->weights()); !weight.empty())
      return no_number(step, Text::of("error.train.the_loss_through_weight", {weight}));
    const std::string site = first_broken_record(run->trace());
    return no_number(step, site.empty() ? Text::of("error.train.the_loss")
                                        : Text::of("error.train.the_loss_through_step", {site}));
  }
  if (std::isfinite(norm)) return Done{};
  // The backward pass computes the last weights first.
  std::vector<WeightShape> order = expected_weights(state_.model->config());
  std::reverse(order.begin(), order.end());
  for (const WeightShape& weight : order) {
    const auto found = gradients.find(weight.name);
    if (found != gradients.end() && !std::isfinite(sum_of_squares(found->second)))
      return no_number(step, Text::of("error.train.the_gradient", {weight.name}));
  }
  return no_number(step, Text::of("error.train.the_norm"));
}

// Clips, moves every weight, and makes the new model of them. The report has the gradients' norm. The state
// changes at the end, all of it or, where memory runs out before, nothing.
void Trainer::update(const NamedTensors& gradients, StepReport& report,
                     std::chrono::steady_clock::time_point begin) {
  const double norm = report.gradient_norm;
  const double factor = recipe_.clip > 0 && norm > recipe_.clip ? recipe_.clip / (norm + 1e-6) : 1.0;
  const Weights& weights = state_.model->weights();
  const std::vector<std::string> names = names_of(gradients);
  auto adam = state_.adam;
  std::vector<AdamState*> moments;
  for (const std::string& name : names) moments.push_back(&adam[name]);
  std::vector<Tensor> moved(names.size());
  std::vector<double> changes(names.size());
  for_each_of(names.size(), [&](std::size_t i) {
    const Tensor before = weights.get(names[i]);
    moved[i] = adamw(before, gradients.at(names[i]), *moments[i], recipe_, report.learning_rate, report.step,
                     factor);
    changes[i] = sum_of_squared_changes(moved[i], before);
  });
  NamedTensors changed;
  for (std::size_t i = 0; i < names.size(); ++i) changed[names[i]] = moved[i];
  add_up(names, changes, report.layer_updates);
  const ModelConfig& config = state_.model->config();
  auto model = std::make_shared<const Model>(
      std::make_shared<const ModelConfig>(config),
      std::make_shared<const Weights>(with_parameters(config, weights, changed)));
  report.seconds = seconds_since(begin);
  state_.reports.push_back(report);
  state_.model = std::move(model);
  state_.adam.swap(adam);
  state_.step = report.step;
}

Result<StepReport> Trainer::step(const std::atomic<bool>* cancel) {
  const auto begin = std::chrono::steady_clock::now();
  TRY(const Batch batch, make_batch());
  TRY(const GradientRuns runs, run_all(batch, cancel));
  const NamedTensors gradients = collect(runs);
  const std::vector<std::string> names = names_of(gradients);
  std::vector<double> squares(names.size());
  for_each_of(names.size(), [&](std::size_t i) { squares[i] = sum_of_squares(gradients.at(names[i])); });
  StepReport report;
  report.step = state_.step + 1;
  report.learning_rate = learning_rate(recipe_, state_.step) * state_.learning_rate_factor;
  report.gradient_norm = add_up(names, squares, report.layer_gradients);
  TRY_OK(check_numbers(runs, gradients, report.gradient_norm));
  std::vector<CrossEntropy> losses;
  for (const auto& run : runs) {
    losses.push_back(run->loss());
    report.tokens += rows_of(run->trace());
  }
  fill(report, trainer_sum_of(losses));
  update(gradients, report, begin);
  return report;
}

Result<HeldOut> Trainer::measure_held_out(int count) {
  const auto size = static_cast<std::size_t>(std::max(1, count));
  std::vector<CrossEntropy> losses(size);
  std::vector<Status> status(size, Done{});
  const auto one = [&](std::size_t i) -> Result<CrossEntropy> {
    const Example example = task_->example(seed_, Split::held_out, static_cast<std::int64_t>(i));
    TRY(const auto trace, state_.model->run(example.input));
    const Tensor logits =
        trace->slice(trace->main(StepRole::logits), 0, {0, trace->length}, {0, trace->config().outputs()});
    return cross_entropy(logits, example.targets, recipe_.smoothing);
  };
  for_each_of(size, [&](std::size_t i) {
    const auto loss = one(i);
    if (loss)
      losses[i] = *loss;
    else
      status[i] = loss.error();
  });
  for (const Status& each : status) TRY_OK(Status(each));
  HeldOut out;
  out.step = state_.step;
  fill(out, trainer_sum_of(losses));
  if (!state_.held_out.empty() && state_.held_out.back().step == out.step) state_.held_out.pop_back();
  state_.held_out.push_back(out);
  return out;
}

}  // namespace attnscope
