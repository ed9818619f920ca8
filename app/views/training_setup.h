// The form of the training view: task, sizes, recipe; and buttons to start. Errors (it cannot be trained) are
// shown beside the button.
#pragma once

#include <optional>
#include <string>

#include "app/look/kept_text.h"
#include "app/views/training_kept.h"
#include "app/views/training_source.h"
#include "app/views/view.h"
#include "app/widgets/controls.h"
#include "app/widgets/line_plot.h"
#include "core/base/computed.h"

namespace attnscope {

/// The task that a model which ships was trained on; of any other, or null: one that is learned in a minute.
std::string task_of_opened(const OpenedModel* opened);

class TrainingSetup {
 public:
  void draw(const ViewContext& context, float width);
  /// The form is opened again: reads the saved runs again.
  void reopen() { kept_.reopen(); }
  /// Sizes and recipe are shown.
  Switch more{"more", "training.more", "###train_more"};

 private:
  void choose(const std::string& task);
  void begin_with(TrainingSettings settings);
  void check();
  void draw_tasks(const ViewContext& context, float width);
  void draw_chosen(const ViewContext& context, float width);
  void draw_sizes(const ViewContext& context, float width);
  void draw_recipe(float width);
  LinePlot plan() const;
  void draw_plan(ImVec2 at, ImVec2 size);
  void draw_settings(const ViewContext& context, float width);
  void draw_form(const ViewContext& context, float width);
  void draw_buttons(const ViewContext& context, float width);
  void draw_error(float width) const;

  TrainingSettings settings_;
  TaskSizes sizes_;  ///< resulting sizes, with the task's own where none was chosen
  std::string sentence_, example_;
  bool grouped_ = false, masks_ = false;  ///< the task has separate K/V heads; it has two masks
  std::optional<Error> error_;
  TrainingSource source_;
  TrainingKept kept_;
  std::uint64_t edits_ = 0;
  Kept<LinePlot> plan_;
  Computed<std::int64_t> count_;
};

}  // namespace attnscope
