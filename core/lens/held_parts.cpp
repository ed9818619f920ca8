// Parts of a run that are held while others change.
#include "core/lens/held_parts.h"

#include "core/lens/held_path.h"
#include "core/ops/matrices.h"
#include "core/trace/step_edits.h"

namespace attnscope {

Matrix64 recorded64(const Trace& trace, const Site& site) { return matrix64(trace.find(site)->rows.whole()); }

HeldMlp held_mlp(const Trace& trace, const Site& out) {
  const bool gated = trace.find(out.with(Slot::mlp_up)) != nullptr;
  HeldMlp held{
      out.with(gated ? Slot::mlp_up : Slot::mlp_pre), out.with(gated ? Slot::mlp_act : Slot::mlp_post), {}};
  held.ratio = recorded64(trace, held.gate);
  if (gated) return held;
  const Matrix64 before = recorded64(trace, held.linear);
  const Activation act = trace.config().block_at(out).mlp.activation;
  if (StepEdits(trace, held.gate, {0, before.rows}).any())  // as it was before them
    for (std::size_t i = 0; i < before.cells.size(); ++i)
      held.ratio.cells[i] = static_cast<double>(activate(act, static_cast<float>(before.cells[i])));
  for (std::size_t i = 0; i < before.cells.size(); ++i)
    held.ratio.cells[i] = held_gate(before.cells[i], held.ratio.cells[i]);
  return held;
}

}  // namespace attnscope
