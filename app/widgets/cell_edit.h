// Meaning of editing one number on the screen: a vector input, a weight, a mask cell, or any other step as an
// intervention. Shared by the stage and the inspector, with the texts. Not editable: probabilities (the
// softmax of the logits, which are editable) and recordings; why_fixed() returns the reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/widgets/commands.h"
#include "core/session/session.h"

namespace attnscope {

enum class CellEdit {
  none,         ///< not editable: why_fixed() has the reason
  input,        ///< a number of a vector input
  mask,         ///< allowed or hidden; any value >= 0.5 allows
  intervention  ///< the step's value is replaced during the forward pass, in every sequence
};

/// Which of the document's masks the attention at `site` reads.
MaskPlace mask_place(const RunResult& run, int sequence, const Site& site);
/// String key of the reason why the values of this step cannot be edited; null where they can.
const char* why_fixed(const RunResult& run, const Site& site);
/// What editing a cell of this step does.
CellEdit edit_meaning(const RunResult& run, const Site& site);
/// True where the cell has every coordinate, all inside the step's shape, and the step is editable.
bool can_edit(const RunResult& run, int sequence, const Cell& cell);
bool can_edit_weight(const RunResult& run, const std::string& name);

/// Queues the edit; `gesture` as in Commands::edit ("" = an undo point of its own). Does nothing where
/// can_edit is false.
void edit_cell(Commands& commands, const RunResult& run, int sequence, const Cell& cell, float value,
               const std::string& gesture);
void edit_weight(Commands& commands, const RunResult& run, const std::string& name,
                 const std::vector<std::int64_t>& index, float value, const std::string& gesture);
/// Hides the key from the query, or allows it again if it is hidden; `mask` is the mask step.
void toggle_mask_cell(Commands& commands, const RunResult& run, int sequence, const Site& mask,
                      std::int64_t query, std::int64_t key);

/// "blocks.0.attn.q.weight[in=1, out=0]"
std::string weight_cell_text(const RunResult& run, const std::string& name,
                             const std::vector<std::int64_t>& index);
/// The same under every name of the weight: "tok_embed.weight[vocab=3, d_model=0] = logits.weight[in=0,
/// vocab=3]"
std::string weight_cell_names(const RunResult& run, const std::string& name,
                              const std::vector<std::int64_t>& index);
/// "blocks.0.attn.pattern[head=0, query=1, key=2]"
std::string cell_text(const Cell& cell);

/// Parses typed text: "0.5", "-3", "−3", "1e-3", "1/3", "2^-3", "1k"; empty when it is no number.
std::optional<float> parse_number(const std::string& text);

}  // namespace attnscope
