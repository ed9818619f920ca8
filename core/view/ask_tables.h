// The tables of Ask's pages, each from the answer that the page shows: the window draws and exports them,
// attnscope-cli makes them again (ask_again.h). In the words of the language at that moment, numbers with all
// their digits.
#pragma once

#include <string>
#include <vector>

#include "core/lens/head_ranking.h"
#include "core/lens/rollout.h"
#include "core/session/asking.h"
#include "core/session/circuit.h"
#include "core/session/kept_circuit.h"
#include "core/session/probing.h"
#include "core/session/steer_sweep.h"
#include "core/session/strongest_texts.h"

namespace attnscope {

/// The heads in the order, and only those, that the settings ask for.
struct HeadsShown {
  struct Column {
    HeadScore score;
    double most;  ///< largest magnitude
  };
  std::vector<RankedHead> heads;
  std::vector<Column> columns;             ///< those that any head has, and the one that sorts
  bool over_data = false, spread = false;  ///< effects over a data set: their mean, or their spread
};
/// `heads` in order of execution, `effects`: a knock-out of every head; null: none is known.
HeadsShown heads_shown(std::vector<RankedHead> heads, const AskSettings& settings,
                       const SweepAnswer* effects);
/// "head 1.3"; an encoder's, a vision tower's and those of cross-attention say so.
std::string head_words(const RankedHead& head);
/// The key of a column's title; with ".help" behind it that of its explanation.
std::string head_score_key(HeadScore score, bool before, bool over_data, bool spread);
ShownTable heads_table(const HeadsShown& shown, bool before);

/// "block 1", with the stack where the model has several.
std::string block_words(const ModelConfig& config, const Site& site);
/// The token of a row, or that it is padding.
std::string row_words(const OpenedModel& opened, const Trace& trace, Stack stack, std::int64_t row);
/// The attention that `of` names a step of, where the run has it; else the one of the main stack to itself.
AttentionPlace attention_named(const Trace& trace, const std::string& of);
/// A block a row, the last on top; the rows of the input.
ShownTable attention_table(const OpenedModel& opened, const Trace& trace, const AttentionPlace& place,
                           const PathRows& rows);

/// "head 1.3 at 13 “the”".
std::string graph_node_words(const Circuit& circuit, const CircuitNode& node);
/// Every edge.
ShownTable graph_table(const Circuit& circuit);

/// "before block 0", "after block 1".
std::string probe_depth_words(std::size_t depth);
/// The key of the words for what is probed.
std::string probed_key(int kind);
std::size_t probe_depths(const ProbesAnswer& answer);
/// Accuracy on held-out rows, depth by depth, the last block on top; below what guessing reaches.
ShownTable probes_table(const ProbesAnswer& answer);

/// Where the texts are looked for: the head or neuron that was chosen where the run has it, else this head.
StrengthPlace strength_asked(const Trace& trace, const AskSettings& settings, const AttentionPlace& place,
                             int layer, std::int64_t head);
/// How many texts of a kind are kept.
inline constexpr std::size_t kTextsOfAKind = 20;
/// One row a text: where it is strongest, and its tokens.
ShownTable texts_table(const OpenedModel& opened, const std::vector<StrongTextPtr>& texts);
/// The token of a row of a text.
std::string text_token_words(const OpenedModel& opened, const StrongText& text, std::size_t row);

/// Points of a circuit's curve.
inline constexpr std::size_t kMostKeptParts = 64;
/// What is asked over the prompts. Errors: a measure that a data set cannot be asked.
Result<CircuitQuestion> circuit_asked(const Asking& asking, const DataPrompts& prompts);
/// The parts in the order in which they are kept, and what the measure is with all down to each.
ShownTable kept_table(const CircuitAnswer& found);

/// "all together", "block 1", "block 1, its own".
std::string steer_words(const SteerCell& cell, int own);
/// A strength a row, a curve a column.
ShownTable steer_table(const SteerCurves& found);

}  // namespace attnscope
