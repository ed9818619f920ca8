// One row of attention as a table, one line per key, largest weight first: score, scale, soft cap, position
// bias, mask, exponential and weight. Hovering a line highlights its key elsewhere. All numbers are from the
// run. Does not move the cursor: returns the hovered key, and whether it was clicked, for the caller to act
// on.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/views/attention_common.h"
#include "app/views/attention_pane.h"
#include "core/lens/attention_row.h"

namespace attnscope {

class WhyTable {
 public:
  /// The row of `query`; the line of `key` is highlighted, and scrolled into view when it changes.
  PairEvent draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                 std::int64_t key, ImVec2 position, ImVec2 size);

 private:
  enum class Kind : std::uint8_t { key, score, scaled, capped, bias, mask, exponential, weight };
  struct Column {
    Kind kind = Kind::key;
    float x = 0, width = 0;
  };
  /// The columns that this attention has, in the order of its steps.
  using Columns = std::vector<Column>;
  void take_row(const ViewContext& context, const AttentionScene& scene, std::int64_t query);
  Columns columns(float width) const;
  void draw_header(const Columns& columns, ImVec2 at) const;
  std::string_view title_of(Kind kind) const;
  double number_of(Kind kind, const AttentionTerm& term) const;
  void draw_bar(const AttentionTerm& term, ImVec2 at, float width) const;
  void draw_line(const ViewContext& context, const AttentionScene& scene, const Columns& columns, ImVec2 at,
                 std::int64_t key, bool lit) const;
  PairEvent draw_lines(const ViewContext& context, const AttentionScene& scene, const Columns& columns,
                       std::int64_t query, std::int64_t key);

  std::uint64_t key_ = 0;
  Kept<Columns> columns_;
  std::optional<AttentionRow> row_;
  std::vector<std::int64_t> order_;  ///< keys by weight, masked ones last
  std::int64_t shown_key_ = -1;      ///< key that was last scrolled to
  bool fresh_ = true;                ///< another row than in the last frame
};

}  // namespace attnscope
