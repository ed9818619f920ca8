#include "app/panels/lesson/lesson_ask.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/panels/lesson/lesson_built.h"
#include "app/panels/lesson/lesson_drawn.h"
#include "app/state/controls.h"
#include "core/base/words.h"
#include "core/lesson/lesson_file.h"
#include "core/session/mask_edits.h"

namespace attnscope {

void gap(float units) { ImGui::Dummy(ImVec2(1, px(units))); }

void reading_text(const std::string& text, ImU32 colour, bool bold) {
  const WithFont face(bold ? fonts().reading_bold : fonts().reading);
  wrapped_text(text, colour);
}

namespace {

// The end of the text instead of all of it selected: what was typed before the box had the focus stays.
int go_to_end(ImGuiInputTextCallbackData* data) {
  bool& wanted = *static_cast<bool*>(data->UserData);
  if (wanted) data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  wanted = false;
  return 0;
}

// Takes the last sign of a UTF-8 text away.
void drop_last_sign(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0u) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// What is typed while no field has the focus goes into the box, sign by sign: "-0.5", "(2,4)", "ln 2". While
// the box is getting the focus, more is added to it, and Backspace takes the last sign of what stands there.
// On a projector letters are the presenter's keys.
void take_typed(LessonPlayer& player, bool presented) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || open_popups() > 0 || digits_taken() ||
      !player.takes_typing())
    return;
  const bool goes_on = player.focus_answer || player.answer_end;
  if (std::string& box = player.draft().typed;
      !presented && !box.empty() && compat::key_pressed(compat::Key::backspace, false)) {
    drop_last_sign(box);
    player.focus_answer |= !goes_on;
    return;
  }
  std::string typed = typed_signs();
  if (!goes_on) typed.erase(0, typed.find_first_not_of(' '));
  if (typed.empty() || (presented && !goes_on && std::isalpha(static_cast<unsigned char>(typed.front()))))
    return;
  std::string& box = player.draft().typed;
  box = goes_on ? box + typed : typed;
  player.focus_answer |= !goes_on;
}

bool draw_field(LessonPlayer& player, bool presented, const char* hint) {
  PageDraft& draft = player.draft();
  take_typed(player, presented);
  note_text(draft.typed);
  const WithFont mono(fonts().mono);
  ImGui::SetNextItemWidth(px(200));
  if (std::exchange(player.focus_answer, false)) {
    compat::focus_next_item();
    player.answer_end = true;
  }
  const bool entered =
      ImGui::InputTextWithHint("###lesson_answer", hint, &draft.typed,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways,
                               go_to_end, &player.answer_end);
  note_item("lesson_answer");
  return entered;
}

