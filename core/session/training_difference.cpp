#include "core/session/training_difference.h"

#include "core/base/text.h"

namespace attnscope {

std::string other_settings(const TrainingSettings& other, const TrainingSettings& now) {
  if (other.task != now.task || other.data != now.data) return {};
  std::vector<std::string> out;
  const auto number = [&](const char* name, double then, double here) {
    if (then != here) out.push_back(format("%s=%g", name, then));
  };
  const auto word = [&](const char* name, const std::string& then, const std::string& here) {
    if (then != here) out.push_back(std::string(name) + "=" + (then.empty() ? "model" : then));
  };
  const TaskSizes &a = other.sizes, &b = now.sizes;
  word("order", a.order, b.order);
  word("mask", a.mask, b.mask);
  number("layers", a.layers, b.layers);
  number("heads", a.heads, b.heads);
  number("kv_heads", a.kv_heads, b.kv_heads);
  number("d_model", a.d_model, b.d_model);
  number("d_mlp", a.d_mlp, b.d_mlp);
  const Recipe &then = other.recipe, &here = now.recipe;
  number("smoothing", then.smoothing, here.smoothing);
  number("rate", then.learning_rate, here.learning_rate);
  number("warmup", then.warmup, here.warmup);
  word("schedule", then.schedule, here.schedule);
  number("batch", then.batch, here.batch);
  number("clip", then.clip, here.clip);
  number("decay", then.decay, here.decay);
  if (other.seed != now.seed) out.push_back("seed=" + std::to_string(other.seed));
  return join(out, ", ");
}

}  // namespace attnscope
