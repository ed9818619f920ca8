// Edits in words, the same in the list of edits, in sentences of undo and under pictures. Refuses nothing: an
// edit that has no words of its own shows its text.
#pragma once

#include <string>

#include "core/trace/edit.h"

namespace attnscope {

/// "blocks.0.attn.z[head=1] = 0"
std::string edit_words(const Edit& edit);
/// "blocks.0.attn.z[head=1, pos=2]", "input[pos=1]".
std::string target_words(const Target& where);
/// "0.5", "−1e-07": six digits, as the number was typed.
std::string value_text(float value);
/// "Query 3 looks at key 1", "Encoder: key 1 hidden from query 3": one switched cell of a mask.
std::string mask_cell_words(AttentionKind of, const Mask::Cell& cell);
/// "main stack", "encoder", "vision tower", "cross-attention".
const char* attention_kind_name(AttentionKind of);

}  // namespace attnscope
