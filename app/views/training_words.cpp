#include "app/views/training_words.h"

#include "core/base/words.h"

namespace attnscope {

std::string measure_sentence(const Task& task, const Measure& measure) {
  const std::string key = "task." + std::string(task.name()) + ".measure." + measure.name;
  return has_string(key) ? std::string(tr(key)) : measure.sentence;
}

}  // namespace attnscope
