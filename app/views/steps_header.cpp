#include "app/views/steps_header.h"

#include <algorithm>

#include "app/figure/canvas.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/kept_text.h"
#include "app/look/pointed.h"
#include "app/look/text_lines.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kStepsHeaderMostChips = 8;  // more become a number between arrows

float pieces_width(const std::vector<Piece>& pieces, ImFont* font) {
  float width = 0;
  for (const Piece& piece : pieces) width += text_size(piece.small ? fonts().small : font, piece.text).x;
  return width;
}

void draw_formula(const std::vector<Piece>& pieces, ImVec2 at, ImFont* large) {
  const Canvas canvas;
  const float line = text_size(large, "X").y;
  for (const Piece& piece : pieces) {
    ImFont* font = piece.small ? fonts().small : large;
    const float drop = piece.small ? line - text_size(font, "X").y + 2 * ui_scale() : 0;
    draw_text(canvas, font, ImVec2(at.x, at.y + drop), piece.colour ? piece.colour : theme().text,
              piece.text);
    at.x += text_size(font, piece.text).x;
  }
}

bool attention_square(Slot slot) { return is_score_plane(slot); }

// Starts a group of chips: on this line if it fits, else on the next.
void begin_group(const char* caption, float width, bool& first) {
  const float room = ImGui::GetContentRegionMax().x, caption_width = text_size(fonts().small, caption).x;
  if (!first) {
    ImGui::SameLine(0, 22 * ui_scale());
    if (ImGui::GetCursorPosX() + caption_width + width > room) ImGui::NewLine();
  }
  first = false;
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(to_vec4(theme().text_dim), "%s", caption);
}

/// Chips 0 .. count-1, or arrows around the number if there are many; returns the new value. Labels count
/// from `from`. `heads`: the chips are heads of this step, with linked highlighting.
int choose(const char* caption, const char* id, int count, int value, int from, bool& first,
           const Site* heads = nullptr) {
  const bool few = count <= kStepsHeaderMostChips;
  begin_group(caption, few ? static_cast<float>(count) * 38 * ui_scale() : 130 * ui_scale(), first);
  for (int i = 0; few && i < count; ++i) {
    ImGui::SameLine(0, (i ? 4 : 8) * ui_scale());
    const bool lit = heads && head_pointed(heads->stack, heads->part, heads->layer, i);
    if (step_chip(Label(std::to_string(i + from), Label("###", id), std::to_string(i)), i == value,
                  lit ? theme().accent : 0))
      value = i;
    if (heads && ImGui::IsItemHovered()) point_head(heads->stack, heads->part, heads->layer, i);
  }
  if (few) return value;
  ImGui::SameLine(0, 8 * ui_scale());
  if (step_chip(Label("‹###", id, "_less"), false)) value = std::max(0, value - 1);
  ImGui::SameLine(0, 4 * ui_scale());
  step_chip(std::to_string(value + from) + " / " + std::to_string(count - 1 + from) + "###" + id + "_value",
            true);
  ImGui::SameLine(0, 4 * ui_scale());
  if (step_chip(Label("›###", id, "_more"), false)) value = std::min(count - 1, value + 1);
  return value;
}

int heads_of_step(const RunResult& run, const Site& site) {
  const Record* record = run.trace(0).find(site);
  if (!record || site.layer < 0) return 0;
  const bool has = std::find(record->axes.begin(), record->axes.end(), Axis::head) != record->axes.end();
  return has || site.is(StepRole::concat) ? run.trace(0).config().attention_at(site).n_heads : 0;
}

// Label and ID of a part's chip.
const std::string& part_chip(const Site& site) {
  static KeptTexts kept;
  const auto number = [](auto part) { return static_cast<std::uint64_t>(part); };
  return kept.get(text_key({number(site.stack), number(site.layer), number(site.part), number(site.slot)}),
                  [&] { return site_member(site) + "###steps_part_" + to_text(site); });
}

// What the step does, unless a lesson asks to predict it.
std::string steps_header_sentence(const ViewContext& context, const Trace& trace, const Site& site) {
  return context.workspace.hides_doing ? std::string(tr("steps.sentence.held")) : sentence_text(trace, site);
}

