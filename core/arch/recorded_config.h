// The ModelConfig of a recording, inferred from its steps: layers, heads, widths,
// the order of a block. A stand-in for the model: it has no weights and is never run. No errors:
// the reader of recordings has compared the arrays with each other before.
#pragma once

#include "core/arch/recorded_attention.h"

namespace attnscope {

/// The recorded steps of each sequence of a batch.
using Batch = std::map<int, Arrays>;
/// The inferred attentions of a sequence, by the site of their pattern.
using Attentions = std::map<Site, RecordedAttention>;

/// One config for all sequences of a batch. `causal`: from the metadata, for attentions whose mask cannot be
/// inferred.
ModelConfig recorded_config(const Batch& batch, const std::map<int, Attentions>& attentions, bool causal);

}  // namespace attnscope
