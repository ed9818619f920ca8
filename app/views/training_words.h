// Measured results of a training task as text, in the current language.
#pragma once

#include <string>

#include "core/train/task.h"

namespace attnscope {

/// The sentence of a measure; the task's own English text if there is no translation.
std::string measure_sentence(const Task& task, const Measure& measure);

}  // namespace attnscope
