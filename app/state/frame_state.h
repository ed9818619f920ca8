// State shared by the parts of the frame: the session, the workspace, the settings of this machine, the
// views, and requests to the program that runs the frame. Draws nothing.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/display_list.h"
#include "app/look/kept_text.h"
#include "app/look/theme.h"
#include "app/state/class_shown.h"
#include "app/state/export_choice.h"
#include "app/state/leaving.h"
#include "app/state/lecture_player.h"
#include "app/state/lesson_player.h"
#include "app/state/presenter.h"
#include "app/views/view.h"
#include "app/widgets/commands.h"
#include "app/widgets/measure_field.h"
#include "core/base/no_copy.h"
#include "core/session/session_file.h"

namespace attnscope {

/// Saved with the workspace: preferences of the user, and what was open.
struct Settings {
  ThemeKind theme = ThemeKind::dark;
  std::string language;  ///< chosen in the settings; empty: the system's
  float zoom = 1.f;      ///< multiplies the content scale of the screen
  bool contrast = false, safe_colours = false;
  int window_width = 1440, window_height = 900;
  std::vector<std::string> recent;  ///< newest first
  std::string last_folder, last_picture_folder;
  std::string unsaved;  ///< last open session with a file of its own: offered at the next start
  bool hidden_files = false;
  ExportChoice exporting;  ///< as it was exported last
};

/// A message over the stage, shown until it is dismissed or its time is over.
struct Notice {
  enum class Kind { info, good, warning };
  Kind kind = Kind::info;
  Text text, hint;
  double seconds_left = 0;                    ///< <= 0: until dismissed
  KeptText said;                              ///< cached text and hint as shown
  std::optional<std::uint64_t> version = {};  ///< the state of the document that it is said of; none: of any
};

/// Request to export a picture of the frame.
enum class CopyAs : std::uint8_t { nothing, text, picture };
struct ExportRequest {
  std::string path;
  float scale = 1.f;
  bool stage_only = false;
  CopyAs copies = CopyAs::nothing;  ///< into the clipboard, instead of a file
  bool figure = false;              ///< the figure alone, as core/view draws it (shown_figure.h)
  bool paper = false, caption = false, transparent = false;  ///< of a figure
  std::string size = "1280x720";                             ///< of a figure: core/export/page.h
  std::string walk = {};  ///< a film, or numbered files; empty: of forms that move the view's first
};

/// Request to write a lesson's worksheet.
struct SheetRequest {
  std::string path, lesson;  ///< the HTML file; a lesson's id or file
  bool answers = false;
};

/// Request to open the file browser.
struct BrowseRequest {
  bool save = false;
  const char* title = "";  ///< string key
  std::string name;        ///< proposed file name, when saving
  std::function<void(const std::string& path)> chosen;
  bool pictures = false;  ///< opening: lists folders and images
  bool models = false;    ///< opening: model folders can be chosen; otherwise they are plain folders
};

/// A scene of assets/scenes.
struct ShippedScene {
  std::string name, title;
};
/// A trained model of assets/models, in the current language.
struct ShippedModel {
  std::string name, title, sentence;
};

/// Why a part of the frame is not drawn, and the version of the run for which drawing failed.
struct Fault {
  Error error;
  std::uint64_t run = 0;
};

struct ViewSpec;
struct ViewState;

struct FrameState : NoCopy {
  explicit FrameState(Session& the_session);
  ~FrameState();

  Session& session;
  Workspace workspace;
  Settings settings;
  Commands commands;
  LessonPlayer lessons;
  ClassShown class_shown;
  LecturePlayer lecture;
  MeasureField measure_field;                       ///< of the toolbar
  std::vector<std::unique_ptr<View>> views;         ///< in the order of the tabs
  std::vector<std::unique_ptr<View>> second_views;  ///< those of the stage's second half
  bool second_active = false;  ///< which half of the stage gets the keys: where the mouse was last
  std::vector<Notice> notices;
  std::map<std::string, Fault> faults;           ///< by part of the frame (fault.h)
  ImVec2 stage_min, stage_max;                   ///< rectangle of the stage in the last frame, pixels
  std::shared_ptr<const RunResult> run, walked;  ///< Frame::run() and Frame::walked() of this frame
  Presenter presenter;
  int screens = 1;  ///< number of screens; with two, presenter notes get a window
  /// Turns the pages of an open lesson, or the slides of a lecture; empty: the page keys move by steps of the
  /// timeline.
  std::function<void(FrameState& state, int by)> pages;
  /// Goes to the station before or after in the easy window; false at its ends. Empty: keys walk the steps.
  std::function<bool(FrameState& state, int by)> film;
  /// Shows the thing to try of the easy window, or takes it back. Empty: there is none.
  std::function<void(FrameState& state)> show_try;
  bool hand_plays = false;          ///< it is being shown: any key ends that, and does nothing else
  Leaving leave;                    ///< the dialog before exit
  std::vector<std::string> offers;  ///< sessions kept by earlier runs of the program, newest first
  std::map<std::uint64_t, std::uint64_t> autosaved;  ///< Session::work() -> History::version()
  const ViewSpec* easy_spec =
      nullptr;  ///< what the easy window shows; null: nothing, or the panels are shown
  const ViewState* easy_view = nullptr;
  DisplayList* recording = nullptr;  ///< where figures of the stage are recorded; null: not recorded

