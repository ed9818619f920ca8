// The lower part of the tokenizer view: what the vocabulary did to one word, as rows one walks through.
#pragma once

#include <imgui.h>

#include "app/views/tokenizer_scene.h"

namespace attnscope {

/// One sentence about step `step` of the word (0: before the first).
std::string step_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step);

/// The steps up to `step`, and those after it dimmed. `moved`: scroll the step into sight. Returns the step
/// that was clicked, or -1.
std::int64_t draw_token_steps(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names,
                              std::int64_t step, bool moved, ImVec2 room);

}  // namespace attnscope
