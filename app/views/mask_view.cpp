// The mask view: the attention mask, edited by hand or built from kinds, and its effect: the pattern with the
// model's own mask and with this one, the scores before and after masking, spans of an input under two masks,
// and fully masked rows. The hovered cell is highlighted in all of them. The mask is the document's, the
// planes are the run's.
#include <algorithm>
#include <array>
#include <utility>

#include "app/views/figure_page.h"
#include "app/views/mask_blind.h"
#include "app/views/mask_board.h"
#include "app/views/mask_effect.h"
#include "app/views/mask_kinds.h"
#include "app/views/mask_segments.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/clipboard.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kMaskNarrow = 560.f;  // units: in a narrower view the effect is below the mask
constexpr float kLowest = 680.f;      // units: minimum height of both stacked
constexpr float kWordsBelow = 112.f,
                kNamesAbove = 90.f;  // units for text below the cells, titles and labels above
constexpr float kEasyRow = 20.f;     // height of a comfortably readable row
constexpr std::int64_t kMostHeadChips = 8;
constexpr float kMaskMenu = 150.f, kHeadSlider = 150.f, kMaskNames = 90.f;  // units
constexpr float kStageRows = 0.46f;                       // of the room: the row that is looked at
constexpr float kMostStageCell = 58.f, kStageTop = 96.f;  // units; titles and names above the cells
constexpr const char* kPlaneKeys[] = {"mask.plane.before", "mask.plane.after", "mask.plane.pattern"};

class MaskView : public View {
 public:
  MaskView() : View({"mask", ViewGroup::walk, 2}) {}
  std::string unavailable(const RunResult& run) const override {
    return has_attention(run) ? std::string() : "attention.none";
  }
  void keep(Choices& choices) override {
    choices.of(page_);
    choices.of("window", window_);
    effect_.keep(choices);
  }
  void draw(const ViewContext& context) override;

