// The mask view: who may look at whom, switched by hand or by presets, and beside it what that did to one
// head: scores before the mask, after it, and the pattern. The same cell is lit in all of them. Refuses to
// compute: the mask is the document's, the planes are the run's.
#include <algorithm>
#include <array>
#include <cstdio>

#include "app/views/mask_board.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kNarrow = 560.f;  // units: below it the effect does not fit beside the mask
constexpr std::size_t kHelped = 5;
constexpr const char* kPresetHelp[kHelped] = {"mask.preset.model.help", "mask.preset.causal.help",
                                              "mask.preset.full.help", "mask.preset.window.help",
                                              "mask.preset.prefix.help"};
constexpr const char* kPlaneKeys[] = {"mask.plane.before", "mask.plane.after", "mask.plane.pattern"};

class MaskView : public View {
 public:
  const char* id() const override { return "mask"; }
  int order() const override { return 2; }
  std::string unavailable(const RunResult& run) const override {
    return has_attention(run) ? std::string() : "attention.none";
  }
  void draw(const ViewContext& context) override;

 private:
  struct Plane {
    std::uint64_t key = 0;
    Tensor values;
    ValueRange range;
    bool difference = false;
  };
  float draw_presets(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  void choose(const ViewContext& context, const AttentionScene& scene, const std::string& text,
              const char* gesture) const;
  void draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void draw_summary(const ViewContext& context, const AttentionScene& scene, ImVec2 position, float width);
  void draw_right(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void take_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, Range rows, Range cols,
                  Plane& plane);
  void draw_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, std::size_t index,
                  ImVec2 position, ImVec2 size);
  void notice_hover(const MatrixEvent& event);

  MaskBoard board_;
  MatrixWindow window_;
  std::int64_t window_keys_ = 0, window_queries_ = 0;
  std::array<Plane, 3> planes_;
  std::int64_t preset_window_ = 4;
  std::int64_t lit_query_ = -1, lit_key_ = -1;    ///< of the last frame
  std::int64_t next_query_ = -1, next_key_ = -1;  ///< of this frame
};

void MaskView::notice_hover(const MatrixEvent& event) {
  if (event.hovered()) next_query_ = event.row, next_key_ = event.col;
}

void MaskView::choose(const ViewContext& context, const AttentionScene& scene, const std::string& text,
                      const char* gesture) const {
  const AttentionKind of = MaskBoard::mask_place(scene).of;
  context.commands.edit(Text::of("input.edit.mask", {std::string(mask_prefix(of)) + text}), gesture,
                        [text, of](Document& document) { return choose_mask(document, text, of); });
}

// The same masks in the same words as above the stage; the window's size can be dragged. Returns the height.
float MaskView::draw_presets(const ViewContext& context, const AttentionScene& scene, ImVec2 at,
                             float width) {
  const Document& document = MaskBoard::shown_document(context, scene);
  const AttentionKind of = MaskBoard::mask_place(scene).of;
  long long written = 0;
  if (std::sscanf(asked_mask(document, of).text().c_str(), "causal & window(%lld)", &written) == 1)
    preset_window_ = written;
  const auto sequence = static_cast<std::size_t>(std::max(0, scene.sequence));
  const auto presets = mask_presets(document, of, sequence, preset_window_);
  float x = at.x, y = at.y;
  {
    const FontScope face(fonts().small);
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
    for (std::size_t i = 0; i < presets.size(); ++i) {
      const std::string label = presets[i] + "###mask_rule" + std::to_string(i);
      const float wide = chip_width(label);
      if (x > at.x && x + wide > at.x + width) x = at.x, y += ImGui::GetFrameHeight() + scaled(4);
      ImGui::SetCursorScreenPos(ImVec2(x, y));
      const std::string help = tr("mask.preset.help", {presets[i]});
      if (chip(label, is_chosen_mask(document, presets[i], of),
               i < kHelped ? tr(kPresetHelp[i]) : help.c_str()))
        choose(context, scene, presets[i], "");
      x += wide + scaled(4);
    }
    y += ImGui::GetFrameHeight() + scaled(6);
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  const std::int64_t most = std::max<std::int64_t>({2, scene.keys, preset_window_});
  const SliderEvent event = slider_int("###mask_window_size", tr("mask.window_size"), preset_window_, 1, most,
                                       std::min(width, scaled(200)), tr("mask.window_size.help"));
  if (event.changed)
    choose(context, scene, mask_presets(document, of, sequence, preset_window_)[3], "mask.window");
  if (event.released) context.commands.end_gesture();
  return ImGui::GetItemRectMax().y - at.y;
}

void MaskView::draw_summary(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                            float width) {
  const MaskSummary& summary = board_.summary();
  const Canvas canvas;
  const float line = text_size(fonts().small, "X").y + scaled(4);
  std::string counts = tr("mask.counts", {std::to_string(summary.masked), std::to_string(summary.pairs)});
  if (summary.switched > 0)
    counts = tr("mask.counts_switched", {std::to_string(summary.masked), std::to_string(summary.pairs),
                                         std::to_string(summary.switched)});
  draw_text(canvas, fonts().body, position, theme().text, middle_truncated(fonts().body, counts, width));
  float y = position.y + text_size(fonts().body, "X").y + scaled(6);
  const float legend = draw_masked_swatch(
      ImVec2(position.x, y), tr(board_.has_padding() ? "attention.masked_or_padding" : "attention.masked"));
  if (summary.switched > 0) {
    const ImVec2 at(position.x + legend + scaled(16), y), end(at.x + scaled(13), at.y + scaled(13));
    canvas.rect(at, end, theme().warning, scaled(2), 0, scaled(1.5f));
    draw_text(canvas, fonts().small, ImVec2(end.x + scaled(6), y - scaled(1)), theme().text_dim,
              tr("mask.switched"));
  }
  y += line + scaled(4);
  const char* fixed = MaskBoard::why_fixed(context, scene);
  std::string note = tr(fixed ? fixed : "mask.hint");
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
  figure_text(note, width);
}

void MaskView::draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                         ImVec2 size) {
  float top = position.y;
  if (!context.run.recorded()) top += draw_presets(context, scene, position, size.x) + scaled(12);
  const float below = scaled(88);
  const ImVec2 at(position.x, top), room(size.x, std::max(scaled(80), position.y + size.y - top - below));
  notice_hover(board_.draw(context, scene, window_, lit_query_, lit_key_, at, room));
  draw_summary(context, scene, ImVec2(position.x, position.y + size.y - below + scaled(12)), size.x);
}

