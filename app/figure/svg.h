// Writes a figure as SVG 1.1: texts as texts, matrices as rectangles (equal neighbours in one) or, from many
// cells on, as pictures of one pixel per cell, clips, and groups that name the step they show. Everything is
// in the one file. Refuses to decide what a figure consists of (canvas.h).
#pragma once

#include <string>

#include "app/figure/display_list.h"
#include "core/base/result.h"

namespace attnscope {

/// What a picture says of itself, and the part of the screen that it is of.
struct SvgPage {
  std::string title, description;
  std::string language;  ///< "en"
  ImVec2 p0, p1;         ///< pixels
  float scale = 1;       ///< pixels per unit: what the picture is called large
  ImU32 ground = 0;      ///< behind everything
};

/// Matrices of more cells than this (all maps of an atlas together) become pictures.
inline constexpr std::int64_t kMostSvgCells = 4096;

/// Makes the page as large as what is seen of the figure, and `margin` pixels around it.
void fit_page(SvgPage& page, const DisplayList& list, float margin);
/// The file's text. Errors: no memory for a picture.
Result<std::string> to_svg(const DisplayList& list, const SvgPage& page);
/// Writes it, whole or not at all. Errors: those of every file that is written.
Status write_svg(const std::string& path, const std::string& text);

}  // namespace attnscope
