// The mask view's state. Its matrices before and after masking are drawn by mask_planes.cpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/views/figure_page.h"
#include "app/views/mask_blind.h"
#include "app/views/mask_board.h"
#include "app/views/mask_effect.h"
#include "app/views/mask_kinds.h"
#include "app/views/mask_segments.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

class MaskView : public View {
 public:
  MaskView() : View({"mask", ViewGroup::walk, 2}) {}
  std::string unavailable(const RunResult& run) const override {
    return has_attention(run) ? std::string() : "attention.none";
  }
  void keep(Choices& choices) override {
    choices.of(page_);
    choices.of("window", window_);
    effect_.keep(choices);
  }
  void draw(const ViewContext& context) override;

 private:
  /// How a plane is drawn; `cell`: pixels, between other matrices of the same rows and without a legend; 0:
  /// what fits.
  struct PlaneLook {
    std::string_view title;
    ImVec2 cell{0, 0};
    bool names = true, columns = true;  ///< of its rows and columns
  };
  struct Plane {
    std::uint64_t key = 0;
    Tensor values;
    ValueRange range;
    bool difference = false;
    Kept<MatrixPlot> plot;  ///< with row and column names
  };
  /// One of the matrices that stand side by side; `plane`: of planes_, past its end the board.
  struct Stage {
    const char* title;
    Slot slot;
    std::size_t plane;
  };
  enum class Page { pattern, scores, segments, blind };
  static constexpr Option<Page> kPages[] = {{"pattern", Page::pattern},
                                            {"scores", Page::scores},
                                            {"segments", Page::segments},
                                            {"blind", Page::blind}};
  void draw_notation(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  void draw_scores(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void draw_stages(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  float draw_line(const ViewContext& context, const AttentionScene& scene, ImVec2 at, float width);
  ImVec2 stage_cell(const AttentionScene& scene, float names, float top, std::size_t count,
                    ImVec2 size) const;
  void draw_left(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  void draw_summary(const ViewContext& context, const AttentionScene& scene, ImVec2 position, float width,
                    bool crowded);
  void draw_right(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);
  static float draw_head_chips(const ViewContext& context, const AttentionScene& scene, std::int64_t heads,
                               ImVec2 at, float width);
  void take_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, Range rows, Range cols,
                  Plane& plane);
  void draw_plane(const ViewContext& context, const AttentionScene& scene, Slot slot, std::size_t index,
                  const PlaneLook& look, ImVec2 position, ImVec2 size);
  void notice_hover(const MatrixEvent& event);

  MaskBoard board_;
  MatrixWindow window_;
  std::int64_t window_keys_ = 0, window_queries_ = 0;
  std::array<Plane, 3> planes_;
  Kept<std::vector<Stage>> stages_;
  OneOf<Page> page_{"page", kPages, Page::scores, "mask.page.", "###mask_page_"};
  FigureArea row_{"mask", "row"};  ///< the row that is looked at, at every stage, in digits
  MaskKinds kinds_;
  MaskEffect effect_;
  MaskSegments segments_;
  MaskBlind blind_;
  KeptText place_;                                ///< of the title, cached
  std::string copied_;                            ///< last text copied to the clipboard
  std::int64_t lit_query_ = -1, lit_key_ = -1;    ///< of the last frame
  std::int64_t next_query_ = -1, next_key_ = -1;  ///< of this frame
};

}  // namespace attnscope
