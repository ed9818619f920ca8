// The relations between the words of a shipped model's own held-out texts, and how well each of its heads
// finds them (core/lens/head_relations.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/arch/open.h"
#include "core/lab/lab.h"
#include "core/lens/head_relations.h"
#include "core/train/task.h"

namespace attnscope {

/// What the lab "grammar" asks at these values (lab_grammar.cpp).
struct GrammarQuestion {
  std::string model;  ///< a shipped one: "storyteller"
  Stack stack = Stack::single;
  std::string relation;  ///< "adjective"
  int texts = 0;
};
GrammarQuestion grammar_question(const LabValues& values);

struct RelationRun {
  std::shared_ptr<const OpenedModel> opened;
  std::shared_ptr<const Task> task;
  std::vector<RelationScore> scores;
  /// Null: these texts have no such relation.
  const RelationScore* find(std::string_view relation, Stack stack) const;
};

/// Runs the first `texts` held-out examples (seed 0) of the task that the model `name` learned; the last few
/// answers are kept. Errors: a model that does not ship, a task whose texts have no grammar; Code::cancelled.
Result<std::shared_ptr<const RelationRun>> relation_run(const std::string& name, int texts,
                                                        const std::atomic<bool>& cancel);

}  // namespace attnscope
