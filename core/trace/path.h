// A path along the residual stream: from what one place writes into it to what one step reads of it. Sums and
// norms on the way are computed anew without the sender's write; what attention and MLPs in between made
// stays as it was in the run. Biases are not the sender's: of `attn.z` and `mlp.post` the write is the
// numbers times the output projection, of `attn.out` and `mlp.out` all but its bias, which stays. Errors: a
// sender that writes nothing into the stream, a step that does not read it, a sender that lies behind its
// receiver.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The steps at which a receiver is changed: "attn.q" at its heads ("attn.split_q"), "mlp.out" at what the
/// MLP reads first ("mlp.pre", or "mlp.gate" and "mlp.up"), "logits" at the rows that leave the stack.
Result<std::vector<Target>> path_receivers(const ModelConfig& config, Target where);
/// The same of a place that is one step whatever the config: not "mlp.out", nor "logits".
Result<Target> path_step(Target where);
/// The name of a receiver as people write it: "blocks.1.attn.q[head=3]".
std::string receiver_text(const Target& where);
/// Whether a place writes into the stream: heads, neurons, outputs of attention and MLP, embeddings.
Status check_sender(const Target& from);

/// What stays of a step whose write is taken out: the bias of the projection that `attn.out` or `mlp.out` is
/// made by, the same in every row; empty: nothing.
Tensor path_stays(const Trace& trace, const Site& from);

/// Whether what `from` writes reaches `to` along sums and norms.
bool has_path(const Trace& trace, const Site& from, const Site& to);
/// What changes in a step when these cut paths lead into it, before edits of its own: a tensor of the whole
/// step, to be added, of which `rows` are computed and those before them are zero. What several of them take
/// out of one cell goes once. `value` holds these rows of the step as they are; `so_far` every step before it
/// up to the end of `rows`.
Result<Tensor> path_change(const Trace& so_far, const std::vector<const NumberEdit*>& cuts, Range rows,
                           const Tensor& value);
/// The same of a finished run, for one sender and every cell, behind the step's edits.
Result<Tensor> path_change(const Trace& run, const WithoutPath& from, const Site& to);

}  // namespace attnscope