// "Scores · block 1", if there is more than one such place.
std::string with_place(const ModelConfig& config, const Site& site, std::string title) {
  if (site.layer >= 0 && (config.n_layers() > 1 || has_stacks(config)))
    return tr("steps.title_block", {title, place_name(config, site)});
  if (has_stacks(config)) return tr("steps.title_block", {title, stack_name(config, site.stack)});
  return title;
}

// Only the title; chips follow on the same line.
void steps_header_draw_title(const StepText& text) {
  const float half = ImGui::GetContentRegionAvail().x * 0.55f;
  compat::push_font(fonts().body_bold);
  ImGui::AlignTextToFramePadding();
  figure_text(middle_truncated(fonts().body_bold, text.title, half));
  ImGui::PopFont();
  compat::item_tooltip(text.more.c_str());
}

// Title and formula on one line, the sentence on the next; the rest as a tooltip.
void draw_short_words(const StepText& text) {
  const float unit = ui_scale(), width = ImGui::GetContentRegionAvail().x - 14 * unit;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_title_and_formula(text, at, width, fonts().title, fonts().formula);
  ImGui::Dummy(ImVec2(width, text_size(fonts().title, "X").y - 2 * unit));
  ImGui::PushStyleColor(ImGuiCol_Text, theme().text_dim);
  figure_text(text.sentence, 0);
  ImGui::PopStyleColor();
  compat::item_tooltip(text.more.c_str());
}

}  // namespace

float site_chip_width(const Label& label) {
  return ImGui::CalcTextSize(label.c_str(), nullptr, true).x + 22 * ui_scale();
}

std::string site_member(const Site& site) {
  return tr(std::string("steps.member.") + std::string(step_of(site.slot).text));
}

bool step_chip(const Label& label, bool on, ImU32 colour, const char* help) {
  const float unit = ui_scale();
  const ImU32 outline = colour ? colour : on ? theme().accent : theme().border;
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, on ? 1.6f * unit : unit);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(11 * unit, 2.5f * unit));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, metric::kRounding * unit);
  ImGui::PushStyleColor(ImGuiCol_Border, outline);
  ImGui::PushStyleColor(ImGuiCol_Button, on ? theme().accent_soft : theme().panel_raised);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme().hovered);
  ImGui::PushStyleColor(ImGuiCol_Text, on ? theme().text : mix(theme().text, theme().text_dim, 0.35f));
  const bool clicked = ImGui::Button(label.c_str());
  ImGui::PopStyleColor(4);
  ImGui::PopStyleVar(3);
  if (help) compat::item_tooltip(help);
  return clicked;
}

StepText step_text(const ViewContext& context, const Figure& figure, int step) {
  const RunResult& run = context.run;
  const Site& site = context.workspace.cursor.step;
  const Trace& trace = run.trace(context.workspace.cursor.sequence);
  StepText out;
  out.title = tr("steps.title",
                 {std::to_string(step + 1), std::to_string(run.steps.size()), title_text(trace, site)});
  out.title = with_place(trace.config(), site, std::move(out.title));
  const Workspace& hides = context.workspace;
  out.sentence = steps_header_sentence(context, trace, site);
  out.long_sentence = attention_square(site.slot) && !hides.hides_doing
                          ? tr("steps.sentence_attention", {out.sentence})
                          : out.sentence;
  if (!hides.hides_doing) out.formula = formula_pieces(trace, site);
  out.shapes = hides.hides_shapes || hides.hides_doing
                   ? std::string("?")
                   : shapes_line(run, figure, hides.cursor.sequence) + "  " + step_letters(run, site);
  out.torch = hides.hides_shapes || hides.hides_code || hides.hides_doing
                  ? std::string()
                  : torch_line(run, site, hides.cursor.sequence);
  out.more = text_of(out.formula) + "\n" + out.sentence + "\n" + out.shapes + "\n" + out.torch;
  return out;
}

// A long title has smaller letters before it is shortened.
ImFont* font_of_title(ImFont* title, const std::string& text, float width) {
  return text_size(title, text).x <= width ? title : fonts().body_bold;
}

void draw_title_and_formula(const StepText& text, ImVec2 at, float width, ImFont* title, ImFont* formula) {
  title = font_of_title(title, text.title, width);
  const float room = width - text_size(title, text.title).x - 24 * ui_scale();
  draw_text(Canvas(), title, at, theme().text, middle_truncated(title, text.title, width));
  for (ImFont* const font : {formula, fonts().mono, fonts().mono_small}) {
    const float wide = pieces_width(text.formula, font);
    if (wide > room) continue;
    return draw_formula(text.formula, ImVec2(at.x + width - wide, at.y + 2 * ui_scale()), font);
  }
}

