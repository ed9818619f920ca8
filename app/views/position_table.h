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
  /// The menu of its pages, behind the chips of the row.
  void draw_menu(ChipRow& row, const ViewContext& context, bool formula);

  void keep(Choices& choices) {
    choices.all(page_, compare_, counter_, halves_);
    choices.of("table_base", base_, 0.f, 9.f);
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
  static constexpr Option<Page> kPages[] = {
      {"surface", Page::surface, "position.flat", "flat"},
      {"hills", Page::hills, "position.hills", "hills"},
      {"clocks", Page::clocks, "position.clocks", "clocks_page"},
      {"shift", Page::shift, "position.shift", "shift_page"},
      {"dots", Page::dots, "position.dots", "dots_page"},
      {"similarity", Page::similarity, "position.similarity", "similarity_page"},
      {"back", Page::back, "position.back", "back_page"}};
  void follow(const ViewContext& context, bool formula);
  void play(const ViewContext& context);
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
  OneOf<Page> page_{"table_page", kPages, Page::surface, "", "###position_"};
  Switch compare_{"table_compare", "position.compare", "###position_compare"},
      counter_{"table_counter", "position.counter", "###position_counter"},
      halves_{"table_halves", "position.halves", "###position_halves"};  ///< layout of the formula
  bool playing_ = false;
  Kept<LinePlot> waves_;
  SurfaceView eye_;
  MatrixWindow window_;
  MatrixPlot table_plot_, formula_plot_;
  std::string weight_;     ///< name of a learned table's weight
  float base_ = 4;         ///< log10 of the formula's base
  float cells_width_ = 0;  // of the heatmap, pixels: the waves below have the same width
  float walked_ = 0;       // tokens since playing started
};

}  // namespace attnscope
