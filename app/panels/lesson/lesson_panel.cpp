#include "app/panels/lesson/lesson_panel.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lesson/lesson_file.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

std::string words(const Lesson& lesson, const Page& page, std::string_view what) {
  return tr(page_key(lesson, page, what));
}

void gap(float units) { ImGui::Dummy(ImVec2(1, px(units))); }

void reading_text(const std::string& text, ImU32 colour, bool bold = false) {
  const WithFont face(bold ? fonts().reading_bold : fonts().reading);
  wrapped_text(text, colour);
}

// ---- head: lesson, page, bar ----------------------------------------------------------------------

void draw_bar(float share) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), theme().border, height / 2);
  list->AddRectFilled(at, ImVec2(at.x + width * share, at.y + height), theme().accent, height / 2);
  ImGui::Dummy(ImVec2(width, height));
}

void draw_head(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const Lesson& lesson = player.lesson();
  const int pages = static_cast<int>(lesson.pages.size());
  const std::string title = tr(lesson_key(lesson, "title"));
  const std::string where = tr(
      lesson.number > 0 ? "lessons.where" : "lessons.where.own",
      {std::to_string(lesson.number), title, std::to_string(player.page_index() + 1), std::to_string(pages)});
  const float room = ImGui::GetContentRegionAvail().x - px(24);
  const ImVec2 line = ImGui::GetCursorPos();
  dim_text(shortened(where, room));
  ImGui::SetCursorPos(ImVec2(line.x + room + px(4), line.y - px(2)));
  if (close_button("###lesson_close")) player.close(state);
  compat::item_tooltip(tr("lessons.close"));
  ImGui::SetCursorPos(ImVec2(line.x, line.y + ImGui::GetTextLineHeight() + px(8)));
  draw_bar(static_cast<float>(player.page_index() + 1) / static_cast<float>(pages));
}

// ---- the control of an ask ------------------------------------------------------------------------

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

