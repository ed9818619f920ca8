// The parts that weights are counted by: shared by info, the calculators and the card of a random model.
// A weight with several names (tied) is counted once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/config.h"

namespace attnscope {

/// other: what stands beside the Transformer: projectors between stacks, poolers.
enum class ParameterPart : std::uint8_t { embedding, attention, mlp, norms, unembedding, other };
inline constexpr std::array kParameterParts{ParameterPart::embedding,   ParameterPart::attention,
                                            ParameterPart::mlp,         ParameterPart::norms,
                                            ParameterPart::unembedding, ParameterPart::other};

/// "embedding", ...: the key in `info --json`.
std::string_view part_name(ParameterPart part);
/// The part that a weight of this canonical name is counted in; nothing where it is counted under another
/// name (a tied unembedding, an encoder's share of the table of tokens).
std::optional<ParameterPart> part_of_weight(const ModelConfig& config, std::string_view name);

}  // namespace attnscope
