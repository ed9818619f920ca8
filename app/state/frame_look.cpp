// What is looked at, as sessions keep it: the cursor, what was chosen in each view, the sizes of the layout.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/state/cursor.h"
#include "app/state/frame_state.h"
#include "app/state/session_look.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

// Sizes of the layout: saved with a session, not with a page of a lesson.
void keep_room(Workspace& workspace, Choices choices) {
  choices.of("stage_share", workspace.stage_share, 0.2f, 0.8f);
  choices.of("map_width", workspace.map_width, 120.f, 520.f);
  choices.of("inspector_width", workspace.inspector_width, 120.f, 520.f);
  choices.of("timeline_height", workspace.timeline_height, 64.f, 260.f);
}

}  // namespace

void FrameState::take_session_cursor(const RunResult& result) {
  if (look_) take_cursor(*look_, result, workspace);
  if (look_) choices_ = std::exchange(look_, {});
}

void FrameState::take_choices() {
  const std::optional<nlohmann::json> look = std::exchange(choices_, {});
  if (look) take_views(*look);
  if (chosen_.is_null() || session.opening()) return;
  for (const auto& view : views)
    if (chosen_.contains(view->id())) choose_in(*view, chosen_[view->id()]);
  chosen_ = nullptr;
}

void FrameState::take_views(const nlohmann::json& look) {
  std::optional<PathsIn> named;
  if (look_file_) named.emplace(*look_file_);
  const auto take = [&](const std::vector<std::unique_ptr<View>>& half, const char* key) {
    const nlohmann::json all = look.value(key, nlohmann::json::object());
    for (const auto& view : half) {
      nlohmann::json chosen = usual_choices_[view->id()];
      if (all.is_object() && all.contains(view->id()) && all[view->id()].is_object())
        chosen.update(all[view->id()]);
      Choices choices(std::as_const(chosen));
      view->keep(choices);
    }
  };
  take(views, "views");
  take(second_views, "second_views");
  if (look.contains("room")) keep_room(workspace, Choices(std::as_const(look["room"])));
}

nlohmann::json FrameState::chosen_in_view(const std::string& id) const {
  const auto found =
      std::find_if(views.begin(), views.end(), [&](const auto& view) { return view->id() == id; });
  return found == views.end() ? nlohmann::json::object() : chosen_in(**found);
}

nlohmann::json FrameState::look() const {
  nlohmann::json out = look_of(workspace);
  const auto put = [&](const std::vector<std::unique_ptr<View>>& half, const char* key) {
    for (const auto& view : half)
      if (nlohmann::json chosen = chosen_in(*view); chosen != usual_choices_.at(view->id()))
        out[key][view->id()] = std::move(chosen);
  };
  put(views, "views");
  if (!workspace.second_view.empty()) put(second_views, "second_views");
  nlohmann::json& room = out["room"] = nlohmann::json::object();
  Workspace copy = workspace;
  keep_room(copy, Choices(room));
  return out;
}

nlohmann::json FrameState::look_to_keep() const {
  nlohmann::json out = look();
  if (nlohmann::json slides = lecture.part(); !slides.is_null()) out["lecture"] = std::move(slides);
  return out;
}

}  // namespace attnscope
