#include "core/calc/flops.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/calc/cache.h"
#include "core/calc/parameters.h"

namespace attnscope {
namespace {

// Multiply-adds of one stack's matrices for one row, by who passes them.
struct PerRow {
  Count own;      // rows of the stack itself
  Count source;   // rows of the encoder: keys and values of cross-attention
  Count head;     // rows that are predicted
  Count patches;  // rows that are patches
  Count once;     // one row of the sequence: poolers
};

bool is_table_name(const std::string& name) {
  for (const char* table : {"tok_embed.", "pos_embed.", "type_embed.", "class_embed.", "register_embed.",
                            "rel_bias.", "pooler.vision."})
    if (name.find(table) != std::string::npos) return true;
  return false;
}

bool has_part(const std::string& name, std::string_view piece) {
  return name.find(piece) != std::string::npos;
}

// A matrix's numbers are multiplied once for every row; of experts those that one token passes.
Count multiplied(const ExpertSpec& experts, const WeightShape& weight) {
  Count out = 1;
  for (const std::int64_t size : weight.shape) out = out * Count(size);
  return weight.shape.size() == 3 ? out / std::max(1, experts.count) * Count(experts.active) : out;
}

void add(PerRow& out, const Described& it, const WeightShape& weight) {
  if (weight.shape.size() < 2 || !ends_with(weight.name, ".weight") || is_table_name(weight.name)) return;
  const Count macs = multiplied(it.experts, weight);
  if (has_part(weight.name, "cross.k.") || has_part(weight.name, "cross.v."))
    out.source += macs;
  else if (has_part(weight.name, "logits.") || has_part(weight.name, "head.pre."))
    out.head += macs;
  else if (has_part(weight.name, "patch_embed.") || has_part(weight.name, "projected"))
    out.patches += macs;
  else if (starts_with(weight.name, "pooler."))
    out.once += macs;
  else
    out.own += macs;
}

// A stack without what is known of the whole model.
Described only(const ModelConfig& stack) {
  Described out;
  out.config = stack;
  return out;
}

// One stack alone: what the others have is described by them.
PerRow flops_per_row(const Described& it, const ModelConfig& stack) {
  PerRow out;
  const std::string_view prefix = stack_prefix(stack.stack);
  const bool main = &stack == &it.config;
  const Described alone = main ? it : only(stack);
  for (const WeightShape& weight : weights_of(alone)) {
    if (main && prefix.empty() &&
        (starts_with(weight.name, "enc.") || starts_with(weight.name, "vision.") ||
         starts_with(weight.name, "projected")))
      continue;
    if (main && !prefix.empty() && !starts_with(weight.name, prefix)) continue;
    add(out, alone, weight);
  }
  return out;
}

// Pairs of a query and a key that `rows` queries see, the last of them standing at the end.
Count pairs(const AttentionSpec& a, std::int64_t rows) {
  const std::int64_t w = a.window > 0 ? std::min(a.window, rows) : rows;
  if (!a.causal) return Count(rows) * Count(w);
  // The first w rows see 1, 2, ... w keys, the others w each: w (2 rows - w + 1) / 2, of which one is even.
  const std::int64_t other = 2 * rows - w + 1;
  return w % 2 == 0 ? Count(w / 2) * Count(other) : Count(w) * Count(other / 2);
}

// FLOPs of one pair in all heads of a block.
Count per_pair(const Described& it, const AttentionSpec& a) {
  if (it.latent.kv_rank > 0)
    return Count(2) * Count(a.n_heads) * Count(std::int64_t{it.latent.nope} + it.latent.rope + it.latent.v);
  return Count(4) * Count(a.n_heads) * Count(a.d_head);
}

Count attention_over(const Described& it, const ModelConfig& stack, std::int64_t rows) {
  Count out;
  for (const BlockSpec& block : stack.blocks)
    out += per_pair(it, block.attention) * pairs(block.attention, rows);
  return out;
}

Count two(Count macs) { return Count(2) * macs; }

// A vision encoder over one image: patches, blocks, its projector.
Count image_cost(const Described& it) {
  Count out, projector;
  std::int64_t patches = 0;
  for (const ModelConfig& tower : it.config.encoders) {
    if (tower.stack != Stack::vision) continue;
    const PerRow rows = flops_per_row(it, tower);
    patches = std::int64_t{tower.patch.rows} * tower.patch.cols;
    std::int64_t extra = 0;
    for (const WeightShape& weight : it.beside)
      if (has_part(weight.name, "register_embed") && weight.shape.back() == tower.d_model)
        extra = weight.shape.front();
    const std::int64_t all = tower.patch.count() + extra;
    out +=
        two(rows.own * Count(all) + rows.patches * Count(patches)) + attention_over(only(tower), tower, all);
  }
  for (const WeightShape& weight : it.beside)
    if (starts_with(weight.name, "projected") && weight.shape.size() == 2)
      projector += Count(weight.shape[0]) * Count(weight.shape[1]);
  return out + two(projector * Count(patches));
}

Count predicted_rows(const ModelConfig& config, std::int64_t rows) {
  return config.head.first_row_only ? Count(1) : Count(rows);
}

void add_decode(const Described& it, const Workload& work, const PerRow& rows, ForwardCost& out) {
  out.decode.matrices = two(rows.own);
  out.decode.unembedding = two(rows.head);
  for (const BlockSpec& block : it.config.blocks) {
    const AttentionSpec& a = block.attention;
    out.decode.attention += per_pair(it, a) * Count(a.window > 0 ? std::min(a.window, work.seq) : work.seq);
    if (block.cross)
      out.decode.attention +=
          Count(4) * Count(block.cross->n_heads) * Count(block.cross->d_head) * Count(work.source_rows());
  }
  const std::int64_t n = work.seq;
  out.passes_with_cache = n;
  out.passes_without_cache = n % 2 == 0 ? Count(n / 2) * Count(n + 1) : Count(n) * Count((n + 1) / 2);
}

}  // namespace

Count ForwardCost::prefill_per_token() const {
  const std::int64_t rows = std::max<std::int64_t>(1, prefill_rows.value());
  return (prefill.total() + Count(rows / 2)) / rows;
}

ForwardCost forward_cost(const Described& it, const Workload& work) {
  ForwardCost out;
  const ModelConfig& config = it.config;
  const PerRow main = flops_per_row(it, config);
  if (const ModelConfig* encoder = config.encoder()) {
    const PerRow rows = flops_per_row(it, *encoder);
    const std::int64_t n = work.source_rows();
    out.prefill_rows = n;
    out.prefill.matrices = two((rows.own + main.source) * Count(n));
    out.prefill.attention = attention_over(it, *encoder, n);
  } else {
    const std::int64_t n = config.patch.size > 0 ? config.patch.count() : work.seq;
    out.prefill_rows = n;
    out.prefill.matrices = two(main.own * Count(n) + main.once);
    if (config.patch.size > 0)
      out.prefill.matrices += two(main.patches * Count(std::int64_t{config.patch.rows} * config.patch.cols));
    out.prefill.attention = attention_over(it, config, n);
    out.prefill.unembedding = two(main.head * predicted_rows(config, n));
  }
  if (decodes(config)) add_decode(it, work, main, out);
  out.images = image_cost(it);
  return out;
}

namespace {

// Numbers that are read of a weight when so many tokens pass it: of experts those that they can reach.
Count read_by(const ParameterRow& row, Count tokens) {
  if (row.active == row.count) return row.count;
  return Count(std::min(row.count.value(), (row.active * tokens).value()));
}

// Weights of the words' own way that are read whole: not those of images, nor tables of which some rows are.
bool is_read_whole(const Described& it, const std::string& name) {
  const bool table = has_part(name, "tok_embed.") && !it.config.head.tied;
  return !has_part(name, "vision.") && !has_part(name, "projected") && !has_part(name, "pos_embed.") &&
         !table;
}

}  // namespace

MemoryTraffic memory_traffic(const Described& it, const Workload& work) {
  MemoryTraffic out;
  const Parameters all = parameters(it);
  const bool two_stacks = it.config.encoder() != nullptr;
  const std::int64_t rows = forward_cost(it, work).prefill_rows.value();
  const Count side_by_side(work.batch), in_prefill = Count(rows) * side_by_side;
  Count prefill, decode;
  for (const ParameterRow& row : all.rows) {
    if (!is_read_whole(it, row.name)) continue;
    const bool encoder = starts_with(row.name, "enc.");
    // Keys and values of the encoder's rows are made once, before the decoder begins.
    const bool kept = has_part(row.name, ".cross.k.") || has_part(row.name, ".cross.v.");
    if (!two_stacks || encoder || kept) prefill += read_by(row, in_prefill);
    if (!encoder && !kept) decode += read_by(row, side_by_side);
  }
  const CacheSize cache = kv_cache(it, work);
  out.weights = work.dtype.bytes(all.total);
  out.prefill = work.dtype.bytes(prefill) + (two_stacks ? cache.cross : cache.self);
  out.prefill_per_token = out.prefill / std::max<std::int64_t>(1, in_prefill.value());
  if (!decodes(it.config)) return out;
  out.decode = work.dtype.bytes(decode) + cache.total();
  out.decode_per_token = out.decode / work.batch;
  return out;
}

}  // namespace attnscope
