// Storyteller: next-word prediction on short stories, a decoder with learned positions, LayerNorm before each
// part and a plain MLP.
#include "core/train/story_task.h"

namespace attnscope {
namespace {

class Storyteller final : public StoryTask {
 public:
  Storyteller()
      : StoryTask(
            {"storyteller", "Storyteller",
             "Tells short stories in which a pronoun stands for one of two nouns, and names that noun again.",
             "gpt2"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 4, 0, 64, 256, "pre", ""}));
    return decoder(sizes, usual_block(sizes));
  }
};

}  // namespace

std::shared_ptr<const Task> task_storyteller() { return std::make_shared<const Storyteller>(); }

}  // namespace attnscope
