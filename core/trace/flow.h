// The dataflow graph of a run: which steps a step reads. It differs between pre-norm,
// post-norm and parallel blocks, and with cross-attention. Decided in this one place; provenance, lenses and
// the network map use it. A step without inputs has an empty list.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The rows that leave a stack: its final norm, or the end of its last block, or its embedding.
Site stack_output(const Trace& trace, Stack stack);
/// What leaves block `layer` (-1: what enters the first block).
Site block_output(const Trace& trace, Stack stack, int layer);
/// The addends of a sum, or the step that a norm, a copy of the stream, a projection of the stream, an MLP or
/// the head reads (one site; for `cross.k` and `cross.v` the encoder's output).
std::vector<Site> flow_inputs(const Trace& trace, const Site& site);

}  // namespace attnscope
