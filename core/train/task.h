// A task: what a small model learns, with data that the program makes itself. Examples are a pure
// function of seed, split and number; held-out examples never occur in training (the split hashes the
// content). Errors: sizes that do not divide.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/no_copy.h"
#include "core/model/model.h"
#include "core/trace/counted_rows.h"
#include "core/trace/relation.h"

namespace attnscope {

enum class Split : std::uint8_t { train, held_out };

/// One training sequence.
struct Example {
  Input input;
  std::vector<int> targets;  ///< one per row of the main stack: the token to predict, or kNotCounted
  std::vector<int> notes;    ///< rows that the task's metrics need (answers, antecedents), in its own order
};

/// An example as a question: what is read up to where an answer follows, the answer, and another output that
/// would be wrong there.
struct TaskPrompt {
  Input input;                  ///< of an image with words the words alone: its places stand in front of them
  int answer = -1, wrong = -1;  ///< output ids; wrong: -1 where there is none
  std::vector<int> corrupt;     ///< the same prompt changed so that the answer is `wrong`; or empty
  std::map<std::string, std::string> groups;  ///< kinds of prompts, by the name of what tells them apart
};

/// A text, and which of its words belong together.
struct RelatedWords {
  Input input;
  std::vector<WordRelation> relations;  ///< rows of the run of `input`
};

/// The sizes that can be chosen; 0 or empty keeps the task's own.
struct TaskSizes {
  int layers = 0, heads = 0, kv_heads = 0, d_model = 0, d_mlp = 0;
  std::string order;  ///< "pre", "post"; empty = the task's own
  std::string mask;   ///< pilot: "prefix" (image in both directions) or "causal"
};

/// The text file that a task's data come from.
struct DataSource {
  std::string path;                                 ///< absolute
  std::string vocabulary;                           ///< file of its words; empty: the words of the text
  std::uint64_t fingerprint = 0;                    ///< fingerprint of both files' contents
  std::int64_t lines = 0, held_out = 0, words = 0;  ///< different words; held out are different lines
};

/// The hyperparameters of a task's shipped model.
struct Recipe {
  int steps = 1000;
  int batch = 32;                   ///< sequences per step
  double learning_rate = 1e-3;      ///< highest learning rate
  std::string schedule = "cosine";  ///< "cosine", "inverse_sqrt", "constant"
  int warmup = 100;                 ///< steps
  double smoothing = 0;             ///< label smoothing
  double clip = 1.0;                ///< largest norm of all gradients together; 0 = none
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9, decay = 0.01;
};

/// One metric on held-out data: "accuracy", "antecedent_head.weight".
struct Measure {
  std::string name;      ///< key in the card
  std::string sentence;  ///< English, for the card: what was measured
  double value = 0;
  double wanted = 0;          ///< the least that the shipped model must reach
  int layer = -1, head = -1;  ///< the head that was found, where it is about one
};

/// What is fixed of a task; texts that outlive it.
struct TaskTraits {
  std::string_view name;      ///< "sorter": the name on the command line
  std::string_view title;     ///< "Sorter"
  std::string_view sentence;  ///< one sentence for cards and help
  /// Of the family that its folder is written as: "gpt2", "llama", "bert", "marian", "attnscope".
  std::string_view layout;
};

class Task : NoCopy {
 public:
  explicit Task(const TaskTraits& traits) : traits_(traits) {}
  virtual ~Task() = default;
  std::string_view name() const { return traits_.name; }
  std::string_view title() const { return traits_.title; }
  std::string_view sentence() const { return traits_.sentence; }
  std::string_view layout() const { return traits_.layout; }
  /// Errors: sizes that do not divide.
  virtual Result<ModelConfig> config(const TaskSizes& sizes) const = 0;
  /// The content of tokenizer.json.
  virtual nlohmann::json tokenizer() const = 0;
  virtual Recipe recipe() const = 0;
  /// Its file of data; null: examples are generated.
  virtual const DataSource* source() const { return nullptr; }
  /// Example `number` of a split; the same for the same seed everywhere.
  virtual Example example(std::uint64_t seed, Split split, std::int64_t number) const = 0;
  /// Held-out example `number` of a seed as a question; none where the inputs are vectors, or an image in a
  /// way of the task's own that it does not say.
  virtual std::optional<TaskPrompt> prompt(std::uint64_t seed, std::int64_t number) const;
  /// Held-out example `number` of a seed with the relations between its words; none where the inputs have no
  /// grammar.
  virtual std::optional<RelatedWords> related(std::uint64_t seed, std::int64_t number) const;
  /// Which rows have targets, as a rule for inputs that are no examples of the task.
  virtual CountedRows counted() const { return {}; }
  /// A fixed example whose attention is shown during training, as the input bar would hold it; what a trained
  /// model opens with.
  virtual Example shown() const = 0;
  /// Measures a model on `count` held-out examples of `seed`, the accuracy first.
  virtual std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const = 0;

 private:
  TaskTraits traits_;
};

/// All tasks, from core/train/task_*.cpp (each has one `std::shared_ptr<const Task> task_NAME()`).
const std::vector<std::shared_ptr<const Task>>& tasks_by_file();
/// The same, in the order in which they are listed: storyteller, storyteller-llama, induction, sorter,
/// translator, gap-filler, pilot.
const std::vector<std::shared_ptr<const Task>>& tasks();
/// Errors: an unknown name, with a list of the known ones.
Result<std::shared_ptr<const Task>> find_task(std::string_view name);

}  // namespace attnscope
