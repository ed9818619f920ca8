// The settings in which two training runs differ, to label their curves in one plot.
#pragma once

#include <string>

#include "core/session/training_files.h"

namespace attnscope {

/// The settings of `other` that differ from `now`, as the command line and recipes spell them: "order=post,
/// warmup=0"; empty where they are equal, or have different tasks.
std::string other_settings(const TrainingSettings& other, const TrainingSettings& now);

}  // namespace attnscope
