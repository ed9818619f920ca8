// The settings of a training run, checked before anything starts, and the runs on disk, each
// in a file of its own. Errors: numbers that no run could use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/trainer.h"

namespace attnscope {

struct TrainingSettings {
  std::string task;
  std::string data, vocabulary;  ///< files of a task on text lines; empty otherwise
  TaskSizes sizes;
  Recipe recipe;
  std::uint64_t seed = 1;
  std::shared_ptr<const Task> read;  ///< the task of `data`, once it was read
};

/// The task's own sizes and recipe. Errors: an unknown task.
Result<TrainingSettings> training_settings(std::string_view task);
/// The same for the task of a text file, which is read now. `vocabulary`: a file, or
/// empty. Errors: those of task_of_file.
Result<TrainingSettings> training_settings_of_file(const std::string& data,
                                                   const std::string& vocabulary = {});
/// The chosen task. Reads its file where that was not read yet.
Result<std::shared_ptr<const Task>> task_of(const TrainingSettings& settings);
/// Errors: the first thing that is wrong: an unknown task, sizes that do not divide, a number out of range.
Status check_settings(const TrainingSettings& settings);

/// Number of trainable parameters for these sizes: takes as long as making the model.
std::int64_t trained_numbers(const ModelConfig& config);

/// A run on disk.
struct KeptRun {
  std::string path;  ///< of the checkpoint
  TrainingSettings settings;
  int step = 0;
  std::string saved;  ///< "2026-11-20 12:34", local time
};
/// Of a session that shows a model in training: the step that its model was at, and whether it was the
/// newest.
struct TrainingShown {
  int step = 0;
  bool newest = true;
};

/// The header of a checkpoint file, without its weights or its data. Errors: no checkpoint, an
/// unknown task or unknown sizes.
Result<KeptRun> read_run(const std::string& path);
/// The path of the next run of a task in a folder: TASK.safetensors, or TASK-2, TASK-3 .. where others lie.
/// An empty file holds the place, so that no other window takes it. Errors: a folder that cannot be written.
Result<std::string> claim_kept_path(const std::string& folder, std::string_view task);
/// The runs of a task that were kept in a folder, the newest first; of the same data, where it has some.
std::vector<KeptRun> kept_runs(const std::string& folder, std::string_view task,
                               const std::string& data = {});

}  // namespace attnscope
