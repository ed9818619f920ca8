// Learning rates by step, and what a recipe may hold.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kMostSequences = 4096;     // of a batch: the backward pass keeps all of their steps
constexpr double kLeastEpsilon = 1e-20;  // below it gradients vanish whose squares no float can hold
constexpr double kMostDecay = 1000;

bool between(double value, double least, double below) { return value >= least && value < below; }

}  // namespace

double learning_rate(const Recipe& recipe, int step) {
  const double now = step + 1.0, warmup = std::max(1, recipe.warmup);
  const double rise = std::min(1.0, now / warmup);
  if (recipe.schedule == "inverse_sqrt")
    return recipe.learning_rate * std::min(rise, std::sqrt(warmup / now));
  if (recipe.schedule != "cosine" || now <= warmup) return recipe.learning_rate * rise;
  const double left = std::max(1.0, recipe.steps - warmup);
  const double share = std::min(1.0, (now - warmup) / left);
  return recipe.learning_rate * (0.1 + 0.45 * (1 + std::cos(kPi * share)));
}

Status check_recipe(const Recipe& recipe) {
  if (recipe.schedule != "cosine" && recipe.schedule != "inverse_sqrt" && recipe.schedule != "constant")
    return fail(Code::not_found, "error.train.no_schedule", {in_quotes(recipe.schedule)});
  if (recipe.steps < 1 || recipe.batch < 1)
    return fail(Code::out_of_range, "error.train.recipe.steps", {recipe.steps, recipe.batch});
  if (recipe.batch > kMostSequences)
    return fail(Code::out_of_range, "error.train.recipe.batch", {recipe.batch});
  if (recipe.warmup < 0) return fail(Code::out_of_range, "error.train.recipe.warmup", {recipe.warmup});
  if (!(recipe.learning_rate > 0 && recipe.learning_rate < 1e3))
    return fail(Code::out_of_range, "error.train.recipe.rate", {format("%g", recipe.learning_rate)});
  if (!between(recipe.smoothing, 0, 1))
    return fail(Code::out_of_range, "error.train.recipe.smoothing", {format("%g", recipe.smoothing)});
  if (!(recipe.clip >= 0))
    return fail(Code::out_of_range, "error.train.recipe.clip", {format("%g", recipe.clip)});
  if (!between(recipe.beta1, 0, 1) || !between(recipe.beta2, 0, 1) ||
      !between(recipe.epsilon, kLeastEpsilon, 1) || !between(recipe.decay, 0, kMostDecay))
    return fail(Code::out_of_range, "error.train.recipe.adamw");
  return Done{};
}

}  // namespace attnscope
