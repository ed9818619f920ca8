// Changes to steps while a forward runs: set a cell, silence a head, scale a row. The Probe applies them at
// the identity call, so that every later step follows. Refuses steps that the run does not have, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/step/site.h"

namespace attnscope {

struct Edit {
  enum class Kind : std::uint8_t { set, add, scale, zero, mean };
  Kind kind = Kind::set;
  float value = 0.f;  ///< set, add: the number; scale: the factor
};

/// What to change where: a cell (coordinates fixed) or all that its open axes cover ("head=3": a whole head).
struct Intervention {
  Cell where;
  Edit how;
  bool enabled = true;
  std::string note;
};

/// Applies one edit to the cells of `value` that `where` covers; axes are matched by name. Out-of-range
/// coordinates cover nothing.
Tensor apply(const Intervention& intervention, const Tensor& value);

}  // namespace attnscope
