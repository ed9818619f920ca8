// From a loss over the run's logits to gradients of everything: the head, then the stacks in reverse order.
#include "core/model/gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/text.h"
#include "core/model/stage_backward.h"
#include "core/model/tape.h"
#include "core/trace/flow.h"
#include "core/trace/head.h"
#include "core/trace/inside.h"

namespace attnscope {
namespace {

// Rows `from` [row, d] put back to their places among `count` rows, the others 0.
Tensor spread(const Tensor& from, const std::vector<std::int64_t>& places, std::int64_t count) {
  const Tensor rows = from.packed();
  const std::int64_t width = from.size(1);
  std::vector<float> out(static_cast<std::size_t>(count * width), 0.f);
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(rows.data() + static_cast<std::int64_t>(i) * width, width, out.data() + places[i] * width);
  return Tensor::from(std::move(out), {{Axis::pos, count}, {from.axis(1), width}});
}

}  // namespace

// The whole way: what backward() does, with access to what it writes.
class Backward {
 public:
  Backward(const Trace& trace, Gradients& out, bool keeps_steps)
      : trace_(trace),
        out_(out),
        tape_(trace, out.records_, out.uses_, out.passed_, out.weighted_, out.sent_, keeps_steps) {}

  void run() {
    const ModelConfig& config = trace_.config();
    Tensor dy = head_backward(tape_, config, unembedding());
    const StackGradients main = stack_backward(tape_, config, std::move(dy));
    if (!main.image.empty()) vision(main.image);
    if (!main.encoded.empty()) stack_backward(tape_, *config.encoder(), main.encoded);
    for (std::size_t i = 0; i < out_.records_.size(); ++i)
      out_.index_[out_.records_[i].site] = static_cast<int>(i);
  }

 private:
  // The gradient of the objective by the logits of the rows that it reads [row, vocab].
  Tensor at_logits() {
    const Objective& objective = out_.objective_;
    if (objective.measure) {
      const std::int64_t row = row_of(*objective.measure, trace_);
      out_.rows_ = {row};
      const Tensor logits = trace_.logits_row(row), gradient = measure_gradient(*objective.measure, logits);
      out_.measured_ = measure_value(*objective.measure, logits);
      return Tensor::from(gradient.values(), {{Axis::pos, 1}, {Axis::vocab, gradient.size(0)}});
    }
    std::vector<int> targets;
    for (std::size_t row = 0; row < objective.targets.size(); ++row) {
      if (objective.targets[row] < 0) continue;
      targets.push_back(objective.targets[row]);
      out_.rows_.push_back(static_cast<std::int64_t>(row));
    }
    const Tensor logits = logits_of_rows(true);
    out_.loss_ = cross_entropy(logits, targets, objective.smoothing);
    const double factor =
        objective.factor != 0 ? objective.factor : 1.0 / static_cast<double>(targets.size());
    out_.measured_ = out_.loss_.smoothed * factor;
    return cross_entropy_backward(logits, targets, objective.smoothing, factor);
  }

  // Of the rows that the objective reads [row, vocab]; before edits of the logits, or after.
  Tensor logits_of_rows(bool edited) const {
    const ModelConfig& config = trace_.config();
    if (!edited || !is_edited(trace_, logits_))
      return unembed(config, trace_.weights(), final_rows(trace_).take_rows(out_.rows_),
                     {0, config.outputs()});
    std::vector<Tensor> rows;
    for (const std::int64_t row : out_.rows_)
      rows.push_back(trace_.slice(logits_, 0, {row, row + 1}, {0, config.outputs()}));
    return joined_along(0, rows);
  }

  // Every row has a gradient where edits of the logits read others.
  void read_all_rows() {
    const auto reads = [&](const auto& edit) {
      const NumberEdit* number = edit->number();
      return number && number->where.kind == Target::Kind::step && number->where.site == logits_ &&
             reads_rows(*number);
    };
    if (std::none_of(trace_.edits.begin(), trace_.edits.end(), reads)) return;
    const std::int64_t count = trace_.find(logits_)->shape[0];
    out_.logits_ = spread(out_.logits_, out_.rows_, count);
    out_.rows_.resize(static_cast<std::size_t>(count));
    std::iota(out_.rows_.begin(), out_.rows_.end(), 0);
  }

