#include "app/look/shade.h"

#include <utility>

namespace attnscope {
namespace {

ShadedRows& shaded() {
  static ShadedRows rows;
  return rows;
}

}  // namespace

ShadedRows shade(ShadedRows rows) { return std::exchange(shaded(), std::move(rows)); }

Range shaded_rows(const Site& site, std::int64_t head) { return shaded() ? shaded()(site, head) : Range{}; }

}  // namespace attnscope
