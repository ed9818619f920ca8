#include "core/session/timeline.h"

#include <algorithm>

namespace attnscope {
namespace {

StepKind timeline_kind_of(Slot slot) {
  switch (slot) {
    case Slot::patches: return StepKind::patches;
    case Slot::patch_embed:
    case Slot::tok_embed:
    case Slot::tok_scaled:
    case Slot::merged:
    case Slot::pos_embed:
    case Slot::type_embed:
    case Slot::embed: return StepKind::embed;
    case Slot::ln_embed_scale:
    case Slot::ln_embed_out: return StepKind::norm_embed;
    case Slot::resid_pre: return StepKind::residual_in;
    case Slot::ln1_scale:
    case Slot::ln1_out: return StepKind::norm1;
    case Slot::q:
    case Slot::k:
    case Slot::v: return StepKind::qkv;
    case Slot::view_q:
    case Slot::view_k:
    case Slot::view_v: return StepKind::split;
    case Slot::split_q:
    case Slot::split_k:
    case Slot::split_v: return StepKind::transpose;
    case Slot::q_norm:
    case Slot::k_norm: return StepKind::qk_norm;
    case Slot::rot_q:
    case Slot::rot_k: return StepKind::rope;
    case Slot::scores: return StepKind::scores;
    case Slot::scaled: return StepKind::scale;
    case Slot::capped: return StepKind::cap;
    case Slot::biased: return StepKind::bias;
    case Slot::mask:
    case Slot::masked: return StepKind::mask;
    case Slot::pattern: return StepKind::softmax;
    case Slot::z: return StepKind::values;
    case Slot::concat: return StepKind::concat;
    case Slot::attn_out: return StepKind::output;
    case Slot::ln1_post_scale:
    case Slot::ln1_post_out: return StepKind::norm1_post;
    case Slot::resid_mid: return StepKind::residual_mid;
    case Slot::ln_cross_scale:
    case Slot::ln_cross_out: return StepKind::norm_cross;
    case Slot::resid_cross: return StepKind::residual_cross;
    case Slot::ln2_scale:
    case Slot::ln2_out: return StepKind::norm2;
    case Slot::mlp_pre:
    case Slot::mlp_gate:
    case Slot::mlp_up: return StepKind::mlp_up;
    case Slot::mlp_act:
    case Slot::mlp_post: return StepKind::mlp_act;
    case Slot::mlp_out: return StepKind::mlp_down;
    case Slot::ln2_post_scale:
    case Slot::ln2_post_out: return StepKind::norm2_post;
    case Slot::resid_post: return StepKind::residual_post;
    case Slot::ln_final_scale:
    case Slot::ln_final_out: return StepKind::norm_final;
    case Slot::projected: return StepKind::projector;
    case Slot::head_pre:
    case Slot::head_act:
    case Slot::ln_head_scale:
    case Slot::ln_head_out: return StepKind::head;
    case Slot::logits: return StepKind::logits;
    case Slot::probs: return StepKind::probs;
  }
  return StepKind::embed;
}

// Q, K, V: the first is shown first; elsewhere the last is what the step is about.
bool first_is_main(StepKind kind) {
  return kind == StepKind::qkv || kind == StepKind::split || kind == StepKind::transpose ||
         kind == StepKind::qk_norm || kind == StepKind::rope || kind == StepKind::mlp_up;
}

// The step of this kind and block that has begun already, or null: Q, K and V are recorded one after another,
// each with its split, and are shown as one step.
TimelineStep* begun(std::vector<TimelineStep>& steps, StepKind kind, const Site& site) {
  const bool across = site.part == Part::cross;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Site& at = steps[i].main;
    if (at.layer != site.layer || at.stack != site.stack) return nullptr;
    if (steps[i].kind == kind && (at.part == Part::cross) == across) return &steps[i];
  }
  return nullptr;
}

// The nine-step text scales and normalizes in one step, where nothing (a mask) comes between the two.
void join_scaling(std::vector<TimelineStep>& steps) {
  for (std::size_t i = steps.size(); i-- > 1;) {
    TimelineStep& next = steps[i];
    if (steps[i - 1].kind != StepKind::scale || next.kind != StepKind::softmax) continue;
    next.sites.insert(next.sites.begin(), steps[i - 1].sites.begin(), steps[i - 1].sites.end());
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
}

}  // namespace

const char* step_kind_name(StepKind kind) {
  static constexpr const char* kNames[] = {
      "patches",       "embed",          "norm_embed", "residual_in", "norm1",   "qkv",        "split",
      "transpose",     "qk_norm",        "rope",       "scores",      "scale",   "cap",        "bias",
      "mask",          "softmax",        "values",     "concat",      "output",  "norm1_post", "residual_mid",
      "norm_cross",    "residual_cross", "norm2",      "mlp_up",      "mlp_act", "mlp_down",   "norm2_post",
      "residual_post", "norm_final",     "projector",  "head",        "logits",  "probs"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<TimelineStep> timeline(const Trace& trace, const std::string& walk) {
  const bool nine = walk == "nine_steps";
  std::vector<TimelineStep> steps;
  for (const Record& record : trace.records()) {
    const StepKind kind = timeline_kind_of(record.site.slot);
    if (nine && kind == StepKind::embed) continue;  // that text begins with the projections
    TimelineStep* step = begun(steps, kind, record.site);
    if (!step) step = &steps.emplace_back(TimelineStep{kind, record.site.layer, {}, record.site});
    step->sites.push_back(record.site);
    if (!first_is_main(kind)) step->main = record.site;
  }
  if (nine) join_scaling(steps);
  return steps;
}

int step_index(const std::vector<TimelineStep>& steps, const Site& site) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (std::find(steps[i].sites.begin(), steps[i].sites.end(), site) != steps[i].sites.end())
      return static_cast<int>(i);
  return -1;
}

}  // namespace attnscope
