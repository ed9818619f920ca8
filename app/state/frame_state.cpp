#include "app/state/frame_state.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/look/fonts.h"
#include "app/state/kept_sessions.h"
#include "app/state/session_look.h"
#include "core/arch/described.h"
#include "core/arch/random_model.h"
#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/carried.h"
#include "core/session/figure_session.h"
#include "core/system/named_files.h"
#include "core/system/places.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 10;

constexpr const char* kModelsFolder = "assets/models/";

/// The title of a shipped model (which = "") or description (".what"); its file name if it has none.
std::string shipped_text(const std::string& name, const char* which) {
  const std::string key = "shipped." + name + which;
  return has_string(key) ? tr(key) : *which ? std::string() : name;
}

/// Absolute path, so that a recent file is found from any working directory.
std::string whole_path(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

}  // namespace

FrameState::FrameState(Session& the_session) : session(the_session) {
  for (auto* half : {&views, &second_views}) *half = make_views();
  for (const auto& view : views) usual_choices_[view->id()] = chosen_in(*view);
  session.keep_look([this]() -> std::shared_ptr<const nlohmann::json> {
    const std::optional<nlohmann::json> before = std::exchange(leaving_look_, {});
    return std::make_shared<const nlohmann::json>(nlohmann::json{
        {"look", before ? *before : look()}, {"session", session_path_}, {"kept", kept_path_}});
  });
}

FrameState::~FrameState() { session.keep_look({}); }

