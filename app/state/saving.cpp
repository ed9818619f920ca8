// FrameState: where work is saved, and under which name.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/state/frame_state.h"
#include "app/state/kept_sessions.h"
#include "core/base/text.h"
#include "core/system/named_files.h"
#include "core/system/places.h"

namespace attnscope {

std::string FrameState::own_path() const {
  const auto& opened = session.document().opened;
  const bool own_file = opened && opened->scene && opened->path.rfind(kScenePrefix, 0) != 0;
  return session_path_.empty() && own_file ? opened->path : session_path_;
}

void FrameState::save() {
  if (!session.document().opened) return;
  const std::string path = own_path();
  if (path.empty())
    ask_save_as = true;
  else
    (void)save_as(path);
}

Status FrameState::save_session_to(const std::string& path) const {
  const auto& opened = session.document().opened;
  if (opened && std::filesystem::path(opened->path).is_absolute()) know_file(opened->path);
  return session.save(path, look_to_keep());
}

std::optional<std::string> FrameState::asked_outside() const {
  return session.error() && !workspace.still ? refused_path(*session.error()) : std::nullopt;
}

void FrameState::answer_outside(bool read) {
  const auto path = asked_outside();
  session.dismiss_error();
  if (!path || !read) return;
  know_file(*path);
  if (lecture.walking()) return lecture.go(*this, lecture.at());
  if (!last_asked_.empty()) open(std::string(last_asked_));
}

std::string FrameState::save_name() const {
  const auto& opened = session.document().opened;
  if (!opened) return {};
  std::string name = file_name(session_path_.empty() ? opened->path : session_path_);
  if (!session_path_.empty() || (opened->scene && !starts_with(name, kScenePrefix))) return name;
  if (opened->scene) return name.substr(std::string(kScenePrefix).size()) + ".json";
  if (starts_with(name, kModelPrefix)) name = name.substr(std::string(kModelPrefix).size());
  if (starts_with(name, kTrainingPath)) name = name.substr(kTrainingPath.size());
  return name + kSessionEnding;
}

Status FrameState::save_to(const std::string& path) {
  if (is_session_path(path)) return save_session_to(path);
  TRY(const Scene scene, scene_of(session.document()));
  TRY_OK(attnscope::save_scene(scene, path));
  session.saved_to(path);
  return Done{};
}

bool FrameState::save_as(const std::string& path) {
  const auto& opened = session.document().opened;
  const bool scene = opened && opened->scene && path.ends_with(".json");
  const std::string to = scene || is_session_path(path) ? path : path + kSessionEnding;
  if (const Status saved = save_to(to); !saved) {
    notify(saved.error());
    return false;
  }
  if (!scene) session_path_ = to;
  session.take_as_kept();
  if (autosaving.waits()) autosave_gone = session.work();
  autosaved.erase(session.work());
  remove_session(autosave_path(session.work()));
  drop_kept({});
  notify(Notice::Kind::good, Text::of(scene ? "frame.save.done" : "session.saved", {to}));
  return true;
}

}  // namespace attnscope
