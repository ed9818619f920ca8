#include "core/arch/recorded_config.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/trace/run_mask.h"

namespace attnscope {
namespace {

std::int64_t size_at(const Arrays& arrays, const Site& site, Axis axis) {
  const auto at = arrays.find(site);
  if (at == arrays.end()) return 0;
  const int d = at->second.find(axis);
  return d < 0 ? 0 : at->second.size(d);
}

bool of_keys_or_values(const Step& step) {
  return makes_heads(step.slot) && (step.hue == Hue::key || step.hue == Hue::value);
}

// The size of an axis in the first recorded step of an attention that fits; 0: none has it.
template <class Fits>
std::int64_t first_size(const Arrays& arrays, const Site& attention, Axis axis, Fits fits) {
  for (const Step& step : catalog()) {
    if (step.part != Part::attn || !fits(step)) continue;
    if (const std::int64_t size = size_at(arrays, attention.with(step.slot), axis); size > 0) return size;
  }
  return 0;
}

// True where the first row attends to the last: by the recorded mask, the weights or the masked scores.
bool looks_ahead(const Arrays& arrays, const Site& site) {
  const std::pair<Slot, float> known[] = {{slot_of(StepRole::mask), 0.f},
                                          {slot_of(StepRole::pattern), 0.f},
                                          {slot_of(StepKind::mask), kHiddenScore}};
  for (const auto& [slot, above] : known) {
    const auto at = arrays.find(site.with(slot));
    if (at == arrays.end()) continue;
    const Tensor plane = at->second.rank() > 2 ? at->second.select(0, 0) : at->second;  // [query, key]
    return plane.size(1) > 1 && plane.at(0, plane.size(1) - 1) > above;
  }
  return false;
}

AttentionSpec attention_spec(const Arrays& arrays, const Attentions& attentions, const Site& pattern,
                             bool causal) {
  AttentionSpec spec;
  const auto heads =
      first_size(arrays, pattern, Axis::head, [](const Step& step) { return !of_keys_or_values(step); });
  const auto shared = first_size(arrays, pattern, Axis::head, of_keys_or_values);
  const auto width = first_size(arrays, pattern, Axis::d_head, [](const Step& step) {
    return step.role != StepRole::head_norm && (step.hue != Hue::value || !makes_heads(step.slot));
  });
  spec.n_heads = static_cast<int>(std::max({std::int64_t{1}, heads, heads == 0 ? shared : 0}));
  spec.n_kv_heads = shared > 0 && heads % shared == 0 ? static_cast<int>(shared) : spec.n_heads;
  spec.d_head = static_cast<int>(std::max<std::int64_t>(1, width));
  spec.scale = 1.f / std::sqrt(static_cast<float>(spec.d_head));
  spec.causal =
      causal && pattern.part != Part::cross && pattern.stack != Stack::enc && !looks_ahead(arrays, pattern);
  if (const auto known = attentions.find(pattern); known != attentions.end()) {
    const AttentionInputs& in = known->second.state.in;
    spec.scale = in.scale;
    if (!in.mask.rule) spec.causal = in.mask.causal;
  }
  return spec;
}

MlpSpec mlp_spec(const Arrays& arrays, Stack stack, int layer) {
  MlpSpec spec;
  spec.kind = MlpSpec::Kind::none;
  for (const Slot slot : {Slot::mlp_pre, Slot::mlp_post, Slot::mlp_up, Slot::mlp_act, Slot::mlp_gate}) {
    const std::int64_t width = size_at(arrays, site_of(slot, layer, stack), Axis::d_mlp);
    if (width == 0) continue;
    spec.d_mlp = static_cast<int>(width);
    spec.kind = slot == Slot::mlp_pre || role_of(slot) == StepRole::neurons ? MlpSpec::Kind::plain
                                                                            : MlpSpec::Kind::gated;
  }
  return spec;
}

// How the parts of a block add up: with norms after the sums a sum starts from the norm before it, not from
// the sum before it; and where no sum stands between attention and MLP, both are added in one.
std::optional<NormOrder> order_of_block(const Arrays& arrays, Stack stack, int layer) {
  const auto find = [&](StepKind kind) -> const Tensor* {
    const auto at = arrays.find(site_of(kind, layer, stack));
    return at == arrays.end() ? nullptr : &at->second;
  };
  const bool crosses = arrays.contains(cross_site(slot_of(StepKind::output), layer, stack));
  const Tensor *after = find(StepKind::residual_post), *made = find(StepKind::mlp_down),
               *normed = find(crosses ? StepKind::norm_cross : StepKind::norm1);
  if (after && made && !crosses && !find(StepKind::residual_mid) && find(StepKind::output))
    return NormOrder::parallel;
  if (!after || !made || !normed) return std::nullopt;
  double from_norm = 0, size = 0;
  for (std::int64_t row = 0; row < after->size(0); ++row)
    for (std::int64_t col = 0; col < after->size(1); ++col) {
      from_norm = std::max(from_norm, std::fabs(static_cast<double>(after->at(row, col) - made->at(row, col) -
                                                                    normed->at(row, col))));
      size = std::max(size, std::fabs(static_cast<double>(after->at(row, col))));
    }
  return from_norm <= 0.01 * size ? NormOrder::post : NormOrder::pre;
}

// All that follows from a batch: one array of each step, whichever sequence it is of, and what each block
// does.
struct Evidence {
  Arrays arrays;
  Attentions attentions;
  std::map<std::pair<Stack, int>, NormOrder> orders;
  bool causal = true;