void MaskView::take_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, Range rows,
                          Range cols, Plane& plane) {
  const auto before = context.older(scene.sequence);
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t key = key_of({context.run.version, before ? context.before->version : 0,
                                    scene_key(scene), number(static_cast<int>(slot)), number(rows.begin),
                                    number(rows.end), number(cols.begin), number(cols.end)});
  if (key == plane.key && !plane.values.empty()) return;
  plane = {};
  plane.key = key;
  const auto old = against(*scene.trace, before, scene.site(slot));
  plane.difference = old != nullptr;
  plane.values = attention_plane(*scene.trace, {scene.site(slot), scene.head, rows, cols, false, old});
  plane.range = signed_range(plane.values);
}

void MaskView::draw_plane(const ViewContext& context, const AttentionScene& scene, Slot slot,
                          std::size_t index, ImVec2 position, ImVec2 size) {
  Plane& plane = planes_[index];
  Range rows, cols;
  limit_window(window_, scene.queries, scene.keys, rows, cols);
  take_plane(context, scene, slot, rows, cols, plane);
  const StageLook look{plane.difference, context.workspace.log_scale, false};
  const std::string stage = tr(std::string("attention.stage.") + stage_name(slot));
  const std::string title = tr(plane.difference ? "mask.plane.difference" : kPlaneKeys[index], {stage});
  draw_text(Canvas(), fonts().small, position, theme().text_dim,
            middle_truncated(fonts().small, title, size.x));
  const float line = text_size(fonts().small, "X").y + scaled(5), legend = scaled(58);
  if (plane.values.empty()) return;
  MatrixPlot plot;
  plot.key = kPlaneKeys[index];
  plot.values = plane.values;
  plot.style = stage_style(slot, plane.range, look);
  plot.digits = 3;
  plot.masked_numbers = slot != Slot::pattern;
  plot.max_cell = 84.f;
  plot.aspect = 0.6f;
  plot.first_row = rows.begin, plot.first_col = cols.begin;
  plot.total_rows = scene.queries, plot.total_cols = scene.keys;
  set_attention_axes(plot, context, scene);
  plot.rows.title.clear(), plot.cols.title.clear();
  plot.cols.show_labels = size.y > scaled(230);
  plot.lit_row = lit_query_, plot.lit_col = lit_key_;
  plot.frame_colour = with_alpha(theme().text_dim, 0.6f);
  plot.selected_row = context.workspace.cursor.query, plot.selected_col = context.workspace.cursor.key;
  plot.window = &window_;
  const ImVec2 at(position.x, position.y + line), room(size.x - legend, size.y - line);
  const MatrixEvent event = draw_matrix(context.painter, plot, at, room);
  const ImVec2 end = ImGui::GetItemRectMax();
  const float tall = std::min(scaled(90), end.y - event.p0.y);
  draw_legend(plot.style, "", ImVec2(end.x + scaled(10), event.p0.y), ImVec2(scaled(8), tall));
  notice_hover(event);
  if (!event.hovered()) return;
  if (event.clicked)
    pin_cell(context.workspace, context.run,
             cell_at(*scene.trace, scene.site(slot), {scene.head, event.row, event.col}));
  if (event.numbers) return;
  const float value = plane.values.at(event.row - rows.begin, event.col - cols.begin);
  ImGui::SetTooltip("%s",
                    tr("attention.pair", {query_name(context.run, scene, event.row),
                                          key_name(context.run, scene, event.col), number_text(value, 4)})
                        .c_str());
}