 private:
  /// How a plane is drawn; `cell`: pixels, between other matrices of the same rows and without a legend; 0:
  /// what fits.
  struct PlaneLook {
    std::string_view title;
    ImVec2 cell{0, 0};
    bool names = true, columns = true;  ///< of its rows and columns
  };
  struct Plane {
    std::uint64_t key = 0;
    Tensor values;
    ValueRange range;
    bool difference = false;
    Kept<MatrixPlot> plot;  ///< with row and column names
  };
  /// One of the matrices that stand side by side; `plane`: of planes_, past its end the board.
  struct Stage {
    const char* title;
    Slot slot;
    std::size_t plane;
  };
  enum class Page { pattern, scores, segments, blind };
  static constexpr Option<Page> kPages[] = {{"pattern", Page::pattern},
                                            {"scores", Page::scores},
                                            {"segments", Page::segments},
                                            {"blind", Page::blind}};
  void draw_notation(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  void draw_scores(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void draw_stages(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  float draw_line(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  ImVec2 stage_cell(const AttentionScene& scene, float names, float top, std::size_t count,
                    ImVec2 size) const;
  void draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void draw_summary(const ViewContext& context, const AttentionScene& scene, ImVec2 position, float width,
                    bool crowded);
  void draw_right(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  static float draw_head_chips(const ViewContext& context, const AttentionScene& scene, std::int64_t heads,
                               ImVec2 at, float width);
  void take_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, Range rows, Range cols,
                  Plane& plane);
  void draw_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, std::size_t index,
                  const PlaneLook& look, ImVec2 position, ImVec2 size);
  void notice_hover(const MatrixEvent& event);

  MaskBoard board_;
  MatrixWindow window_;
  std::int64_t window_keys_ = 0, window_queries_ = 0;
  std::array<Plane, 3> planes_;
  Kept<std::vector<Stage>> stages_;
  OneOf<Page> page_{"page", kPages, Page::scores, "mask.page.", "###mask_page_"};
  FigureArea row_{"mask", "row"};  ///< the row that is looked at, at every stage, in digits
  MaskKinds kinds_;
  MaskEffect effect_;
  MaskSegments segments_;
  MaskBlind blind_;
  KeptText place_;                                ///< of the title, cached
  std::string copied_;                            ///< last text copied to the clipboard
  std::int64_t lit_query_ = -1, lit_key_ = -1;    ///< of the last frame
  std::int64_t next_query_ = -1, next_key_ = -1;  ///< of this frame
};

void MaskView::notice_hover(const MatrixEvent& event) {
  if (event.hovered()) next_query_ = event.row, next_key_ = event.col;
}

// Notation of the cells, and buttons to copy the mask for other programs.
void MaskView::draw_notation(const ViewContext& context, const AttentionScene& scene, ImVec2 at,
                             float width) {
  ChipRow put(at, width, {{width < scaled(330) ? 3.f : 6.f, 3}, 4, true});
  for (const MaskNotation one : {MaskNotation::ones, MaskNotation::hidden, MaskNotation::added}) {
    const std::string both = std::string(mask_sign(one, true)) + " / " + mask_sign(one, false);
    if (put(Label(both, "###mask_notation_", std::to_string(static_cast<int>(one))), board_.notation == one,
            tr("mask.notation.help")))
      board_.notation = one;
  }
  put.part(14);
  const std::pair<MaskFormat, const char*> formats[] = {
      {MaskFormat::numpy, "NumPy"}, {MaskFormat::pytorch, "PyTorch"}, {MaskFormat::csv, "CSV"}};
  for (const auto& [format, name] : formats) {
    if (!put(Label(name, "###mask_copy_", name), false, kept_tr("mask.copy.help", {name}).c_str())) continue;
    std::vector<std::string> queries, keys;
    for (std::int64_t query = 0; query < scene.queries; ++query)
      queries.push_back(query_name(context.run, scene, query));
    for (std::int64_t key = 0; key < scene.keys; ++key) keys.push_back(key_name(context.run, scene, key));
    const auto text =
        mask_as(board_.mask(), scene.queries, scene.keys, board_.notation, format, queries, keys);
    copied_ = !text ? text.error().sentence() : copy_text(*text) ? tr("mask.copied", {name}) : "";
  }
  const float x = put.right() + scaled(4);
  if (!copied_.empty())
    draw_text(Canvas(), fonts().small, ImVec2(x + scaled(4), at.y + scaled(3)), theme().ok,
              middle_truncated(fonts().small, copied_, at.x + width - x - scaled(4)));
}

// `crowded`: counts and legend on one line, the list of mouse actions as a
// tooltip.
void MaskView::draw_summary(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                            float width, bool crowded) {
  if (context.workspace.hides) return;  // the counts say what a lesson's page covers
  const MaskSummary& summary = board_.summary();
  const Canvas canvas;
  const float line = text_size(fonts().small, "X").y + scaled(4);
  const std::string masked = format_count(summary.masked), pairs = format_count(summary.pairs);
  const std::string& counts =
      summary.switched > 0
          ? kept_tr("mask.counts_switched", {masked, pairs, std::to_string(summary.switched)})
          : kept_tr("mask.counts", {masked, pairs});
  ImFont* const face = crowded ? fonts().small : fonts().body;
  draw_text(canvas, face, position, theme().text, middle_truncated(face, counts, width));
  const float beside = crowded ? text_size(face, counts).x + scaled(16) : 0;
  float y = position.y + (crowded ? scaled(1) : text_size(face, "X").y + scaled(6));
  const float legend = beside + draw_masked_swatch(ImVec2(position.x + beside, y), tr("attention.masked"));
  if (summary.switched > 0) {
    const ImVec2 at(position.x + legend + scaled(16), y), end(at.x + scaled(13), at.y + scaled(13));
    canvas.rect(at, end, theme().warning, scaled(2), 0, scaled(1.5f));
    draw_text(canvas, fonts().small, ImVec2(end.x + scaled(6), y - scaled(1)), theme().text_dim,
              tr("mask.switched"));
  }
  if (context.workspace.told) return;
  y += line + scaled(4);
  const char* fixed = MaskBoard::why_fixed(context, scene);
  const char* hint = tr(fixed ? fixed : "mask.hint");
  if (crowded && summary.fully_masked.empty()) {
    ImGui::SetCursorScreenPos(position);
    ImGui::Dummy(ImVec2(width, line));
    return compat::item_tooltip(hint);
  }
  std::string note;
  if (!summary.fully_masked.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, summary.fully_masked.size()); ++i)
      names += (i ? ", " : "") + query_name(context.run, scene, summary.fully_masked[i]);
    note = summary.fully_masked.size() > 3
               ? tr("mask.blind_many", {names, std::to_string(summary.fully_masked.size() - 3)})
               : tr("mask.blind", {names});
  }
  ImGui::SetCursorScreenPos(ImVec2(position.x, y));
  const FontScope font(fonts().small);
  const ColourScope ink(ImGuiCol_Text, summary.fully_masked.empty() ? theme().text_dim : theme().warning);
  figure_text(note.empty() ? std::string_view(hint) : note, width);
}

void MaskView::draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                         ImVec2 size) {
  float top = position.y;
  if (!context.run.recorded()) top += kinds_.draw(context, scene, position, size.x) + scaled(4);
  const bool told = context.workspace.told;  // a lesson explains the mouse actions
  const float each =
      (position.y + size.y - top - scaled(kWordsBelow + kNamesAbove)) / static_cast<float>(scene.queries);
  const bool crowded = !told && each < scaled(kEasyRow), blind = !board_.summary().fully_masked.empty();
  const float below = scaled(told ? 56 : !crowded ? kWordsBelow : blind ? 92 : 58);
  const ImVec2 at(position.x, top), room(size.x, std::max(scaled(80), position.y + size.y - top - below));
  notice_hover(board_.draw(context, scene, window_, lit_query_, lit_key_, at, room));
  const float y = position.y + size.y - below + scaled(10);
  if (!told) draw_notation(context, scene, ImVec2(position.x, y), size.x);
  draw_summary(context, scene, ImVec2(position.x, y + scaled(told ? 0 : 28)), size.x, crowded);
}

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

