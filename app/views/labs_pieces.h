// The pieces of a lab's picture on the screen: curves, matrices, bars, tables; and how high each wants to be.
#pragma once

#include <imgui.h>

#include "app/gpu/painter.h"
#include "core/lab/lab.h"

namespace attnscope {

/// Draws into the rectangle at `at`; `key` is unique on the screen.
void draw_lab_piece(Painter& painter, const LabPiece& piece, const std::string& key, ImVec2 at, ImVec2 size);

/// A text of a picture in words, made once for each picture: `serial` is its own.
const std::string& lab_words(const Text& text, std::uint64_t serial);

/// The title of a piece in bold; returns the y of what follows.
float draw_lab_title(const Text& title, std::uint64_t serial, ImVec2 at, float width);

/// Rows of pieces over the whole rectangle, closer together where it is low; returns the height that they
/// took.
float draw_lab_picture(Painter& painter, const LabPicture& picture, std::uint64_t serial,
                       const std::string& key, ImVec2 at, ImVec2 size);

}  // namespace attnscope
