// What a person chose for a training run, checked before anything starts, and the runs that lie on disk.
// Refuses numbers that no run could use, with a sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/train/trainer.h"

namespace attnscope {

struct TrainingSettings {
  std::string task;
  TaskSizes sizes;
  Recipe recipe;
  std::uint64_t seed = 1;
};

/// The task's own sizes and recipe. Errors: an unknown task.
Result<TrainingSettings> training_settings(std::string_view task);
/// The first thing that is wrong: an unknown task, sizes that do not divide, a number out of range.
Status check_settings(const TrainingSettings& settings);

/// Numbers that a model of these sizes trains: takes as long as making it.
std::int64_t trained_numbers(const ModelConfig& config);

/// A run on disk.
struct KeptRun {
  std::string path;  ///< of the checkpoint
  TrainingSettings settings;
  int step = 0;
};
/// What a checkpoint file says of its run, without reading its weights. Errors: no checkpoint, a task or
/// sizes that this program does not know.
Result<KeptRun> read_run(const std::string& path);
/// Where the run of a task is kept in a folder.
std::string kept_path(const std::string& folder, std::string_view task);
/// The run of a task that was kept in a folder, if any.
std::optional<KeptRun> kept_run(const std::string& folder, std::string_view task);

}  // namespace attnscope
