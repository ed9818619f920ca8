// Ask over a data set as a figure.
#pragma once

#include "core/view/view.h"

namespace attnscope {

/// Mean change, mean, standard error and count of every place. `answer.data` is there.
Result<ViewDrawing> draw_asked_data(const SweepAnswer& answer);

}  // namespace attnscope
