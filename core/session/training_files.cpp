#include "core/session/training_files.h"

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/io/local_time.h"
#include "core/system/atomic_file.h"
#include "core/system/named_files.h"
#include "core/train/data_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr int kMostTrainingSteps = 1000000, kMostBatch = 4096;
constexpr const char* kTrainingEnding = ".safetensors";

TrainingSettings settings_for(const Task& task) {
  TrainingSettings settings;
  settings.task = task.name();
  settings.recipe = task.recipe();
  return settings;
}

// "sorter" and "sorter-12", but not "sorter-old".
bool is_kept_name(const std::string& name, std::string_view task) {
  if (!starts_with(name, task)) return false;
  const std::string_view rest = std::string_view(name).substr(task.size());
  if (rest.empty()) return true;
  return rest.size() > 1 && rest.front() == '-' &&
         std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<TrainingSettings> training_settings(std::string_view task) {
  TRY(const std::shared_ptr<const Task> found, find_task(task));
  return settings_for(*found);
}

Result<TrainingSettings> training_settings_of_file(const std::string& data, const std::string& vocabulary) {
  TRY(const std::shared_ptr<const Task> task, task_of_file(data, vocabulary));
  TrainingSettings settings = settings_for(*task);
  settings.data = task->source()->path;
  know_file(settings.data);  // chosen by hand
  settings.vocabulary = task->source()->vocabulary;
  settings.read = task;
  return settings;
}

Result<std::shared_ptr<const Task>> task_of(const TrainingSettings& settings) {
  if (settings.read) return settings.read;
  if (!settings.data.empty()) return task_of_file(settings.data, settings.vocabulary);
  return find_task(settings.task);
}

Status check_settings(const TrainingSettings& settings) {
  TRY(const std::shared_ptr<const Task> task, task_of(settings));
  TRY(const ModelConfig config, task->config(settings.sizes));
  const Recipe& recipe = settings.recipe;
  if (recipe.steps > kMostTrainingSteps)
    return fail(Code::out_of_range, "error.session.training.steps", {recipe.steps, kMostTrainingSteps});
  if (recipe.batch > kMostBatch)
    return fail(Code::out_of_range, "error.session.training.batch", {recipe.batch, kMostBatch});
  return check_recipe(recipe);
}

std::int64_t trained_numbers(const ModelConfig& config) {
  const Weights weights = first_weights(config, 0);
  std::int64_t sum = 0;
  for (const std::string& name : parameters(config, weights)) sum += weights.get(name).count();
  return sum;
}

Result<KeptRun> read_run(const std::string& path) {
  TRY(const CheckpointHead head, read_checkpoint_head(path));
  KeptRun run;
  run.path = path;
  run.settings.task = head.task;
  if (!head.data.path.empty()) {
    const PathsIn named(path);
    TRY(run.settings.data, named_file(head.data.path));
  }
  run.settings.vocabulary = head.data.vocabulary;
  run.settings.sizes = head.sizes;
  run.settings.recipe = head.recipe;
  run.settings.seed = head.seed;
  run.step = head.step;
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  if (!error) run.saved = local_time(time);
  if (run.settings.data.empty()) TRY_OK(check_settings(run.settings));
  return run;
}

Result<std::string> claim_kept_path(const std::string& folder, std::string_view task) {
  const std::string first = (fs::path(folder) / std::string(task)).string();
  for (int number = 1;; ++number) {
    const std::string path =
        number == 1 ? first + kTrainingEnding : format("%s-%d%s", first.c_str(), number, kTrainingEnding);
    TRY(const bool claimed, claim_file(path));
    if (claimed) return path;
  }
}

std::vector<KeptRun> kept_runs(const std::string& folder, std::string_view task, const std::string& data) {
  std::vector<std::pair<fs::file_time_type, std::string>> files;
  std::error_code error;
  if (!folder.empty())
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      const fs::path path = at->path();
      std::error_code unknown;
      const auto time = at->last_write_time(unknown);
      if (!unknown && path.extension() == kTrainingEnding && is_kept_name(path.stem().string(), task))
        files.emplace_back(time, path.string());
    }
  std::sort(files.begin(), files.end(), std::greater<>());
  std::vector<KeptRun> out;
  for (const auto& [time, path] : files) {
    Result<KeptRun> run = read_run(path);
    if (run && run->settings.task == task && run->settings.data == data) out.push_back(*std::move(run));
  }
  return out;
}

}  // namespace attnscope
