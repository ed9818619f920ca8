// Learning rates by step, and what a recipe may hold.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kMostSequences = 4096;     // of a batch: the way back keeps all of their steps
constexpr double kLeastEpsilon = 1e-20;  // below it slopes vanish whose squares no float can hold
constexpr double kMostDecay = 1000;

Status bad(std::string sentence, const char* hint) {
  return fail_words(Code::out_of_range, std::move(sentence), hint);
}

bool between(double value, double least, double below) { return value >= least && value < below; }

}  // namespace

double learning_rate(const Recipe& recipe, int step) {
  const double now = step + 1.0, warmup = std::max(1, recipe.warmup);
  const double rise = std::min(1.0, now / warmup);
  if (recipe.schedule == "inverse_sqrt") return recipe.rate * std::min(rise, std::sqrt(warmup / now));
  if (recipe.schedule != "cosine" || now <= warmup) return recipe.rate * rise;
  const double left = std::max(1.0, recipe.steps - warmup);
  const double share = std::min(1.0, (now - warmup) / left);
  return recipe.rate * (0.1 + 0.45 * (1 + std::cos(kPi * share)));
}

Status check_recipe(const Recipe& recipe) {
  if (recipe.schedule != "cosine" && recipe.schedule != "inverse_sqrt" && recipe.schedule != "constant")
    return fail_words(Code::not_found, "There is no schedule " + in_quotes(recipe.schedule) + ".",
                      "The schedules are cosine, inverse_sqrt and constant.");
  if (recipe.steps < 1 || recipe.batch < 1)
    return bad(
        format("A training of %d steps with %d sequences each cannot be run.", recipe.steps, recipe.batch),
        "Both must be at least 1.");
  if (recipe.batch > kMostSequences)
    return bad(format("A batch of %d sequences is too large.", recipe.batch), "Choose at most 4096.");
  if (recipe.warmup < 0)
    return bad(format("A warm-up of %d steps is not possible.", recipe.warmup), "Give 0 or more steps.");
  if (!(recipe.rate > 0 && recipe.rate < 1e3))
    return bad(format("A learning rate of %g cannot be used.", recipe.rate),
               "Give one above 0, such as 0.001.");
  if (!between(recipe.smoothing, 0, 1))
    return bad(format("A label smoothing of %g cannot be used.", recipe.smoothing),
               "Give 0 or more, and less than 1.");
  if (!(recipe.clip >= 0))
    return bad(format("Gradients cannot be clipped to %g.", recipe.clip), "Give 0 (no clipping) or more.");
  if (!between(recipe.beta1, 0, 1) || !between(recipe.beta2, 0, 1) ||
      !between(recipe.epsilon, kLeastEpsilon, 1) || !between(recipe.decay, 0, kMostDecay))
    return bad("The constants of AdamW cannot be used.",
               "Both betas lie in [0, 1), epsilon in [1e-20, 1), the decay in [0, 1000).");
  return Done{};
}

}  // namespace attnscope
