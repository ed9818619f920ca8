// The large heatmap of one head: any attention step, with zoom and pan, legend and chips. Inputs longer than
// 512 tokens are shown downsampled until the visible window is small enough; then only the visible rectangle
// is computed. Does not move the cursor: returns the hovered or clicked cell.
#pragma once

#include "app/look/kept_text.h"
#include "app/views/attention_common.h"
#include "app/views/choices.h"
#include "core/lens/thumbnails.h"

namespace attnscope {

/// A cell of the current head; -1: none.
struct PairEvent {
  std::int64_t query = -1, key = -1;
  bool clicked = false, double_clicked = false;
  bool any() const { return query >= 0; }
};

class PlanePane {
 public:
  /// `lit`: pair to highlight (hovered here or elsewhere); `coarse`: the head's thumbnail or null.
  PairEvent draw(const ViewContext& context, const AttentionScene& scene, Slot stage, const PairEvent& lit,
                 const HeadThumbnail* coarse, ImVec2 position, ImVec2 size);
  /// Cell whose rectangle is tracked from the next draw() on; `query` < 0: none.
  void follow_cell(std::int64_t query, std::int64_t key) { followed_ = {query, key}; }
  /// Its rectangle on screen, pixels; false if it is not visible.
  bool followed(ImVec2& p0, ImVec2& p1) const;
  StageLook look(const Workspace& workspace) const { return {false, workspace.log_scale}; }
  /// True if the values on screen are new minus old.
  bool shows_difference() const { return plane_.difference; }

  void keep(Choices& choices) {
    choices.of("plane", window_);
    choices.of(without_first_);
    choices.of("wanted", wanted_);
  }

 private:
  struct Plane {
    std::uint64_t key = 0;
    Tensor values;
    ValueRange range;
    Range rows, cols;
    bool difference = false, shifted = false;  ///< `shifted`: rows or keys were aligned by tokens
    std::int64_t block = 1;                    ///< tokens per cell and axis
    bool rough = false;                        ///< only some of the rows were read so far
  };
  void fit_window(const AttentionScene& scene);
  const std::shared_ptr<const Against>& compared(const ViewContext& context, const AttentionScene& scene,
                                                 Slot stage);
  bool seen_is_small(const AttentionScene& scene) const;
  void take_exact(const ViewContext& context, const AttentionScene& scene, Slot stage);
  void take_overview(const ViewContext& context, const AttentionScene& scene, Slot stage,
                     const HeadThumbnail* coarse);
  PairEvent draw_plane(const ViewContext& context, const AttentionScene& scene, Slot stage,
                       const PairEvent& lit, ImVec2 position, ImVec2 size);
  void find_followed(const MatrixPlot& plot, ImVec2 position, ImVec2 size);
  void draw_sums(const MatrixPlot& plot, ImVec2 position, ImVec2 size) const;
  void find_token(const ViewContext& context, const AttentionScene& scene, float width);
  void show_query(const AttentionScene& scene, std::int64_t query);
  std::string_view note(const ViewContext& context, Slot stage) const;
  /// `above`: pixels between legend and chips.
  void draw_below(const ViewContext& context, const AttentionScene& scene, Slot stage, ImVec2 position,
                  float width, float above);

  PairEvent followed_;
  ImVec2 followed0_, followed1_;                       ///< rectangle of that cell; empty: not visible
  MatrixWindow window_;                                ///< in tokens
  std::int64_t window_keys_ = 0, window_queries_ = 0;  ///< size of the attention that the window belongs to
  Plane plane_;
  Kept<MatrixPlot> plot_;  ///< cached, with row and column names
  Kept<std::shared_ptr<const Against>> against_;
  Computed<PooledPlane> overview_;
  std::vector<double> sums_;  ///< row sums, if the plane holds whole rows of a pattern
  Switch without_first_{"without_first", "attention.without_first", "###without_first"};
  std::string wanted_;  ///< text of the token search
};

}  // namespace attnscope
