// The identity call. The forward pass wraps each step in `at(slot, value)`: the Hook applies edits,
// records, reports progress, stops a cancelled run, and returns its argument.
#pragma once

#include <atomic>
#include <functional>

#include "core/trace/edit.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Thrown by the Hook and caught where the run began: the run was cancelled.
struct RunCancelled {};
/// Thrown by the Hook and caught where the run began: an edit cannot be carried out.
struct EditRefused {
  Error error;
};

/// What a run leaves behind: every step, or only what its predictions and further runs need.
enum class Keep : std::uint8_t { all, predictions };

/// What a run records, and the edits that it is computed under.
struct RunOptions {
  Edits edits;  ///< those of this sequence, in order
  /// A run of the same model to start from: what the edits and the input leave as it was there is shared, all
  /// else is computed. Its numbers are those of a full run, bit for bit. Null: everything is computed.
  std::shared_ptr<const Trace> base;
  Keep keep = Keep::all;
  /// The first row whose predictions are asked of a run that has a base and keeps predictions alone: what
  /// only rows before it need is left out, and their logits are NaN.
  std::int64_t asked = 0;
  const std::atomic<bool>* cancel = nullptr;     ///< true = stop at the next step
  std::function<void(const Record&)> on_record;  ///< called on the running thread
  /// The same after each block: the run so far, which holds this block whole; the stack, and the block.
  std::function<void(const Trace&, Stack, int layer)> on_block;
};

class Hook {
 public:
  Hook(Trace& trace, const RunOptions& options);
  /// The same hook inside a block, or inside a block's cross-attention.
  Hook in(Stack stack, int layer, Part part = Part::attn) const;
  /// The same where tensors hold the rows from `first` on; the rows before are those of the run's base.
  Hook from_row(std::int64_t first) const;

  /// Edits, records and returns `value`; throws RunCancelled where RunOptions::cancel is set.
  Tensor operator()(Slot slot, Tensor value) const;

  /// Runs an attention: records its score_steps, all but the sinks derived, applies edits to them, and
  /// returns z [head, query, d_head]. `store` is where k and v lie, if they can grow.
  Tensor attend(AttentionInputs in, std::shared_ptr<KvRows> store = {}) const;
  /// Records logits and probs of the main stack as derived steps of `rows` rows.
  void predict(std::int64_t rows) const;

  const RunOptions& options() const { return *options_; }
  /// The run so far; before a step was computed it holds the base's.
  const Trace& trace() const { return *trace_; }
  /// The edits whose target exists in this run.
  const Edits& reached() const { return state_->reached; }
  void throw_if_cancelled() const;
  /// A block of a stack is behind the run: tells RunOptions::on_block.
  void finished_block(Stack stack, int layer) const {
    if (options_->on_block) options_->on_block(*trace_, stack, layer);
  }

 private:
  struct State {
    std::int64_t last_ns = 0, start_ns = 0;
    Edits reached;
  };
  Site site(Slot slot) const;
  RowFrame frame(const Site& site) const;
  Tensor edited(const Site& site, Tensor value) const;
  Tensor without_paths(const Site& site, const Tensor& value) const;
  void record(Slot slot, const Tensor& value) const;
  void record(Slot slot, StepRows rows, std::vector<std::int64_t> shape, std::vector<Axis> axes) const;

  Trace* trace_;
  const RunOptions* options_;
  Stack stack_ = Stack::single;
  int layer_ = -1;
  Part part_ = Part::attn;  ///< of steps that attn and cross share
  std::int64_t first_row_ = 0;
  std::shared_ptr<State> state_;
};

}  // namespace attnscope