void MaskView::draw_right(const ViewContext& context, const AttentionScene& scene, ImVec2 position,
                          ImVec2 size) {
  const std::vector<Slot> stages = attention_stages(*scene.trace, scene.site(Slot::pattern));
  struct Shown {
    Slot slot;
    std::size_t plane;
  };
  std::vector<Shown> planes;  // a recording may lack any but the pattern
  const auto masked = std::find(stages.begin(), stages.end(), Slot::masked);
  if (masked != stages.end() && masked != stages.begin()) planes.push_back({*std::prev(masked), 0});
  if (masked != stages.end()) planes.push_back({Slot::masked, 1});
  planes.push_back({Slot::pattern, 2});
  ImGui::SetCursorScreenPos(position);
  ImGui::BeginGroup();
  section_heading(tr("mask.effect", {std::to_string(scene.head)}));
  ImGui::EndGroup();
  const Record* record = scene.trace->find(scene.site(Slot::pattern));
  const std::int64_t heads = record ? record->shape[0] : 1;
  float top = ImGui::GetItemRectMax().y + scaled(8);
  if (heads > 1) {
    ImGui::SetCursorScreenPos(ImVec2(position.x, top));
    std::int64_t head = scene.head;
    if (slider_int("###mask_head", tr("mask.head"), head, 0, heads - 1,
                   std::min(size.x - scaled(60), scaled(200)), tr("mask.head.help"))
            .changed)
      context.workspace.cursor.head = static_cast<int>(head);
    top = ImGui::GetItemRectMax().y + scaled(10);
  }
  const float gap = scaled(12), high = position.y + size.y - top - scaled(8);
  // Under the mask they stand in a row; where only one has room it is the pattern.
  const bool in_a_row = size.x > 1.3f * high;
  const int all = static_cast<int>(planes.size());
  const int shown = in_a_row ? std::clamp(static_cast<int>(size.x / scaled(230)), 1, all) : all;
  const float share = static_cast<float>(shown);
  const ImVec2 each = in_a_row ? ImVec2((size.x - (share - 1) * gap) / share, high)
                               : ImVec2(size.x, (high - (share - 1) * gap) / share);
  const ImVec2 step = in_a_row ? ImVec2(each.x + gap, 0) : ImVec2(0, each.y + gap);
  for (int i = 0; i < shown; ++i) {
    const float n = static_cast<float>(i);
    const Shown& one = planes[static_cast<std::size_t>(all - shown + i)];
    draw_plane(context, scene, one.slot, one.plane, ImVec2(position.x + n * step.x, top + n * step.y), each);
  }
}

void MaskView::draw(const ViewContext& context) {
  const ImVec2 origin = ImGui::GetCursorScreenPos(), all = ImGui::GetContentRegionAvail();
  AttentionScene scene = scene_of_cursor(context);
  const Site mask = scene.site(Slot::mask);
  const bool edited = MaskBoard::editable(context, scene);
  const std::string sentence = tr(!edited                             ? "mask.sentence.shown"
                                  : scene.part == Part::cross         ? "mask.sentence.cross"
                                  : has_stacks(scene.trace->config()) ? "mask.sentence.stack"
                                                                      : "mask.sentence",
                                  {MaskBoard::rule_text(context, scene)});
  const float top =
      places_heading(context.workspace, context.run, PlaceChips::attentions,
                     tr("mask.title", {place_name(scene.trace->config(), mask)}), sentence, all.x) +
      scaled(14);
  scene = scene_of_cursor(context);  // a chip beside the title chooses another attention
  if (window_keys_ != scene.keys || window_queries_ != scene.queries) window_ = {};
  window_keys_ = scene.keys, window_queries_ = scene.queries;
  const float bottom = origin.y + all.y;
  next_query_ = next_key_ = -1;
  const float gap = scaled(26);
  if (all.x < scaled(kNarrow)) {  // half of the stage: the effect goes below
    const float upper = (bottom - top) * 0.58f;
    draw_left(context, scene, ImVec2(origin.x, top), ImVec2(all.x, upper));
    draw_right(context, scene, ImVec2(origin.x, top + upper + gap),
               ImVec2(all.x, bottom - top - upper - gap));
  } else {
    const float left = all.x * 0.54f;
    draw_left(context, scene, ImVec2(origin.x, top), ImVec2(left, bottom - top));
    draw_right(context, scene, ImVec2(origin.x + left + gap, top), ImVec2(all.x - left - gap, bottom - top));
  }
  lit_query_ = next_query_, lit_key_ = next_key_;
}

}  // namespace

std::unique_ptr<View> make_mask_view() { return std::make_unique<MaskView>(); }

}  // namespace attnscope
