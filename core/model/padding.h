// Batches of sequences of different lengths: each padded to a common length, with its attention_mask.
#pragma once

#include "core/trace/config.h"
#include "core/trace/input.h"

namespace attnscope {

enum class PadSide : std::uint8_t { right, left };

/// The token that stands in padding: the config's, else its end, else 0.
int pad_token(const ModelConfig& config);
/// `input` with `length` tokens, the added ones 0 in attention_mask; the encoder's to `source_length` (0 =
/// as it is). Shorter lengths than the input's change nothing. Vectors and images alone stay as they are.
Input padded(Input input, const ModelConfig& config, std::int64_t length, std::int64_t source_length,
             PadSide side);

}  // namespace attnscope
