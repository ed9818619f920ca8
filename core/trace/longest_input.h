// How long an input may be: a learned table of positions ends, a formula goes on past the length it was
// trained at (whether the model is any good there is another matter).
#pragma once

#include "core/trace/config.h"

namespace attnscope {

/// Tokens that a stack takes at most: a learned table ends, formulas go on past the length they were trained
/// at. 0 = no limit.
inline std::int64_t longest_input(const ModelConfig& stack) {
  const bool ends = stack.position.kind == PositionSpec::Kind::learned || !stack.has_positions();
  return ends ? stack.position.max_positions : 0;
}

}  // namespace attnscope
