// Which attentions a run holds: self-attention of each stack, and the decoder's cross-attention. Heads
// are compared, and drawn side by side, within one of them. A run without attention has an empty
// list.
#pragma once

#include <vector>

#include "core/trace/attention_kind.h"
#include "core/trace/trace.h"

namespace attnscope {

struct AttentionPlace {
  Stack stack = Stack::single;
  Part part = Part::attn;  ///< attn or cross
  bool operator==(const AttentionPlace&) const = default;
  Site site(Slot slot, int layer) const {
    return part == Part::cross ? cross_site(slot, layer, stack) : site_of(slot, layer, stack);
  }
  Site site(StepRole role, int layer) const { return site(slot_of(role), layer); }
  Site site(StepRole role, Hue hue, int layer) const { return site(slot_of(role, hue), layer); }
  Site site(StepKind kind, int layer) const { return site(slot_of(kind), layer); }
  Site pattern(int layer) const { return site(StepRole::pattern, layer); }
  /// The stack whose rows are the keys.
  Stack keys() const { return part == Part::cross ? Stack::enc : stack; }
};

/// The attention that a mask is of; `main` is the model's own stack.
AttentionPlace attention_place(AttentionKind of, Stack main);
/// Those that the run holds, in order of execution.
std::vector<AttentionPlace> attention_places(const Trace& trace);
/// The patterns of one of them, in order of execution.
std::vector<const Record*> patterns_of(const Trace& trace, const AttentionPlace& place);
/// True for self-attention, where queries and keys are the same tokens, so that "previous" and "self" exist.
bool looks_at_itself(const AttentionPlace& place);

}  // namespace attnscope
