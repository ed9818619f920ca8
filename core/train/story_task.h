// Shared by the tasks on stories: words, tokenizer and recipe, one or two stories as a sequence for
// next-token prediction, and the accuracy on the antecedent of the pronoun. A task adds
// its blocks.
#pragma once

#include "core/train/stories.h"
#include "core/train/task_sizes.h"

namespace attnscope {

/// Rows of the last story of a decoder's sequence: what Example::notes holds. The first row is the begin
/// token.
struct StoryRows {
  enum At { answer, antecedent, other, reason };
};

class StoryTask : public Task {
 public:
  using Task::Task;
  nlohmann::json tokenizer() const override;
  Recipe recipe() const override;
  Example example(std::uint64_t seed, Split split, std::int64_t number) const override;
  /// A story up to its noun that comes again, against the other noun; group "form": "reason" where the reason
  /// names it, else "later".
  std::optional<TaskPrompt> prompt(std::uint64_t seed, std::int64_t number) const override;
  std::optional<RelatedWords> related(std::uint64_t seed, std::int64_t number) const override;
  Example shown() const override;
  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override;

 protected:
  /// Sizes, vocabulary, norms and a tied head, with `block` in every layer.
  static ModelConfig decoder(const TaskSizes& sizes, const BlockSpec& block);
};

}  // namespace attnscope
