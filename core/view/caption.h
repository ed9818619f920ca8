// What stands below a figure: model, text, block and head, edits, scale of the colours, version. Each is a
// sentence of its own, made from what is shown.
#pragma once

#include <vector>

#include "core/session/document.h"
#include "core/view/view.h"

namespace attnscope {

/// `document`: whose run it is, of its sequence `sequence`; null for views of no model.
std::vector<Text> caption_of(const ViewSpec& view, const ViewState& state, const Document* document,
                             std::size_t sequence, const figure::Figure& figure);
/// The figure with the caption below it, in the language of the moment.
figure::Figure captioned(figure::Figure figure, const std::vector<Text>& caption);

}  // namespace attnscope
