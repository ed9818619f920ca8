// Writes a figure as SVG 1.1: texts as text, matrices as rectangles (equal neighbours merged) or, above
// kMostSvgCells, as an embedded picture of one pixel per cell; with clip paths, and groups named by the step
// they show. Self-contained: one file.
#pragma once

#include <string>

#include "app/figure/display_list.h"
#include "core/base/result.h"

namespace attnscope {

/// Metadata of the picture, and the part of the screen it shows.
struct SvgPage {
  std::string title, description;
  std::string language;  ///< "en"
  ImVec2 p0, p1;         ///< screen pixels
  float scale = 1;       ///< pixels per unit: the SVG is this much smaller than on screen
  ImU32 ground = 0;      ///< background
};

/// Matrices with more cells than this (all maps of an atlas together) are written as pictures.
inline constexpr std::int64_t kMostSvgCells = 4096;

/// Sets the page to the bounding box of the visible items plus `margin` pixels.
void fit_page(SvgPage& page, const DisplayList& list, float margin);
/// The text of the SVG file. Errors: out of memory for a picture.
Result<std::string> to_svg(const DisplayList& list, const SvgPage& page);
/// Writes the file, complete or not at all. Errors: those of writing any file.
Status write_svg(const std::string& path, const std::string& text);

}  // namespace attnscope
