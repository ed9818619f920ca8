#include "app/views/attention_pane.h"

#include <algorithm>
#include <cmath>

#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostExact = 512;  // largest exact rectangle, tokens per side
constexpr std::int64_t kRough = 128;      // cells per side, and rows read, of the rough overview
constexpr float kBelow = 72.f;            // units below the cells: legend, its numbers, chips
constexpr float kLegendBelow = 40.f;      // while presenting: without chips
constexpr float kLegendBar = 220.f;       // units, at most
constexpr float kLowPlane = 200.f;        // units; below that the legend leaves its height to the cells
constexpr float kSums = 52.f;             // units right of the cells: row sums

// A rectangle of at most kMostExact tokens around the visible part; the old one if that still covers it.
Range attention_pane_around(double begin, double end, Range old, std::int64_t size) {
  if (size <= kMostExact) return {0, size};
  const auto first = static_cast<std::int64_t>(std::floor(begin)),
             last = static_cast<std::int64_t>(std::ceil(end));
  if (old.size() == kMostExact && old.begin <= first && last <= old.end && old.end <= size) return old;
  const std::int64_t start = std::clamp<std::int64_t>((first + last - kMostExact) / 2, 0, size - kMostExact);
  return {start, start + kMostExact};
}

std::vector<const NumberEdit*> edits_of_head(const RunResult& run, const AttentionScene& scene, Slot stage) {
  if (run.document.edits.empty()) return {};
  return edits_of(run.document.edits, scene.sequence, target_of({scene.site(stage), {{"head", scene.head}}}));
}

// The cells of one head's plane that an edit covers.
MatrixMark mark_of(const NumberEdit& edit, const AttentionScene& scene) {
  const AxisRange *queries = range_on(edit.where, Axis::query), *keys = range_on(edit.where, Axis::key);
  const Range rows = queries ? Range{queries->begin, queries->end} : Range{0, scene.queries},
              cols = keys ? Range{keys->begin, keys->end} : Range{0, scene.keys};
  return edit_mark(rows.begin, cols.begin, rows.size(), cols.size());
}

std::uint64_t attention_pane_number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// For cells that are blocks of tokens: label of the first token, no picture.
void name_blocks(MatrixPlot& plot, std::int64_t block) {
  for (MatrixAxis* axis : {&plot.rows, &plot.cols})
    axis->label_of = [of = axis->label_of, labels = axis->labels, block](std::int64_t at) {
      const auto token = static_cast<std::size_t>(at * block);
      return of ? of(at * block) : token < labels.size() ? labels[token] : std::string();
    };
}

// Of the legend below the cells: the bar, a gap and the swatch with its word.
float plane_legend_width() {
  return scaled(kLegendBar + 64) + text_size(fonts().small, tr("attention.masked")).x;
}

}  // namespace

void PlanePane::fit_window(const AttentionScene& scene) {
  if (window_keys_ != scene.keys || window_queries_ != scene.queries) window_ = {};
  window_keys_ = scene.keys, window_queries_ = scene.queries;
}

bool PlanePane::seen_is_small(const AttentionScene& scene) const {
  const double limit = static_cast<double>(kMostExact) - 2;
  if (scene.keys <= kMostExact && scene.queries <= kMostExact) return true;
  return !window_.all() && window_.row1 - window_.row0 <= limit && window_.col1 - window_.col0 <= limit;
}

// The run to subtract; null: none.
const std::shared_ptr<const Against>& PlanePane::compared(const ViewContext& context,
                                                          const AttentionScene& scene, Slot stage) {
  const auto before = context.older(scene.sequence);
  const Site site = scene.site(stage);
  return against_.get(
      {context.run.version, before ? context.before->version : 0, attention_pane_number(scene.sequence),
       attention_pane_number(static_cast<int>(site.stack)),
       attention_pane_number(static_cast<int>(site.part)), attention_pane_number(site.layer),
       attention_pane_number(static_cast<int>(stage))},
      [&] { return against(*scene.trace, before, site); });
}