  Evidence(const Batch& batch, const std::map<int, Attentions>& found, bool masks) : causal(masks) {
    for (const auto& [sequence, steps] : batch) {
      arrays.insert(steps.begin(), steps.end());
      attentions.insert(found.at(sequence).begin(), found.at(sequence).end());
      for (const auto& [site, value] : steps)
        if (site.is(StepKind::residual_post))
          if (const auto order = order_of_block(steps, site.stack, site.layer))
            orders.emplace(std::pair(site.stack, site.layer), *order);
    }
  }
};

ModelConfig stack_config(const Evidence& known, Stack stack) {
  const Arrays& arrays = known.arrays;
  ModelConfig config;
  config.stack = stack;
  config.family = "recording";
  config.final_norm.kind = NormSpec::Kind::none;
  config.head.present = false;
  config.d_model = config.d_in = 1;
  int layers = 1;
  for (const auto& [site, value] : arrays) {
    if (site.stack != stack) continue;
    layers = std::max(layers, site.layer + 1);
    if (const int d = value.find(Axis::d_model); d >= 0 && !site.is(StepRole::projector))
      config.d_model = config.d_in = static_cast<int>(value.size(d));
    if (is_over_vocabulary(site.slot)) {
      config.vocab_size = static_cast<int>(value.size(1));
      config.head.present = true;
    }
  }
  for (int layer = 0; layer < layers; ++layer) {
    BlockSpec block;
    block.norm.kind = NormSpec::Kind::none;
    block.mlp = mlp_spec(arrays, stack, layer);
    if (const auto order = known.orders.find({stack, layer}); order != known.orders.end())
      block.order = order->second;
    block.attention =
        attention_spec(arrays, known.attentions, site_of(StepRole::pattern, layer, stack), known.causal);
    const bool crosses = std::any_of(arrays.begin(), arrays.end(), [&](const auto& entry) {
      return entry.first.stack == stack && entry.first.layer == layer && entry.first.part == Part::cross;
    });
    if (crosses)
      block.cross =
          attention_spec(arrays, known.attentions, cross_site(StepRole::pattern, layer, stack), false);
    config.blocks.push_back(block);
  }
  return config;
}

}  // namespace

ModelConfig recorded_config(const Batch& batch, const std::map<int, Attentions>& attentions, bool causal) {
  const Evidence known(batch, attentions, causal);
  std::set<Stack> stacks;
  for (const auto& [site, value] : known.arrays) stacks.insert(site.stack);
  Stack main = Stack::single;
  if (stacks.contains(Stack::dec))
    main = Stack::dec;
  else if (!stacks.contains(main))
    main = stacks.contains(Stack::enc) ? Stack::enc : Stack::vision;
  ModelConfig config = stack_config(known, main);
  // An image and a prompt may look at each other and are gone on with all the same.
  for (BlockSpec& block : config.blocks)
    block.attention.causal |= main == Stack::single && stacks.contains(Stack::vision);
  for (const Stack stack : {Stack::enc, Stack::vision})
    if (stack != main && stacks.contains(stack)) config.encoders.push_back(stack_config(known, stack));
  return config;
}

}  // namespace attnscope