void draw_choices(FrameState& state, const ChoiceAsk& ask) {
  LessonPlayer& player = state.lessons;
  PageDraft& draft = player.draft();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  bool first = true;
  for (const ChoiceAsk::Choice& choice : ask.choices) {
    const bool plain = !choice.words.empty();
    const std::string label =
        plain ? choice.words : words(player.lesson(), player.page(), "choice." + choice.id);
    note_text(label);
    const WithFont face(plain ? fonts().mono : fonts().reading);
    const float width = std::min(button_width(label), right - ImGui::GetStyle().ItemSpacing.x);
    if (!first && ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + px(6) + width < right)
      ImGui::SameLine(0, px(6));
    first = false;
    const WithId scope(choice.id.c_str());
    if (raised_button(shortened(label, right - px(40)) + "###choice_" + choice.id,
                      draft.choice == choice.id)) {
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
  ImGui::TextUnformatted(chosen.c_str());
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
    reading_text(words(player.lesson(), player.page(), "hint" + std::to_string(i)), theme().text_dim);
  }
}

// The card of what is asked: as tall as what it held in the frame before.
void draw_ask(FrameState& state) {
  LessonPlayer& player = state.lessons;
  if (player.page().ask.index() == 0) return;
  const ImVec2 p0 = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, pad = px(13);
  const ImVec2 p1(p0.x + width, p0.y + player.card_height + 2 * pad);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(p0, p1, theme().panel_raised, px(metric::kRounding));
  list->AddRect(p0, p1, theme().border, px(metric::kRounding));
  ImGui::SetCursorScreenPos(ImVec2(p0.x + pad, p0.y + pad));
  compat::begin_child("###lesson_card", ImVec2(width - 2 * pad, std::max(1.f, player.card_height)), false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  reading_text(words(player.lesson(), player.page(), "ask"), theme().text, true);
  gap(3);
  draw_control(state);
  draw_verdict(player);
  draw_hints(player);
  player.card_height = ImGui::GetCursorPosY();
  ImGui::EndChild();
  ImGui::SetCursorScreenPos(ImVec2(p0.x, p1.y));
  gap(1);
}

// ---- the way on -----------------------------------------------------------------------------------

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

void draw_way(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const int pages = static_cast<int>(player.lesson().pages.size()), page = player.page_index();
  const float line = ImGui::GetCursorPosY(),
              right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  draw_hint_button(state);
  const std::string previous = "\u25c0 " + std::string(tr("lessons.previous")),
                    next = std::string(tr("lessons.next")) + " \u25b6";
  const float width = button_width(previous) + px(8) + button_width(next);
  ImGui::SetCursorPos(ImVec2(right - width, line));
  {
    const DisabledScope first(page == 0);
    if (raised_button(previous + "###lesson_previous")) player.go(state, page - 1);
  }
  ImGui::SameLine(0, px(8));
  const DisabledScope last(page + 1 >= pages);
  const bool right_now = player.draft().verdict && player.draft().verdict->right;
  const std::string on = next + "###lesson_next";
  if (right_now ? primary_button(on) : raised_button(on, page + 1 < pages)) player.go(state, page + 1);
}

/// A sign before the name of a page: answered, shown, here, still to come.
void draw_sign(ImVec2 centre, const PageProgress* done, bool here) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float r = px(4.5f);
  if (done && done->right) {
    const ImVec2 tick[] = {ImVec2(centre.x - r, centre.y), ImVec2(centre.x - r * 0.25f, centre.y + r * 0.75f),
                           ImVec2(centre.x + r, centre.y - r * 0.8f)};
    list->AddPolyline(tick, 3, theme().ok, 0, px(1.8f));
  } else if (here) {
    list->AddCircleFilled(centre, r, theme().accent);
  } else {
    list->AddCircle(centre, r, done && done->touched() ? theme().warning : theme().text_dim, 0, px(1.3f));
  }
}

void draw_pages(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const Lesson& lesson = player.lesson();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float line = ImGui::GetTextLineHeight() + px(11);
  const bool room =
      ImGui::GetContentRegionAvail().y > line * static_cast<float>((lesson.pages.size() + 3) / 2);
  for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
    const Page& page = lesson.pages[i];
    const bool here = static_cast<int>(i) == player.page_index();
    const std::string number = std::to_string(i + 1), title = words(lesson, page, "title");
    const std::string name = room ? shortened(number + " " + title, right - px(30)) : number;
    const float width = ImGui::CalcTextSize(name.c_str()).x + px(18);
    if (i > 0) {
      const float after = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + ImGui::GetScrollX() + px(12);
      if (after + width < right) ImGui::SameLine(0, px(12));
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight() + px(4);
    const WithId scope(static_cast<int>(i));
    if (ImGui::InvisibleButton(("###lesson_page_" + std::to_string(i + 1)).c_str(), ImVec2(width, height)))
      player.go(state, static_cast<int>(i));
    note_item("lesson_page_" + std::to_string(i + 1));
    if (!room) compat::item_tooltip(title.c_str());
    draw_sign(ImVec2(at.x + px(6), at.y + height / 2), player.progress_of(lesson, page), here);
    const ImU32 ink = here ? theme().accent : ImGui::IsItemHovered() ? theme().text : theme().text_dim;
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + px(16), at.y + px(2)), ink, name.c_str());
  }
}

}  // namespace

void draw_lesson_panel(FrameState& state) {
  LessonPlayer& player = state.lessons;
  if (!player.open()) return;
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(7)));
  compat::begin_child("###lesson_body", ImVec2(ImGui::GetContentRegionAvail().x - px(10), 0), false);
  draw_head(state);
  if (player.open()) {
    gap(3);
    {
      const WithFont face(fonts().title);
      wrapped_text(words(player.lesson(), player.page(), "title"), theme().text);
    }
    reading_text(words(player.lesson(), player.page(), "text"), theme().text);
    gap(3);
    draw_ask(state);
    gap(3);
    draw_way(state);
    gap(4);
    draw_pages(state);
  }
  ImGui::EndChild();
}

void draw_lesson_switch(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const bool covered = player.ready() && !player.page().hides.empty() && player.covers();
  if (covered) player.inspecting = false;
  if (chip(tr("lessons.tab") + std::string("###lesson_tab"), !player.inspecting)) player.inspecting = false;
  ImGui::SameLine(0, px(6));
  const DisabledScope hidden(covered);
  if (chip(tr("inspector.title") + std::string("###lesson_inspector"), player.inspecting))
    player.inspecting = true;
}

}  // namespace attnscope