  // Set by menus and keys; read by the frame or by the program that runs it.
  bool quit = false, ask_open = false, ask_save_as = false, ask_export = false, show_keys = false,
       focus_text = false;
  bool show_about = false, show_course = false, show_palette = false, show_settings = false;
  bool open_menu = false;     ///< opens the first menu of the bar
  bool popup_by_key = false;  ///< the open popup was opened by a key: arrow keys navigate in it
  std::optional<ExportRequest> export_request;
  std::optional<SheetRequest> sheet_request;
  std::optional<BrowseRequest> browse;
  LoraChoice adapter;                      ///< of the model that is opened next; empty: none
  std::optional<std::string> ask_picture;  ///< an image file to use as input of the cursor's sequence

  /// The view of the first or second half of the stage; null if there is no such view.
  View* view(const std::string& id, bool second = false) const;
  /// The shipped scenes, with titles in the current language.
  const std::vector<ShippedScene>& scenes();
  /// The shipped models; empty if the program was built without them.
  const std::vector<ShippedModel>& models();
  /// Shows a view in a half of the stage. For a view without a run, that half stops showing A.
  void show_view(std::string_view id, bool second);
  /// Opens the second half: A and B in one view, or another view of the same run; `view`: the first half's.
  void open_second_view(const std::string& view);
  void notify(Notice::Kind kind, Text text, Text hint = {}, double seconds = 6.0);
  /// A warning that stays until it is closed.
  void notify(const Error& error) { notify(Notice::Kind::warning, error.what(), error.advice(), 0); }
  /// What the last change of the document did besides: said until the next one, or an undo.
  void notify_of_change(Text text, Text hint) {
    constexpr double kSeconds = 12;
    notify(Notice::Kind::info, std::move(text), std::move(hint), kSeconds);
    notices.back().version = session.history().version();
  }
  /// Handles a file dropped on the window: an image becomes the input if the model has a vision tower;
  /// anything else is opened.
  void drop(const std::string& path);
  /// Opens a model, a scene or a session, or adds an adapter (LoRA) to the open model; it is added to the
  /// recent files once it has been opened.
  void open(const std::string& path);
  /// A data set beside the open model.
  void open_data(DataChoice choice);
  /// A LoRA adapter on the open model, as one change of it.
  void adapt(const LoraChoice& lora);
  /// Called when another document was opened: adds it to the recent files if it is the requested one.
  void remember_opened();
  /// The newest of the recent files.
  void put_recent(const std::string& path);
  /// A scene of assets/scenes, by its name there ("nine_steps").
  void open_shipped(const std::string& name);
  /// A model of assets/models, by its name there ("storyteller").
  void open_shipped_model(const std::string& name);
  /// Opens a page of a lesson, with its views and cursor.
  void open_page(const PageState& page);
  /// The same views and cursor again, in the run of the page that is open.
  void look_at_page(const PageState& page, const RunResult& shown);
  /// Opens a slide of a lecture in the same way, with its pinned run.
  void open_slide(const SessionFile& slide);
  /// Saves the session or scene to its file; if it has none, opens the file browser.
  void save();
  /// Saves a session (*.attnscope), or a scene if one is open; any other name gets the session's extension.
  /// Returns false on failure, after reporting the error.
  bool save_as(const std::string& path);
  /// The path that save() writes to without a dialog; empty: it opens one.
  std::string own_path() const;
  /// look() and the list of slides: what a session file holds of the window.
  nlohmann::json look_to_keep() const;
  /// Writes the session with views, cursor, the pinned run and the list of slides.
  Status save_session_to(const std::string& path) const;
  /// A path outside the folder of the last opened file that needs the user's permission to be read; empty
  /// when it has been answered, and always while pictures are taken.
  std::optional<std::string> asked_outside() const;
  /// Allows the path and opens the file again, or declines.
  void answer_outside(bool read);
  /// Proposed file name for save_as().
  std::string save_name() const;
  /// Writes the open document as a new session in the config folder, which the next start offers. Errors:
  /// those of writing a session.
  Status keep_for_next_start();
  /// True if that was done and nothing has changed since.
  bool kept_now() const;
  /// Closes the open document and deletes what was autosaved of it.
  void discard_open();
  /// Remembers the open session, if it has a file, to be offered at the next start.
  void settle_last_session();
  /// Closes the document of a lesson or slide and restores what was open before, with its views and cursor.
  void leave_lesson();
  /// Views and cursor of a work that was closed, and its title.
  nlohmann::json look_left(const LeftWork& left) const;
  std::string left_name(const LeftWork& left) const;
  /// Sets the cursor of a session that was just opened, after its first run; settings inside its views follow
  /// when they have been drawn once (take_choices).
  void take_session_cursor(const RunResult& result);
  void take_choices();
  /// True in the frame in which the cursor of a session was set.
  bool took_session_cursor() const { return choices_.has_value(); }
  /// The values of --set, {view: {control: value}}: taken after those of a session.
  void choose_in_views(nlohmann::json chosen) { chosen_ = std::move(chosen); }
  /// The settings inside of one view.
  nlohmann::json chosen_in_view(const std::string& id) const;
  /// Views, cursor and settings inside the views, as saved in a session file.
  nlohmann::json look() const;
  /// Writes the SVG text of a figure in a background job; a notice shows its path or the error.
  void write_figure(const std::string& path, std::string svg);
  /// The same for any file; `path` empty: a picture for the clipboard.
  void write_in_background(const std::string& path, std::function<Status()> write);
  /// Shows the result of background writing, and that the clipboard took nothing; once per frame.
  void poll_writing();
  /// Opens the session or figure that was read beside the frame; once per frame.
  void follow_reading();
  /// What is being written by Autosave, and the work whose autosave is no longer wanted when it is there.
  Computed<Status> autosaving;
  std::uint64_t autosave_gone = 0;
  void set_theme(ThemeKind kind);
  void set_contrast(bool on);
  void set_safe_colours(bool on);
  /// Applies theme, contrast and colours of the settings and of presenter mode.
  void apply_theme();
  void set_language(const std::string& language);

