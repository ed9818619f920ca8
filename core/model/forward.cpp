#include "core/model/forward.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/model/image_rows.h"
#include "core/model/masks.h"
#include "core/model/model.h"
#include "core/trace/flow.h"
#include "core/trace/head.h"
#include "core/trace/rotary.h"

namespace attnscope {
namespace {

// One stack on its way: what its blocks need beside their input.
struct Context {
  const ModelConfig& config;  // of this stack
  const Weights& weights;
  const Input& input;
  std::string prefix;  // "enc."
  Positions positions;
  const std::vector<std::uint8_t>* attention_mask;             // padding of this stack's rows
  MaskSpec mask;                                               // set by an edit, instead of the model's own
  const std::vector<Span>& spans;                              // named parts of this stack's rows
  const StackCone& cone;                                       // which rows are computed
  std::shared_ptr<const std::vector<KeySpan>> sequences = {};  // of its rows, where they are several
  Tensor encoded = {};  // [source, d_model]: what cross-attention looks at
  Tensor get(const std::string& name) const { return weights.get(prefix + name); }
};

MaskSpec asked_text(const Hook& at, AttentionKind of) {
  return asked_mask(at.options().edits, of).spec.value_or(MaskSpec());
}

Tensor project(const Context& in, const std::string& name, const Tensor& x, Axis out_axis) {
  return linear(x, in.get(name + ".weight"), in.get(name + ".bias"), out_axis);
}

Tensor norm(const Context& in, const NormSpec& spec, const std::string& name, const Tensor& x, const Hook& at,
            Slot scale_slot, Slot out_slot) {
  if (spec.kind == NormSpec::Kind::none) return x;
  const Tensor gain = in.get(name + ".weight"), offset = in.get(name + ".bias");
  Normed y = apply_norm(spec, gain, offset, x);
  const Tensor scale = at(scale_slot, y.scale);  // [pos, 1]
  if (!scale.same_place(y.scale)) y.out = normed_by(spec, gain, offset, x, scale, y);
  return at(out_slot, y.out);  // [pos, d_model]
}

// One of Q, K, V: project, cut into heads, bring heads to the front -> [head, pos, d_head].
Tensor forward_heads_of(const Context& in, const std::string& name, const Tensor& x, int heads,
                        const Hook& at, Slot flat, Slot view, Slot front) {
  const Tensor y = at(flat, project(in, name, x, Axis::concat));             // [pos, head*d_head]
  const Tensor cut = at(view, y.split(1, Axis::head, heads, Axis::d_head));  // [pos, head, d_head]
  return at(front, cut.permute({1, 0, 2}));                                  // [head, pos, d_head]
}

// Q and K of self-attention on their way to the scores: norm of each head, rotation.
Tensor rope(const Context& in, const AttentionSpec& spec, const std::string& norm_name, Tensor x,
            std::int64_t first_row, const Hook& at, Slot norm_slot, Slot rot_slot) {
  if (spec.qk_norm.kind != NormSpec::Kind::none)
    x = at(norm_slot, apply_norm(spec.qk_norm, in.get(norm_name + ".weight"), {}, x).out);
  if (!spec.position.rotates()) return x;
  const Rotary rotary = rotary_of(spec.position.rope, spec.d_head, in.positions.first + in.cone.rows);
  return at(rot_slot, rotate(x, rotary.frequencies, in.positions.from(first_row), rotary.interleaved,
                             rotary.magnitude));
}

// Heads side by side, output projection: z [head, query, d_head] -> [query, d_model].
Tensor joined_heads(const Context& in, const Tensor& z, const std::string& base, const Hook& at) {
  const std::int64_t queries = z.size(1), width = z.size(0) * z.size(2);
  const Tensor rows = z.permute({1, 0, 2}).packed();  // [query, head, d_head]
  const Tensor flat = Tensor::borrow(std::make_shared<Tensor>(rows), rows.data(),
                                     Shape{{Axis::query, queries}, {Axis::concat, width}});
  const Tensor concat = at(Slot::concat, flat);                                 // [query, head*d_head]
  return at(Slot::attn_out, project(in, base + "out", concat, Axis::d_model));  // [query, d_model]
}

// Weighted values, heads side by side, output projection -> [query, d_model].
Tensor attend(const Context& in, AttentionInputs inputs, const std::string& base, const Hook& at,
              std::shared_ptr<KvRows> store = {}) {
  if (const Tensor sinks = in.get(base + "sinks.weight"); !sinks.empty())
    inputs.sinks = sinks_beside(sinks, inputs.q.size(1));
  return joined_heads(in, at.attend(inputs, std::move(store)), base, at);
}

// Rows of a tensor that begins at row `begin` from row `first` on.
Tensor from_row(const Tensor& x, std::int64_t begin, std::int64_t first) {
  return first > begin ? x.slice(0, first - begin, x.size(0)) : x;
}

// Keys and values are those of the rows of x [pos, d_model], with `at`; queries of the rows that are asked,
// with `asked`. Where no edit comes before them, the weighted values are those of the run's base.
Tensor attention(const Context& in, const BlockSpec& block, int layer, const Tensor& x, const Hook& at,
                 const Hook& asked) {
  const AttentionSpec& spec = block.attention;
  const std::string base = "blocks." + std::to_string(layer) + ".attn.";
  const std::int64_t first = in.cone.block(layer), first_query = in.cone.queries(layer);
  if (!in.cone.attends(layer)) {
    const StepRows& before = at.trace().find(site_of(Slot::z, layer, in.config.stack))->rows;
    return joined_heads(in, asked(Slot::z, before.range(first_query, in.cone.rows)), base, asked);
  }
  AttentionInputs inputs;
  std::shared_ptr<KvRows> store;
  Tensor q = forward_heads_of(in, base + "q", from_row(x, first, first_query), spec.n_heads, asked, Slot::q,
                              Slot::view_q, Slot::split_q);
  Tensor k = forward_heads_of(in, base + "k", x, spec.n_kv_heads, at, Slot::k, Slot::view_k, Slot::split_k);
  Tensor v = forward_heads_of(in, base + "v", x, spec.n_kv_heads, at, Slot::v, Slot::view_v, Slot::split_v);
  q = rope(in, spec, base + "q_norm", q, first_query, asked, Slot::q_norm,
           Slot::rot_q);                                                         // [head, pos, d_head]
  k = rope(in, spec, base + "k_norm", k, first, at, Slot::k_norm, Slot::rot_k);  // [kv_head, pos, d_head]
  if (first > 0) {
    const AttentionState* before = at.trace().attention(site_of(Slot::pattern, layer, in.config.stack));
    const auto all = KvRows::extended(before->store, before->in.k, before->in.v, first, k, v);
    k = all.k, v = all.v, store = all.store;  // [kv_head, key, d_head]
  }
  inputs.first_query = first_query;
  inputs.mask = *self_mask(spec, in.mask, in.spans, *in.attention_mask, k.size(1));  // checked before the run
  inputs.mask.sequences = in.sequences;
  inputs.q = q;
  inputs.k = k;
  inputs.v = v;
  inputs.scale = spec.scale;
  inputs.cap = spec.cap;
  inputs.bias = score_bias(spec, in.get("rel_bias.weight"));
  inputs.mask_before_scale = spec.mask_before_scale;
  return attend(in, inputs, base, asked, store);
}

// Q from this stack, K and V from the encoder's rows.
Tensor cross_attention(const Context& in, const AttentionSpec& spec, int layer, const Tensor& x,
                       const Hook& at) {
  const std::string base = "blocks." + std::to_string(layer) + ".cross.";
  AttentionInputs inputs;
  inputs.q = forward_heads_of(in, base + "q", x, spec.n_heads, at, Slot::q, Slot::view_q, Slot::split_q);
  const AttentionState* before = at.trace().attention(cross_site(Slot::pattern, layer, in.config.stack));
  if (before && !in.cone.cross) {
    inputs.k = before->in.k, inputs.v = before->in.v;  // [kv_head, source, d_head]
  } else {
    const Hook all = at.from_row(0);
    inputs.k = forward_heads_of(in, base + "k", in.encoded, spec.n_kv_heads, all, Slot::k, Slot::view_k,
                                Slot::split_k);
    inputs.v = forward_heads_of(in, base + "v", in.encoded, spec.n_kv_heads, all, Slot::v, Slot::view_v,
                                Slot::split_v);
  }
  inputs.scale = spec.scale;
  inputs.cap = spec.cap;
  inputs.first_query = in.cone.queries(layer);
  inputs.mask = *cross_mask(asked_text(at, AttentionKind::cross), in.input.source_attention_mask,
                            inputs.first_query + inputs.q.size(1), inputs.k.size(1));  // checked as well
  return attend(in, inputs, base, at);
}

Tensor mlp(const Context& in, const BlockSpec& block, int layer, const Tensor& x, const Hook& at) {
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

// x + f(x) with the norms where the block's order puts them. `at` stands in the block.
class Block {
 public:
  Block(const Context& in, int layer, const Hook& at)
      : in_(in),
        block_(in.config.blocks[static_cast<std::size_t>(layer)]),
        layer_(layer),
        base_("blocks." + std::to_string(layer) + "."),
        entry_(at.in(in.config.stack, layer).from_row(in.cone.block(layer))),
        at_(entry_.from_row(in.cone.queries(layer))),
        across_(at.in(in.config.stack, layer, Part::cross).from_row(in.cone.queries(layer))) {}

  Tensor run(Tensor x) const {
    if (!block_.residual) return attend(x);
    x = entry_(Slot::resid_pre, x);  // [pos, d_model]
    if (block_.order == NormOrder::parallel) return parallel(x);
    return block_.order == NormOrder::post ? post_norm(x) : pre_norm(x);
  }

 private:
  Tensor pre_norm(Tensor x) const {
    const Tensor found = branch(attend(ln1(x, entry_)), "ln1_post", Slot::ln1_post_scale, Slot::ln1_post_out);
    x = at_(Slot::resid_mid, sum(block_.attention_skip, asked(x), found));
    if (block_.cross) x = across_(Slot::resid_cross, sum(block_.cross_skip, x, cross(ln_cross(x))));
    if (block_.mlp.kind == MlpSpec::Kind::none) return at_(Slot::resid_post, x);
    const Tensor made =
        branch(mlp(in_, block_, layer_, ln2(x), at_), "ln2_post", Slot::ln2_post_scale, Slot::ln2_post_out);
    return at_(Slot::resid_post, sum(block_.mlp_skip, x, made));
  }

  Tensor post_norm(Tensor x) const {
    x = ln1(at_(Slot::resid_mid, sum(block_.attention_skip, asked(x), attend(x))), at_);
    if (block_.cross) x = ln_cross(across_(Slot::resid_cross, sum(block_.cross_skip, x, cross(x))));
    if (block_.mlp.kind == MlpSpec::Kind::none) return x;
    return ln2(at_(Slot::resid_post, sum(block_.mlp_skip, x, mlp(in_, block_, layer_, x, at_))));
  }

  Tensor parallel(const Tensor& all) const {
    const Tensor read = ln1(all, entry_), found = attend(read), x = asked(all);
    if (block_.mlp.kind == MlpSpec::Kind::none)
      return at_(Slot::resid_post, sum(block_.attention_skip, x, found));
    const Tensor made = mlp(in_, block_, layer_, block_.shared_norm ? asked(read) : ln2(x), at_);
    return at_(Slot::resid_post, add(sum(block_.attention_skip && block_.mlp_skip, x, found), made));
  }

  // x + f(x); f(x) alone where the skip path was cut.
  static Tensor sum(bool skip, const Tensor& x, const Tensor& made) { return skip ? add(x, made) : made; }

  Tensor attend(const Tensor& x) const { return attention(in_, block_, layer_, x, entry_, at_); }
  // The rows of the block's input that queries, and what stands behind the attention, are made of.
  Tensor asked(const Tensor& x) const {
    return from_row(x, in_.cone.block(layer_), in_.cone.queries(layer_));
  }
  Tensor ln1(const Tensor& x, const Hook& at) const {
    return norm(in_, block_.norm, base_ + "ln1", x, at, Slot::ln1_scale, Slot::ln1_out);
  }
  Tensor ln2(const Tensor& x) const {
    return norm(in_, block_.norm, base_ + "ln2", x, at_, Slot::ln2_scale, Slot::ln2_out);
  }
  Tensor ln_cross(const Tensor& x) const {
    return norm(in_, block_.norm, base_ + "ln_cross", x, at_, Slot::ln_cross_scale, Slot::ln_cross_out);
  }
  Tensor cross(const Tensor& x) const { return cross_attention(in_, *block_.cross, layer_, x, across_); }
  // A branch's output, normed once more where the block has branch norms.
  Tensor branch(const Tensor& x, const char* name, Slot scale_slot, Slot out_slot) const {
    return block_.branch_norms ? norm(in_, block_.norm, base_ + name, x, at_, scale_slot, out_slot) : x;
  }

  const Context& in_;
  const BlockSpec& block_;
  int layer_;
  std::string base_;
  Hook entry_;        // of all rows that enter
  Hook at_, across_;  // of those that are asked
};

Tensor tokens(const Context& in, const std::vector<int>& ids, const Tensor& image, const Hook& at) {
  if (in.config.patch.size > 0) {
    const Tensor cut = at(Slot::patches, cut_patches(in.input.pixels, in.config.patch.size));
    const Tensor rows = at(Slot::patch_embed, project(in, "patch_embed", cut, Axis::d_model));
    return in.config.patch.class_token ? with_class_row(in.get("class_embed.weight"), rows) : rows;
  }
  const std::vector<int> own(ids.begin() + in.cone.embed, ids.end());
  Tensor x = at(Slot::tok_embed, gather_rows(in.get("tok_embed.weight"), own));  // [pos, d_model]
  if (in.config.embed_scale != 1.f) x = at(Slot::tok_scaled, scale(x, in.config.embed_scale));
  if (in.config.vision() && !in.input.pixels.empty())
    x = at(Slot::merged, with_image_rows(x, ids, in.cone.embed, in.config.image_token, image));
  return x;
}

// Rows of the position table, or of its formula, for every row of the run.
Tensor position_rows(const Context& in, std::int64_t count) {
  const PositionSpec& spec = in.config.position;
  std::vector<int> rows;
  for (std::int64_t row = in.cone.embed; row < in.cone.embed + count; ++row)
    rows.push_back(static_cast<int>(in.positions.of(row) + spec.offset));
  if (spec.kind == PositionSpec::Kind::learned) return gather_rows(in.get("pos_embed.weight"), rows);
  const std::int64_t most = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
  return gather_rows(sinusoidal_positions(0, most + 1, in.config.d_in, spec.halves), rows);
}

Tensor embed(const Context& in, const std::vector<int>& ids, const Tensor& image, const Hook& at) {
  const bool given = !in.input.vectors.empty() && in.config.vocab_size == 0 && in.config.patch.size == 0;
  Tensor x = given ? in.input.vectors.slice(0, in.cone.embed, in.cone.rows)
                   : tokens(in, ids, image, at);  // [pos, d_in]
  if (in.config.position.kind != PositionSpec::Kind::none)
    x = add(x, at(Slot::pos_embed, position_rows(in, x.size(0)).rename({Axis::pos, Axis::d_model})));
  if (in.config.type_vocab > 0) {
    std::vector<int> types = in.input.types;
    types.resize(static_cast<std::size_t>(in.cone.rows), 0);
    types.erase(types.begin(), types.begin() + in.cone.embed);
    x = add(x, at(Slot::type_embed, gather_rows(in.get("type_embed.weight"), types)));
  }
  x = at(Slot::embed, x.rename({Axis::pos, Axis::d_model}));
  return norm(in, in.config.embed_norm, "ln_embed", x, at, Slot::ln_embed_scale, Slot::ln_embed_out);
}

// What enters a block, or the final norm, from row `first` on: `x` holds the rows behind those that the run
// shares, and the run has what is missing.
Tensor rows_from(std::int64_t first, const Context& in, int layer, const Tensor& x, const Hook& at) {
  const std::int64_t have = x.empty() ? in.cone.rows : in.cone.rows - x.size(0);
  if (first >= have) return x;
  const Record* before = at.trace().find(block_output(at.trace(), in.config.stack, layer - 1));
  CHECK(before != nullptr);
  const Tensor shared = before->rows.range(first, have);  // [pos, d_model]
  return x.empty() ? shared : joined_along(0, {shared, x});
}

// The rows of a stack that the cone contains [pos, d_model]; empty where there are none.
Tensor run_stack(const Context& in, const std::vector<int>& ids, const Tensor& image, const Hook& outside) {
  const Hook at = outside.in(in.config.stack, -1);
  Tensor x;  // [pos, d_model]
  if (in.cone.embed < in.cone.rows) x = embed(in, ids, image, at.from_row(in.cone.embed));
  for (int layer = 0; layer < in.config.n_layers(); ++layer)
    if (in.cone.block(layer) < in.cone.rows) {
      x = Block(in, layer, at).run(rows_from(in.cone.block(layer), in, layer, x, at));
      at.finished_block(in.config.stack, layer);
    }
  if (in.cone.final >= in.cone.rows) return x;
  x = rows_from(in.cone.final, in, in.config.n_layers(), x, at);
  return norm(in, in.config.final_norm, "ln_final", x, at.from_row(in.cone.final), Slot::ln_final_scale,
              Slot::ln_final_out);
}

// All rows that leave a stack, shared ones in front.
Tensor whole_output(const Context& in, const Tensor& x, const Hook& at) {
  if (!x.empty() && x.size(0) == in.cone.rows) return x;
  const Record* left = at.trace().find(stack_output(at.trace(), in.config.stack));
  CHECK(left != nullptr);
  return left->value();
}

// The rows that words are read off, and the words.
void predict(const Context& in, Tensor x, const Hook& outside) {
  const Hook at = outside.in(in.config.stack, -1).from_row(in.cone.final);
  const HeadSpec& head = in.config.head;
  if (head.transform && in.cone.final < in.cone.rows) {
    x = at(Slot::head_pre, project(in, "head.pre", x, Axis::d_model));
    x = at(Slot::head_act, activate(head.activation, x));
    x = norm(in, head.norm, "ln_head", x, at, Slot::ln_head_scale, Slot::ln_head_out);
  }
  if (head.present) at.from_row(0).predict(head.first_row_only ? 1 : in.cone.rows);
}

const std::vector<std::uint8_t> kNoPadding;
const std::vector<Span> kNoSpans;  // named parts are of the rows that predict

Tensor encode_image(const Context& main, const Hook& at, const StackCone& cone) {
  const ModelConfig* encoder = main.config.vision();
  if (!encoder || main.input.pixels.empty()) return {};
  const auto rest = main.input.ids.begin() + main.cone.embed;
  const bool placed = std::find(rest, main.input.ids.end(), main.config.image_token) != main.input.ids.end();
  if (!placed && cone.final >= cone.rows) return {};  // its rows stand where they stood
  Context in{
      *encoder, main.weights, main.input, "vision.", {}, &kNoPadding, asked_text(at, AttentionKind::vision),
      kNoSpans, cone};
  const Tensor x = run_stack(in, {}, {}, at);  // [patch, d_vision]
  const Hook outside = at.in(Stack::vision, -1);
  if (encoder->projected == 0) return whole_output(in, x, outside);
  if (cone.final < cone.rows)
    outside.from_row(cone.final)(Slot::projected, project(in, "projected", x, Axis::d_model));
  return at.trace().find(site_of(Slot::projected, -1, Stack::vision))->value();  // [patch, d_model]
}

Tensor encode(const Context& main, const Hook& at, const StackCone& cone) {
  const ModelConfig* encoder = main.config.encoder();
  if (!encoder) return {};
  Context in{*encoder,
             main.weights,
             main.input,
             "enc.",
             positions_of(main.input.source_attention_mask, 0),
             &main.input.source_attention_mask,
             asked_text(at, AttentionKind::encoder),
             kNoSpans,
             cone};
  const Tensor x = run_stack(in, main.input.source, {}, at);
  return main.cone.cross ? whole_output(in, x, at) : x;  // [source, d_model]
}

}  // namespace

void forward(const ModelConfig& config, const Weights& weights, const Input& input, const Hook& at,
             const Cone& cone) {
  Context in{config,
             weights,
             input,
             std::string(stack_prefix(config.stack)),
             positions_of(input),
             &input.attention_mask,
             asked_text(at, AttentionKind::main),
             input.spans,
             cone.main,
             sequences_of(input)};
  in.encoded = encode(in, at, cone.encoder);
  const Tensor image = encode_image(in, at, cone.vision);
  predict(in, run_stack(in, input.ids, image, at), at);
}

}  // namespace attnscope
