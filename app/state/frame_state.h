// What the parts of the frame share: the session, the workspace, the settings of this machine, the views, and
// what only the program around the frame can do. Small helpers over them. Refuses to draw.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/display_list.h"
#include "app/gpu/image_file.h"
#include "app/look/kept_text.h"
#include "app/look/theme.h"
#include "app/state/leaving.h"
#include "app/state/lesson_player.h"
#include "app/state/presenter.h"
#include "app/views/view.h"
#include "app/widgets/commands.h"
#include "app/widgets/measure_field.h"
#include "core/session/session_file.h"

namespace attnscope {

/// Saved with the workspace: how this person likes the program, and what was open.
struct Settings {
  ThemeKind theme = ThemeKind::dark;
  std::string language;  ///< that was chosen here; empty: as the system says
  float zoom = 1.f;      ///< times the scale that the screen asks for
  bool contrast = false, safe_colours = false;
  int window_width = 1440, window_height = 900;
  std::vector<std::string> recent;  ///< newest first
  std::string last_folder, last_picture_folder;
  std::string unsaved;  ///< the session that was open last and has a file: the next start offers it
  bool hidden_files = false;
};

/// A line over the stage that says what happened, until it is dismissed or its time is over.
struct Notice {
  enum class Kind { info, good, warning };
  Kind kind = Kind::info;
  Text text, hint;
  double seconds_left = 0;  ///< <= 0: until dismissed
  KeptText said;            ///< both, as they stand on the screen
};

/// A picture to take of the frame.
struct ExportRequest {
  std::string path;
  float scale = 1.f;
  bool stage_only = false;
  bool copies = false;  ///< the figure as text into the clipboard instead
};

/// A lesson to put on paper.
struct SheetRequest {
  std::string path, lesson;  ///< the HTML file; a lesson's id or file
  bool answers = false;
};

/// Asks for the file browser.
struct BrowseRequest {
  bool save = false;
  const char* title = "";  ///< string key
  std::string name;        ///< first proposal, when saving
  std::function<void(const std::string& path)> chosen;
  bool pictures = false;  ///< opening: folders and pictures are listed
  bool models = false;    ///< opening: a model or a scene; elsewhere models are folders like others
};

/// A scene of assets/scenes.
struct ShippedScene {
  std::string name, title;
};
/// A trained model of assets/models, in the current language.
struct ShippedModel {
  std::string name, title, sentence;
};

/// Why a part of the frame is not drawn, and the run it could not be drawn for.
struct Fault {
  Error error;
  std::uint64_t run = 0;
};

struct FrameState {
  explicit FrameState(Session& the_session);
  ~FrameState();
  FrameState(const FrameState&) = delete;
  FrameState& operator=(const FrameState&) = delete;

  Session& session;
  Workspace workspace;
  Settings settings;
  Commands commands;
  LessonPlayer lessons;
  MeasureField measure_field;                       ///< of the toolbar
  std::vector<std::unique_ptr<View>> views;         ///< in the order of the tabs
  std::vector<std::unique_ptr<View>> second_views;  ///< those of the stage's second half
  bool second_active = false;  ///< the half of a stage of two that the pointer was in last, for the keys
  std::vector<Notice> notices;
  std::map<std::string, Fault> faults;           ///< by the part of the frame (fault.h)
  ImVec2 stage_min, stage_max;                   ///< of the stage in the last frame, pixels
  std::shared_ptr<const RunResult> run, walked;  ///< as Frame::run() and Frame::walked() of this frame
  Presenter presenter;
  int screens = 1;  ///< that the system has: with two of them notes have a place
  /// Turns the pages of what is read beside the stage (a lesson); empty: pages are the steps of the walk.
  std::function<void(FrameState& state, int by)> pages;
  Leaving leave;                    ///< the question at the end
  std::vector<std::string> offers;  ///< sessions of earlier days that can be opened, the newest first
  std::map<std::uint64_t, std::uint64_t> autosaved;  ///< Session::work() -> History::version()
  DisplayList* recording = nullptr;  ///< what the figures of the stage are added to; null: nothing is

  // Asked by menus and keys; read by the frame or by the program around it.
  bool quit = false, ask_open = false, ask_save_as = false, ask_export = false, show_keys = false,
       focus_text = false;
  bool show_about = false, show_palette = false, show_settings = false, ask_tour = false;
  bool touring = false;       ///< the tour takes the keys
  bool open_menu = false;     ///< the first of the bar
  bool popup_by_key = false;  ///< what is open was opened by a key: the keys walk in it
  std::optional<ExportRequest> export_request;
  std::optional<SheetRequest> sheet_request;
  std::optional<BrowseRequest> browse;
  std::optional<std::string> ask_picture;  ///< a file that the model of the cursor's sequence shall look at

