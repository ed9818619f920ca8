// Shared by the attention and mask views: the current head, its axes with token labels, the colours of an
// attention step. No numbers of its own.
#pragma once

#include <string>

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/lens/attention_plane.h"

namespace attnscope {

/// The attention head shown in this frame.
struct AttentionScene {
  std::shared_ptr<const Trace> trace;
  int sequence = 0, layer = 0, head = 0;
  std::int64_t queries = 0, keys = 0;
  std::int64_t first_query = 0;  ///< absolute position of row 0
  Stack stack = Stack::single;
  Part part = Part::attn;  ///< self-attention or cross-attention
  AttentionPlace place() const { return {stack, part}; }
  Site site(Slot slot) const { return place().site(slot, layer); }
  Site site(StepRole role) const { return place().site(role, layer); }
  Site pattern() const { return place().pattern(layer); }
  /// The stack that provides the keys.
  Stack keys_stack() const { return place().keys(); }
};

/// True if the run has any attention.
bool has_attention(const RunResult& run);
/// Block, head and sequence of the cursor, clamped to the run. Needs has_attention(run).
AttentionScene scene_of_cursor(const ViewContext& context);
/// Moves to another head; false if the run lacks it.
bool move_scene(const RunResult& run, int layer, int head, AttentionScene& scene);

/// Cache key: attention, block, head and sequence.
std::uint64_t scene_key(const AttentionScene& scene);
/// The token of a query or key.
std::string query_name(const RunResult& run, const AttentionScene& scene, std::int64_t query);
std::string key_name(const RunResult& run, const AttentionScene& scene, std::int64_t key);
/// Rows "query (who looks)" in Q's blue, columns "key (looked at)" in K's red; with the names of the stacks
/// if queries and keys are of different ones.
/// Rows and columns that are image patches have small pictures.
void set_attention_axes(MatrixPlot& plot, const ViewContext& context, const AttentionScene& scene);
/// Only the pictures, for a cached plot: the Painter frees pictures that are not used.
void set_axis_pictures(MatrixPlot& plot, const ViewContext& context, const AttentionScene& scene);
/// Cache key of everything that the axes depend on.
std::uint64_t axes_key(const ViewContext& context, const AttentionScene& scene);

/// Display options of an attention step.
struct StageLook {
  bool difference = false, log_scale = false;
};
HeatStyle stage_style(Slot stage, const ValueRange& range, const StageLook& look);
/// End of its string keys: "scores", "scaled", ...
std::string_view stage_name(Slot stage);

/// Colour of a head in figures with several heads: 8 colour-blind-safe colours, repeated.
ImU32 head_colour(int head);

/// A hatched swatch with the word "masked"; returns its width in pixels.
float draw_masked_swatch(ImVec2 position, std::string_view word);

}  // namespace attnscope
