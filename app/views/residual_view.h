// The residual view's state: the lens and its colouring, the pinned cell, the additions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/views/residual_additions.h"
#include "app/views/residual_lens.h"
#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/table.h"
#include "core/base/computed.h"

namespace attnscope {

class ResidualView : public View {
 public:
  ResidualView() : View({"residual", ViewGroup::inside, 0}) {}
  std::string unavailable(const RunResult& run) const override {
    if (!run.traces.empty() && has_additions(run.trace(0))) return "";
    return !run.traces.empty() && run.recorded() ? "residual.none.recorded" : "residual.none";
  }
  void keep(Choices& choices) override {
    choices.all(colour_, by_push_);
    choices.of("asked", asked_, -1, 1 << 24);
    choices.of("window", window_);
  }
  void draw(const ViewContext& context) override;
  void leave() override {
    now_.leave();
    before_.leave();
  }

 private:
  static const ModelConfig& config(const ViewContext& context);
  /// The token of a row of the main stack.
  static std::string main_name(const ViewContext& context, std::int64_t pos);
  /// A row that stands for no token: nothing is read off it.
  static bool pads(const ViewContext& context, std::int64_t pos);
  void follow(const ViewContext& context);
  int asked_token(const ViewContext& context);
  void reset_window(const ViewContext& context, ImVec2 room);
  void draw_grid(const ViewContext& context, ImVec2 at, ImVec2 room);
  void mark_edits(const ViewContext& context, MatrixPlot& plot) const;
  void draw_tokens(const ViewContext& context, const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 at);
  void explain(const ViewContext& context, std::int64_t row, std::int64_t pos) const;
  std::string cell_number(float value) const {
    return number_text(value, colour_ == LensColour::rank && !difference_ ? 0 : 2);
  }
  void draw_side(const ViewContext& context, float width);
  void draw_list(const ViewContext& context, const LensList& list, std::size_t shown, float width);
  void draw_colours(const ViewContext& context, float width);
  void draw_parts(const ViewContext& context, ImVec2 at, ImVec2 room);

  std::int64_t row_count() const { return static_cast<std::int64_t>(now_.rows().size()); }
  // Screen rows go from the output down, lens rows from the embedding up.
  std::int64_t lens_index(std::int64_t screen_row) const { return row_count() - 1 - screen_row; }

  LensGrid now_, before_;
  bool difference_ = false;
  static constexpr Option<LensColour> kColours[] = {{"probability", LensColour::probability},
                                                    {"asked", LensColour::asked},
                                                    {"rank", LensColour::rank},
                                                    {"entropy", LensColour::entropy},
                                                    {"kl", LensColour::kl}};
  OneOf<LensColour> colour_{"colour", kColours, LensColour::probability, "residual.colour.", "###lens_"};
  int asked_ = -1;  // token chosen for the colouring; -1: the prediction at the current position
  int answer_ = -1;
  std::uint64_t answer_key_ = 0;
  std::uint64_t asked_of_ = 0;  // opened_version it belongs to
  static constexpr Option<bool> kBars[] = {{"push", true, "residual.by_push", "push"},
                                           {"length", false, "residual.by_length", "length"}};
  /// Bars: contribution to the logit, else the norm.
  OneOf<bool> by_push_{"by_push", kBars, true, "", "###residual_by_"};
  MatrixWindow window_;
  std::array<std::int64_t, 3> window_of_{};  // rows, positions, and room it was computed for
  std::int64_t row_ = -1, pos_ = 0;          // pinned cell; row as in the lens
  Site seen_step_;
  HeatStyle style_;
  Tensor values_;
  std::uint64_t values_key_ = 0;
  Computed<LensList> list_;
  Kept<Table> list_table_;
  float below_rows_ = 0;  // y of the end of the listed tokens
  float below_list_ = 0;  // height of all below them, in the frame before; 0: not known
  struct Books {
    std::vector<Addition> parts;
    std::optional<Pushes> pushes;  // contributions to the logit of `token`
    int token = -1;
  };
  Computed<Books> books_;
};

}  // namespace attnscope
