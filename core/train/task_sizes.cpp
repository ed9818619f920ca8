#include "core/train/task_sizes.h"

#include <cmath>

#include "core/base/text.h"

namespace attnscope {
namespace {

Status check_range(const Text& what, int value, int most) {
  if (value >= 1 && value <= most) return Done{};
  return fail(Code::out_of_range, "error.train.sizes.range", {value, what, most});
}

Status check_word(const Text& what, const std::string& word, const char* first, const char* second) {
  if (word.empty() || word == first || word == second) return Done{};
  return fail(Code::unsupported, "error.train.sizes.word", {what, word, first, second});
}

Status check_division(const TaskSizes& sizes) {
  if (sizes.d_model % sizes.heads != 0) {
    return fail(Code::bad_shape, "error.train.sizes.width",
                {sizes.d_model, sizes.heads, (sizes.d_model / sizes.heads + 1) * sizes.heads});
  }
  if (sizes.heads % sizes.kv_heads != 0) {
    return fail(Code::bad_shape, "error.train.sizes.kv_heads", {sizes.heads, sizes.kv_heads});
  }
  return Done{};
}

// `most`, or the next smaller number that divides `whole`.
int fitting(int whole, int most) {
  int part = most;
  while (part > 1 && whole % part != 0) --part;
  return part;
}

}  // namespace

Result<TaskSizes> filled_sizes(const TaskSizes& chosen, const TaskSizes& own) {
  TaskSizes out = chosen;
  if (out.layers == 0) out.layers = own.layers;
  if (out.d_model == 0) out.d_model = own.d_model;
  TRY_OK(check_range(Text::of("error.train.sizes.layers"), out.layers, 24));
  TRY_OK(check_range(Text::of("error.train.sizes.features"), out.d_model, 1024));
  if (out.heads == 0) out.heads = fitting(out.d_model, own.heads);
  TRY_OK(check_range(Text::of("error.train.sizes.heads"), out.heads, 32));
  if (out.kv_heads == 0)
    out.kv_heads = own.kv_heads > 0 && chosen.heads == 0 ? fitting(out.heads, own.kv_heads) : out.heads;
  TRY_OK(check_range(Text::of("error.train.sizes.key_value_heads"), out.kv_heads, 32));
  if (out.d_mlp == 0) out.d_mlp = own.d_mlp * out.d_model / own.d_model;
  TRY_OK(check_range(Text::of("error.train.sizes.mlp_features"), out.d_mlp, 4096));
  if (out.order.empty()) out.order = own.order.empty() ? "pre" : own.order;
  if (out.mask.empty()) out.mask = own.mask;
  TRY_OK(check_word(Text::of("error.train.sizes.order"), out.order, "pre", "post"));
  TRY_OK(check_word(Text::of("error.train.sizes.mask"), out.mask, "prefix", "causal"));
  TRY_OK(check_division(out));
  return out;
}

BlockSpec usual_block(const TaskSizes& sizes) {
  BlockSpec block;
  block.order = sizes.order == "post" ? NormOrder::post : NormOrder::pre;
  block.attention.n_heads = sizes.heads;
  block.attention.n_kv_heads = sizes.kv_heads;
  block.attention.d_head = sizes.d_model / sizes.heads;
  block.attention.scale = 1.f / std::sqrt(static_cast<float>(block.attention.d_head));
  block.mlp = {MlpSpec::Kind::plain, Activation::gelu_tanh, sizes.d_mlp};
  return block;
}

ModelConfig usual_decoder(const TaskSizes& sizes, const BlockSpec& block, int vocabulary,
                          std::int64_t positions) {
  ModelConfig out;
  out.d_model = out.d_in = sizes.d_model;
  out.vocab_size = vocabulary;
  out.position.kind = PositionSpec::Kind::learned;
  out.position.max_positions = positions;
  out.blocks.assign(static_cast<std::size_t>(sizes.layers), block);
  const bool post = block.order == NormOrder::post;
  out.final_norm = post ? NormSpec{NormSpec::Kind::none, 1e-5f, 0.f} : block.norm;
  out.head.tied = true;
  return out;
}

Status check_pairs(const AttentionSpec& attention) {
  if (attention.d_head % 2 == 0) return Done{};
  return fail(Code::bad_shape, "error.train.sizes.pairs", {attention.d_head});
}

}  // namespace attnscope
