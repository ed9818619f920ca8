// A drawing as pixels, by cairo.
#pragma once

#include "core/base/result.h"
#include "core/figure/drawing.h"
#include "core/io/png_file.h"

namespace attnscope {

/// `scale`: pixels per unit of the drawing. Errors: more pixels than half a gigabyte; what cairo says.
Result<PngPixels> raster(const figure::Drawing& drawing, int scale, bool transparent = false);

}  // namespace attnscope
