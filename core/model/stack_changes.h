// One stack of a run that starts from another one: where changes begin, and what they reach
// (cone.h).
#pragma once

#include <algorithm>

#include "core/model/cone.h"

namespace attnscope {

/// What of a block an edit changes: keys or values, which other rows read; the attention of its own rows; or
/// only what stands behind the weighted values, they themselves included.
enum class ChangedPart : std::uint8_t { keys, attention, behind };

class StackChanges {
 public:
  StackChanges(const ModelConfig* config, std::int64_t rows)
      : config_(config), cone_(nothing_of(config, rows)), keys_(cone_.blocks) {}

  void at_embedding(std::int64_t row) { lower(cone_.embed, row); }
  void at_block(int layer, std::int64_t row, ChangedPart what) {
    if (layer < 0 || layer >= static_cast<int>(cone_.blocks.size())) return;
    const auto at = static_cast<std::size_t>(layer);
    lower(cone_.blocks[at], row);
    if (what == ChangedPart::keys) lower(keys_[at], row);
    if (what != ChangedPart::behind) cone_.attention[at] = true;
  }
  void at_every_block(std::int64_t row) {
    for (int layer = 0; layer < static_cast<int>(cone_.blocks.size()); ++layer)
      at_block(layer, row, ChangedPart::keys);
  }
  void at_end(std::int64_t row) { lower(cone_.final, row); }
  void across() { cone_.cross = true; }

  /// `sees(layer, from)` is the first row of that block that sees a row from `from` on; `reads(layer)` the
  /// row that an edit which reads other rows needs.
  template <class Sees, class Reads>
  void spread(Sees sees, Reads reads) {
    if (cone_.embed < cone_.rows) lower(cone_.embed, config_->patch.size > 0 ? 0 : reads(-1));
    std::int64_t changed = cone_.embed;
    for (int layer = 0; layer < static_cast<int>(cone_.blocks.size()); ++layer) {
      const auto at = static_cast<std::size_t>(layer);
      auto& own = cone_.blocks[at];
      const std::int64_t keys = std::min(changed, keys_[at]);
      lower(own, changed);
      if (keys < cone_.rows) lower(own, sees(layer, keys));
      if (keys < cone_.rows) cone_.attention[at] = true;
      if (own < cone_.rows) lower(own, reads(layer));
      changed = std::min(changed, own);
    }
    lower(cone_.final, changed);
    if (cone_.final < cone_.rows) lower(cone_.final, reads(static_cast<int>(cone_.blocks.size())));
  }

  /// Behind spread(): of the predictions only rows from `row` on are asked, and those that edits read.
  template <class Reads>
  void ask_from(std::int64_t row, Reads reads) {
    const int blocks = static_cast<int>(cone_.blocks.size());
    cone_.asked = std::clamp<std::int64_t>(std::min({row, reads(blocks - 1), reads(blocks)}), 0, cone_.rows);
    cone_.final = std::max(cone_.final, cone_.asked);
  }

  const StackCone& cone() const { return cone_; }
  const ModelConfig* config() const { return config_; }
  bool any() const { return config_ && (cone_.final < cone_.rows || cone_.embed < cone_.rows); }

 private:
  static StackCone nothing_of(const ModelConfig* config, std::int64_t rows) {
    if (!config) return {};
    const std::size_t blocks = config->blocks.size();
    return {rows, rows, std::vector<std::int64_t>(blocks, rows), std::vector<bool>(blocks, false), 0,
            rows, false};
  }
  static void lower(std::int64_t& from, std::int64_t row) {
    from = std::min(from, std::max<std::int64_t>(0, row));
  }

  const ModelConfig* config_;
  StackCone cone_;
  std::vector<std::int64_t> keys_;  // from which row on keys or values of a block change by themselves
};

}  // namespace attnscope
