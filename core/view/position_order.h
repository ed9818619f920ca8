// What the order of the words does: the same text with two words exchanged, in the model as it is and in the
// same model without positions.
#pragma once

#include <optional>

#include "core/view/view.h"

namespace attnscope {

/// Whether the model can be run over a text of words, of which two could be exchanged: of an encoder-decoder
/// those that the encoder reads. Cheap.
bool may_exchange_words(const ViewState& state);
/// One row of attention over the text as written and over the text with two neighbours exchanged, each with
/// and without the model's positions. Which neighbours: those whose exchange moves the answer most. Of an
/// encoder whose rows are not looked at the row that changes most. Nothing where the row sees no two words
/// that can be exchanged, the model cannot be run, or is too large to be run for a picture.
std::optional<ViewDrawing> drawn_word_order(const ViewState& state);

}  // namespace attnscope