 private:
  void take_views(const nlohmann::json& look);
  void open_session(SessionFile file);
  void read_beside(const std::string& path);
  void note_leaving();
  void take_left(const nlohmann::json& left);
  void tell_left();
  void drop_kept(const std::string& instead);
  Status save_to(const std::string& path);
  struct Reading;
  std::shared_ptr<Reading> reading_;  ///< the session that takes long to read; null: none
  Computed<Status> writing_;
  std::string written_path_;
  std::string asked_path_;    ///< path being opened
  std::string last_asked_;    ///< last path opened, successful or not
  std::string session_path_;  ///< file of the open session; empty: none
  std::string kept_path_;     ///< the same for a session in the config folder
  std::uint64_t kept_version_ = 0, opened_work_ = 0;
  std::optional<nlohmann::json> leaving_look_;  ///< views and cursor before opening changed them
  std::optional<SessionFile> asked_session_;
  std::optional<nlohmann::json> look_;                   ///< of the opened session, until its first run
  std::optional<nlohmann::json> choices_;                ///< the same, until its views were drawn
  std::optional<std::string> look_file_;                 ///< where paths in it stand; nothing: it is our own
  nlohmann::json chosen_;                                ///< of choose_in_views, until they are taken
  std::map<std::string, nlohmann::json> usual_choices_;  ///< defaults of each view
  std::optional<nlohmann::json> page_look_;              ///< of the lesson page or slide being opened
  std::optional<SessionFile> asked_slide_;               ///< being opened
  std::vector<ShippedScene> scenes_;
  std::vector<ShippedModel> models_;
  std::string scenes_language_, models_language_;
};

/// What is shown: the easy window, or all panels; lessons use the panels.
Level shown_level(const FrameState& state);
/// The default scene's name.
inline constexpr const char* kDefaultScene = "nine_steps";
/// The model that is opened at the start if it was built in; otherwise the default scene.
inline constexpr const char* kDefaultModel = "storyteller";
/// Prefixes of the paths of shipped scenes and models.
inline constexpr const char *kScenePrefix = "scene:", *kModelPrefix = "model:";
/// Title of the document in the current language.
std::string opened_title(const OpenedModel& opened);
/// True if the file extension is that of an image (PNG, JPEG) or array of pixels (.npy).
bool is_picture_file(const std::string& path);
/// The last part of a path.
std::string file_name(const std::string& path);

}  // namespace attnscope
