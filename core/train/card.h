// The card of a trained model: task, recipe, sizes, metrics on held-out data and how they were measured.
// card.json is for programs, README.md holds the same for people. Error: a card without required fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/train/trainer.h"

namespace attnscope {

struct Card {
  std::string task, title, sentence, layout;
  Recipe recipe;
  TaskSizes sizes;  ///< as chosen; 0 or empty = the task's own
  int layers = 0, heads = 0, d_model = 0, vocabulary = 0;
  std::uint64_t seed = 0;
  int steps = 0;
  std::int64_t parameters = 0, tokens = 0;  ///< trained parameters; rows that went through
  double seconds = 0;                       ///< spent in steps
  double loss = 0;                          ///< of the last step, without label smoothing
  std::uint64_t measured_seed = 0;          ///< of the held-out examples
  int measured_count = 0;
  std::vector<Measure> measures;       ///< accuracy first
  std::vector<Input> inputs;           ///< shown first when the model is opened
  std::optional<CountedRows> counted;  ///< rows of the loss; absent in older cards
  std::string before = {};  ///< how its first steps differed from the recipe, as text; mostly empty
  /// Of a model that takes every output for equally likely: ln(vocabulary).
  double guessing_loss() const;
};

/// Measures the model on `count` held-out examples of `seed` and records its training run.
Card make_card(const Trainer& trainer, std::uint64_t seed, int count);

nlohmann::json card_to_json(const Card& card);
/// `what` is the name of the file in errors.
Result<Card> card_from_json(const nlohmann::json& json, const std::string& what);
/// Markdown for people.
std::string card_text(const Card& card);

/// Writes card.json and README.md into an existing folder, each whole or not at all.
Status write_card(const std::string& folder, const Card& card);
Result<Card> read_card(const std::string& folder);
/// That of the task's model that travels with the program; none where the program was built without it.
std::optional<Card> shipped_card(const std::string& task);

}  // namespace attnscope