// A chip per head, on one line; returns its height, pixels.
float MaskView::draw_head_chips(const ViewContext& context, const AttentionScene& scene, std::int64_t heads,
                                ImVec2 at, float width) {
  const FontScope face(fonts().small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(4)));
  ImGui::SetCursorScreenPos(at);
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(to_vec4(theme().text_dim), "%s", tr("mask.head"));
  ImGui::SameLine();
  ChipRow chips(at.x + width - ImGui::GetCursorScreenPos().x, 5);
  for (std::int64_t head = 0; head < heads; ++head)
    if (chips(Label(std::to_string(head), "###mask_head_", std::to_string(head)), head == scene.head,
              tr("mask.head.help")))
      context.workspace.cursor.head = static_cast<int>(head);
  return ImGui::GetItemRectMax().y - at.y + scaled(8);
}

// The effect of the mask: chips select one of four pages.
void MaskView::draw_right(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                          ImVec2 size) {
  float top = scaled(8);
  ImGui::SetCursorScreenPos(position);
  {
    const FontScope face(fonts().small);
    choose_in_menu(page_, std::min(size.x, scaled(kMaskMenu)));
    top += ImGui::GetItemRectMax().y - position.y;
  }
  const Record* record = scene.trace->find(scene.pattern());
  const std::int64_t heads = record ? record->shape[0] : 1;
  if (heads > 1 && page_ != Page::segments && heads <= kMostHeadChips) {
    top += draw_head_chips(context, scene, heads, ImVec2(position.x, position.y + top), size.x);
  } else if (heads > 1 && page_ != Page::segments) {
    ImGui::SetCursorScreenPos(ImVec2(position.x, position.y + top));
    std::int64_t head = scene.head;
    if (slider_int("###mask_head", tr("mask.head"), head, 0, heads - 1,
                   std::min(size.x - scaled(60), scaled(200)), tr("mask.head.help"))
            .changed)
      context.workspace.cursor.head = static_cast<int>(head);
    top = ImGui::GetItemRectMax().y - position.y + scaled(8);
  }
  const ImVec2 at(position.x, position.y + top), room(size.x, size.y - top - scaled(4));
  switch (page_) {
    case Page::pattern:
      return notice_hover(effect_.draw(context, scene, window_, lit_query_, lit_key_, at, room));
    case Page::scores: return draw_scores(context, scene, at, room);
    case Page::segments: return segments_.draw(context, scene, at, room);
    case Page::blind: return blind_.draw(context, scene, board_.summary(), at, room);
  }
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

// Presets, the head and the menu of pages in one line. Returns the height, pixels.
float MaskView::draw_line(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width) {
  const Record* record = scene.trace->find(scene.pattern());
  const std::int64_t heads = record ? record->shape[0] : 1;
  const float menu = scaled(kMaskMenu), gap = scaled(10);
  const bool chips = heads <= kMostHeadChips;
  const float all = text_size(fonts().small, tr("mask.head")).x + scaled(10) +
                    static_cast<float>(heads) * (chip_width("0") + scaled(5));
  const float choice = heads < 2 ? 0 : (chips ? all : scaled(kHeadSlider)) + gap;
  float height = 0;
  const float left = width - menu - choice - gap;
  if (!context.run.recorded()) height = kinds_.draw(context, scene, at, left);
  if (heads > 1 && chips) {
    height = std::max(height, draw_head_chips(context, scene, heads, ImVec2(at.x + left + gap, at.y), all));
  } else if (heads > 1) {
    ImGui::SetCursorScreenPos(ImVec2(at.x + left + gap, at.y));
    std::int64_t head = scene.head;
    if (slider_int("###mask_head", tr("mask.head"), head, 0, heads - 1, scaled(kHeadSlider),
                   tr("mask.head.help"))
            .changed)
      context.workspace.cursor.head = static_cast<int>(head);
    height = std::max(height, ImGui::GetItemRectMax().y - at.y + scaled(6));
  }
  const FontScope face(fonts().small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - menu, at.y));
  choose_in_menu(page_, menu);
  return std::max(height, ImGui::GetItemRectMax().y - at.y + scaled(6));
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

void MaskView::draw(const ViewContext& context) {
  const ImVec2 origin = ImGui::GetCursorScreenPos(), all = ImGui::GetContentRegionAvail();
  AttentionScene scene = scene_of_cursor(context);
  const Site mask = scene.site(StepRole::mask);
  const bool edited = MaskBoard::editable(context, scene);
  const std::string& sentence = kept_tr(!edited                             ? "mask.sentence.shown"
                                        : scene.part == Part::cross         ? "mask.sentence.cross"
                                        : has_stacks(scene.trace->config()) ? "mask.sentence.stack"
                                                                            : "mask.sentence",
                                        {MaskBoard::rule_text(context, scene)});
  const std::string& place =
      place_.get({axes_key(context, scene)}, [&] { return place_name(scene.trace->config(), mask); });
  const float top = places_heading(context.workspace, context.run, PlaceChips::attentions,
                                   kept_tr("mask.title", {place}), sentence, all.x) +
                    scaled(14);
  scene = scene_of_cursor(context);  // a chip beside the title may select another attention
  if (window_keys_ != scene.keys || window_queries_ != scene.queries) window_ = {};
  window_keys_ = scene.keys, window_queries_ = scene.queries;
  const float bottom = origin.y + all.y;
  next_query_ = next_key_ = -1;
  const float gap = scaled(26);
  if (page_ == Page::scores && all.x >= scaled(kMaskNarrow)) {
    draw_stages(context, scene, ImVec2(origin.x, top), ImVec2(all.x - scaled(10), bottom - top));
  } else if (all.x < scaled(kMaskNarrow)) {  // half of the stage: the effect below the mask
    const float room = std::max(bottom - top, scaled(kLowest)), upper = room * 0.5f;  // scrolls
    draw_left(context, scene, ImVec2(origin.x, top), ImVec2(all.x, upper));
    draw_right(context, scene, ImVec2(origin.x, top + upper + gap), ImVec2(all.x, room - upper - gap));
  } else {
    const float left = all.x * 0.5f;
    draw_left(context, scene, ImVec2(origin.x, top), ImVec2(left, bottom - top));
    draw_right(context, scene, ImVec2(origin.x + left + gap, top),
               ImVec2(all.x - left - gap - scaled(10), bottom - top));
  }
  lit_query_ = next_query_, lit_key_ = next_key_;
}

}  // namespace

std::unique_ptr<View> make_mask_view() { return std::make_unique<MaskView>(); }

}  // namespace attnscope
