// The kinds of attention of a model, each with a mask of its own: the self-attention of the main
// stack, of the encoder and of the vision encoder, and cross-attention; and the prefix of a kind in a text
// ("enc:causal"). Whether a model has such an attention is checked with has_attention.
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

/// The kind of the attention `part` of a stack; `main` is the stack with the logits.
AttentionKind attention_kind(Stack stack, Part part, Stack main);
/// True where the model has such an attention.
bool has_attention(const ModelConfig& config, AttentionKind kind);
/// "enc:", "vision:", "cross:"; "" for the main stack's.
std::string_view mask_prefix(AttentionKind kind);
/// Takes such a prefix, and blanks before it, from the front of `text`.
AttentionKind take_mask_prefix(std::string_view& text);

}  // namespace attnscope
