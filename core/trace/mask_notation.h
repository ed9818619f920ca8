// A mask in the notations of other programs: ones and zeros, True at masked cells (as for masked_fill), or
// the addend of the scores; as lines of NumPy or PyTorch, or as a table. Limit: kMostNoted
// cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ops/ops.h"

namespace attnscope {

inline constexpr std::int64_t kMostNoted = 1 << 18;

enum class MaskNotation : std::uint8_t { ones, hidden, added };
/// "1" and "0"; "False" and "True"; "0" and "−∞".
const char* mask_sign(MaskNotation notation, bool allowed);

enum class MaskFormat : std::uint8_t { numpy, pytorch, csv };
/// The whole mask, a row per query: an assignment that runs as it stands, or lines of numbers with the tokens
/// as headings where there are some. Errors: more than kMostNoted cells.
Result<std::string> mask_as(const Mask& mask, std::int64_t queries, std::int64_t keys, MaskNotation notation,
                            MaskFormat format, const std::vector<std::string>& query_names = {},
                            const std::vector<std::string>& key_names = {});

}  // namespace attnscope
