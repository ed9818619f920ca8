// Command palette (Ctrl+P): fuzzy search over all actions (by label and English id), views, shipped models
// and scenes, recent files, and the steps of the run. Arrows choose, Enter runs. Disabled actions are listed
// in grey.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/state/actions.h"

namespace attnscope {

/// Fuzzy match score, ignoring case; < 0: no match. The letters of each word must occur in order, words in
/// any order; adjacent letters and beginnings of words score higher.
int fuzzy_score(std::string_view letters, std::string_view text);

class Palette {
 public:
  /// A line of the list.
  struct Line {
    const Action* action;
    std::string argument, title, name;  ///< title is drawn; argument and name are only searched
    std::string place, key;             ///< "View", "Ctrl+P"
    std::string why_not = {};           ///< why it is disabled; empty if it is enabled
  };
  /// All lines for the current state, in the order of the table.
  static std::vector<Line> all_lines(FrameState& state);
  /// Indices of the matching lines, best first; of equal matches, disabled ones
  /// last.
  static std::vector<std::size_t> found(const std::vector<Line>& lines, const std::string& letters);

  /// Opens when state.show_palette is set; draws while open, and runs the chosen line.
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
  bool moved_ = false;  ///< scroll to the chosen line
};

}  // namespace attnscope
