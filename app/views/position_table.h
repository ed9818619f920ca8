// The page of models with a table of positions (learned or sinusoidal), and of the formula for all others:
// heatmap and waves, 3-D surface, clocks, shift rotation, dot products, similarity, a head that attends
// backwards. Values of the formula are labelled as such.
#pragma once

#include "app/look/kept_text.h"
#include "app/views/choices.h"
#include "app/views/position_pages.h"
#include "app/views/position_surface.h"
#include "app/widgets/line_plot.h"
#include "core/base/computed.h"

namespace attnscope {

class TablePage {
 public:
  /// `formula`: shows the formula even if the model has a table.
  void draw(const ViewContext& context, bool formula, ImVec2 at, ImVec2 room);

  void keep(Choices& choices) {
    choices.of("table_page", page_, kPages);
    choices.of("table_compare", compare_);
    choices.of("table_counter", counter_);
    choices.of("table_base", base_, 0.f, 9.f);
    choices.of("table_halves", halves_);
    choices.of("table_window", window_);
    choices.of("table_yaw", eye_.yaw, -1e3f, 1e3f);
    choices.of("table_pitch", eye_.pitch, -1e3f, 1e3f);
    choices.of("table_dim", look_.dim, -1, 1 << 24);
    choices.of("table_pos", look_.pos, 0, 1 << 24);
    choices.of("table_distance", look_.distance, -(1 << 24), 1 << 24);
    choices.of("table_sharpness", look_.sharpness, 0.f, 1e3f);
  }

 private:
  enum class Page { surface, hills, clocks, shift, dots, similarity, back };
  static constexpr Named<Page> kPages[] = {{"surface", Page::surface}, {"hills", Page::hills},
                                           {"clocks", Page::clocks},   {"shift", Page::shift},
                                           {"dots", Page::dots},       {"similarity", Page::similarity},
                                           {"back", Page::back}};
  void follow(const ViewContext& context, bool formula);
  void play(const ViewContext& context);
  float draw_pages(ImVec2 at, float width);
  float draw_controls(const ViewContext& context, ImVec2 at, float width);
  void draw_table(const ViewContext& context, ImVec2 at, ImVec2 room);
  LinePlot waves(std::int64_t begin, std::int64_t end) const;
  void draw_waves(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_counter(const ViewContext& context, ImVec2 at, ImVec2 room);
  void shown_columns(std::int64_t& begin, std::int64_t& end) const;

  Computed<PositionTable> made_;
  std::shared_ptr<const PositionTable> data_;
  std::uint64_t subject_ = 0;  ///< current model and stack
  std::int64_t followed_ = -1;
  PositionLook look_;
  PositionPages pages_;
  Page page_ = Page::surface;
  bool compare_ = false, counter_ = false, playing_ = false;
  Kept<LinePlot> waves_;
  SurfaceView eye_;
  MatrixWindow window_;
  MatrixPlot table_plot_, formula_plot_;
  std::string weight_;     ///< name of a learned table's weight
  float base_ = 4;         ///< log10 of the formula's base
  bool halves_ = false;    ///< layout of the formula
  float cells_width_ = 0;  // of the heatmap, pixels: the waves below have the same width
  float walked_ = 0;       // tokens since playing started
};

}  // namespace attnscope
