// What the attention view and the mask view share: which head is looked at, its axes with their tokens, the
// colours of a stage. Refuses numbers of its own.
#pragma once

#include <string>

#include "app/views/view.h"
#include "app/widgets/deferred.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/places.h"
#include "core/lens/attention_plane.h"

namespace attnscope {

/// The attention that is shown this frame.
struct AttentionScene {
  std::shared_ptr<const Trace> trace;
  int sequence = 0, layer = 0, head = 0;
  std::int64_t queries = 0, keys = 0;
  std::int64_t first_query = 0;  ///< absolute position of row 0
  Stack stack = Stack::single;
  Part part = Part::attn;  ///< attn or cross
  AttentionPlace place() const { return {stack, part}; }
  Site site(Slot slot) const { return place().site(slot, layer); }
  Site site(StepRole role) const { return place().site(role, layer); }
  Site pattern() const { return place().pattern(layer); }
  /// The stack whose rows are the keys.
  Stack keys_stack() const { return place().keys(); }
};

/// True where the run has an attention at all.
bool has_attention(const RunResult& run);
/// The block, head and sequence of the cursor, clamped to what the run has. Needs has_attention(run).
AttentionScene scene_of_cursor(const ViewContext& context);
/// The same for another head; false where the run has none such.
bool move_scene(const RunResult& run, int layer, int head, AttentionScene& scene);

/// Which attention, block, head and sequence, as a part of a key.
std::uint64_t scene_key(const AttentionScene& scene);
/// The token that a query or a key of a scene is.
std::string query_name(const RunResult& run, const AttentionScene& scene, std::int64_t query);
std::string key_name(const RunResult& run, const AttentionScene& scene, std::int64_t key);
/// Rows "query (who looks)" in Q's blue, columns "key (looked at)" in K's red; with the stacks' names where
/// queries and keys are of two.
/// Patches of an image wear their picture.
void set_attention_axes(MatrixPlot& plot, const ViewContext& context, const AttentionScene& scene);
/// The pictures alone, for a plot that is kept: the painter forgets those that a frame does not ask for.
void set_axis_pictures(MatrixPlot& plot, const ViewContext& context, const AttentionScene& scene);
/// All that the axes follow from, as a part of a key.
std::uint64_t axes_key(const ViewContext& context, const AttentionScene& scene);

/// How a stage is coloured.
struct StageLook {
  bool difference = false, log_scale = false;
};
HeatStyle stage_style(Slot stage, const ValueRange& range, const StageLook& look);
/// "scores", "scaled", ...: end of the keys of its words.
const char* stage_name(Slot stage);

/// The colour of a head where several are drawn over each other: eight that all eyes tell apart, then again.
ImU32 head_colour(int head);

/// A swatch of the hatched colour with the word "masked"; returns its width.
float draw_masked_swatch(ImVec2 position, std::string_view word);

}  // namespace attnscope
