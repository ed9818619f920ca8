// The main window: toolbar, input bar, network map, stage, inspector and timeline with splitters between
// them, and the dialogs. draw() draws everything and then executes the queued commands. Needs only a current
// ImGui context, so that tests run it without OpenGL. UI thread only.
#pragma once

#include <string>

#include "app/dialogs/export_dialog.h"
#include "app/dialogs/file_browser.h"
#include "app/dialogs/weight_check.h"
#include "app/panels/input/input_bar.h"
#include "app/shell/compare_bar.h"
#include "app/shell/course.h"
#include "app/shell/easy_window.h"
#include "app/shell/handbook.h"
#include "app/shell/palette.h"
#include "app/shell/stage.h"
#include "app/state/cursor_anchor.h"
#include "app/state/frame_state.h"
#include "app/state/motion.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/twin.h"

namespace attnscope {

class Frame {
 public:
  explicit Frame(Session& session) : state_(session) {}

  /// Draws one frame between ImGui::NewFrame() and ImGui::Render(), then executes its commands. After an edit
  /// of a small model it waits up to 4 ms for the result.
  void draw(Painter& painter);
  /// True while something is animated (playing, progress of a run, a notice that times out).
  bool moving() const;

  /// True if the result of a change made by the last draw() is already there: drawing again at once avoids
  /// one frame with the old values.
  bool answered() const { return answered_; }

  FrameState& state() { return state_; }
  const Handbook& handbook() const { return handbook_; }
  const std::shared_ptr<const RunResult>& run() const { return run_; }
  /// The run whose steps the timeline shows: run(), or in backward mode its steps in reverse order.
  const std::shared_ptr<const RunResult>& walked() const { return walked_; }

 private:
  void draw_all(Painter& painter);
  void take_news();
  void note_pinned();
  void tell_progress();
  void follow_backward();
  void play();
  void draw_window(Painter& painter);
  void draw_panels(Painter& painter);
  float draw_bars(const PanelContext& context, float toolbar);
  void draw_presented(Painter& painter);
  bool follow_popups();
  void draw_side(const char* id, ImVec2 position, ImVec2 size, void (*panel)(const PanelContext&),
                 const PanelContext& context);
  void draw_right(const PanelContext& context, ImVec2 position, ImVec2 size);
  void ask_for_files();
  void draw_dialogs();
  void finish();

  FrameState state_;
  InputBar input_bar_;
  EasyWindow easy_;
  CompareBar compare_bar_;
  Stage stage_;
  FileBrowser browser_;
  ExportDialog export_;
  Palette palette_;
  Handbook handbook_;
  CourseWindow course_;
  WeightCheck weight_check_;
  Twin twin_;  ///< of what is open, where it is A
  EditMenu edit_menu_;
  MeasureMenu measure_menu_;
  std::shared_ptr<const RunResult> run_, before_, walked_, seen_pinned_;
  std::shared_ptr<const MeasureAnswer> seen_measure_;  ///< that was reported where it failed
  CursorAnchor anchor_;
  std::uint64_t seen_opened_ = 0;
  bool answered_ = false;
  bool fresh_ = false;  ///< the cursor is set by the first run of the new document
  bool again_ = false;  ///< the new document has the same path as the one before
  std::string seen_path_;
  bool was_backward_ = false, arriving_ = false;
  int popups_before_ = 0;  ///< number of popups open in the last frame
  MotionClock motion_;
  double played_ = 0;  ///< fraction of a step played so far
};

}  // namespace attnscope
