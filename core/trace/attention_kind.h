// The kinds of attention that a model can have, each with a mask of its own: the self-attention of the stack
// that predicts, of the encoder, of the vision tower, and cross-attention; and how a kind is named in a text
// ("enc:causal"). Refuses nothing itself: whether a model has such an attention is checked where it runs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/step/site.h"
#include "core/trace/config.h"

namespace attnscope {

enum class AttentionKind : std::uint8_t { main, encoder, vision, cross };
inline constexpr std::array kAttentionKinds{AttentionKind::main, AttentionKind::encoder,
                                            AttentionKind::vision, AttentionKind::cross};

/// The kind of the attention `part` of a stack; `main` is the stack that predicts.
AttentionKind attention_kind(Stack stack, Part part, Stack main);
/// True where the model has such an attention.
bool has_attention(const ModelConfig& config, AttentionKind kind);
/// "enc:", "vision:", "cross:"; "" for the main stack's.
std::string_view mask_prefix(AttentionKind kind);
/// Takes such a prefix, and blanks before it, from the front of `text`.
AttentionKind take_mask_prefix(std::string_view& text);

}  // namespace attnscope
