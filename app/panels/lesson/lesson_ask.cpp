#include "app/panels/lesson/lesson_ask.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "core/base/words.h"
#include "core/lesson/lesson_file.h"
#include "core/session/mask_edits.h"

namespace attnscope {

std::string page_words(const Lesson& lesson, const Page& page, std::string_view what) {
  return tr(page_key(lesson, page, what));
}

void gap(float units) { ImGui::Dummy(ImVec2(1, px(units))); }

void reading_text(const std::string& text, ImU32 colour, bool bold) {
  const WithFont face(bold ? fonts().reading_bold : fonts().reading);
  wrapped_text(text, colour);
}

namespace {

bool draw_field(LessonPlayer& player, const char* hint) {
  PageDraft& draft = player.draft();
  note_text(draft.typed);
  const WithFont mono(fonts().mono);
  ImGui::SetNextItemWidth(px(150));
  const bool entered =
      ImGui::InputTextWithHint("###lesson_answer", hint, &draft.typed, ImGuiInputTextFlags_EnterReturnsTrue);
  note_item("lesson_answer");
  return entered;
}

// Adds line breaks between words so that no line is wider than `width`.
std::string in_lines(const std::string& text, float width) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at), longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && ImGui::CalcTextSize(longer.c_str()).x > width) {
      out += line + "\n";
      line = word;
    } else {
      line = longer;
    }
    at = end + 1;
  }
  return out + line;
}

void draw_choices(FrameState& state, const ChoiceAsk& ask) {
  LessonPlayer& player = state.lessons;
  PageDraft& draft = player.draft();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const ChoiceAsk::Choice& choice : ask.choices) {
    const bool plain = !choice.words.empty();
    const std::string label =
        plain ? choice.words : page_words(player.lesson(), player.page(), "choice." + choice.id);
    note_text(label);
    const WithFont face(plain ? fonts().mono : fonts().reading);
    const float room = right - ImGui::GetCursorStartPos().x - 2 * ImGui::GetStyle().FramePadding.x - px(4);
    const std::string lines = in_lines(label, room);
    const float width = button_width(lines);
    if (!first && ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + px(6) + width < right)
      ImGui::SameLine(0, px(6));
    first = false;
    const WithId scope(choice.id.c_str());
    if (raised_button(lines + "###choice_" + choice.id, draft.choice == choice.id)) {
      draft.choice = choice.id;
      player.check(state.workspace);
    }
  }
}

void draw_chosen(FrameState& state, const char* none) {
  const std::string chosen = state.lessons.answer_words(state.workspace).str();
  note_text(chosen);
  if (chosen.empty()) return dim_text(tr(none));
  dim_text(tr("lessons.chosen"));
  ImGui::SameLine(0, px(6));
  const WithFont mono(fonts().mono);
  wrapped_text(chosen, theme().text);
}

void draw_mask_count(FrameState& state) {
  const RunResult& run = state.lessons.run();
  const int sequence = state.lessons.scope(state.workspace).sequence;
  const std::int64_t length = run.trace(sequence).length;
  const MaskSummary now = mask_summary(mask_of(run.document, 0, sequence), length, length);
  dim_text(tr("lessons.masked", {std::to_string(now.masked), std::to_string(now.pairs)}));
}

void draw_check(FrameState& state, bool entered) {
  const WithFont face(fonts().body_bold);
  if (primary_button(tr("lessons.check") + std::string("###lesson_check")) || entered)
    state.lessons.check(state.workspace);
}

void draw_control(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const AskKind& ask = player.page().ask;
  if (const auto* choice = std::get_if<ChoiceAsk>(&ask)) return draw_choices(state, *choice);
  if (std::holds_alternative<NumberAsk>(ask) || std::holds_alternative<ShapeAsk>(ask)) {
    const bool entered = draw_field(player, std::holds_alternative<ShapeAsk>(ask) ? "(2, 4, 3)" : "0.0");
    ImGui::SameLine(0, px(8));
    return draw_check(state, entered);
  }
  if (!player.ready()) return dim_text(tr("lessons.waiting"));
  if (std::holds_alternative<CellAsk>(ask)) draw_chosen(state, "lessons.no_cell");
  if (std::holds_alternative<HeadAsk>(ask)) draw_chosen(state, "lessons.no_cell");
  if (std::holds_alternative<MaskAsk>(ask)) draw_mask_count(state);
  if (const std::string live = player.live(state.workspace); !live.empty()) {
    dim_text(tr("lessons.live"));
    ImGui::SameLine(0, px(6));
    const WithFont mono(fonts().mono);
    ImGui::TextUnformatted(live.c_str());
  }
  gap(2);
  draw_check(state, false);
}

void draw_verdict(LessonPlayer& player) {
  const PageDraft& draft = player.draft();
  if (draft.complaint) {
    gap(4);
    reading_text(draft.complaint->sentence(), theme().warning);
    if (const std::string hint = draft.complaint->hint(); !hint.empty()) wrapped_text(hint, theme().text_dim);
    return;
  }
  if (!draft.verdict) return;
  gap(4);
  reading_text(draft.verdict->words.str(), draft.verdict->right ? theme().ok : theme().error, true);
  if (draft.shown) wrapped_text(tr("lessons.was_shown"), theme().text_dim);
}

void draw_hints(LessonPlayer& player) {
  const int hints = std::min(player.draft().hints, LessonPlayer::kHints - 1);
  for (int i = 1; i <= hints; ++i) {
    gap(2);
    reading_text(page_words(player.lesson(), player.page(), "hint" + std::to_string(i)), theme().text_dim);
  }
}

}  // namespace

void draw_question(FrameState& state) {
  LessonPlayer& player = state.lessons;
  reading_text(page_words(player.lesson(), player.page(), "ask"), theme().text, true);
  gap(3);
  draw_control(state);
  draw_verdict(player);
  draw_hints(player);
}

void draw_hint_button(FrameState& state) {
  LessonPlayer& player = state.lessons;
  if (player.page().ask.index() == 0) return;
  const int given = player.draft().hints;
  const bool last = given >= LessonPlayer::kHints - 1;
  const DisabledScope done(given >= LessonPlayer::kHints || !player.ready());
  const std::string label =
      last ? std::string(tr("lessons.show_me"))
           : tr("lessons.hint", {std::to_string(given + 1), std::to_string(LessonPlayer::kHints)});
  if (raised_button(label + "###lesson_hint")) player.hint(state);
}

}  // namespace attnscope
