// Text for a step: sentence, formula, shapes and PyTorch code, with values of the run; and the sum of a cell
// with its numbers. Returns text only, draws nothing.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/views/steps_figure.h"

namespace attnscope {

/// A piece of text in one colour; 0 = text colour.
struct Piece {
  std::string text;
  ImU32 colour = 0;
  bool small = false;  ///< a subscript
};
std::string text_of(const std::vector<Piece>& pieces);

/// Title and sentence of the catalog, adapted to this model.
std::string title_text(const Trace& trace, const Site& site);
std::string sentence_text(const Trace& trace, const Site& site);
/// "S / √d_head" with Q blue, K red, V green; names after an underscore as subscripts.
std::vector<Piece> formula_pieces(const Trace& trace, const Site& site);
/// What the formula of the step calls this weight, "W_Q" for "blocks.0.attn.q.weight"; else its own name.
std::string weight_letter(const Trace& trace, const Site& site, const std::string& weight);
/// "(2, 2, 4, 1) @ (2, 2, 1, 4) → (2, 2, 4, 4)": batch axis first, if all sequences have the same length.
std::string shapes_line(const RunResult& run, const Figure& figure, int sequence = 0);
/// "scores = q @ k.transpose(-2, -1)", placeholders filled from the run of one sequence.
std::string torch_line(const RunResult& run, const Site& site, int sequence = 0);

/// The formula of one cell with its numbers, ending in its value; long sums are shortened in the middle.
std::vector<Piece> spelled_out(const RunResult& run, int sequence, const Explanation& why);
/// Four decimals, more for small numbers.
std::string precise(double value);

}  // namespace attnscope
