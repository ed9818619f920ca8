// Text above the figure, chips that select what is shown, the sum of a cell below it, and the row of
// neighbouring steps. Stateless: all state is in the workspace.
#pragma once

#include <string>
#include <vector>

#include "app/look/label.h"
#include "app/views/steps_words.h"
#include "app/views/view.h"

namespace attnscope {

/// Amount of text above a figure, by available room.
enum class StepWords : std::uint8_t {
  all,   ///< title, sentence, formula, shapes, PyTorch
  two,   ///< title and formula, sentence; the rest as a tooltip
  title  ///< title only, with the chips beside it
};
/// Texts of a step; built once per figure.
struct StepText {
  std::string title, sentence, long_sentence, shapes, torch;
  std::string more;  ///< all of it, for the tooltip
  std::vector<Piece> formula;
};
StepText step_text(const ViewContext& context, const Figure& figure, int step);
void draw_step_words(const StepText& text, StepWords words);
/// One line: a formula, the shapes of its parts and a line of PyTorch; what has no room stands below.
void draw_formula_line(const std::vector<Piece>& formula, const std::string& shapes, const std::string& torch,
                       float width);
/// Title on the left, and formula on the right if there is room for both.
void draw_title_and_formula(const StepText& text, ImVec2 at, float width, ImFont* title, ImFont* formula);
/// Presenter mode: title, number of the step, and one sentence; between the first two `note` (empty: none).
/// False where that has no room, and was left out.
bool draw_presented_words(const ViewContext& context, int step, std::string_view note);
/// Chips for sequence, block, head, parts of the step; for the vocabulary: most likely tokens or all. `first`
/// false: other chips precede them on the line.
void draw_step_chips(const ViewContext& context, const Figure& figure, int step, bool& whole_vocabulary,
                     bool first = true);
/// The largest font in which the pieces fit on a line of `width` pixels; the smallest if none does.
ImFont* fitting_font(const std::vector<Piece>& pieces, float width);
/// Draws pieces with line breaks; returns the height, pixels.
float draw_pieces(const std::vector<Piece>& pieces, ImVec2 position, float width, ImFont* font,
                  int most_lines);
/// Chips for previous and next steps; a click moves the cursor there.
void draw_neighbours(const ViewContext& context, int step, float width);
/// A small rounded button; `colour`: outline, 0 = border colour. Label with "###id".
bool step_chip(const Label& label, bool on, ImU32 colour = 0, const char* help = nullptr);

/// Width of step_chip(), pixels.
float site_chip_width(const Label& label);
/// What a step's chip says: "Q", "weights".
std::string site_member(const Site& site);

}  // namespace attnscope
