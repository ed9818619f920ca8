// The picture that a model looks at, cut into its patches: attention painted over it, and patches as small
// pictures beside the axes of matrices. Shows what the model sees, not the file. Refuses to compute weights.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/gpu/painter.h"
#include "app/widgets/matrix_plot.h"
#include "core/lens/patches.h"
#include "core/session/session.h"

namespace attnscope {

/// Puts the picture of a sequence into the painter; its key, or empty where the run has no picture.
std::string upload_model_picture(Painter& painter, const RunResult& run, int sequence);

/// The patches of a stack's rows as pictures for an axis; null where the stack sees no image.
std::shared_ptr<const AxisPictures> axis_pictures(Painter& painter, const RunResult& run, int sequence,
                                                  Stack stack);

struct PatchPicture {
  std::string id;       ///< ImGui id, and of the driver's item map
  std::string picture;  ///< key in the painter
  int rows = 0, cols = 0;
  Tensor weights;  ///< [rows, cols], painted over the picture: strong ones shine; empty: none
  std::int64_t chosen = -1, lit = -1;  ///< patches with an outline: the query, the key pointed at
};
struct PatchEvent {
  std::int64_t patch = -1;  ///< under the pointer
  bool clicked = false;
  ImVec2 p0, p1;  ///< of the picture, on screen
};
/// Draws the picture as large as `size` allows, patches square.
PatchEvent draw_patch_picture(Painter& painter, const PatchPicture& what, ImVec2 position, ImVec2 size);

}  // namespace attnscope
