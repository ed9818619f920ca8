// What two training runs have other than each other, so that their curves can stand in one plot.
#pragma once

#include <string>

#include "core/session/training_files.h"

namespace attnscope {

/// What `other` has that `now` has not, as the command line and recipes spell it: "order=post, warmup=0";
/// empty where they are alike, or learn different things.
std::string other_settings(const TrainingSettings& other, const TrainingSettings& now);

}  // namespace attnscope
