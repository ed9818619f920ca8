// The blocks of forward.cpp, last line first: every step of the forward gets its gradient under the same
// name.
#include <algorithm>

#include "core/model/stage_backward.h"
#include "core/model/tape.h"
#include "core/trace/flow.h"
#include "core/trace/rotary.h"

namespace attnscope {
namespace {

// What a step was made from: its first input.
const Tensor& first_input(const Tape& tape, const Site& step) {
  return tape.value(flow_inputs(tape.trace(), step).front());
}

// Back through a norm, where there is one; `out` is its result.
Tensor back_through_norm(Tape& tape, const NormSpec& spec, const std::string& name, const Site& out,
                         Slot scale, const Tensor& dy) {
  if (spec.kind == NormSpec::Kind::none) return dy;
  const Tensor gradient = tape.at(out, dy);
  const Site divisor = out.with(scale);
  return tape.norm(spec, name, first_input(tape, out), &divisor, gradient);
}

// [head, pos, d_head] laid side by side: [pos, head*d_head].
Tensor concat_heads(const Tensor& x) {
  const Tensor rows = x.permute({1, 0, 2}).packed();  // [pos, head, d_head]
  return Tensor::borrow(std::make_shared<Tensor>(rows), rows.data(),
                        Shape{{x.axis(1), rows.size(0)}, {Axis::concat, rows.size(1) * rows.size(2)}});
}

// Back through x + f(x) with the norms where the block's order puts them.
class BlockBack {
 public:
  BlockBack(Tape& tape, const ModelConfig& stack, int layer)
      : tape_(tape),
        stack_(stack),
        block_(stack.blocks[static_cast<std::size_t>(layer)]),
        layer_(layer),
        base_(std::string(stack_prefix(stack.stack)) + "blocks." + std::to_string(layer) + ".") {}

  // dy [pos, d_model] of what leaves the block -> of what enters it.
  Tensor run(const Tensor& dy) {
    if (!block_.residual) return attention(dy);
    Tensor dx;
    if (block_.order == NormOrder::parallel)
      dx = parallel(dy);
    else
      dx = block_.order == NormOrder::post ? post_norm(dy) : pre_norm(dy);
    return tape_.at(site(Slot::resid_pre), dx);
  }
  // Of the encoder's output, after run(); empty where the block has no cross-attention.
  const Tensor& encoded() const { return encoded_; }

 private:
  Site site(Slot slot) const { return site_of(slot, layer_, stack_.stack); }
  Site across(Slot slot) const { return cross_site(slot, layer_, stack_.stack); }
  bool has_mlp() const { return block_.mlp.kind != MlpSpec::Kind::none; }

  const Tensor& read_by(const Site& step) const { return first_input(tape_, step); }

  Tensor norm(const char* name, Slot scale, Slot out, const Tensor& dy) {
    return back_through_norm(tape_, block_.norm, base_ + name, site(out), scale, dy);
  }
  Tensor ln1(const Tensor& dy) { return norm("ln1", Slot::ln1_scale, Slot::ln1_out, dy); }
  Tensor ln2(const Tensor& dy) { return norm("ln2", Slot::ln2_scale, Slot::ln2_out, dy); }
  Tensor ln_cross(const Tensor& dy) { return norm("ln_cross", Slot::ln_cross_scale, Slot::ln_cross_out, dy); }
  // Norm of a branch's output (sandwich norm), where the block has one.
  Tensor found(const Tensor& dy) {
    return block_.branch_norms ? norm("ln1_post", Slot::ln1_post_scale, Slot::ln1_post_out, dy) : dy;
  }
  Tensor made(const Tensor& dy) {
    return block_.branch_norms ? norm("ln2_post", Slot::ln2_post_scale, Slot::ln2_post_out, dy) : dy;
  }

  Tensor pre_norm(Tensor dy) {
    dy = tape_.at(site(Slot::resid_post), dy);
    if (has_mlp()) dy = joined(block_.mlp_skip, dy, ln2(mlp(made(dy))));
    if (block_.cross) {
      dy = tape_.at(site(Slot::resid_cross), dy);
      dy = joined(block_.cross_skip, dy, ln_cross(cross_attention(dy)));
    }
    dy = tape_.at(site(Slot::resid_mid), dy);
    return joined(block_.attention_skip, dy, ln1(attention(found(dy))));
  }

  // What comes back by the skip path and by the branch; by the branch alone where the path was cut.
  static Tensor joined(bool skip, const Tensor& dy, const Tensor& branch) {
    return skip ? add(dy, branch) : branch;
  }

