// The parts of a model in words: which stack, which block, which attention; what the rows of a stack are
// called; what an output stands for. One place, so that every panel names them alike. Refuses to know model
// families: the words follow from the stacks that the config holds.
#pragma once

#include <string>

#include "app/widgets/commands.h"
#include "core/lens/attention_places.h"
#include "core/model/measure.h"
#include "core/session/session.h"

namespace attnscope {

/// True where the model has more than one stack.
bool has_stacks(const ModelConfig& config);
/// "Encoder", "Decoder", "Vision tower", "Language model"; "Model" where there is one stack.
std::string stack_name(const ModelConfig& config, Stack stack);
/// "block 3", "encoder block 3"; `title`: with a capital letter.
std::string block_name(const ModelConfig& config, Stack stack, int layer, bool title = false);
/// "decoder block 0 · cross-attention"; self-attention is named only where the stack has both.
std::string place_name(const ModelConfig& config, const Site& site, bool title = false);
/// "Encoder", "Decoder", "Cross", "Vision": a kind of attention, for a chip.
std::string attention_name(const ModelConfig& config, const AttentionPlace& place);

/// The attention that the cursor speaks of; one that the run holds, where it holds any.
AttentionPlace cursor_place(const Cursor& cursor, const Trace& trace);
/// Moves to another kind of attention: the same block and the same step where it has them. Does nothing where
/// the run has no such attention.
void go_to_place(Workspace& workspace, const RunResult& run, const AttentionPlace& place);
enum class PlaceChips : std::uint8_t { attentions, stacks };
/// The heading of a view; where the run has several attentions (or stacks) their chips stand at the right of
/// the title, or below where there is no room. A click moves the cursor. Returns the y of what follows.
float places_heading(Workspace& workspace, const RunResult& run, PlaceChips chips, std::string_view title,
                     std::string_view sentence, float width);

/// A step of the walk in a word or two: "softmax", "+ MLP".
const char* kind_label(const RunResult& run, const TimelineStep& step);
/// How many sequences stand in front of a step's shape: all where the step has one shape in each, else one; 0
/// for a mask, which has no batch.
std::int64_t batch_of(const RunResult& run, const Site& site);
/// The shape of one step with the batch in front: "(2, 2, 4, 4)"; empty where the run lacks it.
std::string step_shape(const RunResult& run, const Site& site, int sequence);
/// The same in the letters of the literature: "(B, h, L, d_k)".
std::string step_letters(const RunResult& run, const Site& site);
/// The row of the main stack that the cursor stands on; the one the answer is read off where it stands in
/// another stack.
std::int64_t main_row(const Cursor& cursor, const Trace& trace);
/// The token of a row of a stack: its spelling, "token 3" where the input is vectors, "pad" for padding.
std::string row_name(const RunResult& run, int sequence, Stack stack, std::int64_t row);
/// The row of its stack that row `index` of a step is: patches begin behind the class token.
std::int64_t stack_row(const ModelConfig& config, const Site& site, std::int64_t index);
/// What output `id` stands for: a class, or a token.
std::string output_name(const OpenedModel& opened, int id);

}  // namespace attnscope
