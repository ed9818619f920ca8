// A film: drawings of one size one after the other, for files that move.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/figure/drawing.h"
#include "core/io/png_file.h"
#include "core/system/atomic_file.h"

namespace attnscope {

struct FilmFrame {
  figure::Drawing drawing;
  int hundredths = 5;  ///< of a second that it stands
};
inline constexpr int kMostHundredths = 60000;  ///< that one stands
inline constexpr int kStillHundredths = 20;    ///< at least: one that is looked at, not passed through

/// Calls `next` with the first picture whole and then the part that changes from each to the following one;
/// those that are equal stand longer instead. Errors: those of raster().
Status each_change(const std::vector<FilmFrame>& film, int scale,
                   const std::function<void(PngFrame&& part)>& next);

/// Writes what an encoder made of a film. Errors: it made nothing.
Status put_film(AtomicFile& file, const std::string& bytes);

}  // namespace attnscope
