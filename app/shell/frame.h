// The fixed frame: toolbar, input bar, network map, stage, inspector and timeline with splitters between
// them, and the dialogs over it. One call draws it all and carries out what was asked. Needs a current ImGui
// context and nothing else, so that tests run it without OpenGL. Refuses to wait for anything.
#pragma once

#include <string>

#include "app/dialogs/export_dialog.h"
#include "app/dialogs/file_browser.h"
#include "app/dialogs/weight_check.h"
#include "app/panels/input/input_bar.h"
#include "app/shell/compare_bar.h"
#include "app/shell/palette.h"
#include "app/shell/stage.h"
#include "app/shell/tour.h"
#include "app/state/cursor_anchor.h"
#include "app/state/frame_state.h"
#include "app/state/motion.h"
#include "app/widgets/edit_menu.h"

namespace attnscope {

class Frame {
 public:
  explicit Frame(Session& session) : state_(session) {}

  /// Draws one frame between ImGui::NewFrame() and ImGui::Render(), then carries out its commands. For a
  /// small model the answer to an edit is taken at once when it comes within a few milliseconds.
  void draw(Painter& painter);
  /// True while something moves by itself (playing, a run's progress, a notice that goes away).
  bool moving() const;

  /// True when the last draw() changed something whose result is there already: drawing again at once shows
  /// it without showing the old picture first.
  bool answered() const { return answered_; }

  FrameState& state() { return state_; }
  const std::shared_ptr<const RunResult>& run() const { return run_; }
  /// The run whose steps are walked: the same, or in the backward mode its steps in reverse order.
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
  CompareBar compare_bar_;
  Stage stage_;
  FileBrowser browser_;
  ExportDialog export_;
  Palette palette_;
  Tour tour_;
  WeightCheck weight_check_;
  EditMenu edit_menu_;
  MeasureMenu measure_menu_;
  std::shared_ptr<const RunResult> run_, before_, walked_, seen_pinned_;
  std::shared_ptr<const MeasureAnswer> seen_measure_;  ///< that was reported where it failed
  CursorAnchor anchor_;
  std::uint64_t seen_opened_ = 0;
  bool answered_ = false;
  bool fresh_ = false;  ///< the cursor waits for the first run of what was opened
  bool again_ = false;  ///< what was opened lies where the one before it lay
  std::string seen_path_;
  bool was_backward_ = false, arriving_ = false;
  int popups_before_ = 0;  ///< that were open in the frame before
  MotionClock motion_;
  double played_ = 0;  ///< part of a step that the playing has gone so far
};

}  // namespace attnscope
