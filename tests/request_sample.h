// A value that a flag of a run takes.
#pragma once

#include <string>

#include "core/session/request.h"

namespace attnscope {

inline std::string request_sample(const RequestFlag& flag) {
  if (flag.name == "pad-to") return "7";
  if (flag.name == "pad-side") return "left";
  return flag.name.ends_with("ids") ? "1,2" : "causal";
}

}  // namespace attnscope