  Tensor post_norm(Tensor dy) {
    if (has_mlp()) {
      dy = tape_.at(site(Slot::resid_post), ln2(dy));
      dy = joined(block_.mlp_skip, dy, mlp(dy));
    }
    if (block_.cross) {
      dy = tape_.at(site(Slot::resid_cross), ln_cross(dy));
      dy = joined(block_.cross_skip, dy, cross_attention(dy));
    }
    dy = tape_.at(site(Slot::resid_mid), ln1(dy));
    return joined(block_.attention_skip, dy, attention(dy));
  }

  Tensor parallel(Tensor dy) {
    dy = tape_.at(site(Slot::resid_post), dy);
    Tensor shared, dx;  // `shared` is of the one norm that both read
    if (block_.attention_skip && block_.mlp_skip) dx = dy;
    if (has_mlp() && block_.shared_norm) shared = mlp(dy);
    if (has_mlp() && !block_.shared_norm) dx = sum_of(dx, ln2(mlp(dy)));
    return sum_of(dx, ln1(sum_of(attention(dy), shared)));
  }

  Tensor mlp(Tensor dy) {
    dy = tape_.at(site(Slot::mlp_out), dy);
    const std::string base = base_ + "mlp.";
    Tensor post = tape_.project(base + "out", tape_.value(site(Slot::mlp_post)), dy);  // [pos, d_mlp]
    post = tape_.at(site(Slot::mlp_post), post);
    const bool gated = block_.mlp.kind == MlpSpec::Kind::gated;
    const Tensor& x = read_by(site(gated ? Slot::mlp_gate : Slot::mlp_pre));
    if (!gated) {
      const Tensor pre = activate_backward(block_.mlp.activation, post, tape_.value(site(Slot::mlp_pre)));
      return tape_.project(base + "pre", x, tape_.at(site(Slot::mlp_pre), pre));
    }
    const ProductGrads factors =
        multiply_backward(post, tape_.value(site(Slot::mlp_act)), tape_.value(site(Slot::mlp_up)));
    const Tensor open = tape_.at(site(Slot::mlp_act), factors.a);
    const Tensor up = tape_.at(site(Slot::mlp_up), factors.b);
    const Tensor gate = tape_.at(site(Slot::mlp_gate), activate_backward(block_.mlp.activation, open,
                                                                         tape_.value(site(Slot::mlp_gate))));
    return add(tape_.project(base + "up", x, up), tape_.project(base + "gate", x, gate));
  }

  // From an attention's result to its q, k and v as attend() saw them; `base` is "blocks.L.attn.".
  AttentionGrads attend(const std::string& base, const Tensor& dy, bool cross) {
    const auto place = [&](Slot slot) { return cross ? across(slot) : site(slot); };
    const AttentionState* state = tape_.trace().attention(place(Slot::pattern));
    CHECK(state != nullptr);
    const Tensor out = tape_.at(place(Slot::attn_out), dy);
    const Tensor concat =
        tape_.at(place(Slot::concat), tape_.project(base + "out", tape_.value(place(Slot::concat)), out));
    const Tensor dz = tape_.at(place(Slot::z), concat.split(1, Axis::head, state->in.q.size(0), Axis::d_head)
                                                   .permute({1, 0, 2}));  // [head, query, d_head]
    const AttentionGrads grads = attention_backward(*state, dz, tape_.weighted_values(place(Slot::z), *state),
                                                    tape_.sent(place(Slot::z)));
    std::vector<Slot> steps = score_steps(state->in);
    std::reverse(steps.begin(), steps.end());
    for (const Slot slot : steps) {
      if (slot == Slot::sinks)
        sinks_back(base + "sinks.weight", tape_.at(place(slot), grads.sinks));
      else if (slot != Slot::mask)
        tape_.at(place(slot));
    }
    return grads;
  }
  // One logit of each head stands beside all rows.
  void sinks_back(const std::string& name, const Tensor& dy) {
    Buffer out({{Axis::head, dy.size(0)}});
    for (std::int64_t head = 0; head < dy.size(0); ++head) {
      double sum = 0;
      for (std::int64_t query = 0; query < dy.size(1); ++query)
        sum += static_cast<double>(dy.at(head, query, 0));
      out.data()[head] = static_cast<float>(sum);
    }
    tape_.ready(name, std::move(out).freeze());
  }