  /// Of the stage's first or second half; null where there is none such.
  View* view(const std::string& id, bool second = false) const;
  /// The scenes that travel with the program, with their titles in the current language.
  const std::vector<ShippedScene>& scenes();
  /// The models that travel with the program; empty where it was built without them.
  const std::vector<ShippedModel>& models();
  /// Puts a view into a half of the stage. One that shows no run shows nothing of A.
  void show_view(std::string_view id, bool second);
  /// A and B side by side in one view, or another view of the same run; `view` is the one that is there.
  void open_second_view(const std::string& view);
  void notify(Notice::Kind kind, Text text, Text hint = {}, double seconds = 6.0);
  /// What a file does that is dropped on the window: a picture is looked at, where the model sees; all else
  /// is opened.
  void drop(const std::string& path);
  /// Opens a model, a scene or a session; it is among the recent ones once that has worked.
  void open(const std::string& path);
  /// Another document was opened: where it is what was asked for, it is remembered.
  void remember_opened();
  /// A scene of assets/scenes, by its name there ("nine_steps").
  void open_shipped(const std::string& name);
  /// A model of assets/models, by its name there ("storyteller").
  void open_shipped_model(const std::string& name);
  /// A page of a lesson, with where one looks on it.
  void open_page(const PageState& page);
  /// Saves the session or the scene to the file it came from, or asks where.
  void save();
  /// A session (*.attnscope), or else a scene, where that is open; any other name gets the session's ending.
  /// False where that failed, which is told.
  bool save_as(const std::string& path);
  /// Where save() writes to without asking; empty: it asks.
  std::string own_path() const;
  /// The session with where one looked and the run that is pinned.
  Status save_session_to(const std::string& path) const;
  /// The path outside of its folder that what was opened last asks for, until that is answered; nobody is
  /// asked while pictures are taken.
  std::optional<std::string> asked_outside() const;
  /// Read it, now and from now on, and open anew; or leave it.
  void answer_outside(bool read);
  /// What is proposed for save_as.
  std::string save_name() const;
  /// Writes what is open into the folder of settings, as a new file that the next start offers. Errors: the
  /// writers'.
  Status keep_for_next_start();
  /// That has happened, and nothing was changed since.
  bool kept_now() const;
  /// What is open is let go of, and what was kept of it.
  void discard_open();
  /// The session that is open has a file: the next start offers it.
  void settle_last_session();
  /// What is in the way is closed, and what was open before the lesson is open again, as one looked at it.
  void leave_lesson();
  /// Where one looked at a work that was left, and what it is called.
  nlohmann::json look_left(const LeftWork& left) const;
  std::string left_name(const LeftWork& left) const;
  /// The cursor of a session that was just opened, now that it has run; what was chosen inside its views
  /// follows when they have been drawn once (take_choices).
  void take_session_cursor(const RunResult& result);
  void take_choices();
  /// Where one looks, and what is chosen inside the views, as sessions keep it.
  nlohmann::json look() const;
  /// Writes the picture in the background; a notice says where it is or why it failed.
  void write_picture(const std::string& path, std::shared_ptr<const Image> image);
  /// The same for a figure's text.
  void write_figure(const std::string& path, std::string svg);
  /// Takes what background writing has to tell; once per frame.
  void poll_writing();
  /// What is being written by Autosave, and the work whose autosave is no longer wanted when it is there.
  Computed<Status> autosaving;
  std::uint64_t autosave_gone = 0;
  void set_theme(ThemeKind kind);
  void set_contrast(bool on);
  void set_safe_colours(bool on);
  /// Theme, contrast and colours as the settings and the presenter have them.
  void apply_theme();
  void set_language(const std::string& language);

 private:
  void open_session(SessionFile file);
  void note_leaving();
  void take_left(const nlohmann::json& left);
  void tell_left();
  void drop_kept(const std::string& instead);
  Status save_to(const std::string& path);
  Computed<Status> writing_;
  std::string written_path_;
  std::string asked_path_;    ///< being opened
  std::string last_asked_;    ///< the same, whether or not it opened
  std::string session_path_;  ///< of the session that is open; empty: none
  std::string kept_path_;     ///< the same where the program had kept it by itself
  std::uint64_t kept_version_ = 0, opened_work_ = 0;
  std::optional<nlohmann::json> leaving_look_;  ///< before what is being opened changed it
  std::optional<SessionFile> asked_session_;
  std::optional<nlohmann::json> look_;                   ///< of the session, until it has run
  std::optional<nlohmann::json> choices_;                ///< the same, until its views were drawn
  std::map<std::string, nlohmann::json> usual_choices_;  ///< of a fresh window, by view
  std::optional<nlohmann::json> page_look_;              ///< of a page of a lesson that is being opened
  std::vector<ShippedScene> scenes_;
  std::vector<ShippedModel> models_;
  std::string scenes_language_, models_language_;
};

/// The default scene's name.
inline constexpr const char* kDefaultScene = "nine_steps";
/// The model that the program begins with, where it is shipped; else the default scene.
inline constexpr const char* kDefaultModel = "storyteller";
/// What stands in front of the paths of shipped scenes and models.
inline constexpr const char *kScenePrefix = "scene:", *kModelPrefix = "model:";
/// The title of what is open in the current language.
std::string opened_title(const OpenedModel& opened);
/// True where the file's name says that it is a picture (PNG, JPEG) or an array of pixels (.npy).
bool is_picture_file(const std::string& path);
/// The last part of a path.
std::string file_name(const std::string& path);

}  // namespace attnscope
