// What the drawings of a tokenizer's steps share: a piece in a box, its tooltip, a row that is clicked.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/views/tokenizer_scene.h"

namespace attnscope {

inline constexpr float kPieceBox = 24.f;    ///< units: height of a piece's box
inline constexpr float kLaterStep = 0.34f;  ///< opacity of what comes after the step

/// A score with two digits.
std::string score_text(double value);

/// Tooltip of a piece: its token, place and bytes; `more` on a line of its own.
void show_piece(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece,
                const std::string& more);

struct PieceInk {
  ImU32 ground, edge, text;
  float outline = 1.f;
};

/// A box of `width` with a name centred in it, leaving `right` pixels free at the right. Returns true while
/// it is hovered.
bool draw_piece_box(ImVec2 at, float width, float height, std::string_view name, const PieceInk& ink,
                    float right = 0);

/// The whole row as a button; true when clicked.
bool step_button(const char* prefix, std::int64_t row, bool current, ImVec2 at, float width, float height);

}  // namespace attnscope
