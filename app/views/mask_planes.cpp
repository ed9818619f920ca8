// The mask view's matrices before and after masking: scores, masked scores, pattern, side by side or stacked.
#include <algorithm>

#include "app/views/mask_view.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

namespace {

constexpr float kMaskNames = 90.f;                        // units
constexpr float kStageRows = 0.46f;                       // of the room: the row that is looked at
constexpr float kMostStageCell = 58.f, kStageTop = 96.f;  // units; titles and names above the cells
constexpr const char* kPlaneKeys[] = {"mask.plane.before", "mask.plane.after", "mask.plane.pattern"};

}  // namespace

void MaskView::take_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, Range rows,
                          Range cols, Plane& plane) {
  const auto before = context.older(scene.sequence);
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t key = key_of({context.run.version, before ? context.before->version : 0,
                                    scene_key(scene), number(static_cast<int>(slot)), number(rows.begin),
                                    number(rows.end), number(cols.begin), number(cols.end)});
  if (key == plane.key && !plane.values.empty()) return;
  plane.key = key;
  const auto old = against(*scene.trace, before, scene.site(slot));
  plane.difference = old != nullptr;
  plane.values = attention_plane(*scene.trace, {scene.site(slot), scene.head, rows, cols, false, old});
  plane.range = signed_range(plane.values);
}

void MaskView::draw_plane(const ViewContext& context, const AttentionScene& scene, Slot slot,
                          std::size_t index, const PlaneLook& wanted, ImVec2 position, ImVec2 size) {
  Plane& plane = planes_[index];
  Range rows, cols;
  limit_window(window_, scene.queries, scene.keys, rows, cols);
  take_plane(context, scene, slot, rows, cols, plane);
  const StageLook look{plane.difference, context.workspace.log_scale};
  const bool between = wanted.cell.x > 0;
  const std::string_view title =
      plane.difference ? std::string_view(kept_tr("mask.plane.difference",
                                                  {tr(Label("attention.stage.", stage_name(slot)))}))
                       : wanted.title;
  draw_text(Canvas(), fonts().small, position, theme().text_dim,
            middle_truncated(fonts().small, title, size.x));
  const float line = text_size(fonts().small, "X").y + scaled(5),
              legend = between ? 0 : text_size(fonts().mono_small, "-0.0000").x + scaled(26);
  if (plane.values.empty()) return;
  MatrixPlot& plot = plane.plot.get({axes_key(context, scene)}, [&] {
    MatrixPlot made;
    made.key = kPlaneKeys[index];
    made.digits = 3;
    made.max_cell = 84.f;
    made.aspect = 0.6f;
    set_attention_axes(made, context, scene);
    made.rows.title.clear(), made.cols.title.clear();
    return made;
  });
  set_axis_pictures(plot, context, scene);
  plot.values = plane.values;
  plot.style = stage_style(slot, plane.range, look);
  plot.masked_numbers = role_of(slot) != StepRole::pattern;
  plot.first_row = rows.begin, plot.first_col = cols.begin;
  plot.total_rows = scene.queries, plot.total_cols = scene.keys;
  plot.rows.show_labels = wanted.names;
  plot.cols.show_labels = between ? wanted.columns : size.y > scaled(230);
  plot.cell = wanted.cell;
  plot.row_label_width = between && wanted.names ? scaled(kMaskNames) : -1;
  plot.lit_row = lit_query_, plot.lit_col = lit_key_;
  plot.frame_colour = with_alpha(theme().text_dim, 0.6f);
  plot.selected_row = context.workspace.cursor.query, plot.selected_col = context.workspace.cursor.key;
  plot.window = &window_;
  const ImVec2 at(position.x, position.y + line), room(size.x - legend, size.y - line);
  const DrawGroupScope group = plane.difference ? DrawGroupScope("difference")
                                                : DrawGroupScope("matrix", scene.site(slot), scene.head);
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  const ImVec2 end = ImGui::GetItemRectMax();
  const float tall = std::min(scaled(90), end.y - event.p0.y);
  if (!between) draw_legend(plot.style, "", ImVec2(end.x + scaled(10), event.p0.y), ImVec2(scaled(8), tall));
  notice_hover(event);
  if (!event.hovered()) return;
  const Cell pair = cell_at(*scene.trace, scene.site(slot), {scene.head, event.row, event.col});
  offer_edit(context.workspace, {pair, {}, {}});
  if (event.clicked) pin_cell(context.workspace, context.run, pair);
  if (event.numbers) return;
  const float value = plane.values.at(event.row - rows.begin, event.col - cols.begin);
  ImGui::SetTooltip("%s",
                    tr("attention.pair", {query_name(context.run, scene, event.row),
                                          key_name(context.run, scene, event.col), number_text(value, 4)})
                        .c_str());
}

