// The input image of a vision model, divided into patches: attention weights drawn over it, and patches as
// small pictures beside matrix axes. Shows the preprocessed pixels, not the file.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/gpu/painter.h"
#include "app/widgets/matrix_plot.h"
#include "core/lens/patches.h"
#include "core/session/session.h"

namespace attnscope {

/// Uploads the image of a sequence to the Painter; returns its key, empty when the run has no image.
std::string upload_model_picture(Painter& painter, const RunResult& run, int sequence);

/// Patches of a stack's rows as pictures for an axis; null when the stack has no image input.
std::shared_ptr<const AxisPictures> axis_pictures(Painter& painter, const RunResult& run, int sequence,
                                                  Stack stack);

struct PatchPicture {
  std::string id;       ///< ImGui ID, and name in the item map
  std::string picture;  ///< key in the Painter
  int rows = 0, cols = 0;
  Tensor weights;  ///< [rows, cols], drawn over the image: large weights bright; empty: none
  std::int64_t chosen = -1, lit = -1;  ///< outlined patches: the query, the hovered key
};
struct PatchEvent {
  std::int64_t patch = -1;  ///< under the mouse pointer
  bool clicked = false;
  ImVec2 p0, p1;  ///< rectangle of the image, screen pixels
};
/// Draws the image as large as `size` allows; patches stay square.
PatchEvent draw_patch_picture(Painter& painter, const PatchPicture& what, ImVec2 position, ImVec2 size);

}  // namespace attnscope
