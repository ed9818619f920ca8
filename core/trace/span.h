// A named part of a sequence: image, prompt, action. Masks refer to it (core/trace/mask_spec.h).
#pragma once

#include <cstdint>
#include <string>

namespace attnscope {

/// Positions [begin, end).
struct Span {
  std::string name;
  std::int64_t begin = 0, end = 0;
  bool operator==(const Span&) const = default;
};

}  // namespace attnscope
