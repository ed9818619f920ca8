#include "app/views/position_bias.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/edit_menu.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kPositionBiasMostCells = 512;  // tokens per side of the matrix
constexpr float kSlopeRow = 24.f;                     // units
constexpr std::int64_t kFarthest = 160;               // largest distance in the curve

Site first_pattern(const Trace& trace, Stack stack) {
  for (const Record& record : trace.records())
    if (record.site.is(StepRole::pattern) && record.site.stack == stack && record.site.part == Part::attn)
      return record.site;
  return site_of(StepRole::pattern, 0, stack);
}

}  // namespace

bool BiasPage::possible(const Trace& trace, Stack stack, int layer) {
  const AttentionState* state = trace.attention(site_of(StepRole::pattern, layer, stack));
  if (!state) state = trace.attention(first_pattern(trace, stack));
  return state && state->in.bias.kind != ScoreBias::Kind::none;
}

bool BiasPage::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  scene_.sequence = cursor.sequence;
  scene_.stack = cursor.stack, scene_.part = Part::attn;
  const Site first = first_pattern(trace, cursor.stack);
  const bool moved = move_scene(context.run, cursor.layer, cursor.head, scene_) ||
                     move_scene(context.run, first.layer, 0, scene_);
  const AttentionState* state = moved ? trace.attention(scene_.pattern()) : nullptr;
  if (!state || state->in.bias.kind == ScoreBias::Kind::none) return false;
  const std::uint64_t key = key_of({context.run.version, scene_key(scene_)});
  if (key == key_) return true;
  key_ = key;
  bias_ = state->in.bias;
  window_ = {};
  matrix_ = bias_in_sight(trace, scene_.pattern(), scene_.head, {0, kPositionBiasMostCells},
                          {0, kPositionBiasMostCells});
  ahead_ = false;
  for (std::int64_t row = 0; row < matrix_.size(0) && !ahead_; ++row)
    for (std::int64_t col = row + scene_.first_query + 1; col < matrix_.size(1); ++col)
      ahead_ = ahead_ || !is_masked(matrix_.at(row, col));
  ranges_ = bucket_ranges(bias_);
  std::vector<float> cells;
  const std::int64_t heads = ranges_.empty() ? 0 : bias_.table.size(1);
  for (const BucketRange& range : ranges_)
    for (std::int64_t head = 0; head < heads; ++head) cells.push_back(bias_.table.at(range.bucket, head));
  if (!cells.empty())
    table_ = Tensor::from(std::move(cells),
                          {{Axis::none, static_cast<std::int64_t>(ranges_.size())}, {Axis::head, heads}});
  range_ = signed_range(ranges_.empty() ? matrix_ : table_);
  return true;
}

// "−3", "4 … 5", "≥ 128"
std::string BiasPage::distance_label(std::size_t at) const {
  const BucketRange& range = ranges_[at];
  const auto text = [](std::int64_t value) { return number_text(static_cast<float>(value), 0); };
  if (range.open) return range.first < 0 ? "≤ " + text(range.last) : "≥ " + text(range.first);
  return range.first == range.last ? text(range.first) : text(range.first) + " … " + text(range.last);
}

void BiasPage::choose_head(const ViewContext& context, std::int64_t head) const {
  context.workspace.cursor.layer = scene_.layer;
  context.workspace.cursor.head = static_cast<int>(head);
}

std::string BiasPage::cell_text(std::int64_t query, std::int64_t key) const {
  const float value = matrix_.at(query, key);
  return is_masked(value) ? tr("attention.masked") : number_text(value, 5);
}