  // Through edits of the logits: of all rows together where they read one another, else row by row.
  Tensor before_edits(const Tensor& dy) const {
    if (std::ssize(out_.rows_) == trace_.find(logits_)->shape[0]) {
      return through_edits(trace_, logits_, dy, [&] { return logits_of_rows(false); });
    }
    std::vector<Tensor> rows;
    for (std::size_t i = 0; i < out_.rows_.size(); ++i) {
      Tensor row = dy.slice(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1);
      for (auto edit = trace_.edits.rbegin(); edit != trace_.edits.rend(); ++edit) {
        const NumberEdit* number = (*edit)->number();
        if (!number || number->where.kind != Target::Kind::step || number->where.site != logits_) continue;
        auto back = apply_backward(*number, row, {out_.rows_[i], nullptr});
        if (!back) throw EditRefused{back.error()};
        row = *back;
      }
      rows.push_back(row);
    }
    return joined_along(0, rows);
  }

  // The objective, and its gradient at the rows that words are read off.
  Tensor unembedding() {
    const ModelConfig& config = trace_.config();
    const Tensor rows = final_rows(trace_);  // [pos, d_model]
    out_.logits_ = at_logits();              // [row, vocab]
    read_all_rows();
    const Tensor counted = rows.take_rows(out_.rows_);  // [row, d_model]
    tape_.at(logits_);
    Tensor dy = out_.logits_passed_ = before_edits(out_.logits_);
    if (config.head.cap > 0.f) dy = soft_cap_backward(dy, logits_of_rows(false), config.head.cap);
    const bool scaled = config.head.scale != 1.f;
    const std::string name = std::string(stack_prefix(config.stack)) + "logits";
    dy = tape_.project(name, scaled ? scale(counted, config.head.scale) : counted, dy);
    return spread(scaled ? scale(dy, config.head.scale) : dy, out_.rows_, rows.size(0));
  }

  void vision(Tensor dy) {
    const ModelConfig& encoder = *trace_.config().vision();
    const Site projected = site_of(StepKind::projector, -1, Stack::vision);
    if (encoder.projected > 0) {
      dy = tape_.at(projected, dy);
      dy = tape_.project("vision.projected", tape_.value(stack_output(trace_, Stack::vision)), dy);
    }
    stack_backward(tape_, encoder, std::move(dy));
  }

