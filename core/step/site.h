// Names. A Site is the place of a tensor in a Transformer: {stack, layer, part, slot}. Its text form
// ("blocks.3.attn.pattern") is what files, the command line, places and saved sessions use.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace attnscope {

enum class Stack : std::uint8_t { single, enc, dec, vision };
/// Self-attention and cross-attention share slots: `attn.q` and `cross.q`. `cross` is a part of blocks of a
/// decoder; its norm and its sum (`ln_cross`, `resid_cross`) belong to the block.
enum class Part : std::uint8_t { model, block, attn, cross };

/// Every step of a forward pass, in the order of execution. One row each in the catalog.
// clang-format off
enum class Slot : std::uint8_t {
  patches, patch_embed, tok_embed, tok_scaled, merged, pos_embed, type_embed, embed, ln_embed_scale, ln_embed_out,
  resid_pre, ln1_scale, ln1_out,
  q, k, v, view_q, view_k, view_v, split_q, split_k, split_v, q_norm, k_norm, rot_q, rot_k,
  scores, scaled, capped, biased, mask, masked, sinks, pattern, z, concat, attn_out,
  ln1_post_scale, ln1_post_out, resid_mid,
  ln_cross_scale, ln_cross_out, resid_cross,
  ln2_scale, ln2_out, mlp_pre, mlp_gate, mlp_up, mlp_act, mlp_post, mlp_out, ln2_post_scale, ln2_post_out, resid_post,
  ln_final_scale, ln_final_out, projected, head_pre, head_act, ln_head_scale, ln_head_out, logits, probs
};
// clang-format on
inline constexpr int kSlotCount = static_cast<int>(Slot::probs) + 1;

/// What a step is for those who read it; steps that are read alike share a role. In the catalog.
// clang-format off
enum class StepRole : std::uint8_t {
  pixels, patches, words, merged, position, segment, embedding,
  stream,     ///< the residual stream: at the entry of a block, or after a sum
  norm,       ///< of the stream or of the head: its divisor and its result
  post_norm,  ///< of a branch's result
  projection, view, split, head_norm, rotated,  ///< queries, keys and values, on their way to the heads
  scores,     ///< of queries and keys: compared, scaled, capped, biased, masked
  mask, pattern,
  sinks,      ///< a logit beside each row's scores
  head_out,   ///< weighted values of each head
  concat,
  branch,     ///< what attention or the MLP adds to the stream
  hidden,     ///< of the MLP, before its neurons' activations
  neurons, projector, head, logits, probs
};
// clang-format on
enum class StepKind : std::uint8_t;  // these three in catalog.h
enum class Rule : std::uint8_t;
enum class Hue : std::uint8_t;

struct Site {
  Stack stack = Stack::single;
  int layer = -1;  ///< -1 outside of blocks
  Part part = Part::model;
  Slot slot = Slot::embed;
  auto operator<=>(const Site&) const = default;
  bool is(StepRole role) const;
  bool is(StepRole role, Hue hue) const;
  bool is(StepKind kind) const;
  /// Another step at the same place: of the same attention, block or model.
  Site with(Slot other) const { return {stack, layer, part, other}; }
  /// The step with that role there (slot_of): the pattern of these scores, the keys' projection.
  Site near(StepRole role) const;
  Site near(StepRole role, Hue hue) const;
};

/// A site outside of the blocks, or inside block `layer`, with the part that the catalog gives the slot.
Site site_of(Slot slot, int layer = -1, Stack stack = Stack::single);
/// A step of cross-attention: attn's slots under the part `cross`.
Site cross_site(Slot slot, int layer, Stack stack);
/// "", "enc.", "dec.", "vision.": the prefix of the names of a stack's steps and weights.
std::string_view stack_prefix(Stack stack);

/// A whole number from 0 on, in decimal, as names and places have them; nothing for any other text.
std::optional<std::int64_t> parse_index(std::string_view text);

/// "blocks.3.attn.pattern", "dec.blocks.0.cross.q", "logits".
std::string to_text(const Site& site);
/// Reads a site; TransformerLens names ("blocks.3.attn.hook_pattern") are understood.
Result<Site> parse_site(std::string_view text);

}  // namespace attnscope
