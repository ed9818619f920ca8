// The parts that weights are counted by, whoever counts: info, the calculators, the card of a random model.
// Refuses to count a weight twice that has several names.
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

/// "embedding", ... as `info --json` calls it.
std::string_view part_name(ParameterPart part);
/// The part that a weight of this canonical name is counted in; nothing where it is counted under another
/// name (a tied unembedding, an encoder's share of the table of tokens).
std::optional<ParameterPart> part_of_weight(const ModelConfig& config, std::string_view name);

}  // namespace attnscope
