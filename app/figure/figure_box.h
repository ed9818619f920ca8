// A figure of core/figure in a rectangle of the window: placed once for what it shows and the room it has,
// drawn from then on without allocation, and asked which cell lies under the mouse.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "app/look/item_map.h"
#include "core/figure/drawing.h"
#include "core/view/figure_motion.h"

namespace attnscope {

/// A cell of a matrix or a row of a table of the figure, on the screen.
struct FigureHit {
  const figure::Part* part = nullptr;
  std::int64_t row = 0, col = 0;
  ImVec2 p0, p1;
  const figure::MatrixMark& matrix() const { return std::get<figure::MatrixMark>(part->mark); }
  float value() const { return matrix().values.at(row, col); }
};

class FigureBox {
 public:
  /// True where what is shown, the room (pixels), the letters, the language, colours or typefaces are other
  /// ones than those of the last show(). `key`: what the figure is made from.
  bool stale(std::uint64_t key, ImVec2 room, bool presented) const;
  /// Letters grow with a room larger than 1280x720; where the figure does not fit even in its last form, they
  /// get smaller. False: it does not fit then either, and nothing is shown. `zoom`: of the presenter.
  bool show(figure::Figure figure, std::uint64_t key, ImVec2 room, bool presented, float zoom = 1);
  /// The same with letters of a given size, whatever the room: `unit` pixels per unit of core/figure.
  bool show_at(figure::Figure figure, std::uint64_t key, ImVec2 room, bool presented, float unit);
  /// Height in pixels that the figure takes by itself, of the last show().
  float natural_height() const { return placed_.natural_height * unit_; }
  /// Pixels per unit of core/figure: less than asked for where the letters had to be smaller.
  float unit() const { return unit_; }
  /// Nothing is shown until the next show().
  void clear() { figure_.reset(); }
  bool empty() const { return !figure_; }
  /// Draws with the upper left corner at `at`, pixels; its parts are noted as items "figure.<part>":
  /// of a matrix its cells.
  void draw(ImVec2 at);
  /// The same on the way from the figure before.
  void draw(ImVec2 at, const FigureMotion& motion);
  /// As it is on the screen; of the last draw().
  FigureMotion::OnScreen on_screen() const;
  /// The cell at a place on the screen, of the last draw().
  std::optional<FigureHit> hit(ImVec2 place) const;
  /// The row of a table at a place on the screen, as wide as the table; of the last draw().
  std::optional<FigureHit> table_row(std::string_view part, ImVec2 place) const;
  /// The name of a row of a matrix at a place on the screen; of the last draw(). Its column is -1.
  std::optional<FigureHit> row_name(ImVec2 place) const;
  /// Where a part stands on the screen, its title included.
  ItemRect part_rect(std::string_view part) const;
  /// The rectangle of a cell; nothing where it has none of its own.
  std::optional<FigureHit> cell(std::string_view part, std::int64_t row, std::int64_t col) const;
  const figure::Placed& placed() const { return placed_; }
  /// Of the figure that is shown; the question that it answers.
  const Text& title() const { return figure_->title; }
  std::uint64_t serial() const { return shown_.key; }

 private:
  struct Shown {
    std::uint64_t key = 0;
    float width = 0, height = 0, scale = 0;
    bool presented = false;
    int fonts = 0, theme = 0;
    std::string language;
    bool operator==(const Shown&) const = default;
  };
  void draw_shape(const figure::DrawnShape& shape) const;
  void note_parts() const;
  ImVec2 on_screen(float x, float y) const;
  FigureHit hit_of(const figure::DrawnShape& shape) const;

  Shown shown_;
  std::optional<figure::Figure> figure_;  ///< placed_ points into it
  figure::Placed placed_;
  figure::Drawing drawing_;
  float unit_ = 1;                  ///< pixels per unit of the drawing
  std::vector<std::string> names_;  ///< of items, one per placed part
  ImVec2 at_;
};

/// A colour of a figure, as Dear ImGui has it.
ImU32 figure_colour(figure::Rgb rgb);
/// Widths of letters; one for the program. UI thread only.
const figure::Measure& figure_measure();

}  // namespace attnscope