void draw_step_words(const StepText& text, StepWords words) {
  const float width = ImGui::GetContentRegionAvail().x;
  if (words == StepWords::title) return steps_header_draw_title(text);
  if (words == StepWords::two) return draw_short_words(text);
  ImFont* const letters = font_of_title(fonts().title, text.title, width);
  compat::push_font(letters);
  figure_text(middle_truncated(letters, text.title, width));
  ImGui::PopFont();
  ImGui::PushStyleColor(ImGuiCol_Text, theme().text_dim);
  figure_text(text.long_sentence, 0);
  ImGui::PopStyleColor();
  draw_formula_line(text.formula, text.shapes, text.torch, width);
}

void draw_formula_line(const std::vector<Piece>& formula, const std::string& shapes, const std::string& torch,
                       float width) {
  const float unit = ui_scale(), gap = 34 * unit, line = text_size(fonts().mono_small, "X").y,
              tall = text_size(fonts().formula, "X").y;
  const float formula_width = pieces_width(formula, fonts().formula),
              shapes_width = text_size(fonts().mono_small, shapes).x;
  const float torch_width = text_size(fonts().mono_small, torch).x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Canvas canvas;
  draw_formula(formula, ImVec2(at.x, at.y + 2 * unit), fonts().formula);
  const float base = at.y + 2 * unit + tall - line - 2 * unit;
  ImVec2 shapes_at(at.x + std::max(formula_width + gap, 190 * unit), base), torch_at(0, base);
  if (shapes_at.x + shapes_width > at.x + width) shapes_at = ImVec2(at.x, at.y + tall + 7 * unit);
  torch_at = ImVec2(shapes_at.x + shapes_width + gap, shapes_at.y);
  if (torch_at.x + torch_width > at.x + width)
    torch_at = ImVec2(at.x, std::max(shapes_at.y + line + 3 * unit, at.y + tall + 7 * unit));
  draw_text(canvas, fonts().mono_small, shapes_at, theme().text_dim,
            middle_truncated(fonts().mono_small, shapes, width));
  draw_text(canvas, fonts().mono_small, torch_at, mix(theme().text, theme().text_dim, 0.4f),
            middle_truncated(fonts().mono_small, torch, width));
  const float bottom = std::max({at.y + tall + 4 * unit, torch_at.y + line, shapes_at.y + line});
  ImGui::Dummy(ImVec2(width, bottom - at.y + 3 * unit));
}

bool draw_presented_words(const ViewContext& context, int step, std::string_view note) {
  const RunResult& run = context.run;
  const Site& site = context.workspace.cursor.step;
  const Trace& trace = run.trace(context.workspace.cursor.sequence);
  const float width =
      ImGui::GetContentRegionAvail().x - 14 * ui_scale();  // the right margin equals the left one
  const std::string count = tr("present.step", {std::to_string(step + 1), std::to_string(run.steps.size())});
  const float count_width = text_size(fonts().title, count).x;
  const std::string title = with_place(trace.config(), site, title_text(trace, site));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Canvas canvas;
  const float room = width - count_width - 20 * ui_scale(), tall = text_size(fonts().title, "X").y;
  ImFont* const font = font_of_title(fonts().title, title, room);
  draw_text(canvas, font, ImVec2(at.x, at.y + (tall - text_size(font, "X").y) / 2), theme().text,
            middle_truncated(font, title, room));
  draw_text(canvas, fonts().title, ImVec2(at.x + width - count_width, at.y), theme().text_dim, count);
  const float wide = text_size(fonts().body, note).x, gap = 20 * ui_scale();
  const bool noted = !note.empty() && text_size(font, title).x + gap + wide <= room;
  if (noted)
    draw_text(canvas, fonts().body,
              ImVec2(at.x + room - wide, at.y + (tall - text_size(fonts().body, "X").y) / 2), theme().warning,
              note);
  ImGui::Dummy(ImVec2(width, tall));
  const std::string sentence = steps_header_sentence(context, trace, site);
  note_text(sentence);
  ImGui::PushStyleColor(ImGuiCol_Text, theme().text_dim);
  text_in_lines(sentence);
  ImGui::PopStyleColor();
  return noted;
}

