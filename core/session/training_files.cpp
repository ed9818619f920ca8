#include "core/session/training_files.h"

#include <filesystem>

#include "core/base/text.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSteps = 1000000, kMostBatch = 4096;

}  // namespace

Result<TrainingSettings> training_settings(std::string_view task) {
  TRY(const std::shared_ptr<const Task> found, find_task(task));
  TrainingSettings settings;
  settings.task = found->name();
  settings.recipe = found->recipe();
  return settings;
}

Status check_settings(const TrainingSettings& settings) {
  TRY(const std::shared_ptr<const Task> task, find_task(settings.task));
  TRY(const ModelConfig config, task->config(settings.sizes));
  const Recipe& recipe = settings.recipe;
  if (recipe.steps > kMostSteps)
    return fail(Code::out_of_range, format("A training of %d steps is too long.", recipe.steps),
                format("Choose at most %d.", kMostSteps));
  if (recipe.batch > kMostBatch)
    return fail(Code::out_of_range, format("A batch of %d sequences is too large.", recipe.batch),
                format("Choose at most %d.", kMostBatch));
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
  KeptRun run{path, {head.task, head.sizes, head.recipe, head.seed}, head.step};
  TRY_OK(check_settings(run.settings));
  return run;
}

std::string kept_path(const std::string& folder, std::string_view task) {
  return (fs::path(folder) / (std::string(task) + ".safetensors")).string();
}

std::optional<KeptRun> kept_run(const std::string& folder, std::string_view task) {
  std::error_code error;
  const std::string path = folder.empty() ? std::string() : kept_path(folder, task);
  if (path.empty() || !fs::exists(path, error)) return {};
  Result<KeptRun> run = read_run(path);
  if (!run || run->settings.task != task) return {};
  return *std::move(run);
}

}  // namespace attnscope
