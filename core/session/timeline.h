// The timeline: the steps of a run in the order of playback. Records that belong together (Q, K and V; scale
// and norm) are one step; the nine-step text's own grouping and numbers are kept for its scene.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The kind of a step of the timeline; its texts have the keys "step.<name>".
enum class StepKind : std::uint8_t {
  patches,
  embed,
  norm_embed,
  residual_in,
  norm1,
  qkv,
  split,
  transpose,
  qk_norm,
  rope,
  scores,
  scale,
  cap,
  bias,
  mask,
  softmax,
  values,
  concat,
  output,
  norm1_post,
  residual_mid,
  norm_cross,
  residual_cross,
  norm2,
  mlp_up,
  mlp_act,
  mlp_down,
  norm2_post,
  residual_post,
  norm_final,
  projector,
  head,
  logits,
  probs
};
/// "qkv", "mask", ...: the end of the keys of its texts.
const char* step_kind_name(StepKind kind);

struct TimelineStep {
  StepKind kind = StepKind::embed;
  int layer = -1;
  std::vector<Site> sites;  ///< in order of execution
  Site main;                ///< what the stage shows first; its stack and part are the step's
};

/// `walk` as in Scene::walk.
std::vector<TimelineStep> timeline(const Trace& trace, const std::string& walk);
/// Index of the step that holds the site, or -1.
int step_index(const std::vector<TimelineStep>& steps, const Site& site);

}  // namespace attnscope
