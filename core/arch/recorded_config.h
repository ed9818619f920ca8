// The sizes of the model that a recording was made of, as far as its steps tell them: layers, heads, widths,
// how a block adds up. A stand-in for the model itself: it has no weights and is never run. Refuses nothing:
// the reader of recordings has compared the arrays with each other before.
#pragma once

#include "core/arch/recorded_attention.h"

namespace attnscope {

/// The recorded steps of each sequence of a batch.
using Batch = std::map<int, Arrays>;
/// What follows of each attention of a sequence, by the site of its pattern.
using Attentions = std::map<Site, RecordedAttention>;

/// One config for all sequences of a batch. `causal`: what the file says of attentions of which nothing else
/// is known.
ModelConfig recorded_config(const Batch& batch, const std::map<int, Attentions>& attentions, bool causal);

}  // namespace attnscope
