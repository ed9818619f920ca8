// The identity call. The forward pass wraps each step in `at(Slot::pattern, value)`: the Probe applies edits,
// records, reports progress, stops a run that is no longer wanted, and returns its argument.
#pragma once

#include <atomic>
#include <functional>
#include <source_location>

#include "core/trace/intervention.h"
#include "core/trace/side_mask.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Thrown by the Probe and caught where the run began: the run is no longer wanted.
struct RunCancelled {};

/// How a run is watched and changed.
struct RunOptions {
  std::vector<Intervention> interventions;
  MaskSpec mask;                                 ///< of the main stack's self-attention; default: the model's
  std::vector<Mask::Cell> mask_cells;            ///< switched by hand, in the main stack's self-attention
  std::vector<SideMask> side_masks;              ///< of the model's other attentions
  const std::atomic<bool>* cancel = nullptr;     ///< true = stop at the next step
  std::function<void(const Record&)> on_record;  ///< called on the running thread
};

class Probe {
 public:
  Probe(Trace& trace, const RunOptions& options);
  /// The same probe inside a block, or inside a block's cross-attention.
  Probe in(Stack stack, int layer, Part part = Part::attn) const;

  /// Edits, records and returns `value`; throws RunCancelled when the run is no longer wanted.
  Tensor operator()(Slot slot, Tensor value,
                    std::source_location line = std::source_location::current()) const;

  /// Runs an attention: records scores, scaled, mask, masked, pattern as derived steps, applies edits to
  /// them, and returns z [head, query, d_head].
  Tensor attend(AttentionInputs in, std::source_location line = std::source_location::current()) const;
  /// Records logits and probs of the main stack as derived steps of `rows` rows.
  void predict(std::int64_t rows, std::source_location line = std::source_location::current()) const;

  const RunOptions& options() const { return *options_; }
  void throw_if_cancelled() const;

 private:
  Site site(Slot slot) const;
  Tensor edited(const Site& site, Tensor value) const;
  void record(Slot slot, Tensor value, std::vector<std::int64_t> shape, std::vector<Axis> axes,
              std::source_location line) const;

  Trace* trace_;
  const RunOptions* options_;
  Stack stack_ = Stack::single;
  int layer_ = -1;
  Part part_ = Part::attn;  ///< of steps that attn and cross share
  std::shared_ptr<std::int64_t> last_ns_;
  std::int64_t start_ns_ = 0;
};

}  // namespace attnscope