// Adds line breaks between words so that no line is wider than `width`.
std::string hint_in_lines(const std::string& text, float width) {
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
  const WithVar slim(ImGuiStyleVar_FramePadding,
                     ask.is_probe() ? ImVec2(px(10), px(4)) : ImGui::GetStyle().FramePadding);
  for (const ChoiceAsk::Choice& choice : ask.choices) {
    const bool plain = !choice.words.empty();
    const std::string label =
        plain ? choice.words : page_words(player.lesson(), player.page(), "choice." + choice.id);
    note_text(label);
    const WithFont face(plain ? fonts().mono : fonts().reading);
    const float room = right - ImGui::GetCursorStartPos().x - 2 * ImGui::GetStyle().FramePadding.x - px(4);
    const std::string lines = hint_in_lines(label, room);
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
  // A cursor in another model is no answer.
  const bool here = state.session.opened_version() == state.lessons.run().opened_version;
  const std::string chosen = here ? state.lessons.answer_words(state.workspace).str() : std::string();
  note_text(chosen);
  if (chosen.empty()) return dim_text(tr(none));
  dim_text(tr("lessons.chosen"));
  ImGui::SameLine(0, px(6));
  const WithFont mono(fonts().mono);
  wrapped_text(chosen, theme().text);
}

void draw_mask_count(FrameState& state) {
  const RunResult& run = state.lessons.run();
  const int sequence = state.lessons.scope().sequence;
  const std::int64_t length = run.trace(sequence).length;
  const MaskSummary now = mask_summary(mask_of(run.document, 0, sequence), length, length);
  dim_text(tr("lessons.masked", {std::to_string(now.masked), std::to_string(now.pairs)}));
}

void draw_control(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const AskKind& ask = player.page().ask;
  if (const auto* choice = std::get_if<ChoiceAsk>(&ask)) {
    if (choice->is_probe()) draw_looks(state, *choice);
    return draw_choices(state, *choice);
  }
  if (std::holds_alternative<NumberAsk>(ask) || std::holds_alternative<ShapeAsk>(ask)) {
    const bool shape = std::holds_alternative<ShapeAsk>(ask);
    if (draw_field(player, state.presenter.on, shape ? "(7, 5, 9)" : tr("lessons.number")))
      player.check(state.workspace);
    state.workspace.moving |= player.answer_end;  // it gets the focus before the next digit comes
    return shape ? void() : wrapped_text(tr("lessons.sum"), theme().text_dim);
  }
  if (const auto* bars = std::get_if<BarsAsk>(&ask))
    return bars->is_curve() ? draw_curve(state, *bars) : draw_bars(state);
  if (std::holds_alternative<OrderAsk>(ask)) return draw_order(state);
  if (!player.ready()) return draw_waiting(player);
  if (const auto* change = std::get_if<ChangeAsk>(&ask); change && change->is_build())
    return draw_build(state, *change);
  if (std::holds_alternative<CellAsk>(ask)) draw_chosen(state, "lessons.no_cell");
  if (std::holds_alternative<HeadAsk>(ask)) draw_chosen(state, "lessons.no_cell");
  if (std::holds_alternative<MaskAsk>(ask)) draw_mask_count(state);
  if (const Text live = player.live(); !live.empty()) reading_text(live.str(), theme().text_dim);
}

void say_verdict(LessonPlayer& player) {
  const PageDraft& draft = player.draft();
  if (draft.complaint) {
    reading_text(draft.complaint->sentence(), theme().warning);
    if (const std::string hint = draft.complaint->hint(); !hint.empty()) wrapped_text(hint, theme().text_dim);
    return;
  }
  if (!draft.verdict) return;
  reading_text(draft.verdict->words.str(), draft.verdict->right ? theme().ok : theme().error, true);
  if (draft.shown) wrapped_text(tr("lessons.was_shown"), theme().text_dim);
  if (!draft.because.empty()) {
    gap(2);
    dim_text(tr("lessons.because"));
    reading_text(draft.because.str(), theme().text);
  }
}

// Labs and views that go on from here, once the page was answered.
void draw_explores(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const Page& page = player.page();
  const bool asks = page.ask.index() > 0;
  if (page.explores.empty() || (asks && !player.told())) return;
  gap(3);
  ImGui::AlignTextToFramePadding();
  dim_text(tr("lessons.explore"));
  const float right = ImGui::GetContentRegionAvail().x;
  int number = 0;
  for (const Explore& one : page.explores) {
    const std::string label = explore_words(one).str();
    const float end = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + px(6) + button_width(label);
    if (end <= right) ImGui::SameLine(0, px(6));
    if (raised_button(label + "###lesson_explore_" + std::to_string(number++)))
      LessonPlayer::explore(state, one);
    compat::item_tooltip(tr("lessons.explore.help"));
  }
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
  if (const auto* choice = std::get_if<ChoiceAsk>(&player.page().ask); choice && choice->is_probe())
    draw_fault_button(state);
  draw_hints(player);
}

void draw_verdict(FrameState& state) {
  say_verdict(state.lessons);
  draw_explores(state);
}

void draw_check_button(FrameState& state) {
  const AskKind& ask = state.lessons.page().ask;
  if (ask.index() == 0 || std::holds_alternative<ChoiceAsk>(ask)) return;
  const DisabledScope done(!state.lessons.ready());
  const WithFont face(fonts().body_bold);
  // A cell that is clicked, and the right head, are judged at once.
  const bool chosen = std::holds_alternative<CellAsk>(ask) || std::holds_alternative<HeadAsk>(ask);
  const std::string label = tr("lessons.check") + std::string("###lesson_check");
  if (chosen ? raised_button(label) : primary_button(label)) state.lessons.check(state.workspace);
}

float hint_width() {
  float out = button_width(tr("lessons.show_me"));
  for (int hint = 1; hint < LessonPlayer::kHints; ++hint)
    out = std::max(
        out, button_width(tr("lessons.hint", {std::to_string(hint), std::to_string(LessonPlayer::kHints)})));
  return out;
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
