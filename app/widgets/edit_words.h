// Edits as text, the same in the list of edits, in undo labels and in captions; translated when they are
// shown. Exchanged parts of the architecture are shown in the --edit syntax.
#pragma once

#include <string>

#include "core/base/keyed_text.h"
#include "core/trace/edit.h"

namespace attnscope {

/// "blocks.0.attn.z[head=1] = 0"
Text edit_words(const Edit& edit);
/// "blocks.0.attn.z[head=1, pos=2]", "input[pos=1]".
Text target_words(const Target& where);
/// "0.5", "−1e-07": six significant digits.
std::string value_text(float value);
/// "Query 3 looks at key 1", "Encoder: key 1 hidden from query 3": one switched cell of a mask.
Text mask_cell_words(AttentionKind of, const Mask::Cell& cell);
/// "main stack", "encoder", "vision tower", "cross-attention".
Text attention_kind_name(AttentionKind of);

}  // namespace attnscope