void PlanePane::take_exact(const ViewContext& context, const AttentionScene& scene, Slot stage) {
  const MatrixWindow seen = inside(window_, scene.queries, scene.keys);
  const bool was_exact = plane_.block == 1;
  const Range rows =
      attention_pane_around(seen.row0, seen.row1, was_exact ? plane_.rows : Range{}, scene.queries);
  const Range cols =
      attention_pane_around(seen.col0, seen.col1, was_exact ? plane_.cols : Range{}, scene.keys);
  const auto before = context.older(scene.sequence);
  const std::uint64_t key =
      key_of({context.run.version, before ? context.before->version : 0, scene_key(scene),
              attention_pane_number(static_cast<int>(stage)), attention_pane_number(rows.begin),
              attention_pane_number(cols.begin), without_first_});
  if (plane_.key == key && !plane_.values.empty()) return;
  const auto& old = compared(context, scene, stage);
  plane_ = {};
  plane_.difference = old != nullptr;
  plane_.shifted = old && old->shifted;
  plane_.values = attention_plane(*scene.trace, {scene.site(stage), scene.head, rows, cols,
                                                 without_first_ && role_of(stage) == StepRole::pattern, old});
  plane_.range = signed_range(plane_.values);
  plane_.key = key, plane_.rows = rows, plane_.cols = cols;
  sums_.clear();
  if (role_of(stage) == StepRole::pattern && !plane_.difference && cols.size() == scene.keys)
    sums_ = row_sums(plane_.values);
}

void PlanePane::take_overview(const ViewContext& context, const AttentionScene& scene, Slot stage,
                              const HeadThumbnail* coarse) {
  const auto before = context.older(scene.sequence);
  const std::uint64_t key =
      key_of({context.run.version, before ? context.before->version : 0, scene_key(scene),
              attention_pane_number(static_cast<int>(stage)), without_first_});
  const auto& old = compared(context, scene, stage);
  const PlaneRequest request{
      scene.site(stage), scene.head, {}, {}, without_first_ && role_of(stage) == StepRole::pattern, old};
  const auto found =
      overview_.get(key, context.workers(), [trace = scene.trace, request](const std::atomic<bool>& cancel) {
        PooledPlane plane = pooled_plane(*trace, request, kMostExact, [&] { return !cancel; });
        wake_window();
        return plane;
      });
  // Until the overview is computed: the thumbnail, or if that is not there either, a rough overview.
  const bool waits = !coarse || role_of(stage) != StepRole::pattern;
  Plane next;
  next.key = found ? key : waits ? key + 2 : key + 1;
  if (plane_.key == next.key) return;
  next.difference = old != nullptr;
  next.shifted = old && old->shifted;
  if (found || waits) {
    const PooledPlane rough =
        found ? PooledPlane{} : pooled_plane(*scene.trace, request, kRough, {}, {}, kRough);
    const PooledPlane& plane = found ? *found : rough;
    next.values = plane.cells;
    next.block = plane.block;
    next.rough = plane.row_stride > 1;
  } else {
    next.values = coarse->cells;
    const std::int64_t cells =
        coarse->cells.empty() ? 1 : std::max(coarse->cells.size(0), coarse->cells.size(1));
    next.block = (std::max(scene.keys, scene.queries) + cells - 1) / cells;
  }
  sums_.clear();
  next.range = next.values.empty() ? ValueRange{} : signed_range(next.values);
  plane_ = std::move(next);
}

