// The lecture of the window: a list of slides that was put together or opened, and the walk through it. A
// slide opens as a page of a lesson does: pages take each other's place, what was open before stays under
// them. Every change of the list can be undone, and the list is kept in the config folder, in session files
// and, where it is saved, in a file of its own. Draws nothing.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/computed.h"
#include "core/session/lecture.h"

namespace attnscope {

struct FrameState;
class SlidePreview;

class LecturePlayer {
 public:
  const Lecture& lecture() const { return lecture_; }
  std::size_t size() const { return lecture_.slides.size(); }
  const Slide& slide(int index) const { return lecture_.slides[static_cast<std::size_t>(index)]; }
  /// Its title, or that of a lecture without one.
  std::string title() const;
  std::string slide_title(int index) const;

  // ---- the walk ----
  bool walking() const { return at_ >= 0; }
  /// The slide that is shown; -1: none is.
  int at() const { return at_; }
  /// Opens a lecture, shipped ("lecture:NAME" or NAME) or a file, and its slide.
  Status start(FrameState& state, const std::string& name, int slide = 0);
  /// Opens a slide; nothing where there is none.
  void go(FrameState& state, int slide);
  /// Ends the walk: the work before it is open again.
  void end(FrameState& state);
  /// Ends the walk and leaves open what is open.
  void halt(FrameState& state);
  /// Why the slide is not shown; nothing while it is being opened.
  const std::optional<Error>& trouble() const { return trouble_; }
  /// Once per frame, after news of the session.
  void follow(const FrameState& state);
  /// A presented slide has been asked for and was not drawn yet: the projector keeps the slide before, which
  /// is better than an empty screen. For half a second at most.
  bool changing(const FrameState& state) const;

  // ---- the list ----
  /// What is shown now as a slide behind the current one, or as the last. Errors: of writing a session, a
  /// model in training.
  Status keep(FrameState& state);
  /// The same in the place of a slide, which keeps its title and note.
  Status replace(FrameState& state, int slide);
  void rename(int slide, const std::string& title);
  void note(int slide, const std::string& note);
  void rename_lecture(const std::string& title);
  void move(int slide, int by);
  void remove(FrameState& state, int slide);
  bool can_undo() const { return !before_.empty(); }
  void undo(FrameState& state);
  /// Another list in the place of this one, which is written to the config folder where it is in no file; an
  /// undo point.
  void take(FrameState& state, Lecture lecture);
  /// Changes that are in no file of its own.
  bool changed() const { return changed_; }
  /// The file that save() writes to; empty: none yet.
  const std::string& file() const { return file_; }
  Status save(const std::string& path);

  // ---- keeping it ----
  /// The file in which the list lies while it changes, and from which it is read now; never called: it is not
  /// kept (tests, pictures).
  void keep_in(FrameState& state, std::string path);
  /// Once per frame: writes it where it changed a while ago. True while something is left to write.
  bool follow_keeping(FrameState& state, double now);
  /// At the end of the program.
  Status keep_now();
  /// As a part of a session; null where there is nothing that was made or opened from a file.
  nlohmann::json part() const;
  /// The list of a session; `older`: that of a crash or of an earlier end, where a list that is here already
  /// is the newer one.
  void take_part(FrameState& state, const nlohmann::json& part, const std::string& session, bool older);

  bool panel = false;                     ///< the list stands beside the stage
  bool inspecting = false;                ///< and the inspector is shown in its place
  std::shared_ptr<SlidePreview> preview;  ///< of the next slide, made where it is drawn
  int chosen = -1;                        ///< the slide whose title and note are edited in the list; -1: none
  int shown_in_list = -1;                 ///< the one that the list was scrolled to

 private:
  enum class Gesture { none, title, note, lecture };
  void remember(Gesture gesture = Gesture::none, int slide = -1);
  void turn_pages(FrameState& state);
  void set_aside(FrameState& state) const;
  static Result<Slide> slide_now(FrameState& state);
  static Status write_kept(const std::string& path, const std::string& text, std::uint64_t seen);
  nlohmann::json kept() const;

  Lecture lecture_;
  std::string file_;
  bool changed_ = false;
  std::vector<Lecture> before_;  ///< undo points, the newest last
  Gesture gesture_ = Gesture::none;
  int gesture_slide_ = -1;
  int at_ = -1;
  std::uint64_t opened_before_ = 0;  ///< Session::opened_version() when the slide was asked for
  bool settled_ = true;
  bool waits_ = false;  ///< for the first picture of the slide
  std::chrono::steady_clock::time_point asked_;
  std::optional<Error> trouble_;
  std::string kept_in_;
  std::uint64_t version_ = 0, kept_version_ = 0, writing_version_ = 0;
  double changed_at_ = -1;
  bool told_ = false;
  std::uint64_t seen_ = 0;  ///< what stood in kept_in_ when it was last read or written
  Computed<Status> writing_;
};

}  // namespace attnscope
