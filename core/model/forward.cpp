#include "core/model/forward.h"

#include "core/base/text.h"
#include "core/model/model.h"

namespace attnscope {
namespace {

// What a block needs beside its input.
struct Context {
  const ModelConfig& config;
  const Weights& weights;
  std::int64_t first_pos;
  KvCache* cache;
  std::vector<double> frequencies;  // radians per position, for models that rotate
};

Tensor project(const Context& in, const std::string& name, const Tensor& x, Axis out_axis) {
  return linear(x, in.weights.get(name + ".weight"), in.weights.get(name + ".bias"), out_axis);
}

Tensor norm(const Context& in, const NormSpec& spec, const std::string& name, const Tensor& x,
            const Probe& at, Slot scale_slot, Slot out_slot) {
  if (spec.kind == NormSpec::Kind::none) return x;
  const Tensor weight = in.weights.get(name + ".weight"), bias = in.weights.get(name + ".bias");
  const Normed y = spec.kind == NormSpec::Kind::layer ? layer_norm(x, weight, bias, spec.eps)
                                                      : rms_norm(x, weight, spec.eps, spec.weight_offset);
  at(scale_slot, y.scale);     // [pos, 1]
  return at(out_slot, y.out);  // [pos, d_model]
}

// One of Q, K, V: project, cut into heads, bring heads to the front -> [head, pos, d_head].
Tensor heads_of(const Context& in, const std::string& name, const Tensor& x, int heads, const Probe& at,
                Slot flat, Slot view, Slot front) {
  const Tensor y = at(flat, project(in, name, x, Axis::concat));             // [pos, head*d_head]
  const Tensor cut = at(view, y.split(1, Axis::head, heads, Axis::d_head));  // [pos, head, d_head]
  return at(front, cut.permute({1, 0, 2}));                                  // [head, pos, d_head]
}

Tensor attention(const Context& in, const BlockSpec& block, int layer, const Tensor& x, const Probe& at) {
  const AttentionSpec& spec = block.attention;
  const std::string base = "blocks." + std::to_string(layer) + ".attn.";
  Tensor q = heads_of(in, base + "q", x, spec.n_heads, at, Slot::q, Slot::view_q, Slot::split_q);
  Tensor k = heads_of(in, base + "k", x, spec.n_kv_heads, at, Slot::k, Slot::view_k, Slot::split_k);
  Tensor v = heads_of(in, base + "v", x, spec.n_kv_heads, at, Slot::v, Slot::view_v, Slot::split_v);
  if (in.config.position.kind == PositionSpec::Kind::rope) {
    q = at(Slot::rot_q, rotate(q, in.frequencies, {in.first_pos, {}}));  // [head, pos, d_head]
    k = at(Slot::rot_k, rotate(k, in.frequencies, {in.first_pos, {}}));  // [kv_head, pos, d_head]
  }
  if (in.cache) std::tie(k, v) = in.cache->append(layer, k, v);  // [kv_head, key, d_head]
  AttentionInputs inputs;
  inputs.q = q;
  inputs.k = k;
  inputs.v = v;
  inputs.scale = spec.scale;
  inputs.mask.causal = spec.causal;
  inputs.mask.window = spec.window;
  inputs.first_query = in.first_pos;
  inputs.mask_before_scale = spec.mask_before_scale;
  const Tensor z = at.attend(std::move(inputs));  // [head, query, d_head]
  const std::int64_t queries = z.size(1), width = z.size(0) * z.size(2);
  const Tensor side_by_side = z.permute({1, 0, 2}).packed();  // [query, head, d_head]
  const Tensor flat = Tensor::borrow(std::make_shared<Tensor>(side_by_side), side_by_side.data(),
                                     Shape{{Axis::query, queries}, {Axis::concat, width}});
  const Tensor concat = at(Slot::concat, flat);                                 // [query, head*d_head]
  return at(Slot::attn_out, project(in, base + "out", concat, Axis::d_model));  // [query, d_model]
}

Tensor mlp(const Context& in, const BlockSpec& block, int layer, const Tensor& x, const Probe& at) {
  const std::string base = "blocks." + std::to_string(layer) + ".mlp.";
  Tensor post;  // [pos, d_mlp]
  if (block.mlp.kind == MlpSpec::Kind::gated) {
    const Tensor gate = at(Slot::mlp_gate, project(in, base + "gate", x, Axis::d_mlp));
    const Tensor up = at(Slot::mlp_up, project(in, base + "up", x, Axis::d_mlp));
    const Tensor open = at(Slot::mlp_act, activate(block.mlp.activation, gate));
    post = at(Slot::mlp_post, multiply(open, up));
  } else {
    const Tensor pre = at(Slot::mlp_pre, project(in, base + "pre", x, Axis::d_mlp));
    post = at(Slot::mlp_post, activate(block.mlp.activation, pre));
  }
  return at(Slot::mlp_out, project(in, base + "out", post, Axis::d_model));  // [pos, d_model]
}

Tensor run_block(const Context& in, int layer, Tensor x, const Probe& at) {
  const BlockSpec& block = in.config.blocks[static_cast<std::size_t>(layer)];
  const std::string base = "blocks." + std::to_string(layer) + ".";
  if (!block.residual) return attention(in, block, layer, x, at);
  x = at(Slot::resid_pre, x);  // [pos, d_model]
  const Tensor read = norm(in, block.norm, base + "ln1", x, at, Slot::ln1_scale, Slot::ln1_out);
  const Tensor found = attention(in, block, layer, read, at);
  x = at(Slot::resid_mid, add(x, found));
  if (block.mlp.kind == MlpSpec::Kind::none) return at(Slot::resid_post, x);
  const Tensor wide = norm(in, block.norm, base + "ln2", x, at, Slot::ln2_scale, Slot::ln2_out);
  return at(Slot::resid_post, add(x, mlp(in, block, layer, wide, at)));
}

Tensor embed(const Context& in, const Input& input, const Probe& at) {
  Tensor x = input.vectors;  // [pos, d_in]
  const std::int64_t count = input.length();
  if (x.empty()) x = at(Slot::tok_embed, gather_rows(in.weights.get("tok_embed.weight"), input.ids));
  if (in.config.position.kind == PositionSpec::Kind::learned) {
    const Tensor table = in.weights.get("pos_embed.weight");
    x = add(x, at(Slot::pos_embed,
                  table.slice(0, in.first_pos, in.first_pos + count).rename({Axis::pos, Axis::d_model})));
  } else if (in.config.position.kind == PositionSpec::Kind::sinusoidal) {
    const Tensor waves = sinusoidal_positions(in.first_pos, count, in.config.d_in);
    x = add(x, at(Slot::pos_embed, waves.rename({Axis::pos, Axis::d_model})));
  }
  return at(Slot::embed, x.rename({Axis::pos, Axis::d_model}));
}

}  // namespace

void forward(const ModelConfig& config, const Weights& weights, const Input& input, const Probe& at,
             std::int64_t first_pos, KvCache* cache) {
  Context in{config, weights, first_pos, cache, {}};
  if (config.position.kind == PositionSpec::Kind::rope)
    in.frequencies = rope_frequencies(config.position.rope, config.blocks[0].attention.d_head);
  Tensor x = embed(in, input, at);  // [pos, d_model]
  for (int layer = 0; layer < config.n_layers(); ++layer)
    x = run_block(in, layer, x, at.in(Stack::single, layer));
  if (config.final_norm.kind != NormSpec::Kind::none)
    x = norm(in, config.final_norm, "ln_final", x, at, Slot::ln_final_scale, Slot::ln_final_out);
  if (config.head.present) at.predict(x.size(0));
}

}  // namespace attnscope
