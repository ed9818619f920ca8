// How many parameters a model has, weight by weight: the sizes in letters, in numbers, and their product. The
// sums are those of `attnscope-cli info`, because both sort the same names into the same parts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/arch/described.h"
#include "core/calc/count.h"
#include "core/trace/weight_parts.h"

namespace attnscope {

/// One weight, or the same weight of all blocks.
struct ParameterRow {
  ParameterPart part = ParameterPart::other;
  std::string name;  ///< "blocks.*.attn.k.weight"
  std::string
      symbols;  ///< "L · d · g·d_k": L blocks, d width, h heads, g key/value heads, d_k, f, V, E experts
  std::string numbers;  ///< "32 · 4096 · 1024"
  Count count;
  Count active;  ///< what one token passes of it: less than `count` where there are experts
};

struct Parameters {
  std::vector<ParameterRow> rows;  ///< embedding first, in the order of the forward pass
  std::array<Count, kParameterParts.size()> by_part;
  Count total, active;
};
Parameters parameters(const Described& described);

/// 12 · L · d²: attention's 4 d² and the MLP's 8 d² of the blocks, as one counts in the head (Kaplan et al.
/// 2020, 2.1). Of an encoder-decoder both stacks, and 4 d² more in each block with cross-attention. Vision
/// encoders are left out.
Count rule_of_thumb(const ModelConfig& config);

}  // namespace attnscope
