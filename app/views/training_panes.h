// The parts of the training view that show a run: its curves and norms, its heads, what a row should say, the
// scrubber over its checkpoints. Each draws what a snapshot holds. Refuses to compute.
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

/// What all parts look at this frame.
struct TrainingScene {
  std::shared_ptr<const TrainingSnapshot> snapshot;
  Checkpoint shown;  ///< the newest model, or the checkpoint that was chosen
  bool newest = true;
  bool followed = false;  ///< what is open is this model: the cursor speaks of it
  std::uint64_t key() const { return key_of({snapshot->run, static_cast<std::uint64_t>(shown.step)}); }
};

/// Loss, accuracy, learning rate, and the norms of gradients and updates by layer; loss and accuracy of the
/// run before it as well, where that learned the same.
class TrainingPlots {
 public:
  /// Draws at `at`; returns the height that was used. Taller than `size` where that is too low to be read.
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
  std::optional<Before> before_;  ///< the run that was shown before this one
  std::uint64_t strips_version_ = 0;
  Tensor strips_[2];  ///< gradients, updates: [layer, stretch]
};

/// The heads' patterns on the example that is watched, and one of them large.
class TrainingHeads {
 public:
  /// Which head is looked at; follows the cursor where it speaks of this model.
  void follow(const ViewContext& context, const TrainingScene& scene);
  /// Small pictures of all heads; returns the height that was used.
  float draw_all(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);
  /// The head that is looked at.
  void draw_one(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);
  void choose(const ViewContext& context, const TrainingScene& scene, int layer, int head);
  const AttentionPlace& place() const { return place_; }
  int layer() const { return layer_; }
  int head() const { return head_; }
  /// "1.2": block and head.
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

/// Target bars beside predicted bars for one row.
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

/// The hand's way over the picture: said and wanted.
class TrainingArm {
 public:
  /// The task moves a hand.
  bool possible(const TrainingScene& scene);
  void draw(const ViewContext& context, const TrainingScene& scene, const TrainingHeads& heads, ImVec2 at,
            ImVec2 size);

 private:
  void draw_table(float x, float y, float width) const;
  std::uint64_t key_ = 0;
  std::optional<ArmWays> ways_;
};

/// A track with a tick per checkpoint. True when another step was chosen: `wanted` becomes it, -1 = the
/// newest.
bool draw_scrubber(const TrainingScene& scene, int& wanted, ImVec2 at, float width);
/// The checkpoint before (-1) or after (1) the one that is shown; -1 = the newest.
int next_checkpoint(const TrainingScene& scene, int by);

}  // namespace attnscope