void BiasPage::draw_table(const ViewContext& context, ImVec2 at, ImVec2 room) {
  MatrixPlot plot;
  plot.key = "position_buckets";
  plot.values = table_;
  plot.style.map = Colormap::diverging;
  set_range(plot.style, range_);
  plot.digits = 2;
  plot.max_cell = 72.f;
  plot.aspect = 0.34f;
  plot.cols.title = tr("position.bias.heads");
  plot.rows.title = tr("position.bias.distances");
  plot.rows.label_of = [this](std::int64_t row) {
    return distance_label(static_cast<std::size_t>(
        std::clamp<std::int64_t>(row, 0, static_cast<std::int64_t>(ranges_.size()) - 1)));
  };
  plot.lit_col = scene_.head;
  plot.frame_colour = theme().accent;
  for (std::size_t i = 0; lit_ && i < ranges_.size(); ++i)
    if (ranges_[i].first <= lit_distance_ || (ranges_[i].open && ranges_[i].first < 0))
      if (ranges_[i].last >= lit_distance_ || (ranges_[i].open && ranges_[i].last > 0))
        plot.marks.push_back({static_cast<std::int64_t>(i), scene_.head, theme().warning, 1, 1, 2.f});
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  if (!event.hovered()) return;
  const BucketRange& range = ranges_[static_cast<std::size_t>(event.row)];
  lit_distance_ = range.last < 0 ? range.last : range.first;
  next_lit_ = true;
  ImGui::SetTooltip("%s", tr("position.bias.cell", {distance_label(static_cast<std::size_t>(event.row)),
                                                    std::to_string(range.bucket), std::to_string(event.col),
                                                    number_text(table_.at(event.row, event.col), 5)})
                              .c_str());
  if (event.clicked) choose_head(context, event.col);
}

void BiasPage::draw_slopes(const ViewContext& context, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("position_slopes", room);
  const Theme& t = theme();
  Table table;
  table.columns = {{}, bar_column(), number_column()};
  table.row = scaled(kSlopeRow), table.words = fonts().small, table.digits = fonts().mono_small;
  for (std::size_t head = 0; head < bias_.slopes.size(); ++head) {
    const bool own = static_cast<int>(head) == scene_.head;
    table.rows.push_back({format("###slope_%zu", head),
                          {{tr("position.bias.head", {std::to_string(head)}), own ? t.text : t.text_dim},
                           {.bar = static_cast<double>(bias_.slopes[head])},
                           {number_text(bias_.slopes[head], 5)}},
                          own});
  }
  const float width = ImGui::GetContentRegionAvail().x;
  if (const int head = attnscope::draw_table(table, ImGui::GetCursorScreenPos(), width).clicked; head >= 0)
    choose_head(context, head);
}

void BiasPage::draw_matrix_of_head(const ViewContext& context, ImVec2 at, ImVec2 room) {
  MatrixPlot plot;
  plot.key = "position_bias";
  plot.values = matrix_;
  plot.style.map = Colormap::diverging;
  set_range(plot.style, range_);
  plot.digits = 3;
  plot.max_cell = 76.f;
  plot.masked_numbers = false;
  plot.total_rows = scene_.queries, plot.total_cols = scene_.keys;
  plot.window = &window_;
  set_attention_axes(plot, context, scene_);
  const Cursor& cursor = context.workspace.cursor;
  plot.selected_row = cursor.query, plot.selected_col = cursor.key;
  const float legend = scaled(58);
  const MatrixEvent event = draw_matrix(context.painter, plot, at, ImVec2(room.x - legend, room.y));
  const ImVec2 end = ImGui::GetItemRectMax();
  const float tall = std::min(scaled(120), end.y - event.p0.y);
  if (tall > scaled(40))
    draw_legend(plot.style, "", ImVec2(end.x + scaled(12), event.p0.y), ImVec2(scaled(9), tall));
  if (!event.hovered() || event.row >= matrix_.size(0) || event.col >= matrix_.size(1)) return;
  lit_distance_ = event.col - event.row - scene_.first_query;
  next_lit_ = true;
  if (!event.numbers)
    ImGui::SetTooltip("%s", tr("attention.pair",
                               {query_name(context.run, scene_, event.row),
                                key_name(context.run, scene_, event.col), cell_text(event.row, event.col)})
                                .c_str());
  const Trace& trace = context.run.trace(scene_.sequence);
  if (trace.find(scene_.site(slot_of(StepKind::bias))))
    offer_edit(
        context.workspace,
        {cell_at(trace, scene_.site(slot_of(StepKind::bias)), {scene_.head, event.row, event.col}), {}, {}});
  if (!event.clicked) return;
  context.workspace.cursor.query = event.row;
  context.workspace.cursor.key = event.col;
}

