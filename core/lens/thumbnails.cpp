#include "core/lens/thumbnails.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr std::int64_t kThumbnailsMostRows = 2048;
constexpr std::int64_t kMeasured = 1 << 18;  // weights of a head whose logarithms are taken, about

// Adds up how spread out the rows of a head are, of long inputs every few rows.
class SpreadMeter {
 public:
  SpreadMeter(const Trace& trace, Stack stack, const Record& record)
      : trace_(trace),
        stack_(stack),
        stride_((record.shape[1] * record.shape[2] + kMeasured - 1) / kMeasured) {}
  void add(const Tensor& band, std::int64_t first_row) {
    for (std::int64_t row = 0; row < band.size(0); ++row)
      if (seen_++ % std::max<std::int64_t>(1, stride_) == 0 && trace_.is_real(stack_, first_row + row))
        add_row(band, row);
  }
  void write(HeadThumbnail& head) const {
    if (rows_ == 0) return;
    head.entropy = entropy_ / static_cast<double>(rows_);
    head.largest = largest_ / static_cast<double>(rows_);
  }

 private:
  void add_row(const Tensor& band, std::int64_t row) {
    double entropy = 0, most = 0;
    for (std::int64_t key = 0; key < band.size(1); ++key) {
      const double p = band.at(row, key);
      if (!(p > 0)) continue;
      entropy -= p * std::log(p);
      most = std::max(most, p);
    }
    if (most == 0) return;  // sees nothing
    entropy_ += std::max(0.0, entropy), largest_ += most, ++rows_;
  }
  const Trace& trace_;
  Stack stack_;
  std::int64_t stride_, seen_ = 0, rows_ = 0;
  double entropy_ = 0, largest_ = 0;
};

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
    const auto rows = static_cast<double>(std::min(record->shape[1], kThumbnailsMostRows));
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
  RoleMeter meter(trace, place);
  const auto ask = [&] {
    return !go_on || go_on(static_cast<float>(done) / static_cast<float>(std::max<std::int64_t>(1, total)));
  };
  for (const Record* record : patterns) {
    out.layers = std::max(out.layers, record->site.layer + 1);
    out.widest = std::max(out.widest, static_cast<int>(record->shape[0]));
    const auto old = against(trace, before, record->site);
    for (std::int64_t head = 0; head < record->shape[0]; ++head, ++done) {
      meter.reset();
      SpreadMeter spread(trace, place.stack, *record);
      const auto measure = [&](const Tensor& band, const Tensor& mask, std::int64_t first_query) {
        meter.add_real(trace, place.stack, band, mask, first_query);
        spread.add(band, first_query);
      };
      const PooledPlane plane = pooled_plane(trace, {record->site, head, {}, {}, false, old}, side, ask,
                                             measure, kThumbnailsMostRows);
      if (plane.cells.empty()) return {};
      out.block = plane.block;
      out.row_stride = plane.row_stride;
      out.difference |= old != nullptr;
      out.heads.push_back({record->site.layer, static_cast<int>(head), plane.cells,
                           meant_roles(meter.roles(), trace, place)});
      spread.write(out.heads.back());
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