  const Trace& trace_;
  const Site logits_ = trace_.main(StepRole::logits);
  Gradients& out_;
  Tape tape_;
};

namespace {

Status gradients_check(const Trace& trace, const Objective& objective) {
  const ModelConfig& config = trace.config();
  const Record* logits = trace.find(trace.main(StepRole::logits));
  if (!logits || trace.weights().all().empty()) return fail(Code::bad_shape, "error.model.no_loss");
  if (!trace.complete) return fail(Code::bad_shape, "error.model.incomplete");
  for (const auto& edit : trace.edits)
    if (edit->number() && path_from(*edit->number()))
      return fail(Code::unsupported, "error.model.path_gradient", {to_text(*edit)});
  if (objective.measure) {
    TRY(const double value, measured(*objective.measure, trace));
    (void)value;
    return Done{};
  }
  if (static_cast<std::int64_t>(objective.targets.size()) != logits->shape[0]) {
    return fail(Code::bad_shape, "error.model.targets", {objective.targets.size(), logits->shape[0]});
  }
  std::int64_t counted = 0;
  for (const int target : objective.targets) {
    counted += target >= 0 ? 1 : 0;
    if (target >= config.outputs())
      return fail(Code::bad_shape, "error.model.target", {target, config.outputs()});
  }
  if (counted == 0) return fail(Code::bad_shape, "error.model.no_target");
  return Done{};
}

}  // namespace

Result<std::shared_ptr<const Gradients>> Gradients::make(std::shared_ptr<const Trace> trace,
                                                         Objective objective, bool keeps_steps) {
  TRY_OK(gradients_check(*trace, objective));
  auto out = std::make_shared<Gradients>();
  out->trace_ = std::move(trace);
  out->objective_ = std::move(objective);
  try {
    Backward(*out->trace_, *out, keeps_steps).run();
  } catch (const EditRefused& refused) {
    return refused.error;
  }
  TRY_OK(out->trace_->weights().intact());
  return std::shared_ptr<const Gradients>(std::move(out));
}

Result<std::shared_ptr<const Gradients>> backward(std::shared_ptr<const Trace> trace, Objective objective) {
  return Gradients::make(std::move(trace), std::move(objective), true);
}

Result<std::shared_ptr<const Gradients>> backward_of_weights(std::shared_ptr<const Trace> trace,
                                                             Objective objective) {
  CHECK(trace->edits.empty());
  return Gradients::make(std::move(trace), std::move(objective), false);
}

double Gradients::value() const { return measured_; }

const Record* Gradients::find(const Site& site) const {
  const auto at = index_.find(site);
  return at == index_.end() ? nullptr : &records_[static_cast<std::size_t>(at->second)];
}

namespace {

// dP = dz v^T, and dS = P (dP - sum P dP) at the stage before the softmax: [query, key] each.
Tensor pattern_gradients(const AttentionState& state, const Tensor& dz, const Tensor& z, std::int64_t head,
                         Range rows, Range cols, bool before_softmax) {
  const AttentionInputs& in = state.in;
  const std::int64_t kv = head * in.v.size(0) / in.q.size(0), width = in.v.size(2);
  Tensor pattern;
  if (before_softmax)
    pattern = attention_rectangle(in, state.lse, ScoreStage::pattern, head, rows.begin, rows.end, cols.begin,
                                  cols.end);
  Buffer out({{Axis::query, rows.size()}, {Axis::key, cols.size()}});
  float* to = out.data();
  for (std::int64_t query = rows.begin; query < rows.end; ++query) {
    double all = 0;
    for (std::int64_t i = 0; i < width; ++i)
      all += static_cast<double>(dz.at(head, query, i)) * static_cast<double>(z.at(head, query, i));
    for (std::int64_t key = cols.begin; key < cols.end; ++key) {
      double gradient = 0;
      for (std::int64_t i = 0; i < width; ++i)
        gradient += static_cast<double>(dz.at(head, query, i)) * static_cast<double>(in.v.at(kv, key, i));
      if (before_softmax)
        gradient = (gradient - all) * static_cast<double>(pattern.at(query - rows.begin, key - cols.begin));
      *to++ = static_cast<float>(gradient);
    }
  }
  return std::move(out).freeze();
}

// By the cap, back to the scaled scores.
Tensor uncapped(const AttentionState& state, const Tensor& dy, std::int64_t head, Range rows, Range cols) {
  if (state.in.cap <= 0.f) return dy;
  const Tensor capped = attention_rectangle(state.in, state.lse, ScoreStage::capped, head, rows.begin,
                                            rows.end, cols.begin, cols.end);
  return soft_cap_backward(dy, capped, state.in.cap);
}

}  // namespace

Tensor Gradients::score_gradients(const Site& site, std::int64_t head, Range rows, Range cols,
                                  bool passed) const {
  const AttentionState* state = trace_->attention(site);
  if (!state || head < 0 || head >= state->in.q.size(0)) return {};
  rows = cut_to(rows, state->in.q.size(1));
  cols = cut_to(cols, state->in.k.size(1));
  const Site place = site.near(StepRole::head_out);
  if (!find(place)) return {};
  const auto behind = passed_.find(place), weighted = weighted_.find(place);
  const Tensor& dz = behind == passed_.end() ? find(place)->value() : behind->second;
  const Tensor& z = weighted == weighted_.end() ? trace_->find(place)->value() : weighted->second;
  Tensor dy = pattern_gradients(*state, dz, z, head, rows, cols, !site.is(StepRole::pattern));
  const bool first = state->in.mask_before_scale;
  switch (kind_of(site.slot)) {
    case StepKind::scores: dy = scale(uncapped(*state, dy, head, rows, cols), state->in.scale); break;
    case StepKind::mask: dy = first ? scale(dy, state->in.scale) : dy; break;
    case StepKind::scale: dy = first ? dy : uncapped(*state, dy, head, rows, cols); break;
    default: break;
  }
  return state->edits && state->edits->reach(head) ? edited_rows(site, head, rows, cols, dy, passed) : dy;
}

// Rows with edits, in place of those of the streamed attention.
Tensor Gradients::edited_rows(const Site& site, std::int64_t head, Range rows, Range cols, Tensor plain,
                              bool passed) const {
  const AttentionState& state = *trace_->attention(site);
  const auto stage = static_cast<std::size_t>(*score_stage(site.slot));
  const Site place = site.near(StepRole::head_out);
  const auto behind = passed_.find(place);
  const Tensor& dz = behind == passed_.end() ? find(place)->value() : behind->second;
  const StageEdits::Sent& sent = sent_.at(place).at(head);
  std::vector<float> out = plain.values();
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    if (!state.edits->involves(head, row)) continue;
    const StageGradients back = stage_gradients(state, head, row, dz.select(0, head).select(0, row), sent);
    for (std::int64_t col = cols.begin; col < cols.end; ++col)
      out[static_cast<std::size_t>((row - rows.begin) * cols.size() + col - cols.begin)] =
          (passed ? back.passed : back.stages)[stage].at(col);
  }
  return Tensor::from(std::move(out), {{Axis::query, rows.size()}, {Axis::key, cols.size()}});
}

