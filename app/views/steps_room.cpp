// The room that a figure is laid out for: whether its numbers fit, and whether it grows and scrolls.
#include <algorithm>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"

namespace attnscope {

namespace {

// Units: size of a scrolling figure that would show its numbers; half of it for one that never does.
constexpr float kLeastWide = 600, kLeastTall = 300;
constexpr float kLargeCellWidth = 70, kLargeCellHeight = 24,
                kLessonCellWidth = 60;  // of cells with large digits; beside a lesson
constexpr float kMostStretch = 2.5f;    // times the room, whatever the font size
constexpr float kLeastRowLegend = 84;   // units

}  // namespace

bool FigurePlot::numbers_fit(const ViewContext& context, const Figure& figure) {
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const ImVec2 least = least_number_cell(values(context, figure.operands[i], difference_).range.least < 0);
    if (panels_[i].cell.x < least.x || panels_[i].cell.y < least.y) return false;
  }
  return true;
}

bool FigurePlot::fits_always(const ViewContext& context) const {
  return whole_in_room_ || context.workspace.told || context.workspace.presenting;
}

bool FigurePlot::has_large_cells(const ViewContext& context, const Figure& figure, ImVec2 size,
                                 bool difference) {
  const int result = figure.result();
  if (figure.layout == Figure::Layout::none || result < 0) return false;
  place(context, figure, ImVec2(0, 0), size, difference);
  const ImVec2 cell = panels_[static_cast<std::size_t>(result)].cell;
  const float least = context.workspace.keeps_stage ? kLessonCellWidth : kLargeCellWidth;
  return cell.x >= least * ui_scale() && cell.y >= kLargeCellHeight * ui_scale() && whole_.x <= size.x + 2 &&
         whole_.y <= size.y + 2;
}

bool FigurePlot::shows_numbers(const ViewContext& context, const Figure& figure, ImVec2 size, bool difference,
                               bool scrolled) {
  if (figure.layout == Figure::Layout::none || figure.operands.empty()) return true;
  place(context, figure, ImVec2(0, 0), size, difference);
  const bool inside = whole_.x <= size.x + 2 && whole_.y <= size.y + 2;
  return numbers_fit(context, figure) && (scrolled || inside);
}

void FigurePlot::place_in(const ViewContext& context, const Figure& figure, ImVec2 room) {
  panels_.assign(figure.operands.size(), {});
  signs_.clear();
  if (figure.layout == Figure::Layout::product)
    place_product(context, figure, ImVec2(0, 0), room);
  else
    place_row(context, figure, ImVec2(0, 0), room);
  if (fits_always(context)) {
    legend_height_ = std::min(legend_height_, room.y - legend_.y);
    if (legend_height_ < kLeastRowLegend * ui_scale() && figure.layout == Figure::Layout::row)
      legend_height_ = 0;
  }
  whole_ = ImVec2(std::max(used_.x, legend_.x + (kLegend - 24) * ui_scale()), used_.y);
}

// With larger fonts the figure grows and scrolls, rather than its cells shrinking. Exceptions fit into the
// room: figures that show their numbers in it, lessons, and presenter mode.
void FigurePlot::place_best(const ViewContext& context, const Figure& figure, ImVec2 size) {
  const float unit = ui_scale();
  measure_names(context, figure);
  const auto larger = [size, unit](float share) {
    return ImVec2(std::max(size.x, std::min(kLeastWide * share * unit, size.x * kMostStretch)),
                  std::max(size.y, std::min(kLeastTall * share * unit, size.y * kMostStretch)));
  };
  const auto shows = [&](ImVec2 room) {
    place_in(context, figure, room);
    return numbers_fit(context, figure);
  };
  if (shows(size) || fits_always(context)) return;
  const ImVec2 whole = larger(1.f), half = larger(0.5f);
  if (shows(ImVec2(whole.x, size.y)) || shows(ImVec2(size.x, whole.y))) return;  // scrolls in one direction
  for (const float height : {size.y, half.y, whole.y}) {  // colours only, fits vertically at most
    const float bar = height > size.y ? ImGui::GetStyle().ScrollbarSize + 10 * unit : 0;  // vertical scroller
    place_in(context, figure, ImVec2(size.x - bar, height));
    const ImVec2 cell = panels_.back().cell;
    const bool seen = cell.x >= kLeastColour * unit && cell.y >= kLeastColour * unit;
    if (seen && whole_.x <= size.x - bar + 2) return;
  }
  if (!shows(whole)) place_in(context, figure, half);
}

void FigurePlot::place(const ViewContext& context, const Figure& figure, ImVec2 position, ImVec2 size,
                       bool difference) {
  difference_ = difference;
  const float unit = ui_scale();
  const bool known = !fonts_pending() && figure.id > 0 && placed_.figure == figure.id &&
                     placed_.run == context.run.version && placed_.spans == spans_version_ &&
                     placed_.size.x == size.x && placed_.size.y == size.y && placed_.unit == unit &&
                     placed_.difference == difference && placed_.told == context.workspace.told &&
                     placed_.whole_in_room == whole_in_room_;
  if (!known) {
    place_best(context, figure, size);
    plots_.assign(figure.operands.size(), {});
    placed_ = {figure.id,
               context.run.version,
               spans_version_,
               size,
               unit,
               difference,
               context.workspace.told,
               whole_in_room_,
               panels_,
               signs_,
               used_,
               whole_,
               legend_,
               legend_height_,
               windowed_};
  }
  panels_ = placed_.panels, signs_ = placed_.signs;
  used_ = placed_.used, whole_ = placed_.whole, legend_ = placed_.legend;
  legend_height_ = placed_.legend_height, windowed_ = placed_.windowed;
  const auto move = [position](ImVec2& at) { at.x += position.x, at.y += position.y; };
  for (Panel& panel : panels_) move(panel.position);
  for (auto& sign : signs_) move(sign.first);
  move(legend_);
}

}  // namespace attnscope
