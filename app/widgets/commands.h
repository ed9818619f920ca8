// Commands and the workspace: what panels and views may ask for, and what they share on screen.
// Commands are queued while a frame is drawn and carried out at its end, so that nobody draws half-changed
// data.
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
#include "core/lab/lab.h"
#include "core/session/asking.h"
#include "core/session/backward_run.h"
#include "core/session/session.h"

namespace attnscope {

/// Something the inspector explains: a cell of a step, or one number of a weight.
struct Place {
  Cell cell;                        ///< read only where `weight` is empty
  std::string weight;               ///< "blocks.0.attn.q.weight"
  std::vector<std::int64_t> index;  ///< of the weight
  bool is_weight() const { return !weight.empty(); }
};

/// The inspector's own memory: how one came to the number, and how its terms are listed.
struct InspectorState {
  std::vector<Place> trail;  ///< the number explained now is the last one
  bool all_terms = false;
  bool largest_first = false;
  std::shared_ptr<void> cache;  ///< of what was computed for the newest result; made by the inspector
};

/// Saved, but not undoable: where one looks and how it is drawn.
struct Workspace {
  Cursor cursor;
  std::string view = "steps";
  std::string second_view;             ///< empty: one view on the stage
  std::array<bool, 2> shows_pinned{};  ///< which halves of the stage show the pinned run
  bool show_difference = false;        ///< new minus old for whatever is on the stage
  bool log_scale = false;
  bool backward = false;     ///< the walk goes back from the loss, and the steps view shows gradients
  int backward_target = -1;  ///< what the last row should say; < 0: nobody asks it
  LossRows backward_rows = LossRows::as_trained;  ///< the rows that the loss counts
  BackwardRun backward_run;                       ///< the gradients, while `backward` is on
  bool presenting = false;  ///< the figure alone, large: words that are for reading stay away
  bool told = false;        ///< a lesson's words stand below the figure: a view says nothing but its numbers
  bool still = false;       ///< a picture that is the same every time: how long a run took stays away
  bool animate = true;
  bool playing = false;
  float motion = 1.f;                    ///< how far the motion that explains the step has come; 1: at rest
  bool motion_held = false;              ///< somebody holds it there
  bool moving = false;                   ///< a view moves by itself: it says so in every frame that it does
  float speed = 1.f;                     ///< steps per second while playing
  std::vector<std::string> breakpoints;  ///< sites (main of their step) where playing stops
  std::vector<std::string> stops;        ///< rules at which it stops too: "nan", "entropy < 0.5"
  std::string stopped_by;                ///< the rule that it stopped at last; empty: none
  std::vector<std::string> watched;      ///< numbers and measures that are followed, by their address
  InspectorState inspector;
  bool shows_modules = false;                  ///< the map shows the checkpoint's names as a tree
  std::shared_ptr<void> map_tree, map_layout;  ///< what the map has made for the newest run
  std::optional<Place> edit_at;   ///< what was pointed at with the right button: the edit menu opens there
  Asking asking;                  ///< the measure, and what is asked about it
  std::optional<int> measure_at;  ///< an output that was pointed at with the right button
  int output_page = 0;            ///< of the Output view
  std::string lab;                ///< that is open; empty: the first
  std::map<std::string, LabValues> lab_values;  ///< of the labs that were open, by id
  float stage_share = 0.5f;                     ///< of the first of two views
  float map_width = 216.f, inspector_width = 318.f, timeline_height = 98.f;  ///< units at scale 1
};

/// Asks the person for a file or a folder to write, or a file to open.
struct FileQuestion {
  bool save = false;
  const char* title = "";  ///< string key
  std::string name;        ///< first proposal, when saving
  std::function<void(Session& session, const std::string& path)> chosen;
};

/// The figure of the stage for other programs: as a file that one is asked for, or as text to be pasted.
enum class FigureFormat : std::uint8_t { none, svg, text };

/// An action at the end of the frame.
class Commands {
 public:
  /// An undoable change with the sentence that undo will show; edits with the same non-empty gesture share a
  /// point.
  void edit(Text sentence, std::string gesture, std::function<Status(Document&)> change) {
    edits_refused_ |= refuses_edits_;
    if (refuses_edits_) return;
    actions_.push_back(
        [sentence = std::move(sentence), gesture = std::move(gesture),
         change = std::move(change)](Session& session) { (void)session.edit(sentence, gesture, change); });
  }
  /// Takes what another list holds but its edits, which are refused: what is shown there is a run of the
  /// past. True where there were some.
  bool take_but_edits(Commands other) {
    actions_.insert(actions_.end(), std::make_move_iterator(other.actions_.begin()),
                    std::make_move_iterator(other.actions_.end()));
    if (other.question_) question_ = std::move(other.question_);
    if (other.figure_ != FigureFormat::none) figure_ = other.figure_;
    return other.edits_refused_;
  }
  /// From now on edits are refused.
  void refuse_edits() { refuses_edits_ = true; }
  /// A drag or a burst of typing is over.
  void end_gesture() {
    actions_.push_back([](Session& session) { session.end_gesture(); });
  }
  /// Anything else the session can do.
  void act(std::function<void(Session&)> action) { actions_.push_back(std::move(action)); }
  void carry_out(Session& session) {
    auto actions = std::move(actions_);
    actions_.clear();
    for (const auto& action : actions)
      if (const Status done = guarded(Text::of("error.work.edit"), [&] { action(session); }); !done)
        session.report(done.error());
  }
  bool empty() const { return actions_.empty(); }
  /// Shows the file browser after this frame; `chosen` is carried out when a path was given.
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
