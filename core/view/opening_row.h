// The row that a view is best opened at, where the row that predicts shows little of what it is about: a mask
// where it hides something, an embedding at a word that is like others, a tokenizer at a long word, an MLP in
// the block that does most.
#pragma once

#include <string_view>

#include "core/view/view.h"

namespace attnscope {

/// Of the view `id`; -1: it has none of its own, or none that this run offers. `state.row` is the row that
/// would be looked at otherwise.
std::int64_t opening_row(std::string_view id, const ViewState& state);

/// The block that the view `id` is best opened at: of the MLPs the one that adds most to the answer of the
/// row that is looked at; -1: the view has none of its own, or the run has no such parts.
int opening_layer(std::string_view id, const ViewState& state);

/// Block and head of the first thing to try, which is where the easy window opens; as it is where there is
/// none.
void look_at_first_try(ViewState& state);

/// Block and head of the last number that is edited there; as it is where none is.
void look_at_last_edit(ViewState& state, const Edits& edits);

}  // namespace attnscope
