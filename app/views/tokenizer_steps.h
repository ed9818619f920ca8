// Lower part of the tokenizer view: the steps of the tokenizer on one word, one per row.
#pragma once

#include <imgui.h>

#include "app/views/tokenizer_scene.h"

namespace attnscope {

/// One sentence about step `step` of the word (0: before the first).
std::string step_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step);

/// The steps up to `step`, and later ones dimmed. `moved`: scrolls to the step. Returns the clicked step, or
/// -1.
std::int64_t draw_token_steps(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names,
                              std::int64_t step, bool moved, ImVec2 room);

}  // namespace attnscope
