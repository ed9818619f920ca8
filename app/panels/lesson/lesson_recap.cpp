#include "app/panels/lesson/lesson_recap.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_ask.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

bool is_done(LessonPlayer& player, const Page& page) {
  const PageProgress* kept = player.progress_of(player.lesson(), page);
  return page.ask.index() == 0 || (kept && kept->right);
}

// Pages that are not answered, each a click away.
void draw_open_pages(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const std::vector<Page>& pages = player.lesson().pages;
  bool first = true;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (is_done(player, pages[i])) continue;
    if (std::exchange(first, false)) dim_text(tr("lessons.recap.missing"));
    const std::string label = std::to_string(i + 1) + "  " + page_words(player.lesson(), pages[i], "title");
    if (ImGui::Selectable((label + "###lesson_open_" + std::to_string(i + 1)).c_str()))
      player.go(state, static_cast<int>(i));
    note_item("lesson_open_" + std::to_string(i + 1));
  }
  if (!first) gap(4);
}

}  // namespace

void draw_recap(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const auto& pages = player.lesson().pages;
  const bool all =
      std::all_of(pages.begin(), pages.end(), [&](const Page& page) { return is_done(player, page); });
  {
    const WithFont face(fonts().title);
    wrapped_text(tr(all ? "lessons.recap" : "lessons.recap.about"), theme().text);
  }
  const std::string goal_key = lesson_key(player.lesson(), "goal");
  const Text goal = Text::of(goal_key);
  if (all && goal.has_words()) reading_text(goal.str(), theme().text, true);
  const std::string key = lesson_key(player.lesson(), "recap");
  const Text recap = Text::of(key);
  if (recap.has_words()) reading_text(recap.str(), theme().text);
  gap(4);
  const auto asked =
      std::count_if(pages.begin(), pages.end(), [](const Page& page) { return page.ask.index() > 0; });
  const auto right = std::count_if(pages.begin(), pages.end(), [&](const Page& page) {
    return page.ask.index() > 0 && is_done(player, page);
  });
  reading_text(tr("lessons.recap.right", {std::to_string(right), std::to_string(asked)}),
               right == asked ? theme().ok : theme().text, true);
  gap(2);
  draw_open_pages(state);
  const bool reads = player.ready() && !player.run().document.sequences.empty() &&
                     !player.run().document.sequences.front().text.empty();
  if (player.lesson().own == Lesson::Own::by_input)
    reading_text(tr(reads ? "lessons.recap.own" : "lessons.recap.own_numbers"), theme().text_dim);
  gap(4);
  if (const Lesson* next = player.following()) {
    reading_text(tr("lessons.recap.next", {lesson_title(*next)}), theme().text, true);
  } else if (player.lesson().number >= 0) {  // a lesson of one's own is none of a row
    reading_text(tr("lessons.recap.last"), theme().text);
  }
  gap(2);
  if (raised_button(tr("lessons.recap.list") + std::string("###lesson_all")))
    (void)perform(state, "learn.list");
}

}  // namespace attnscope