std::int64_t Gradients::predictions() const { return trace_->find(trace_->main(StepRole::logits))->shape[0]; }

namespace {

// A rectangle of a step's numbers; `head` picks the head axis where there is one.
Tensor rectangle(const Tensor& step, std::int64_t head, Range rows, Range cols) {
  Tensor plane = step;
  if (plane.rank() == 3) {
    const int axis = plane.find(Axis::head);
    if (axis < 0 || head < 0 || head >= plane.size(axis)) return {};
    plane = plane.select(axis, head);
  }
  rows = cut_to(rows, plane.size(0));
  cols = cut_to(cols, plane.size(1));
  return plane.slice(0, rows.begin, rows.end).slice(1, cols.begin, cols.end);
}

}  // namespace

float Gradients::passed(const Site& site, const std::vector<std::int64_t>& index) const {
  if (const Record* record = find(site); record && record->derived) {
    const std::int64_t row = index[index.size() - 2], col = index.back();
    return passed(site, index.size() == 3 ? index[0] : 0, {row, row + 1}, {col, col + 1}).at(0);
  }
  const auto kept = passed_.find(site);
  return kept == passed_.end() ? cell(site, index) : kept->second.at(index);
}

Tensor Gradients::passed(const Site& site, std::int64_t head, Range rows, Range cols) const {
  if (site.is(StepRole::logits) && find(site)) return logit_gradients(logits_passed_, rows, cols);
  if (const Record* record = find(site); record && record->derived)
    return score_gradients(site, head, rows, cols, true);
  const auto kept = passed_.find(site);
  return kept == passed_.end() ? slice(site, head, rows, cols) : rectangle(kept->second, head, rows, cols);
}

Tensor Gradients::slice(const Site& site, std::int64_t head, Range rows, Range cols) const {
  const Record* record = find(site);
  if (!record) return {};
  if (site.is(StepRole::logits)) return logit_gradients(logits_, rows, cols);
  if (record->derived) return score_gradients(site, head, rows, cols, false);
  return rectangle(record->value(), head, rows, cols);
}

Tensor Gradients::logit_gradients(const Tensor& of_rows, Range rows, Range cols) const {
  const Record* record = find(trace_->main(StepRole::logits));
  rows = cut_to(rows, record->shape[0]);
  cols = cut_to(cols, record->shape[1]);
  Buffer out({{Axis::pos, rows.size()}, {Axis::vocab, cols.size()}});
  std::fill(out.data(), out.data() + out.count(), 0.f);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] < rows.begin || rows_[i] >= rows.end) continue;
    float* to = out.data() + (rows_[i] - rows.begin) * cols.size();
    for (std::int64_t col = cols.begin; col < cols.end; ++col)
      *to++ = of_rows.at(static_cast<std::int64_t>(i), col);
  }
  return std::move(out).freeze();
}

float Gradients::cell(const Site& site, const std::vector<std::int64_t>& index) const {
  const Record* record = find(site);
  if (!record || !is_cell(index, record->shape)) return std::numeric_limits<float>::quiet_NaN();
  if (!record->derived) return record->rows.at(index);
  const std::int64_t row = index[index.size() - 2], col = index.back();
  return slice(site, index.size() == 3 ? index[0] : 0, {row, row + 1}, {col, col + 1}).at(0);
}

std::string gradient_name(const Site& site) { return to_text(site) + ".grad"; }

}  // namespace attnscope
