// The mask view: the attention mask, edited by hand or built from kinds, and its effect: the pattern with the
// model's own mask and with this one, the scores before and after masking, spans of an input under two masks,
// and fully masked rows. The hovered cell is highlighted in all of them. The mask is the document's, the
// planes are the run's.
#include "app/views/mask_view.h"

#include <algorithm>
#include <utility>

#include "app/widgets/cell_edit.h"
#include "app/widgets/clipboard.h"
#include "app/widgets/edit_menu.h"
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
constexpr float kMaskMenu = 150.f, kHeadSlider = 150.f;  // units

}  // namespace

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

std::unique_ptr<View> make_mask_view() { return std::make_unique<MaskView>(); }

}  // namespace attnscope