void draw_step_chips(const ViewContext& context, const Figure& figure, int step, bool& whole_vocabulary,
                     bool first) {
  const RunResult& run = context.run;
  Cursor& cursor = context.workspace.cursor;
  const Trace& trace = run.trace(cursor.sequence);
  const auto& sites = run.steps[static_cast<std::size_t>(step)].sites;
  if (sites.size() > 1) {
    float width = 0;
    for (const Site& site : sites) width += site_chip_width(part_chip(site)) + 4 * ui_scale();
    begin_group(tr("steps.choose.part"), width, first);
    for (const Site& site : sites) {
      const float room = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x -
                         ImGui::GetItemRectMax().x - 4 * ui_scale();
      if (site_chip_width(part_chip(site)) <= room) ImGui::SameLine(0, 4 * ui_scale());
      const bool on = site == cursor.step;
      if (step_chip(part_chip(site), on, on ? hue_colour(step_of(site.slot).hue) : 0))
        go_to_site(context.workspace, run, site);
    }
  }
  const int sequences = static_cast<int>(run.traces.size());
  if (sequences > 1)
    cursor.sequence =
        choose(tr("steps.choose.sequence"), "steps_sequence", sequences, cursor.sequence, 1, first);
  const int layers = trace.config().of(cursor.step.stack).n_layers();
  if (cursor.step.layer >= 0 && layers > 1) {
    const int layer = choose(tr("steps.choose.block"), "steps_block", layers, cursor.step.layer, 0, first);
    Site other = cursor.step;
    other.layer = layer;
    if (layer != cursor.step.layer) go_to_site(context.workspace, run, other);
  }
  if (const int heads = heads_of_step(run, cursor.step); heads > 1)
    cursor.head = choose(tr("steps.choose.head"), "steps_head", heads, std::clamp(cursor.head, 0, heads - 1),
                         0, first, &cursor.step);
  if (!is_over_vocabulary(figure.site.slot)) return;
  const auto rows = static_cast<int>(predicted_rows(trace));
  if (rows > 1)
    cursor.query = choose(tr("steps.choose.pos"), "steps_pos", rows,
                          static_cast<int>(std::clamp<std::int64_t>(cursor.query, 0, rows - 1)), 0, first);
  begin_group(tr("steps.choose.vocabulary"), 210 * ui_scale(), first);
  ImGui::SameLine(0, 8 * ui_scale());
  if (step_chip(Label(tr("steps.choose.likely"), "###steps_likely"), !whole_vocabulary))
    whole_vocabulary = false;
  ImGui::SameLine(0, 4 * ui_scale());
  if (step_chip(Label(tr("steps.choose.whole"), "###steps_whole"), whole_vocabulary)) whole_vocabulary = true;
}

ImFont* fitting_font(const std::vector<Piece>& pieces, float width) {
  for (ImFont* const font : {fonts().formula, fonts().mono, fonts().mono_small})
    if (pieces_width(pieces, font) <= width) return font;
  return fonts().mono_tiny;
}

float draw_pieces(const std::vector<Piece>& pieces, ImVec2 position, float width, ImFont* font,
                  int most_lines) {
  const float line = text_size(font, "X").y + 2 * ui_scale();
  const Canvas canvas;
  ImVec2 at = position;
  int lines = 1;
  for (const Piece& piece : pieces) {
    ImFont* const face = piece.small ? fonts().small : font;
    const float drop = piece.small ? text_size(font, "X").y - text_size(face, "X").y + 2 * ui_scale() : 0;
    const float wide = text_size(face, piece.text).x;
    if (at.x > position.x && at.x + wide > position.x + width && lines < most_lines) {
      at = ImVec2(position.x, at.y + line);
      ++lines;
    }
    const float room = std::max(position.x + width - at.x, 0.f);
    const std::string_view text = middle_truncated(face, piece.text, room);
    draw_text(canvas, face, ImVec2(at.x, at.y + drop), piece.colour ? piece.colour : theme().text, text);
    at.x += text_size(face, text).x;
    if (wide > room) break;  // if a sum does not fit, stop: it would be misleading without its middle
  }
  return line * static_cast<float>(lines);
}

}  // namespace attnscope
