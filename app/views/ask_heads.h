// All heads of the run as a table: what roles each plays, how spread out and far it looks, what it changed
// against the other run, and what knocking it out does to the measure; sorted by any column, and only those
// from a number on. Refuses to measure: core/lens does.
#pragma once

#include <memory>
#include <vector>

#include "app/views/view.h"
#include "core/base/computed.h"
#include "core/lens/head_ranking.h"

namespace attnscope {

class AskHeads {
 public:
  void draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room);

 private:
  using Heads = std::vector<RankedHead>;
  struct Column {
    HeadScore score;
    float x, width;
    double most;  ///< magnitude of the largest number
  };
  void take(const ViewContext& context, const MeasureAnswer& measure);
  void rank(const ViewContext& context);
  float draw_choices(const ViewContext& context, float width);
  void draw_titles(const ViewContext& context, ImVec2 at);
  void draw_row(const ViewContext& context, const RankedHead& head, ImVec2 at, float width) const;
  bool passes(const RankedHead& head) const;
  void place_columns(float width);

  HeadScore by_ = HeadScore::effect;
  bool largest_first_ = true;
  float least_ = 0;  ///< of the largest magnitude in the column that is sorted by, 0..1
  Computed<Heads> made_;
  std::shared_ptr<const Heads> heads_;  ///< in order of execution
  bool fresh_ = false;
  std::uint64_t ranked_ = 0;  ///< key of what `shown_` was made of
  Heads shown_;
  float names_ = 0;  ///< pixels of the first column
  std::vector<Column> columns_;
};

}  // namespace attnscope