PairEvent PlanePane::draw_plane(const ViewContext& context, const AttentionScene& scene, Slot stage,
                                const PairEvent& lit, ImVec2 position, ImVec2 size) {
  const std::int64_t block = plane_.block;
  MatrixPlot& plot = plot_.get({axes_key(context, scene), attention_pane_number(static_cast<int>(stage)),
                                attention_pane_number(block)},
                               [&] {
                                 MatrixPlot made;
                                 made.key = "attention.plane";
                                 made.max_cell = 130.f;
                                 made.aspect = 0.8f;
                                 set_attention_axes(made, context, scene);
                                 if (block > 1)
                                   name_blocks(made, block);
                                 else
                                   made.place = {scene.site(stage), {}, {scene.head, 0, 0}, 1, 2};
                                 return made;
                               });
  plot.values = plane_.values;
  StageLook colours = look(context.workspace);
  colours.difference = plane_.difference;
  plot.style = stage_style(stage, plane_.range, colours);
  plot.masked_numbers = role_of(stage) != StepRole::pattern;
  plot.large_numbers = context.workspace.presenting || context.workspace.keeps_stage;
  plot.short_numbers = context.workspace.keeps_stage;
  plot.double_click_resets = block > 1;  // otherwise it opens a text field
  plot.marks.clear();
  if (block > 1) {
    plot.rows.pictures.reset(), plot.cols.pictures.reset();
  } else {
    set_axis_pictures(plot, context, scene);
    plot.first_row = plane_.rows.begin, plot.first_col = plane_.cols.begin;
    plot.total_rows = scene.queries, plot.total_cols = scene.keys;
    const Cursor& cursor = context.workspace.cursor;
    plot.selected_row = cursor.query, plot.selected_col = cursor.key;
    if (!lit.any()) plot.marks.push_back({cursor.query, -1, theme().q, 1, 1, 1.5f});
    for (const NumberEdit* edit : edits_of_head(context.run, scene, stage))
      plot.marks.push_back(mark_of(*edit, scene));
  }
  if (lit.any()) {
    plot.marks.push_back({lit.query / block, -1, theme().q, 1, 1, 2.f});
    plot.marks.push_back({-1, lit.key / block, theme().k, 1, 1, 2.f});
  }
  const double scale = static_cast<double>(block);
  MatrixWindow window{window_.row0 / scale, window_.col0 / scale, window_.row1 / scale, window_.col1 / scale};
  plot.window = &window;
  const DrawGroupScope group("matrix", scene.site(stage), scene.head);
  const bool sums = !sums_.empty() && !context.workspace.presenting && !context.workspace.keeps_stage;
  if (sums) size.x -= scaled(kSums);
  const MatrixEvent event = draw_matrix(context.painter, plot, position, size);
  if (sums) draw_sums(plot, position, size);
  find_followed(plot, position, size);
  window_ = {window.row0 * scale, window.col0 * scale, window.row1 * scale, window.col1 * scale};
  PairEvent out;
  if (!event.hovered()) return out;
  out = {event.row * block, event.col * block, event.clicked, event.double_clicked && block == 1};
  const float value = plane_.values.at(event.row - plot.first_row, event.col - plot.first_col);
  const std::string pair[] = {query_name(context.run, scene, out.query),
                              key_name(context.run, scene, out.key), number_text(value, 4)};
  if (block > 1)
    ImGui::SetTooltip("%s",
                      tr("attention.block_pair", {pair[0], pair[1], pair[2], std::to_string(block)}).c_str());
  else if (!event.numbers)
    ImGui::SetTooltip("%s", tr("attention.pair", {pair[0], pair[1], pair[2]}).c_str());
  if (block > 1 && event.clicked) {
    const double half = static_cast<double>(kMostExact) / 4, row = static_cast<double>(out.query),
                 col = static_cast<double>(out.key);
    const auto place = [&](double at, std::int64_t length) {
      return std::clamp(at - half, 0.0, std::max(0.0, static_cast<double>(length) - 2 * half));
    };
    window_ = {place(row, scene.queries), place(col, scene.keys), 0, 0};
    window_.row1 = window_.row0 + 2 * half, window_.col1 = window_.col0 + 2 * half;
    out.clicked = false;
  }
  return out;
}