// Scores before and after masking, stacked or side by side.
void MaskView::draw_scores(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                           ImVec2 size) {
  const std::vector<Slot> stages = attention_stages(*scene.trace, scene.pattern());
  const auto masked = std::find(stages.begin(), stages.end(), slot_of(StepKind::mask));
  ImGui::SetCursorScreenPos(position);
  if (masked == stages.end())
    return caption(tr("mask.blind.recorded"));  // a recording may hold only the pattern
  const float gap = scaled(12);
  const bool beside = size.x > 1.3f * size.y;
  const ImVec2 each = beside ? ImVec2((size.x - gap) / 2, size.y) : ImVec2(size.x, (size.y - gap) / 2);
  const auto look = [](const char* key, Slot slot) {
    return PlaneLook{kept_tr(key, {tr(Label("attention.stage.", stage_name(slot)))})};
  };
  if (masked != stages.begin())
    draw_plane(context, scene, *std::prev(masked), 0, look("mask.plane.before", *std::prev(masked)), position,
               each);
  draw_plane(context, scene, *masked, 1, look("mask.plane.after", *masked),
             ImVec2(position.x + (beside ? each.x + gap : 0), position.y + (beside ? 0 : each.y + gap)),
             each);
}

// The cells of `count` matrices beside each other, of equal size.
ImVec2 MaskView::stage_cell(const AttentionScene& scene, float names, float top, std::size_t count,
                            ImVec2 size) const {
  const auto keys = static_cast<float>(window_.all() ? static_cast<double>(scene.keys)
                                                     : window_.col1 - window_.col0),
             rows = static_cast<float>(window_.all() ? static_cast<double>(scene.queries)
                                                     : window_.row1 - window_.row0);
  const float wide = (size.x - names - scaled(34)) / static_cast<float>(count) - scaled(12),
              most = scaled(kMostStageCell);
  const ImVec2 cell(std::min(wide / keys, most), std::min((size.y - top) / rows, most * 0.8f));
  return ImVec2(std::max(0.5f, cell.x), std::max(0.5f, std::min(cell.y, cell.x * 1.3f)));
}

// Scores, mask, masked scores and pattern beside each other, and below them the row that is looked at.
void MaskView::draw_stages(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                           ImVec2 size) {
  const float top = position.y + draw_line(context, scene, position, size.x) + scaled(2);
  const float foot = scaled(board_.summary().fully_masked.empty() ? 22.f : 60.f), end = position.y + size.y;
  const ImVec2 most(size.x, (end - foot - top) * kStageRows);
  const float row =
      context.workspace.told ? 0 : row_.follow(context, most);  // a lesson may ask for its digits
  const float bottom = end - foot - row - scaled(row > 0 ? 8 : 2);
  if (row > 0) row_.draw(context, ImVec2(position.x, bottom + scaled(6)), most);
  const std::vector<Stage>& shown = stages_.get({context.run.version, scene_key(scene)}, [&] {
    const std::vector<Slot> stages = attention_stages(*scene.trace, scene.pattern());
    const auto masked = std::find(stages.begin(), stages.end(), slot_of(StepKind::mask));
    std::vector<Stage> out;
    if (masked != stages.end() && masked != stages.begin())
      out.push_back({"figure.mask.scores", *std::prev(masked), 0});
    out.push_back({"figure.mask.allowed", slot_of(StepRole::mask), planes_.size()});
    if (masked != stages.end()) out.push_back({"figure.mask.masked", *masked, 1});
    out.push_back({"figure.mask.pattern", scene.pattern().slot, 2});
    return out;
  });
  const bool columns = row <= 0;  // else the row below has the names
  const float names = scaled(kMaskNames), line = text_size(fonts().small, "X").y + scaled(5);
  const ImVec2 room(size.x, std::max(scaled(60), bottom - top)),
      cell = stage_cell(scene, names, columns ? scaled(kStageTop) : 2 * line, shown.size(), room);
  const auto seen =
      static_cast<float>(window_.all() ? static_cast<double>(scene.keys) : window_.col1 - window_.col0);
  float x = position.x;
  for (const Stage& stage : shown) {
    const bool first = &stage == &shown.front();
    const float wide = cell.x * seen + scaled(34) + (first ? names : 0);
    if (stage.plane < planes_.size()) {
      draw_plane(context, scene, stage.slot, stage.plane, {tr(stage.title), cell, first, columns},
                 ImVec2(x, top), ImVec2(wide, room.y));
    } else {
      draw_text(Canvas(), fonts().small, ImVec2(x, top), theme().text_dim, tr(stage.title));
      notice_hover(board_.draw(context, scene, window_, lit_query_, lit_key_, ImVec2(x, top + line),
                               ImVec2(wide, room.y - line), cell, columns));
    }
    x += cell.x * seen + scaled(12) + (first ? names : 0);
  }
  draw_summary(context, scene, ImVec2(position.x, end - foot + scaled(4)), size.x, true);
}

}  // namespace attnscope
