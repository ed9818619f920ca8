// The lattice of a Unigram word: its characters side by side, below them every piece that was considered.
#pragma once

#include <cstdint>
#include <string>

#include "app/views/tokenizer_scene.h"

namespace attnscope {

/// As draw_token_steps; returns the clicked character as a step, or -1.
std::int64_t draw_lattice(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step,
                          bool moved);

/// One sentence about the best way to the end of character `step`.
std::string lattice_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step);

}  // namespace attnscope