void PlanePane::find_followed(const MatrixPlot& plot, ImVec2 position, ImVec2 size) {
  followed0_ = followed1_ = {};
  if (!followed_.any() || plane_.block > 1) return;
  const MatrixLayout layout = matrix_layout(plot, size);
  const double row = static_cast<double>(followed_.query), col = static_cast<double>(followed_.key);
  const ImVec2 p0 = layout.corner(row, col), p1 = layout.corner(row + 1, col + 1);
  const ImVec2 middle((p0.x + p1.x) / 2, (p0.y + p1.y) / 2);
  if (middle.x < layout.cells0.x || middle.y < layout.cells0.y || middle.x > layout.cells1.x ||
      middle.y > layout.cells1.y)
    return;
  followed0_ = ImVec2(position.x + p0.x, position.y + p0.y);
  followed1_ = ImVec2(position.x + p1.x, position.y + p1.y);
}

bool PlanePane::followed(ImVec2& p0, ImVec2& p1) const {
  p0 = followed0_, p1 = followed1_;
  return p1.x > p0.x;
}

// Sum of every row of the pattern, to the right of the row.
void PlanePane::draw_sums(const MatrixPlot& plot, ImVec2 position, ImVec2 size) const {
  const MatrixLayout layout = matrix_layout(plot, size);
  ImFont* font = fonts().mono_small;
  const float tall = text_size(font, "0").y, x = position.x + layout.cells1.x + scaled(6);
  const Canvas canvas;
  for (std::size_t i = 0; i < sums_.size(); i += static_cast<std::size_t>(layout.row_stride)) {
    const double row = static_cast<double>(plane_.rows.begin) + static_cast<double>(i);
    const float y = layout.corner(row + 0.5, 0).y;
    if (y < layout.cells0.y || y > layout.cells1.y) continue;
    draw_text(canvas, font, ImVec2(x, position.y + y - tall / 2), theme().text_dim,
              number_text(static_cast<float>(sums_[i]), 4));
  }
  if (layout.cells1.x - layout.cells0.x < plane_legend_width()) return;  // the legend is there
  draw_text(canvas, fonts().small, ImVec2(x, position.y + layout.cells1.y + scaled(2)), theme().text_dim,
            tr("attention.sums"));
}

// Pans a zoomed plane to a query.
void PlanePane::show_query(const AttentionScene& scene, std::int64_t query) {
  if (window_.all()) {
    if (scene.queries <= kMostExact && scene.keys <= kMostExact) return;
    const double side = static_cast<double>(kMostExact) / 2;
    window_ = {0, 0, std::min(side, static_cast<double>(scene.queries)),
               std::min(side, static_cast<double>(scene.keys))};
  }
  const auto centre = [](double at, double& begin, double& end, std::int64_t size) {
    const double span = end - begin;
    begin = std::clamp(at - span / 2, 0.0, std::max(0.0, static_cast<double>(size) - span));
    end = begin + span;
  };
  const double at = static_cast<double>(query);
  centre(at, window_.row0, window_.row1, scene.queries);
  centre(at, window_.col0, window_.col1, scene.keys);
}

