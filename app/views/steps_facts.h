// What the words of a step depend on: its formula, its sentence, its line of PyTorch.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/step/catalog.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Properties of a step in this model, used to adapt the catalog's templates.
struct StepFacts {
  const Trace& trace;
  const Site& site;
  const Step& step = step_of(site.slot);
  const ModelConfig& config = trace.config();
  const ModelConfig& stack = config.of(site.stack);
  const BlockSpec& block = config.block_at(site);
  const AttentionSpec& attention = config.attention_at(site);
  const NormSpec& norm = norm_spec(config, site);

  template <class Which>
  bool has(Which role) const {
    return trace.find(site_of(role, -1, site.stack)) != nullptr;
  }
  bool has_weight(const std::string& name) const { return trace.weights().find(name) != nullptr; }
  bool normed() const { return step.rule == Rule::norm || step.rule == Rule::norm_scale; }
  bool rms() const { return norm.kind == NormSpec::Kind::rms; }
  bool gated_product() const { return site.is(StepRole::neurons) && block.mlp.kind == MlpSpec::Kind::gated; }
  bool across() const { return site.part == Part::cross; }
  bool given() const { return site.stack == config.stack && !trace.input.vectors.empty(); }
  bool usual_scale() const {
    return std::fabs(attention.scale * std::sqrt(static_cast<float>(attention.d_head)) - 1.f) < 1e-5f;
  }
  /// Parallel block: attention and MLP are added in one sum.
  bool both_at_once() const {
    return block.order == NormOrder::parallel && block.mlp.kind != MlpSpec::Kind::none;
  }
  /// Numbers of this very step were changed: what it says of all of its rows is no longer so.
  bool edited() const {
    const auto here = [&](const NumberEdit* edit) { return edit && edit->where.site == site; };
    return std::any_of(trace.edits.begin(), trace.edits.end(),
                       [&](const auto& edit) { return edit->enabled && here(edit->number()); });
  }
  /// Query heads per K/V head; 1 for multi-head attention.
  std::int64_t shared() const {
    return attention.n_kv_heads > 0 ? attention.n_heads / attention.n_kv_heads : 1;
  }
  /// End of a block without an MLP: attention's sum, or the unchanged stream.
  bool ends_without_mlp() const {
    return site.is(StepKind::residual_post) && block.mlp.kind == MlpSpec::Kind::none;
  }
  bool adds_attention() const { return ends_without_mlp() && block.order == NormOrder::parallel; }
  /// The mask that was applied, from any source; null in a recording without one.
  const Mask* mask() const {
    const AttentionState* state = trace.attention(site);
    return state ? &state->in.mask : nullptr;
  }
  bool triangle() const {
    return mask() ? mask()->causal && !mask()->rule : attention.causal && attention.mask.empty() && !across();
  }
  /// True if some keys of the run are padding.
  bool pads_keys() const {
    const auto* real = mask() ? mask()->attention_mask.get() : nullptr;
    return real && std::find(real->begin(), real->end(), 0) != real->end();
  }
  /// A softmax over the scores and a sink.
  bool has_sinks() const {
    return site.is(StepRole::pattern) && trace.find(site.near(StepRole::sinks)) != nullptr;
  }
  std::int64_t window() const { return mask() ? mask()->window : attention.window; }
  /// "ln1.out" -> "ln1."
  std::string norm_name() const {
    const std::string text = to_text(site);
    return step.part == Part::attn ? text + "." : text.substr(0, text.rfind('.') + 1);
  }
};

inline void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}
inline std::string steps_words_number(double value) { return format("%.6g", value); }
inline std::string steps_words_number(float value) { return steps_words_number(static_cast<double>(value)); }

}  // namespace attnscope
