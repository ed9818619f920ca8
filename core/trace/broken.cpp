#include "core/trace/broken.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

std::optional<Cell> first_broken(const Trace& trace) {
  for (const Record& record : trace.records()) {
    if (record.derived || record.shape.empty()) continue;
    const Tensor values = record.value().packed();
    const float* data = values.data();
    const auto bad = std::find_if(data, data + values.count(), [](float v) { return !std::isfinite(v); });
    std::int64_t at = bad - data;
    if (at >= values.count()) continue;
    Cell out{record.site, {}};
    for (std::size_t d = record.shape.size(); d-- > 0; at /= record.shape[d])
      out.at.insert(out.at.begin(), {std::string(axis_name(record.axes[d])), at % record.shape[d]});
    return out;
  }
  return std::nullopt;
}

}  // namespace attnscope
