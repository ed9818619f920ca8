#include "app/frame_state.h"

#include <algorithm>
#include <filesystem>

#include "app/input_picture.h"
#include "app/look/assets.h"
#include "app/look/fonts.h"
#include "app/look/strings.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 10;

std::string in_language(const LocalText& text) {
  return language() == "ko" && !text.ko.empty() ? text.ko : text.en;
}

/// The path from the root on, so that a recent file is found from any folder.
std::string whole_path(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

}  // namespace

FrameState::FrameState(Session& the_session) : session(the_session) {
  for (const ViewRow& row : view_table()) views.push_back(row.make());
  std::sort(views.begin(), views.end(), [](const auto& a, const auto& b) { return a->order() < b->order(); });
}

View* FrameState::view(const std::string& id) const {
  for (const auto& row : views)
    if (id == row->id()) return row.get();
  return nullptr;
}

const std::vector<ShippedScene>& FrameState::scenes() {
  if (scenes_language_ == language()) return scenes_;
  scenes_language_ = language();
  scenes_.clear();
  for (const std::string_view path : assets_under("assets/scenes/")) {
    if (fs::path(path).extension() != ".json") continue;
    const std::string name = fs::path(path).stem().string();
    const Result<Scene> scene = scene_from_text(asset(path), name);
    scenes_.push_back({name, scene ? in_language(scene->title) : name});
    note_text(scenes_.back().title);
  }
  return scenes_;
}

void FrameState::notify(Notice::Kind kind, std::string text, std::string hint, double seconds) {
  note_text(text);
  note_text(hint);
  std::erase_if(notices, [&](const Notice& notice) { return notice.text == text; });
  notices.push_back({kind, std::move(text), std::move(hint), seconds});
}

void FrameState::drop(const std::string& path) {
  if (!is_picture_file(path)) return open(path);
  const auto& model = session.document().model;
  if (model && model->config().sees()) {
    ask_picture = path;
    return;
  }
  notify(Notice::Kind::warning, tr("input.no_eyes", {file_name(path)}), tr("input.no_eyes.hint"), 0);
}

void FrameState::open(const std::string& path) {
  if (path.rfind(kScenePrefix, 0) == 0) return open_shipped(path.substr(std::string(kScenePrefix).size()));
  const std::string whole = whole_path(path);
  std::erase(settings.recent, whole);
  settings.recent.insert(settings.recent.begin(), whole);
  if (settings.recent.size() > kMostRecent) settings.recent.resize(kMostRecent);
  session.open(whole);
}

void FrameState::open_shipped(const std::string& name) {
  const std::string_view text = asset("assets/scenes/" + name + ".json");
  session.open_scene(std::string(text), kScenePrefix + name);
}

void FrameState::save_scene() {
  const auto& opened = session.document().opened;
  if (!opened || !opened->scene)
    return notify(Notice::Kind::info, tr("frame.save.no_scene"), tr("frame.save.no_scene.hint"));
  if (opened->path.rfind(kScenePrefix, 0) == 0) {
    ask_save_as = true;
  } else {
    save_scene_as(opened->path);
  }
}

void FrameState::save_scene_as(const std::string& path) {
  const Result<Scene> scene = scene_of(session.document());
  const Status saved = scene ? attnscope::save_scene(*scene, path) : Status(scene.error());
  if (!saved) return notify(Notice::Kind::warning, saved.error().sentence, saved.error().hint, 0);
  notify(Notice::Kind::good, tr("frame.save.done", {path}));
}

void FrameState::write_picture(const std::string& path, std::shared_ptr<const Image> image) {
  writing_ = std::make_shared<Writing>();
  writing_->path = path;
  session.jobs().submit("export", [writing = writing_, image = std::move(image)](const std::atomic<bool>&) {
    writing->status = write_png(writing->path, *image);
    writing->done = true;
  });
}

void FrameState::poll_writing() {
  if (!writing_ || !writing_->done) return;
  const std::shared_ptr<Writing> written = std::exchange(writing_, nullptr);
  if (written->status) return notify(Notice::Kind::good, tr("frame.export.done", {written->path}), {}, 8);
  notify(Notice::Kind::warning, written->status.error().sentence, written->status.error().hint, 0);
}

void FrameState::set_theme(ThemeKind kind) {
  settings.theme = kind;
  attnscope::set_theme(kind);
  apply_imgui_style(ui_scale());
}

void FrameState::set_language(const std::string& wanted) {
  if (!attnscope::set_language(wanted)) return;
  settings.language = wanted;
  note_text(all_texts());
}

std::string opened_title(const OpenedModel& opened) {
  if (opened.scene && !opened.scene->title.en.empty()) return in_language(opened.scene->title);
  return opened.title;
}

std::string file_name(const std::string& path) {
  const fs::path whole(path);
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

}  // namespace attnscope
