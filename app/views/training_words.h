// What was measured of a training task, in the language of the moment.
#pragma once

#include <string>

#include "core/train/task.h"

namespace attnscope {

/// What was measured; the task's own English words where the tables have none.
std::string measure_sentence(const Task& task, const Measure& measure);

}  // namespace attnscope