// Search field: Enter moves to the next query whose token contains the text.
void PlanePane::find_token(const ViewContext& context, const AttentionScene& scene, float width) {
  if (width < scaled(60)) return;
  ImGui::SetNextItemWidth(std::min(width, scaled(150)));
  const bool entered =
      ImGui::InputTextWithHint("###attention.find", tr("attention.find"), &wanted_,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  note_item("attention.find");
  compat::item_tooltip(tr("attention.find.help"));
  ImGui::SameLine();  // callers continue on this line
  if (!entered || wanted_.empty()) return;
  ImGui::SetKeyboardFocusHere(-1);
  const std::string letters = lower(wanted_);
  for (std::int64_t i = 1; i <= scene.queries; ++i) {
    const std::int64_t query = (context.workspace.cursor.query + i) % scene.queries;
    if (lower(query_name(context.run, scene, query)).find(letters) == std::string::npos) continue;
    context.workspace.cursor.query = query;
    return show_query(scene, query);
  }
}

// A note about the plane; empty: none.
std::string_view PlanePane::note(const ViewContext& context, Slot stage) const {
  if (context.workspace.presenting) return {};
  if (plane_.rough) return tr("attention.computing");
  if (context.workspace.show_difference && !plane_.difference)
    return tr(context.before ? "attention.note.shapes" : "attention.note.before");
  if (plane_.difference && plane_.shifted) return tr("attention.note.aligned");
  if (role_of(stage) == StepRole::pattern && without_first_) return tr("attention.note.without_first");
  if (plane_.block > 1) return kept_tr("attention.note.block", {std::to_string(plane_.block)});
  return {};
}

void PlanePane::draw_below(const ViewContext& context, const AttentionScene& scene, Slot stage,
                           ImVec2 position, float width, float above) {
  StageLook colours = look(context.workspace);
  colours.difference = plane_.difference;
  const HeatStyle style = stage_style(stage, plane_.range, colours);
  const float bar = std::min(scaled(kLegendBar), width * 0.5f);
  draw_legend(style, "", position, ImVec2(bar, scaled(11)), false);
  draw_masked_swatch(ImVec2(position.x + bar + scaled(18), position.y - scaled(1)), tr("attention.masked"));
  if (context.workspace.presenting) return;
  ImGui::SetCursorScreenPos(ImVec2(position.x, position.y + scaled(36) + above));
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(4)));
  ChipRow row(ImGui::GetCursorScreenPos(), width, {.cut = true});
  bool& log = context.workspace.log_scale;
  if (row(Label(tr("attention.log_scale"), "###log_scale"), log, tr("attention.log_scale.help"))) log = !log;
  if (role_of(stage) == StepRole::pattern) toggle(row, without_first_);
  ImGui::SameLine();
  find_token(context, scene, position.x + width - ImGui::GetCursorScreenPos().x);
  ImGui::NewLine();  // newer versions of Dear ImGui would place the next item on this line regardless of
                     // SetCursorScreenPos
  const std::string_view words = note(context, stage);
  if (words.empty() || above > 0) return;
  const float x = position.x + bar + scaled(18);
  draw_text(Canvas(), fonts().small, ImVec2(x, position.y + scaled(15)), theme().warning,
            middle_truncated(fonts().small, words, position.x + width - x));
}

PairEvent PlanePane::draw(const ViewContext& context, const AttentionScene& scene, Slot stage,
                          const PairEvent& lit, const HeadThumbnail* coarse, ImVec2 position, ImVec2 size) {
  fit_window(scene);
  if (seen_is_small(scene))
    take_exact(context, scene, stage);
  else
    take_overview(context, scene, stage, coarse);
  // Beside the legend, or on a line of its own if that is too narrow.
  const std::string_view words = note(context, stage);
  const bool narrow = text_size(fonts().small, words).x > (size.x - scaled(110)) / 2;
  const float above = narrow ? text_size(fonts().small, "X").y + scaled(4) : 0;
  float below = scaled(context.workspace.presenting ? kLegendBelow : kBelow) + above;
  const float legend = plane_legend_width();
  const bool beside =  // the cells of a projector
      context.workspace.presenting && size.y - below < scaled(kLowPlane) && legend < size.x / 2;
  if (beside) below = 0, size.x -= legend;
  const float room = std::max(scaled(60), size.y - below);
  PairEvent event;
  float bottom = position.y + room, left = position.x;
  if (plane_.values.empty()) {
    draw_text(Canvas(), fonts().body, ImVec2(position.x, position.y + scaled(40)), theme().text_dim,
              tr("attention.computing"));
  } else {
    event = draw_plane(context, scene, stage, lit, position, ImVec2(size.x, room));
    bottom = ImGui::GetItemRectMax().y;
    left = ImGui::GetItemRectMin().x;
  }
  if (beside) {
    const ImVec2 at(ImGui::GetItemRectMax().x + scaled(24), bottom - scaled(32));
    draw_below(context, scene, stage, at, 2 * legend, 0);
    return event;
  }
  const ImVec2 at(left, bottom + scaled(12));
  draw_below(context, scene, stage, at, position.x + size.x - left, above);
  if (above > 0)
    draw_text(Canvas(), fonts().small, ImVec2(position.x, at.y + scaled(34)), theme().warning,
              middle_truncated(fonts().small, words, size.x));
  return event;
}

}  // namespace attnscope
