// The palette (Ctrl+P): type a few letters of what you want, choose with the arrows, Enter does it. It finds
// every action by its words and by its English id, the views, what is shipped, what was open, and the steps
// of the run. What is not possible now stands there in grey.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/state/actions.h"

namespace attnscope {

/// How well letters fit a text, upper and lower case alike; < 0: they do not. The letters of a word stand in
/// their order, words anywhere; letters that follow each other and beginnings of words weigh more.
int fuzzy_score(std::string_view letters, std::string_view text);

class Palette {
 public:
  /// A line of the list.
  struct Line {
    const Action* action;
    std::string argument, title, name;  ///< what is drawn; what is found besides: id and argument
    std::string place, key;             ///< "View", "Ctrl+P"
    std::string why_not = {};           ///< why it is not possible now; empty where it is
  };
  /// All that can be asked for now, in the order of the table.
  static std::vector<Line> all_lines(FrameState& state);
  /// Indices of the lines that the letters fit, best first; what is not possible stands behind what fits as
  /// well.
  static std::vector<std::size_t> found(const std::vector<Line>& lines, const std::string& letters);

  /// Opens when state.show_palette asks for it, draws while it is open, and does what is chosen.
  void draw(FrameState& state);

 private:
  void begin(FrameState& state);
  void move(int by);
  void search();
  bool draw_list();
  bool draw_lines();
  void draw_line(const Line& line, bool chosen, float width) const;

  std::vector<Line> lines_;
  std::vector<std::size_t> found_;
  std::string letters_, searched_;
  int chosen_ = 0;
  bool moved_ = false;  ///< the chosen line is to be brought into sight
};

}  // namespace attnscope
