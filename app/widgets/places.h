// Names of the parts of a model: stack, block, attention, rows of a stack, outputs. All panels use these
// functions, so that names agree. Names follow from the stacks of the ModelConfig, not from the model's
// family.
#pragma once

#include <string>

#include "app/widgets/commands.h"
#include "core/lens/attention_places.h"
#include "core/model/measure.h"
#include "core/session/session.h"

namespace attnscope {

struct ViewState;

/// True when the model has more than one stack.
bool has_stacks(const ModelConfig& config);
/// "Encoder", "Decoder", "Vision tower", "Language model"; "Model" where there is one stack.
std::string stack_name(const ModelConfig& config, Stack stack);
/// "block 3", "encoder block 3"; `title`: with a capital letter.
std::string block_name(const ModelConfig& config, Stack stack, int layer, bool title = false);
/// "decoder block 0 · cross-attention"; self-attention is named only where the stack has both.
std::string place_name(const ModelConfig& config, const Site& site, bool title = false);
/// "Encoder", "Decoder", "Cross", "Vision": a kind of attention, for a chip.
std::string attention_name(const ModelConfig& config, const AttentionPlace& place);

/// The attention of the cursor if the run has it, else one that the run has.
AttentionPlace cursor_place(const Cursor& cursor, const Trace& trace);
/// Gives the state of a view (core/view), which has its run, the cursor's attention, block, head and row.
void look_at_cursor(ViewState& state, const Cursor& cursor);
/// Moves to another attention: the same block and step if it has them. Does nothing when the run has no such
/// attention.
void go_to_place(Workspace& workspace, const RunResult& run, const AttentionPlace& place);
enum class PlaceChips : std::uint8_t { attentions, stacks };
/// Heading of a view; if the run has several attentions (or stacks), chips to choose one at the right of the
/// title, or below it. A click moves the cursor. Returns the y below, pixels.
float places_heading(Workspace& workspace, const RunResult& run, PlaceChips chips, std::string_view title,
                     std::string_view sentence, float width);

/// Short name of a step: "softmax", "+ MLP".
const char* kind_label(const RunResult& run, const TimelineStep& step);
/// Batch size in front of a step's shape: the number of sequences if the step has one shape in all of them,
/// else 1; 0 for a mask, which has no batch axis.
std::int64_t batch_of(const RunResult& run, const Site& site);
/// Shape of a step with the batch axis first: "(2, 2, 4, 4)"; empty when the run lacks the step.
std::string step_shape(const RunResult& run, const Site& site, int sequence);
/// The same as letters: "(B, h, L, d_k)".
std::string step_letters(const RunResult& run, const Site& site);
/// Row of the main stack at the cursor; the row that predicts the output when the cursor is in another
/// stack.
std::int64_t main_row(const Cursor& cursor, const Trace& trace);
/// The token of a row of a stack: its text, "token 3" for vector inputs, "pad" for padding.
std::string row_name(const RunResult& run, int sequence, Stack stack, std::int64_t row);
/// Row of the stack for row `index` of a step: patch steps lack the class token, which is row 0.
std::int64_t stack_row(const ModelConfig& config, const Site& site, std::int64_t index);

}  // namespace attnscope