  // One of Q, K, V from its heads [head, pos, d_head] to the rows it was made from.
  Tensor heads_back(const std::string& name, const Tensor& x, const Tensor& dy, bool cross, Slot flat,
                    Slot view, Slot front) {
    const auto place = [&](Slot slot) { return cross ? across(slot) : site(slot); };
    const Tensor cut =
        tape_.at(place(view), tape_.at(place(front), dy).permute({1, 0, 2}));  // [pos, head, d_head]
    return tape_.project(name, x, tape_.at(place(flat), concat_heads(cut.permute({1, 0, 2}))));
  }

  // Q or K of self-attention back through rotation and norm of each head.
  Tensor rope_back(const std::string& norm_name, Tensor dy, Slot norm_slot, Slot rot_slot, Slot front) {
    const AttentionSpec& spec = block_.attention;
    if (spec.position.rotates()) {
      const Rotary rotary = rotary_of(tape_.trace(), site(rot_slot));
      dy = rotate_backward(tape_.at(site(rot_slot), dy), rotary.frequencies,
                           tape_.trace().positions(stack_.stack), rotary.interleaved, rotary.magnitude);
    }
    if (spec.qk_norm.kind == NormSpec::Kind::none) return dy;
    return tape_.norm(spec.qk_norm, norm_name, tape_.value(site(front)), nullptr,
                      tape_.at(site(norm_slot), dy));
  }

  Tensor attention(const Tensor& dy) {
    const std::string base = base_ + "attn.";
    const AttentionGrads grads = attend(base, dy, false);
    if (!grads.table.empty())
      tape_.ready(std::string(stack_prefix(stack_.stack)) + "rel_bias.weight", grads.table);
    const Tensor& x = read_by(site(Slot::q));
    const Tensor v = heads_back(base + "v", x, grads.v, false, Slot::v, Slot::view_v, Slot::split_v);
    const Tensor dk = rope_back(base + "k_norm", grads.k, Slot::k_norm, Slot::rot_k, Slot::split_k);
    const Tensor k = heads_back(base + "k", x, dk, false, Slot::k, Slot::view_k, Slot::split_k);
    const Tensor dq = rope_back(base + "q_norm", grads.q, Slot::q_norm, Slot::rot_q, Slot::split_q);
    const Tensor q = heads_back(base + "q", x, dq, false, Slot::q, Slot::view_q, Slot::split_q);
    return add(add(q, k), v).rename({Axis::pos, x.axis(1)});
  }

  // Returns the gradient of what Q was made from; K and V send theirs to the encoder.
  Tensor cross_attention(const Tensor& dy) {
    const std::string base = base_ + "cross.";
    const AttentionGrads grads = attend(base, dy, true);
    const Tensor& encoded = read_by(across(Slot::k));
    const Tensor v = heads_back(base + "v", encoded, grads.v, true, Slot::v, Slot::view_v, Slot::split_v);
    const Tensor k = heads_back(base + "k", encoded, grads.k, true, Slot::k, Slot::view_k, Slot::split_k);
    encoded_ = add(v, k).rename({Axis::pos, Axis::d_model});
    const Tensor& x = read_by(across(Slot::q));
    return heads_back(base + "q", x, grads.q, true, Slot::q, Slot::view_q, Slot::split_q)
        .rename({Axis::pos, Axis::d_model});
  }