View* FrameState::view(const std::string& id, bool second) const {
  for (const auto& row : second ? second_views : views)
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

const std::vector<ShippedModel>& FrameState::models() {
  if (models_language_ == language()) return models_;
  models_language_ = language();
  models_.clear();
  const auto add = [&](const std::string& name) {
    const auto same = [&](const ShippedModel& model) { return model.name == name; };
    if (std::any_of(models_.begin(), models_.end(), same)) return;
    models_.push_back({name, shipped_text(name, ""), shipped_text(name, ".what")});
    note_text(models_.back().title + models_.back().sentence);
  };
  const std::vector<std::string_view> paths = assets_under(kModelsFolder);
  const auto shipped = [&](const std::string& name) {
    return asset(kModelsFolder + name + "/config.json").data() != nullptr;
  };
  for (const auto& task : tasks())  // in the order of the tasks, then all others
    if (shipped(std::string(task->name()))) add(std::string(task->name()));
  for (const std::string_view path : paths) {
    const std::string name = fs::path(path).parent_path().filename().string();
    if (shipped(name)) add(name);
  }
  return models_;
}

void FrameState::show_view(std::string_view id, bool second) {
  (second ? workspace.second_view : workspace.view) = id;
  const View* shown = view(std::string(id), second);
  if (shown && !shown->shows_runs()) workspace.shows_pinned[second ? 1 : 0] = false;
}

void FrameState::open_second_view(const std::string& first) {
  const View* shown = view(first);
  const bool compares = session.pinned() != nullptr && shown && shown->shows_runs();
  workspace.shows_pinned = {compares, false};
  second_active = false;
  workspace.second_view.clear();
  for (const auto& one : views)
    if (workspace.second_view.empty() && compares == (first == one->id())) workspace.second_view = one->id();
}

Level shown_level(const FrameState& state) {
  const bool panels = state.lessons.open() && !state.lessons.lesson().easy;
  return panels ? Level::full : state.workspace.level;
}

void FrameState::notify(Notice::Kind kind, Text text, Text hint, double seconds) {
  const std::string words = text.str();
  note_text(words);
  note_text(hint.str());
  // What was done last takes the place of what was done before it, and of the same news.
  std::erase_if(notices, [&](const Notice& notice) {
    const bool done = kind == Notice::Kind::good && notice.kind == kind;
    return done || notice.text.str() == words;
  });
  notices.push_back({kind, std::move(text), std::move(hint), seconds, {}});
}

void FrameState::drop(const std::string& path) {
  if (!is_picture_file(path)) return open(path);
  if (is_figure_path(path)) {
    const auto carried = read_carried_session(path, kReadAtOnceBytes);  // more than that is damage to it
    if (carried || carried.error().code() != Code::not_found) return open(path);  // what is damaged says so
  }
  const auto& model = session.document().model;
  if (model && model->config().sees()) {
    ask_picture = path;
    return;
  }
  notify(Notice::Kind::warning, Text::of("input.no_eyes", {file_name(path)}),
         is_figure_path(path) ? Text::of("error.export.stripped", {in_quotes(file_name(path))})
                              : Text::of("input.no_eyes.hint"),
         0);
}

void FrameState::open_data(DataChoice choice) {
  if (!choice.is_task()) {
    choice.path = whole_path(choice.path);
    if (!workspace.still) know_file(choice.path);
  }
  session.open_data(std::move(choice));
}

void FrameState::adapt(const LoraChoice& lora) {
  if (!workspace.still) know_file(lora.folder);
  session.adapt(lora, Text::of("inspector.lora.added", {lora_name(lora)}));
}

void FrameState::open(const std::string& path) {
  if (is_data_path(path)) return open_data({path, {}, 0, 0});
  const std::string folder = lora_folder(path);  // a merged model's folder may have one's config, too
  std::error_code ignored;
  if (!folder.empty() && session.document().opened && !fs::exists(fs::path(folder) / "config.json", ignored))
    return adapt({whole_path(folder), 1, true});
  note_leaving();
  asked_session_.reset();
  if (path.rfind(kScenePrefix, 0) == 0) return open_shipped(path.substr(std::string(kScenePrefix).size()));
  if (path.rfind(kModelPrefix, 0) == 0)
    return open_shipped_model(path.substr(std::string(kModelPrefix).size()));
  if (fs::path(path).extension() == ".json" && lonely_config(path) && is_config_file(path)) {
    const nlohmann::json chosen = {{"file", whole_path(path)}};  // a config alone cannot be run
    Choices choices(chosen);
    view("calculator")->keep(choices);
    workspace.view = "calculator";
    const bool nothing = !session.document().opened && !session.opening();  // views need an open document
    if (nothing) models().empty() ? open_shipped(kDefaultScene) : open_shipped_model(kDefaultModel);
    return notify(Notice::Kind::good, Text::of("calculator.file.alone", {file_name(path)}));
  }
  asked_path_ = path.starts_with(kRandomPrefix) ? path : whole_path(path);
  last_asked_ = asked_path_;
  if (!workspace.still) know_file(asked_path_);
  if (is_lecture_path(path)) {
    if (const Status begun = lecture.start(*this, asked_path_); !begun) session.report(begun.error());
    return;
  }
  const bool session_or_figure = is_session_path(path) || is_figure_path(path);
  if (!session_or_figure) return session.open(asked_path_, std::exchange(adapter, {}));
  reading_.reset();
  if (!workspace.still && !reads_at_once(asked_path_)) return read_beside(asked_path_);
  Result<SessionFile> file = open_session_file(asked_path_);
  if (!file) return session.report(file.error());
  open_session(*std::move(file));
}

void FrameState::open_session(SessionFile file) {
  if (const Status may = may_open_model(file); !may) return session.report(may.error());
  std::error_code ignored;
  const bool shipped = file.model.starts_with(kModelPrefix) || file.model.starts_with(kRandomPrefix);
  const bool moved = file.scene.empty() && !shipped && !fs::exists(file.model, ignored);
  if (moved && workspace.still)  // no dialog while pictures are taken
    return session.report(fail(Code::not_found, "error.app.session_moved", {file.model}));
  if (moved) {
    notify(Notice::Kind::warning, Text::of("session.moved", {file.model}), Text::of("session.moved.hint"), 0);
    browse = BrowseRequest{false, "session.moved.title", {}, {}, false, true};
    browse->chosen = [this, file](const std::string& path) mutable {
      know_file(path);
      file.model = path;
      open_session(std::move(file));
    };
    return;
  }
  take_look(file.look(), workspace);
  asked_session_ = file;
  if (!adapter.empty()) file.lora = std::exchange(adapter, {});
  session.open_document([file = std::move(file)](const std::atomic<bool>& cancel) {
    const PathsIn named(file.path);
    Result<OpenedModel> opened = open_model_of(file, {.lora = file.lora});
    if (!opened) return Result<Document>(opened.error());
    return document_of(file, *std::move(opened), &cancel);
  });
}

void FrameState::remember_opened() {
  const bool other_work = std::exchange(opened_work_, session.work()) != session.work();
  if (const auto left = session.take_look()) return take_left(*left);
  leaving_look_.reset();
  const auto& opened = session.document().opened;
  const std::string path = std::exchange(asked_path_, {});
  const std::optional<SessionFile> from = std::exchange(asked_session_, {});
  const bool kept = from && is_kept_session(from->path);
  const bool figure = from && is_figure_path(from->path);  // is not saved over
  session_path_ = from && !kept && !figure ? from->path : std::string();
  kept_path_ = kept ? from->path : std::string();
  kept_version_ = kept ? session.history().version() : 0;
  look_.reset();
  if (from) look_ = from->look();
  const std::optional<SessionFile> slide = std::exchange(asked_slide_, {});
  look_file_ = from ? std::optional(from->path) : slide ? std::optional(slide->path) : std::nullopt;
  if (page_look_ && !slide) look_file_ = "";  // a lesson's page names no file of a view
  if (slide && page_look_) take_look(*page_look_, workspace);
  if (auto look = std::exchange(page_look_, {})) look_ = std::move(look);
  if (other_work && !look_) workspace.breakpoints.clear();  // they belonged to the other model
  tell_left();
  if (from) session.train_from(*from);
  if (from) lecture.take_part(*this, from->look().value("lecture", nlohmann::json()), from->path, kept);
  if (const auto& made = from ? from : slide)
    session.pin([file = *made, document = session.document()](const std::atomic<bool>& cancel) {
      return pinned_of(file, document, &cancel);
    });
  if (path.empty() || path.starts_with(kRandomPrefix) || !opened || kept) return;
  const bool inside = fs::path(path).parent_path() == fs::path(opened->path);  // of a file inside the folder
  if (!from && opened->path != path && !inside) return;
  if (!workspace.still) know_file(opened->path);
  put_recent(path);
}

void FrameState::put_recent(const std::string& path) {
  std::erase(settings.recent, path);
  settings.recent.insert(settings.recent.begin(), path);
  if (settings.recent.size() > kMostRecent) settings.recent.resize(kMostRecent);
}

// Views and cursor are taken when the document is there: until then the slide before is on the screen.
void FrameState::open_slide(const SessionFile& slide) {
  note_leaving();
  asked_session_.reset();
  asked_path_.clear();
  nlohmann::json look = look_of(Workspace{});
  look.erase("cursor");
  look["view"] = "attention";
  if (slide.look().is_object()) look.update(slide.look());
  look.erase("room");
  look.erase("lecture");
  page_look_ = std::move(look);
  asked_slide_ = slide;
  session.open_document([slide](const std::atomic<bool>& cancel) { return slide_document(slide, &cancel); },
                        OpenedAs::page);
}

void FrameState::open_shipped(const std::string& name) {
  note_leaving();
  asked_session_.reset();
  const std::string_view text = asset("assets/scenes/" + name + ".json");
  if (text.empty()) return session.report(fail(Code::not_found, "shipped.unknown_scene", {name}));
  if (!std::exchange(adapter, {}).empty())
    return session.report(fail(Code::unsupported, "error.arch.lora.source", {in_quotes(name)}));
  session.open_scene(std::string(text), kScenePrefix + name);
}

void FrameState::open_shipped_model(const std::string& name) {
  note_leaving();
  asked_session_.reset();
  ModelFiles files = shipped_files(name);
  std::string known;
  for (const ShippedModel& model : models())
    known += (known.empty() ? "" : ", ") + (kModelPrefix + model.name);
  if (files.empty())
    return session.report(
        Error{Code::not_found, Text::of("shipped.unknown", {name}),
              known.empty() ? Text::of("shipped.none") : Text::of("shipped.known", {known})});
  workspace.cursor.step = {};  // the model's card sets the cursor
  session.open_files(std::move(files), kModelPrefix + name, std::exchange(adapter, {}));
}

void FrameState::set_theme(ThemeKind kind) {
  settings.theme = kind;
  apply_theme();
}

void FrameState::set_contrast(bool on) {
  settings.contrast = on;
  apply_theme();
}

void FrameState::set_safe_colours(bool on) {
  settings.safe_colours = on;
  apply_theme();
}

void FrameState::apply_theme() {
  attnscope::set_theme(settings.theme);
  attnscope::set_contrast(settings.contrast || presenter.on);
  attnscope::set_safe_colours(settings.safe_colours);
  if (ImGui::GetCurrentContext()) apply_imgui_style(ui_scale());
}

void FrameState::set_language(const std::string& wanted) {
  if (!attnscope::set_language(wanted)) return;
  settings.language = wanted;
  note_text(all_texts());
}

std::string opened_title(const OpenedModel& opened) {
  if (opened.scene && !opened.scene->title.en.empty()) return in_language(opened.scene->title);
  if (opened.path.starts_with(kTrainingPath)) {
    const std::string key = "task." + opened.path.substr(kTrainingPath.size()) + ".title";
    return tr("training.opened", {has_string(key) ? tr(key) : opened.title.c_str()});
  }
  const std::string prefix = kModelPrefix;
  const std::string key = "shipped." + opened.path.substr(std::min(prefix.size(), opened.path.size()));
  if (opened.path.rfind(prefix, 0) == 0 && has_string(key)) return tr(key);
  return opened.title;
}

bool is_picture_file(const std::string& path) {
  const std::string name = lower(path);
  return ends_with(name, ".png") || ends_with(name, ".jpg") || ends_with(name, ".jpeg") ||
         ends_with(name, ".npy");
}

std::string file_name(const std::string& path) {
  const fs::path whole(path);
  return whole.has_filename() ? whole.filename().string() : whole.parent_path().filename().string();
}

}  // namespace attnscope
