// What came of a training run: its measures, and the sentences about its files and errors.
#pragma once

#include "app/views/training_panes.h"

namespace attnscope {

/// The measures of the newest model. True if a head that one of them names was chosen in `heads`.
bool draw_training_result(const ViewContext& context, const TrainingScene& scene, TrainingHeads& heads,
                          ImVec2 at, ImVec2 size);

/// Why training failed, unless the form is open (`form`); what became of a file, until it is dismissed.
void draw_training_messages(const ViewContext& context, const TrainingScene& scene, bool form, float width);

}  // namespace attnscope
