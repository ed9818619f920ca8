// The steps view's state: the figure, the hovered cell, zoom windows, the text field and the animation. The
// hovered cell is handled by steps_cell.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/steps_back.h"
#include "app/views/steps_edit.h"
#include "app/views/steps_header.h"
#include "app/views/steps_motion.h"
#include "app/views/steps_plot.h"
#include "app/views/steps_row.h"
#include "core/base/computed.h"

namespace attnscope {

class StepsView : public View {
 public:
  StepsView() : View({"steps", ViewGroup::walk, 0}) {}
  std::string unavailable(const RunResult& run) const override {
    return run.traces.empty() || run.steps.empty() ? "steps.none" : std::string();
  }

  void draw(const ViewContext& context) override;

 private:
  void say(const ViewContext& context, int step);
  static bool differs(const ViewContext& c) {
    return c.workspace.show_difference && c.before && !c.before->traces.empty();
  }
  void follow_row(const ViewContext& context);
  float row_room() const;
  StepWords words_for(const ViewContext& context);
  ImVec2 figure_room(const ViewContext& context, ImVec2 room);
  // Right margin: for the last slanted label of a product's result.
  float margin() const { return (figure_.layout == Figure::Layout::product ? 24.f : 4.f) * ui_scale(); }
  float extra_width(const ViewContext& context, ImVec2 room);

  std::shared_ptr<const std::vector<std::int64_t>> find_likely(const ViewContext& context, std::uint64_t key);
  void prepare(const ViewContext& context);

  const Explanation* explain_cell(const ViewContext& context, const FigureCell& cell);
  FigureCell pinned_cell(const ViewContext& context) const;
  static void mark_sources(const Trace& trace, const Operand& operand, const Explanation& why,
                           std::vector<MatrixMark>& marks);
  void mark_cell(const ViewContext& context, const FigureCell& cell, const Explanation* why);
  void mark_document(const ViewContext& context);
  void spell(const ViewContext& context, const FigureCell& cell, const Explanation* why);

  void draw_presented(const ViewContext& context, int step);
  void draw_told(const ViewContext& context, int step);
  const char* difference_note(const ViewContext& context);
  void draw_notes(const ViewContext& context, bool difference = true);

  ImVec2 draw_figure_above(const ViewContext& context, float below);
  void draw_figure(const ViewContext& context, ImVec2 room);
  void move(const ViewContext& context, float motion);
  void follow_scrolling(ImVec2 corner, ImVec2 room, ImVec2 size, float extra);

  void draw_extra(const ViewContext& context, const FigureCell& shown, ImVec2 at, float width, float right,
                  float room_height);

  void act(const ViewContext& context, const FigureEvent& event, const FigureCell& pinned);

  Figure figure_;
  FigurePlot plot_;
  StepsRow row_;
  Kept<bool> large_;      ///< its cells have large digits: it needs no row below
  float row_height_ = 0;  ///< pixels; 0: no row below
  KeptText difference_;
  Kept<bool> over_legend_;  ///< draw the dial above the legend
  StepsBackward back_;
  StepsEditor editor_;
  Computed<std::vector<std::int64_t>> likely_;
  std::uint64_t key_ = 0, words_key_ = 0;
  std::uint64_t explained_ = 0, planned_ = 0, said_ = 0, hint_key_ = 0;  ///< figure id that each belongs to
  std::optional<Site> shown_step_;
  StepWords words_ = StepWords::all;
  bool scrolls_ = false;  ///< the figure is larger than its room
  Explanation why_;
  bool why_ok_ = false, whole_vocabulary_ = false;
  FigureCell hovered_;
  FigureMarks marks_;
  std::vector<Piece> line_;
  bool hints_ = false;  ///< the line shows mouse hints, not a sum
  MotionPlan plan_;
  StepText text_;
};

}  // namespace attnscope