  Tape& tape_;
  const ModelConfig& stack_;
  const BlockSpec& block_;
  int layer_;
  std::string base_;
  Tensor encoded_;
};

// Rows of the table of positions, as the forward took them.
std::vector<int> position_ids(const Tape& tape, const ModelConfig& stack, std::int64_t rows) {
  const Positions positions = tape.trace().positions(stack.stack);
  std::vector<int> ids;
  for (std::int64_t row = 0; row < rows; ++row)
    ids.push_back(static_cast<int>(positions.of(row) + stack.position.offset));
  return ids;
}

// The rows of `dy` where `wanted`, the others 0 (`pick` false), or those rows alone (`pick` true).
Tensor rows_where(const Tensor& dy, const std::vector<int>& ids, int wanted, bool pick) {
  const Tensor from = dy.packed();
  const std::int64_t width = dy.size(1);
  std::vector<float> out;
  std::int64_t rows = 0;
  for (std::int64_t pos = 0; pos < dy.size(0); ++pos) {
    const bool is = ids[static_cast<std::size_t>(pos)] == wanted;
    if (pick && !is) continue;
    ++rows;
    const float* row = from.data() + pos * width;
    if (pick || !is)
      out.insert(out.end(), row, row + width);
    else
      out.insert(out.end(), static_cast<std::size_t>(width), 0.f);
  }
  return rows == 0 ? Tensor() : Tensor::from(std::move(out), {{Axis::pos, rows}, {dy.axis(1), width}});
}

// Back through what makes rows of tokens or patches. Returns the gradient of an image's rows.
Tensor tokens_back(Tape& tape, const ModelConfig& stack, Tensor dy) {
  const std::string base(stack_prefix(stack.stack));
  const auto site = [&](Slot slot) { return site_of(slot, -1, stack.stack); };
  if (stack.patch.size > 0) {
    if (stack.patch.class_token) {
      tape.ready(base + "class_embed.weight", dy.slice(0, 0, 1).packed());
      dy = dy.slice(0, 1, dy.size(0)).packed();
    }
    dy = tape.at(site(Slot::patch_embed), dy);
    tape.at(site(Slot::patches), tape.project(base + "patch_embed", tape.value(site(Slot::patches)), dy));
    return {};
  }
  const std::vector<int>& ids = tape.trace().ids_of(stack.stack);
  Tensor image;
  if (tape.has(site(Slot::merged))) {
    dy = tape.at(site(Slot::merged), dy);
    image = rows_where(dy, ids, stack.image_token, true);
    dy = rows_where(dy, ids, stack.image_token, false);
  }
  if (tape.has(site(Slot::tok_scaled))) dy = scale(tape.at(site(Slot::tok_scaled), dy), stack.embed_scale);
  tape.rows(base + "tok_embed.weight", ids, tape.at(site(Slot::tok_embed), dy));
  return image;
}

Tensor embed_back(Tape& tape, const ModelConfig& stack, Tensor dy) {
  const std::string base(stack_prefix(stack.stack));
  const auto site = [&](Slot slot) { return site_of(slot, -1, stack.stack); };
  dy = back_through_norm(tape, stack.embed_norm, base + "ln_embed", site(Slot::ln_embed_out),
                         Slot::ln_embed_scale, dy);
  dy = tape.at(site(Slot::embed), dy.rename({Axis::pos, Axis::d_model}));
  if (stack.type_vocab > 0) {
    std::vector<int> types = tape.trace().input.types;
    types.resize(static_cast<std::size_t>(dy.size(0)), 0);
    tape.rows(base + "type_embed.weight", std::move(types), tape.at(site(Slot::type_embed), dy));
  }
  const Tensor placed = tape.at(site(Slot::pos_embed), dy);
  if (stack.position.kind == PositionSpec::Kind::learned)
    tape.rows(base + "pos_embed.weight", position_ids(tape, stack, dy.size(0)), placed);
  const bool given = !tape.trace().input.vectors.empty() && stack.vocab_size == 0 && stack.patch.size == 0;
  return given ? Tensor() : tokens_back(tape, stack, dy);
}

}  // namespace

StackGradients stack_backward(Tape& tape, const ModelConfig& stack, Tensor dy) {
  const std::string base(stack_prefix(stack.stack));
  const auto site = [&](Slot slot) { return site_of(slot, -1, stack.stack); };
  StackGradients out;
  dy = back_through_norm(tape, stack.final_norm, base + "ln_final", site(Slot::ln_final_out),
                         Slot::ln_final_scale, dy);
  for (int layer = stack.n_layers() - 1; layer >= 0; --layer) {
    BlockBack block(tape, stack, layer);
    dy = block.run(dy);
    out.encoded = sum_of(out.encoded, block.encoded());
  }
  out.image = embed_back(tape, stack, dy);
  return out;
}

Tensor head_backward(Tape& tape, const ModelConfig& stack, Tensor dy) {
  const HeadSpec& head = stack.head;
  if (!head.transform) return dy;
  const std::string base(stack_prefix(stack.stack));
  const auto site = [&](Slot slot) { return site_of(slot, -1, stack.stack); };
  dy = back_through_norm(tape, head.norm, base + "ln_head", site(Slot::ln_head_out), Slot::ln_head_scale, dy);
  dy = tape.at(site(Slot::head_act), dy);
  dy = activate_backward(head.activation, dy, tape.value(site(Slot::head_pre)));
  dy = tape.at(site(Slot::head_pre), dy);
  return tape.project(base + "head.pre", tape.value(stack_output(tape.trace(), stack.stack)), dy);
}

}  // namespace attnscope
