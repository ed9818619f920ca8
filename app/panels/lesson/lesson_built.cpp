// What is built on the page itself until its goals hold, and probes: looks into a run that has a fault.
#include "app/panels/lesson/lesson_built.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_ask.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// Goals and numbers of a new run, but for a number that is being dragged: its run is on its way.
void follow_run(PageDraft& draft, const LessonPlayer& player, const ChangeAsk& ask,
                const ExpressionScope& scope) {
  if (draft.built_of == scope.run.version) return;
  draft.built_of = scope.run.version;
  auto goals = goals_now(player.lesson(), player.page(), scope);
  draft.goals = goals ? *std::move(goals) : std::vector<GoalNow>{};
  draft.knobs.resize(ask.knobs.size());
  for (std::size_t i = 0; i < ask.knobs.size(); ++i) {
    if (draft.knob == static_cast<int>(i)) continue;
    const auto now = numbers_at(ask.knobs[i].place, scope);
    if (now && now->scalar()) draft.knobs[i] = static_cast<float>(now->number());
  }
}

void set_knob(FrameState& state, const std::string& name, const std::string& place, float value) {
  state.commands.edit(Text::of("lessons.edit.number", {name, format("%.2f", static_cast<double>(value))}),
                      "lesson_number_" + place, [place, value](Document& document) -> Status {
                        TRY(auto edit, parse_edit(place + "=" + format("%.9g", static_cast<double>(value))));
                        put_edit(document, std::move(edit));
                        return Done{};
                      });
}

void draw_goals(const std::vector<GoalNow>& goals) {
  const WithVar close(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(1)));
  for (const GoalNow& goal : goals)
    wrapped_text(std::string(goal.reached ? "\u2713 " : "\u25cb ") + goal.words.str(),
                 goal.reached ? theme().ok : theme().text_dim);
}

}  // namespace

void draw_build(FrameState& state, const ChangeAsk& ask) {
  LessonPlayer& player = state.lessons;
  PageDraft& draft = player.draft();
  follow_run(draft, player, ask, player.scope());
  draw_goals(draft.goals);
  gap(4);
  const float width = ImGui::GetContentRegionAvail().x, gutter = px(10), half = (width - gutter) / 2;
  int held = -1;
  for (std::size_t i = 0; i < ask.knobs.size(); ++i) {
    const ChangeAsk::Knob& knob = ask.knobs[i];
    const std::string name = page_words(player.lesson(), player.page(), "number." + knob.id);
    if (i % 2 == 1) ImGui::SameLine(0, gutter);
    ImGui::BeginGroup();
    const SliderEvent event =
        slider_real(("###lesson_number_" + knob.id).c_str(), name, draft.knobs[i],
                    static_cast<float>(ask.least), static_cast<float>(ask.most), "%.2f", half);
    ImGui::EndGroup();
    if (ImGui::IsItemActive()) held = static_cast<int>(i);
    if (event.changed || event.released) set_knob(state, name, knob.place, draft.knobs[i]);
    if (event.released) state.commands.end_gesture();
  }
  draft.knob = held;
}

void draw_looks(FrameState& state, const ChoiceAsk& ask) {
  LessonPlayer& player = state.lessons;
  PageDraft& draft = player.draft();
  const bool over = draft.verdict && draft.verdict->right;
  const int left = ask.budget - static_cast<int>(draft.looked.size());
  const WithFont face(fonts().reading);
  dim_text(tr("lessons.probe.left", {std::to_string(std::max(0, left)), std::to_string(ask.budget)}));
  const WithVar slim(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(1)));
  const WithVar close(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), px(3)));
  const float edge = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool beside = false;  // the one before is a button: the next stands beside it, where it has room
  for (const ChoiceAsk::Look& look : ask.looks) {
    const std::string name = page_words(player.lesson(), player.page(), "look." + look.id);
    const bool button = !draft.looked.contains(look.id);
    if (button && beside && ImGui::GetItemRectMax().x + px(4) + button_width(name) <= edge)
      ImGui::SameLine(0, px(4));
    beside = button;
    if (const auto told = draft.looked.find(look.id); told != draft.looked.end()) {
      const auto& [faulty, whole] = told->second;
      wrapped_text(tr("lessons.probe.tells", {name, faulty.str(), whole.str()}), theme().text);
      continue;
    }
    const DisabledScope spent(left <= 0 && !over);
    if (raised_button(name + "###lesson_look_" + look.id)) player.take_look(look);
  }
  gap(4);
}

void draw_fault_button(FrameState& state) {
  const PageDraft& draft = state.lessons.draft();
  const bool known = draft.shown || (draft.verdict && draft.verdict->right);
  if (!known) return;
  gap(3);
  if (raised_button(tr("lessons.probe.show") + std::string("###lesson_fault")))
    state.lessons.show_fault(state);
  compat::item_tooltip(tr("lessons.probe.show.help"));
}

}  // namespace attnscope
