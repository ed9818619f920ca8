// The masks of a model beside the main stack's own: of the encoder, of the vision tower, and of
// cross-attention; which of them is meant, what a person wants instead, and how it is named in a text
// ("enc:causal"). Refuses nothing itself: whether a model has such a mask is checked where it runs.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/step/site.h"
#include "core/trace/config.h"
#include "core/trace/mask_spec.h"

namespace attnscope {

/// One of a model's masks. `main` is that of the self-attention of the stack that predicts.
enum class MaskOf : std::uint8_t { main, encoder, vision, cross };
inline constexpr std::array kAllMasks{MaskOf::main, MaskOf::encoder, MaskOf::vision, MaskOf::cross};

/// The mask that the attention `part` of a stack reads; `main` is the stack that predicts.
MaskOf mask_of_attention(Stack stack, Part part, Stack main);
/// True where the model has such a mask.
bool has_mask(const ModelConfig& config, MaskOf of);
/// "enc:", "vision:", "cross:"; "" for the main stack's.
std::string_view mask_prefix(MaskOf of);
/// Takes such a prefix, and blanks before it, from the front of `text`.
MaskOf take_mask_prefix(std::string_view& text);

/// What is wanted of one mask that is not the main stack's.
struct SideMask {
  MaskOf of = MaskOf::encoder;
  MaskSpec spec;                  ///< "model" = its own
  std::vector<Mask::Cell> cells;  ///< switched by hand; absolute positions in their stacks
  bool operator==(const SideMask& other) const;
};

/// Null: the mask is the model's own.
const SideMask* find_mask(const std::vector<SideMask>& masks, MaskOf of);
/// "model" where nothing is asked for.
const MaskSpec& asked_mask(const std::vector<SideMask>& masks, MaskOf of);
/// Puts `changed` in place of what was asked for; the list stays in order and holds nothing that asks for
/// nothing.
void put_mask(std::vector<SideMask>& masks, SideMask changed);

}  // namespace attnscope
