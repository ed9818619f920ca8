#include "core/lens/thumbnails.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr std::int64_t kMostRows = 2048;

// What can be said of a head of this attention; the rest has no rows.
HeadRoles meant(HeadRoles roles, const Trace& trace, const AttentionPlace& place) {
  if (!looks_at_itself(place)) return {};
  const PatchSpec& patch = trace.config().of(place.stack).patch;
  if (patch.size == 0) return roles;
  roles.scores[static_cast<std::size_t>(Role::previous)] = {};
  if (!patch.class_token) roles.scores[static_cast<std::size_t>(Role::first)] = {};
  return roles;
}

}  // namespace

const HeadThumbnail* Thumbnails::find(int layer, int head) const {
  const auto at = std::find_if(heads.begin(), heads.end(), [&](const HeadThumbnail& one) {
    return one.layer == layer && one.head == head;
  });
  return at == heads.end() ? nullptr : &*at;
}

double thumbnails_cost(const Trace& trace, const AttentionPlace& place) {
  double cost = 0;
  for (const Record* record : patterns_of(trace, place)) {
    const AttentionState* state = trace.attention(record->site);
    const auto width = static_cast<double>(state ? state->in.q.size(2) : 1);
    const auto rows = static_cast<double>(std::min(record->shape[1], kMostRows));
    constexpr double kPerCell = 24;  // exponential, pooling, roles
    cost += static_cast<double>(record->shape[0]) * rows * static_cast<double>(record->shape[2]) *
            (width + kPerCell);
  }
  return cost;
}

Thumbnails thumbnails(const Trace& trace, const AttentionPlace& place, std::int64_t side,
                      const std::function<bool(float)>& go_on, const std::shared_ptr<const Trace>& before) {
  Thumbnails out;
  out.place = place;
  const auto patterns = patterns_of(trace, place);
  std::int64_t total = 0, done = 0;
  for (const Record* record : patterns) total += record->shape[0];
  RoleMeter meter(trace.ids_of(place.stack));
  const auto ask = [&] {
    return !go_on || go_on(static_cast<float>(done) / static_cast<float>(std::max<std::int64_t>(1, total)));
  };
  const auto measure = [&](const Tensor& band, const Tensor& mask, std::int64_t first_query) {
    meter.add(band, mask, first_query);
  };
  for (const Record* record : patterns) {
    out.layers = std::max(out.layers, record->site.layer + 1);
    out.widest = std::max(out.widest, static_cast<int>(record->shape[0]));
    const auto old = against(trace, before, record->site);
    for (std::int64_t head = 0; head < record->shape[0]; ++head, ++done) {
      meter.reset();
      const PooledPlane plane =
          pooled_plane(trace, {record->site, head, {}, {}, false, old}, side, ask, measure, kMostRows);
      if (plane.cells.empty()) return {};
      out.block = plane.block;
      out.row_stride = plane.row_stride;
      out.difference |= old != nullptr;
      out.heads.push_back(
          {record->site.layer, static_cast<int>(head), plane.cells, meant(meter.roles(), trace, place)});
    }
  }
  if (!out.difference) return out;
  out.largest = 0;
  for (const HeadThumbnail& head : out.heads)
    for (const float cell : head.cells.values())
      if (std::isfinite(cell)) out.largest = std::max(out.largest, std::fabs(cell));
  if (out.largest == 0) out.largest = 1;  // nothing changed
  return out;
}

}  // namespace attnscope
