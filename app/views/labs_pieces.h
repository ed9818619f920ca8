// Draws the pieces of a lab's picture: curves, matrices, bars, tables; and computes their heights.
#pragma once

#include <imgui.h>

#include "app/gpu/painter.h"
#include "core/lab/lab.h"

namespace attnscope {

/// Draws into the rectangle at `at`; `key` is unique on the screen.
void draw_lab_piece(Painter& painter, const LabPiece& piece, const std::string& key, ImVec2 at, ImVec2 size);

/// A text of a picture, translated and cached by the picture's `serial`.
const std::string& lab_words(const Text& text, std::uint64_t serial);

/// The title of a piece in bold; returns the y below, pixels.
float draw_lab_title(const Text& title, std::uint64_t serial, ImVec2 at, float width);

/// Rows of pieces over the whole rectangle, more tightly spaced if it is low; returns the height used,
/// pixels.
float draw_lab_picture(Painter& painter, const LabPicture& picture, std::uint64_t serial,
                       const std::string& key, ImVec2 at, ImVec2 size);

}  // namespace attnscope
