// The words above the figure, the chips that choose what is shown, the spelled-out sum below it and the row
// of neighbouring steps. Refuses to keep state: everything is in the workspace.
#pragma once

#include <string>
#include <vector>

#include "app/look/label.h"
#include "app/views/steps_words.h"
#include "app/views/view.h"

namespace attnscope {

/// How much is said above a figure, by the room that it leaves.
enum class StepWords : std::uint8_t {
  all,   ///< title, sentence, formula, shapes, PyTorch
  two,   ///< title and formula, sentence; the rest when one points there
  title  ///< the title, with the chips beside it
};
/// What is said of a step; made once for a figure.
struct StepText {
  std::string title, sentence, long_sentence, shapes, torch;
  std::string more;  ///< all of it, for who points there
  std::vector<Piece> formula;
};
StepText step_text(const ViewContext& context, const Figure& figure, int step);
void draw_step_words(const StepText& text, StepWords words);
/// The title on the left, the formula on the right where there is room for both.
void draw_title_and_formula(const StepText& text, ImVec2 at, float width, ImFont* title, ImFont* formula);
/// While presenting: title, place in the walk, and one sentence.
void draw_presented_words(const ViewContext& context, int step);
/// Sequence, block, head, members of the step; for the vocabulary: most likely or whole. `first` false: chips
/// stand before them on the line.
void draw_step_chips(const ViewContext& context, const Figure& figure, int step, bool& whole_vocabulary,
                     bool first = true);
/// The largest of the typefaces in which the pieces are a line of `width` pixels; the smallest where none is.
ImFont* fitting_font(const std::vector<Piece>& pieces, float width);
/// Pieces in a line that wraps; returns the height.
float draw_pieces(const std::vector<Piece>& pieces, ImVec2 position, float width, ImFont* font,
                  int most_lines);
/// Steps before and after as chips; a click goes there.
void draw_neighbours(const ViewContext& context, int step, float width);
/// A small rounded button; `colour` of its outline, 0 = border. Label with "###id".
bool step_chip(const Label& label, bool on, ImU32 colour = 0, const char* help = nullptr);

}  // namespace attnscope
