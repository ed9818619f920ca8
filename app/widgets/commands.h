// Commands and the workspace: actions that panels and views queue, and the state they share on screen.
// Commands are queued while a frame is drawn and executed at its end, so that a frame never draws
// half-changed data.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/io/named.h"
#include "core/lab/lab.h"
#include "core/session/asking.h"
#include "core/session/backward_run.h"
#include "core/session/reference_check.h"
#include "core/session/session.h"
#include "core/view/view.h"

namespace attnscope {

/// A place that the inspector explains: a cell of a step, or one number of a weight.
struct Place {
  Cell cell;                        ///< used only when `weight` is empty
  std::string weight;               ///< "blocks.0.attn.q.weight"
  std::vector<std::int64_t> index;  ///< of the weight
  bool is_weight() const { return !weight.empty(); }
};

/// State of the inspector: the path of places followed so far, and how terms are listed.
struct InspectorState {
  std::vector<Place> trail;  ///< the last one is explained now
  bool all_terms = false;
  bool largest_first = false;
  std::shared_ptr<void> cache;  ///< cached results for the newest run; made by the inspector
};

/// The pages of the Output view.
enum class OutputPage : std::uint8_t { next, ways, draws, text };
inline constexpr Named<OutputPage> kOutputPages[] = {{"next", OutputPage::next},
                                                     {"ways", OutputPage::ways},
                                                     {"draws", OutputPage::draws},
                                                     {"text", OutputPage::text}};

/// Saved with the session, but not undoable: what is shown and how.
struct Workspace {
  Cursor cursor;
  Level level = Level::full;  ///< easy: one picture and its answer (app/shell/easy_window.h)
  std::string view = "steps";
  std::string station;                 ///< of the easy view of steps; empty: its first
  std::string second_view;             ///< empty: one view on the stage
  std::array<bool, 2> shows_pinned{};  ///< halves of the stage that show the pinned run
  bool show_difference = false;        ///< show new minus old
  bool log_scale = false;
  bool backward = false;     ///< backward pass: steps from the loss backwards, with gradients
  int backward_target = -1;  ///< target token of the last row in the loss; < 0: none
  LossRows backward_rows = LossRows::as_trained;  ///< rows that count in the loss
  BackwardRun backward_run;                       ///< the gradients, while `backward` is on
  bool presenting = false;     ///< presenter mode: the figure alone, large, without explanatory text
  bool told = false;           ///< a lesson's text is shown below the figure: views show values only
  bool hides_shapes = false;   ///< a lesson asks for a shape: map, inspector and line of code say none
  bool hides_code = false;     ///< a lesson asks for a number: the line of code has its constants
  bool hides_doing = false;    ///< a lesson asks what a step does: no sentence says it
  bool hides = false;          ///< a page of a lesson covers a part of the stage
  std::vector<Target> hidden;  ///< its cells: tables and tooltips beside the stage say none of them
  bool keeps_stage = false;    ///< a lesson stands beside the stage: menus open over its panel
  bool hides_roles = false;    ///< a lesson asks for a head: nothing says what heads do
  bool hides_loss = false;     ///< a lesson asks for the loss
  bool holds_back = false;  ///< a bet of a lesson is open: no result of a lab, no mark on the strongest key
  bool still = false;       ///< for reproducible pictures: run times are not shown
  bool animate = true;
  bool playing = false;
  float motion = 1.f;                    ///< progress of the step's animation, 0..1; 1: finished
  bool motion_held = false;              ///< paused by the user
  bool moving = false;                   ///< set in every frame in which a view animates something
  float speed = 1.f;                     ///< steps per second while playing
  std::vector<std::string> breakpoints;  ///< sites (main of their step) where playing stops
  std::vector<std::string> stops;        ///< stop conditions: "nan", "entropy < 0.5"
  std::string stopped_by;                ///< the rule that stopped it last; empty: none
  std::vector<std::string> watched;      ///< addresses of values and measures on the watch list
  InspectorState inspector;
  bool shows_modules = false;                  ///< the network map shows the checkpoint's names as a tree
  std::shared_ptr<void> map_tree, map_layout;  ///< the map's cached layout of the newest run
  std::optional<std::pair<Stack, std::int64_t>> shown_token;  ///< whose chip is scrolled into sight
  std::optional<Place> edit_at;   ///< the place that was right-clicked: the edit menu opens there
  Asking asking;                  ///< the measure, and the question about it
  std::optional<int> measure_at;  ///< an output that was right-clicked
  bool ask_more = false;  ///< Ask: all its pages, the settings of the question, how good the estimates are
  /// The same where a lesson may point at them.
  bool shows_ask_more() const { return ask_more || told; }
  OutputPage output_page = OutputPage::next;
  ShippedCheck shipped_check;                   ///< of the models inside the program, with PyTorch's numbers
  std::string lab;                              ///< id of the open lab; empty: the first
  std::string circuit_words;                    ///< as ViewState::words
  std::int64_t circuit_distance = -1;           ///< as ViewState::distance
  std::map<std::string, LabValues> lab_values;  ///< control values of the labs opened so far, by id
  float stage_share = 0.5f;                     ///< width of the first of two views
  float map_width = 216.f, inspector_width = 318.f, timeline_height = 98.f;  ///< units at scale 1
};

/// A file dialog: a file or folder to write, or a file to open.
struct FileQuestion {
  bool save = false;
  const char* title = "";  ///< string key
  std::string name;        ///< proposed file name, when saving
  std::function<void(Session& session, const std::string& path)> chosen;
};

/// Export of the stage's figure: as an SVG file (opens a dialog), or as text or picture for the clipboard.
enum class FigureFormat : std::uint8_t { none, svg, text, picture };

/// Actions that are executed at the end of the frame.
class Commands {
 public:
  /// An undoable change with its undo label; edits with the same non-empty gesture share one undo
  /// point.
  void edit(Text sentence, std::string gesture, std::function<Status(Document&)> change) {
    edits_refused_ |= refuses_edits_;
    if (refuses_edits_) return;
    actions_.push_back(
        [sentence = std::move(sentence), gesture = std::move(gesture),
         change = std::move(change)](Session& session) { (void)session.edit(sentence, gesture, change); });
  }
  /// Moves in everything from another list except its edits, which were dropped: its view shows a past run.
  /// Returns true if there were edits.
  bool take_but_edits(Commands other) {
    actions_.insert(actions_.end(), std::make_move_iterator(other.actions_.begin()),
                    std::make_move_iterator(other.actions_.end()));
    if (other.question_) question_ = std::move(other.question_);
    if (other.figure_ != FigureFormat::none) figure_ = other.figure_;
    return other.edits_refused_;
  }
  /// Drops all edits from now on.
  void refuse_edits() { refuses_edits_ = true; }
  /// Ends a gesture: a drag or a burst of typing.
  void end_gesture() {
    actions_.push_back([](Session& session) { session.end_gesture(); });
  }
  /// Any other action on the session.
  void act(std::function<void(Session&)> action) { actions_.push_back(std::move(action)); }
  void carry_out(Session& session) {
    auto actions = std::move(actions_);
    actions_.clear();
    for (const auto& action : actions)
      if (const Status done = guarded(Text::of("error.work.edit"), [&] { action(session); }); !done)
        session.report(done.error());
  }
  bool empty() const { return actions_.empty(); }
  /// Opens the file browser after this frame; calls `chosen` with the path.
  void ask_file(FileQuestion question) { question_ = std::move(question); }
  std::optional<FileQuestion> take_question() { return std::exchange(question_, std::nullopt); }
  void ask_figure(FigureFormat as) { figure_ = as; }
  FigureFormat take_figure() { return std::exchange(figure_, FigureFormat::none); }

 private:
  std::vector<std::function<void(Session&)>> actions_;
  std::optional<FileQuestion> question_;
  FigureFormat figure_ = FigureFormat::none;
  bool refuses_edits_ = false, edits_refused_ = false;
};

}  // namespace attnscope
