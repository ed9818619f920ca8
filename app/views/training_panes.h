// The parts of the training view: curves and norms, attention heads, targets of a row, the scrubber over
// checkpoints. They draw a snapshot of the training run; computations are in core.
#pragma once

#include <optional>
#include <string>

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/lens/thumbnails.h"
#include "core/session/training_arm.h"

namespace attnscope {

/// Data of all parts in this frame.
struct TrainingScene {
  std::shared_ptr<const TrainingSnapshot> snapshot;
  Checkpoint shown;  ///< the newest model, or the chosen checkpoint
  bool newest = true;
  bool followed = false;  ///< the open document is this model, so the cursor applies
  std::uint64_t key() const { return key_of({snapshot->run, static_cast<std::uint64_t>(shown.step)}); }
};

/// Loss, accuracy, learning rate, and norms of gradients and updates by layer; also loss and accuracy of the
/// previous run if it trained the same task.
class TrainingPlots {
 public:
  /// Draws at `at`; returns the height used, pixels: more than `size` if that is too low to be readable.
  float draw(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);

 private:
  void follow(const TrainingScene& scene);
  void draw_loss(const TrainingScene& scene, ImVec2 at, ImVec2 size);
  void draw_accuracy(const TrainingScene& scene, ImVec2 at, ImVec2 size) const;
  void draw_learning_rate(const TrainingScene& scene, ImVec2 at, ImVec2 size) const;
  void draw_strip(const ViewContext& context, const TrainingScene& scene, bool updates, ImVec2 at,
                  ImVec2 size);

  bool log_ = true;
  struct Before {
    TrainingSettings settings;
    std::shared_ptr<const TrainingCurves> curves;
    std::string label;
  };
  std::shared_ptr<const TrainingSnapshot> last_;
  std::optional<Before> before_;  ///< the run shown before this one
  std::uint64_t strips_version_ = 0;
  Tensor strips_[2];  ///< gradients, updates: [layer, range of steps]
};

/// Attention patterns of all heads on the fixed example, and one of them large.
class TrainingHeads {
 public:
  /// Selects the head; follows the cursor if it applies to this model.
  void follow(const ViewContext& context, const TrainingScene& scene);
  /// Thumbnails of all heads; returns the height used, pixels.
  float draw_all(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);
  /// The selected head.
  void draw_one(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);
  void choose(const ViewContext& context, const TrainingScene& scene, int layer, int head);
  const AttentionPlace& place() const { return place_; }
  int layer() const { return layer_; }
  int head() const { return head_; }
  /// Name of the selected head, "1.2": block and head.
  std::string name() const;

 private:
  float draw_places(const ViewContext& context, const TrainingScene& scene, ImVec2 at, float width);
  void draw_map(const ViewContext& context, const TrainingScene& scene, std::size_t index, ImVec2 p0,
                ImVec2 size);

  AttentionPlace place_;
  int layer_ = 0, head_ = 0;
  std::uint64_t key_ = 0, plane_key_ = 0;
  std::optional<Thumbnails> maps_;
  Tensor plane_;
};

/// Target distribution beside predicted distribution for one row.
class TrainingTargets {
 public:
  void draw(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);

 private:
  void draw_rows(const TrainingScene& scene, float width);
  void draw_bars(const TrainingScene& scene, float width, float height);
  std::int64_t row_ = -1;
  std::uint64_t key_ = 0;
  RowTargets bars_;
};

/// The gripper's path over the image: predicted and target.
class TrainingArm {
 public:
  /// True if the task has arm actions.
  bool possible(const TrainingScene& scene);
  void draw(const ViewContext& context, const TrainingScene& scene, const TrainingHeads& heads, ImVec2 at,
            ImVec2 size);

 private:
  void draw_table(float x, float y, float width) const;
  std::uint64_t key_ = 0;
  std::optional<ArmWays> ways_;
};

/// A track with ticks and a handle; places are shares of its length, negative: none.
struct Track {
  const char *id, *help;
  std::vector<float> ticks;
  float here = -1, pinned = -1;  ///< the handle; a ring where A is
};
struct TrackEvent {
  bool dragged = false, released = false;
  float share = 0;  ///< where to
};
TrackEvent draw_track(const Track& track, ImVec2 at, float width);
/// A track with a tick per checkpoint. True if another step was chosen, which is then in `wanted`; -1 = the
/// newest.
bool draw_scrubber(const TrainingScene& scene, int& wanted, ImVec2 at, float width);
/// The checkpoint before (-1) or after (1) the current one; -1 = the newest.
int next_checkpoint(const TrainingScene& scene, int by);

}  // namespace attnscope
