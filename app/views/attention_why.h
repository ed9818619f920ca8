// "Why does this token look there?": one row of attention as a table, a line per key: the score, what the
// scale, soft cap, position bias and mask made of it, the exponential and the share; the strongest first.
// Every number comes from
// the run. Refuses to move the cursor: it tells which key is under the pointer.
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
  /// The row of `query`; the line of `key` is lit and brought into sight when it changes.
  PairEvent draw(const ViewContext& context, const AttentionScene& scene, std::int64_t query,
                 std::int64_t key, ImVec2 position, ImVec2 size);

 private:
  enum class Kind : std::uint8_t { key, score, scaled, capped, bias, mask, exponential, weight };
  struct Column {
    Kind kind = Kind::key;
    float x = 0, width = 0;
  };
  /// Those that this attention has, in the order of the steps.
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
  std::vector<std::int64_t> order_;  ///< keys, the strongest first, masked ones last
  std::int64_t shown_key_ = -1;      ///< that was brought into sight
  bool fresh_ = true;                ///< the row is another one than before
};

}  // namespace attnscope
