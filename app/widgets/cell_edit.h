// What it means to change a number on the screen: an input number of a scene, a weight, a mask cell, or any
// other step as an intervention. One place, so that the stage and the inspector agree on sentences and on
// what can be changed. Refuses what is computed anew wherever it is read: norm scales, logits, probabilities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/widgets/commands.h"
#include "core/session/session.h"

namespace attnscope {

enum class CellEdit {
  none,         ///< it cannot be changed: why_fixed() says why
  input,        ///< a number of a vector input
  mask,         ///< allowed or hidden; any value >= 0.5 allows
  intervention  ///< the step's number is replaced while the forward runs, in every sequence
};

/// Which of the document's masks the attention at `site` reads.
MaskPlace mask_place(const RunResult& run, int sequence, const Site& site);
/// The string key of why the numbers of this step cannot be changed; null where they can.
const char* why_fixed(const RunResult& run, const Site& site);
/// What changing a cell of this step means.
CellEdit edit_meaning(const RunResult& run, const Site& site);
/// True where every coordinate is given, inside the step, and a change has a meaning.
bool can_edit(const RunResult& run, int sequence, const Cell& cell);
bool can_edit_weight(const RunResult& run, const std::string& name);

/// Asks for the change; `gesture` as in Commands::edit ("" = an undo point of its own). Does nothing where
/// can_edit is false.
void edit_cell(Commands& commands, const RunResult& run, int sequence, const Cell& cell, float value,
               const std::string& gesture);
void edit_weight(Commands& commands, const RunResult& run, const std::string& name,
                 const std::vector<std::int64_t>& index, float value, const std::string& gesture);
/// Hides the key where the query may look at it, and lets it look where not; `mask` is the step.
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

/// What a person typed: "0.5", "-3", "−3", "1e-3", "1/3", "2^-3", "1k"; nothing where it is no number.
std::optional<float> parse_number(const std::string& text);

}  // namespace attnscope
