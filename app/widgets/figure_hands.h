// What the mouse does in a figure, the same in all: hovering tells the number, a click looks at it, dragging
// changes it, a double click types it, the right button opens the menu of edits; a click on the name of a row
// looks at that row, on a row of a table at the part of the model that it is about.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/figure/figure_box.h"
#include "app/widgets/cell_field.h"
#include "app/widgets/commands.h"

namespace attnscope {

class FigureHands {
 public:
  struct Context {
    const RunResult& run;
    Workspace& workspace;
    Commands& commands;
    const FigureBox& box;
    bool appends = false;   ///< a click on a row of a table of answers is asked for by take_output()
    bool replaces = false;  ///< a click on a row of the table "near" is asked for by take_word()
  };
  /// A row of a table of answers.
  struct Output {
    std::string part;
    std::int64_t row = 0;
  };
  /// After the box was drawn; the last ImGui item is the figure's area. True while a number is dragged.
  bool follow(const Context& context);
  /// The row of the answer that was clicked, once.
  std::optional<Output> take_output() { return std::exchange(output_, std::nullopt); }
  /// The word of the table "near" that was clicked, once.
  std::optional<std::string> take_word() { return std::exchange(word_, std::nullopt); }
  /// A cell of a matrix that was clicked and not dragged, once.
  struct Clicked {
    std::string part;
    std::int64_t row = 0, col = 0;
  };
  std::optional<Clicked> take_clicked() { return std::exchange(clicked_, std::nullopt); }
  bool dragging() const { return drag_.has_value(); }

 private:
  struct Held {  // a cell under the pressed button
    std::string part;
    std::int64_t row = 0, col = 0;
    Cell cell;
    ImVec2 from;
    float value = 0, per_pixel = 0;
    bool share = false;
    std::string gesture;  ///< empty: not moved yet
  };
  void hover(const Context& context);
  bool hover_near(const Context& context);
  void hover_tables(const Context& context);
  void drag(const Context& context);
  static void click(const Context& context, const Held& held);
  void type(const Context& context);

  std::optional<Held> drag_, typed_;
  std::optional<Clicked> clicked_;
  std::optional<Output> output_;     ///< of take_output()
  std::optional<std::string> word_;  ///< of take_word()
  CellField field_;
  int gestures_ = 0;
};

}  // namespace attnscope
