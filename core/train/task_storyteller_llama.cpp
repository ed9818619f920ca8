// Storyteller with the parts of Llama: rotary positions, RMSNorm, a gated MLP and grouped-query
// attention. Error: heads of odd width, whose features make no pairs to rotate.
#include "core/train/story_task.h"

namespace attnscope {
namespace {

class RotaryStoryteller final : public StoryTask {
 public:
  RotaryStoryteller()
      : StoryTask(
            {"storyteller-llama", "Storyteller, rotary",
             "The Storyteller's stories, learned with rotary positions, RMSNorm, a gated MLP and grouped "
             "heads.",
             "llama"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 4, 2, 64, 176, "pre", ""}));
    BlockSpec block = usual_block(sizes);
    TRY_OK(check_pairs(block.attention));
    block.norm = {NormSpec::Kind::rms, 1e-6f, 0.f};
    block.mlp.kind = MlpSpec::Kind::gated;
    block.mlp.activation = Activation::silu;
    block.attention.position.kind = AttentionPosition::Kind::rope;
    ModelConfig out = decoder(sizes, block);
    out.position.kind = PositionSpec::Kind::none;
    return out;
  }
};

}  // namespace

std::shared_ptr<const Task> task_storyteller_llama() { return std::make_shared<const RotaryStoryteller>(); }

}  // namespace attnscope
