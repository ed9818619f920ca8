// The top of the Check view: whether every step of every shipped model equals what PyTorch computed of it, in
// one sentence; the largest error and where; and a mark for each model, which opens it.
#pragma once

#include "app/views/view.h"

namespace attnscope {

/// Draws it, `width` pixels wide; nothing where the program was built without models.
void draw_shipped_check(const ViewContext& context, float width);

}  // namespace attnscope