void BiasPage::draw_distances(ImVec2 at, ImVec2 room) {
  const Theme& t = theme();
  const bool buckets = bias_.kind == ScoreBias::Kind::buckets;
  const std::int64_t far = buckets ? std::min(kFarthest, bias_.max_distance + bias_.max_distance / 4)
                                   : std::clamp<std::int64_t>(2 * scene_.keys, 16, kFarthest);
  const bool ahead = buckets ? bias_.both_directions : ahead_;
  const std::int64_t heads = buckets ? bias_.table.size(1) : static_cast<std::int64_t>(bias_.slopes.size());
  LinePlot plot;
  plot.key = "position_distances";
  plot.x0 = static_cast<float>(-far);
  plot.x1 = ahead ? static_cast<float>(far) : 0.f;
  plot.x_title = tr("position.bias.distance");
  const auto curve = [&](std::int64_t head, ImU32 colour, const std::string& label) {
    LineSeries series;
    series.colour = colour;
    series.label = label;
    for (std::int64_t d = -far; d <= (ahead ? far : 0); ++d)
      series.points.emplace_back(static_cast<float>(d), d < 0 ? bias_.at(head, -d, 0) : bias_.at(head, 0, d));
    plot.series.push_back(std::move(series));
  };
  for (std::int64_t head = 0; head < std::min<std::int64_t>(heads, 16); ++head)
    if (head != scene_.head) curve(head, with_alpha(t.text_dim, 0.35f), "");
  curve(scene_.head, t.attention, tr("position.bias.head", {std::to_string(scene_.head)}));
  fit_y(plot);
  if (lit_) plot.x_marks.push_back(static_cast<float>(std::clamp(lit_distance_, -far, ahead ? far : 0)));
  const LineEvent event = draw_line_plot(plot, at, room);
  if (!event.hovered) return;
  lit_distance_ = std::clamp<std::int64_t>(std::llround(event.x), -far, ahead ? far : 0);
  next_lit_ = true;
}

void BiasPage::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  if (!follow(context)) return;
  next_lit_ = false;
  const bool buckets = bias_.kind == ScoreBias::Kind::buckets;
  const float gap = scaled(24), left = std::clamp(room.x * 0.36f, scaled(170), scaled(380));
  const float line = text_size(fonts().small, "X").y + scaled(6);
  const Canvas canvas;
  draw_text(canvas, fonts().body_bold, at, theme().text,
            middle_truncated(fonts().body_bold, tr(buckets ? "position.bias.table" : "position.bias.slopes"),
                             left));
  const float top = at.y + line + scaled(4), bottom = at.y + room.y;
  if (buckets)
    draw_table(context, ImVec2(at.x, top), ImVec2(left, bottom - top));
  else
    draw_slopes(context, ImVec2(at.x, top), ImVec2(left, bottom - top));
  const ImVec2 right(at.x + left + gap, at.y);
  const float width = room.x - left - gap, curve = std::clamp(room.y * 0.32f, scaled(90), scaled(210));
  draw_text(
      canvas, fonts().body_bold, right, theme().text,
      middle_truncated(fonts().body_bold, tr("position.bias.matrix", {std::to_string(scene_.head)}), width));
  draw_matrix_of_head(context, ImVec2(right.x, top), ImVec2(width, bottom - top - curve - scaled(12)));
  draw_distances(ImVec2(right.x, bottom - curve), ImVec2(width, curve));
  lit_ = next_lit_;
}

}  // namespace attnscope
