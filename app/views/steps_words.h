// A step in words, in symbols, in shapes and in PyTorch, with this run's values in it; and a cell's sum
// spelled out with its numbers. Text only: the view draws it.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/views/steps_figure.h"

namespace attnscope {

/// A run of text in one colour; 0 = the colour of text.
struct Piece {
  std::string text;
  ImU32 colour = 0;
  bool small = false;  ///< a subscript
};
std::string text_of(const std::vector<Piece>& pieces);

/// The catalog's title and sentence, mended where this model does it differently.
std::string title_text(const Trace& trace, const Site& site);
std::string sentence_text(const Trace& trace, const Site& site);
/// "S / √d_head" with Q blue, K red, V green, names after an underscore as subscripts.
std::vector<Piece> formula_pieces(const Trace& trace, const Site& site);
/// "(2, 2, 4, 1) @ (2, 2, 1, 4) → (2, 2, 4, 4)": the batch in front where every sequence has the same length.
std::string shapes_line(const RunResult& run, const Figure& figure, int sequence = 0);
/// "scores = q @ k.transpose(-2, -1)", placeholders filled from the run of one sequence.
std::string torch_line(const RunResult& run, const Site& site, int sequence = 0);

/// The rule of one cell with its numbers; long sums are shortened in the middle. Ends in the recorded number.
std::vector<Piece> spelled_out(const RunResult& run, int sequence, const Explanation& why);
/// Four digits after the point, more for small numbers.
std::string precise(double value);

}  // namespace attnscope
