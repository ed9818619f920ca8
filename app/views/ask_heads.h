// All heads of the run as a table: roles, entropy, mean distance, change against the other run,
// effect of ablating it on the measure; sorted by any column, filtered by a threshold. Computed in
// core/lens.
#pragma once

#include <memory>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/view/ask_tables.h"

namespace attnscope {

class AskHeads {
 public:
  void draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room);

 private:
  using Heads = std::vector<RankedHead>;
  struct Column {
    HeadScore score;
    double most;  ///< largest magnitude
    float x, width;
  };
  void take(const ViewContext& context, const MeasureAnswer& measure);
  void rank(const ViewContext& context);
  float draw_choices(const ViewContext& context, float width);
  std::string title_key(const ViewContext& context, HeadScore score) const;
  void draw_titles(const ViewContext& context, ImVec2 at);
  void draw_row(const ViewContext& context, const RankedHead& head, ImVec2 at, float width) const;
  void place_columns(float width);

  Computed<Heads> made_;
  std::shared_ptr<const Heads> heads_;  ///< in order of execution
  bool fresh_ = false;
  std::uint64_t ranked_ = 0;                    ///< cache key of `shown_`
  std::shared_ptr<const SweepAnswer> effects_;  ///< whose effects `shown_` has; null: none
  HeadsShown shown_;
  float names_ = 0;  ///< width of the first column, pixels
  std::vector<Column> columns_;
};

}  // namespace attnscope
