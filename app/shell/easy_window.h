// The easy window: one sentence, one question, one picture, the answer, one thing to try. Everything else
// waits behind the switch "full", which shows the same views and panels of app/shell/frame.h.
#pragma once

#include <string>

#include "app/panels/input/input_bar.h"
#include "app/shell/easy_film.h"
#include "app/shell/easy_lab.h"
#include "app/shell/easy_rules.h"
#include "app/shell/easy_sight.h"
#include "app/shell/easy_training.h"
#include "app/shell/easy_try.h"
#include "app/state/frame_state.h"
#include "app/state/opened_row.h"
#include "app/state/unedited_run.h"
#include "app/widgets/figure_hands.h"
#include "core/base/computed.h"
#include "core/view/view.h"

namespace attnscope {

/// True where the easy window is shown instead of the panels: level easy, no lesson.
bool shows_easy(const FrameState& state);

/// How much larger than usual everything is drawn in a window of so many units: by steps of 1/8, so that
/// dragging its edge does not build typefaces for every pixel.
float easy_scale(float width, float height);

class EasyWindow {
 public:
  /// Draws the whole window; presenting, the figure alone in letters for a projector. `run` may be null.
  void draw(FrameState& state, InputBar& input, const PanelContext& context);

 private:
  void draw_presented(FrameState& state, const PanelContext& context);
  void follow_text(FrameState& state, const RunResult& run);
  void follow(FrameState& state, const RunResult& run);
  void offer(const FrameState& state);
  void leave_for_full(FrameState& state, const RunResult& run) const;
  void open_row(FrameState& state);
  bool appends(const FrameState& state) const;
  void append(FrameState& state, const FigureHands::Output& output) const;
  bool replaces() const;
  void replace(FrameState& state, const std::string& word) const;
  void draw_question(FrameState& state, ImVec2 at);
  void draw_full_views(FrameState& state) const;
  /// The view is the one of the output, whose slider stands below it.
  bool writes(const FrameState& state) const {
    const ViewSpec* now = chosen(state);
    return now && now->id == "output" && !view_.compare;
  }
  void draw_writing(FrameState& state, ImVec2 at, float width);
  float draw_head(FrameState& state, float right, float y);
  void draw_compare(FrameState& state, float right, float y);
  void draw_changes(FrameState& state, float right, float y);
  void compare_with(FrameState& state, const RunResult& run);
  void draw_figure(FrameState& state, const PanelContext& context, ImVec2 at, ImVec2 size);
  bool differentiate(FrameState& state, const ViewSpec& view, std::uint64_t version);
  bool compute_lab(FrameState& state);
  bool compute_slow(FrameState& state, const ViewSpec& view, std::uint64_t version);
  const ViewSpec* chosen(const FrameState& state) const;
  void ask_for_sum(const FigureHands::Clicked& clicked);
  void draw_sum();

  struct AskedSum {  ///< a number that was clicked, and what the picture showed then
    FigureHands::Clicked cell;
    const ViewSpec* view = nullptr;
    std::string page;
    std::int64_t row = 0;
    int layer = 0;
    std::int64_t head = 0;
  };
  std::optional<AskedSum> sum_;
  KeptText sum_text_;
  Kept<bool> says_words_;  ///< the outputs are words
  EasyTry try_;
  EasyTraining training_;
  EasySight sight_;
  EasyLab lab_;
  const Lab* pictured_ = nullptr;  ///< the lab of box_
  float lab_waited_ = 0;           ///< seconds, for the first picture of a lab
  EasyRules rules_;
  EasyFilm film_;
  OpenedRow opened_row_;
  const ViewSpec* opened_view_ = nullptr;  ///< of the last frame
  FigureBox box_;
  FigureMotion motion_;
  std::uint64_t still_key_ = 0;  ///< of all that a figure shows but the view, its page and its row
  FigureHands hands_;
  const ViewSpec* shown_ = nullptr;  ///< of box_
  bool comparable_ = false;          ///< box_ shows a matrix
  std::vector<RowChange> changes_;   ///< of the runs that are compared
  KeptText title_, head_, why_, change_;
  Kept<std::int64_t> strongest_;  ///< key of the row that is looked at
  ViewState view_;
  std::vector<int> read_;                 ///< tokens of the main stack in the run before
  std::uint64_t read_of_ = 0;             ///< Session::opened_version() of those
  std::vector<const ViewSpec*> offered_;  ///< views that have something to say about the run
  std::uint64_t offered_for_ = 0;         ///< Session::opened_version() of that
  std::optional<Error> failed_;           ///< why there is no figure
  std::uint64_t failed_key_ = 0;
  UneditedRun unedited_;
  Computed<Result<std::shared_ptr<const Gradients>>> gradients_;
  Computed<SlowPart> slow_;
  std::shared_ptr<const RunResult> other_;  ///< whose trace view_.before is, where it is not `unedited_`
};

}  // namespace attnscope
