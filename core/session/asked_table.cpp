#include "core/session/asked_table.h"

#include <cmath>

#include "core/base/text.h"

namespace attnscope {

std::string table_number(double value) {
  return std::isfinite(value) ? format("%.9g", value) : std::string();
}

}  // namespace attnscope
