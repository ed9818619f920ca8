#include "core/calc/cache.h"

#include <algorithm>

namespace attnscope {
namespace {

// Numbers that one position takes in one block.
Count cache_per_row(const Described& it, const AttentionSpec& a) {
  if (it.latent.kv_rank > 0) return Count(std::int64_t{it.latent.kv_rank} + it.latent.rope);
  return Count(2) * Count(a.n_kv_heads) * Count(a.d_head);
}

Described without_windows(Described it) {
  for (BlockSpec& block : it.config.blocks) block.attention.window = 0;
  return it;
}

// Keys as wide as the latent model computes with; values of the same width, as the share of v is computed
// from per_row alone.
template <class Heads>
Described with_kv_heads(Described it, Heads heads) {
  if (it.latent.kv_rank > 0) {
    for (BlockSpec& block : it.config.blocks)
      block.attention.d_head = (it.latent.nope + it.latent.rope + it.latent.v) / 2;
    it.latent = {};
  }
  for (BlockSpec& block : it.config.blocks) {
    block.attention.n_kv_heads = heads(block.attention);
    if (block.cross) block.cross->n_kv_heads = heads(*block.cross);
  }
  return it;
}

// Of the form between one pair of heads for all and a pair for every head.
int cache_groups_of(const AttentionSpec& a) {
  if (a.n_kv_heads > 1 && a.n_kv_heads < a.n_heads) return a.n_kv_heads;
  if (a.n_heads > 8 && a.n_heads % 8 == 0) return 8;
  return a.n_heads % 2 == 0 ? a.n_heads / 2 : 1;
}

}  // namespace

bool decodes(const ModelConfig& config) { return config.vocab_size > 0 && config.causal(); }

CacheSize kv_cache(const Described& it, const Workload& work) {
  CacheSize out;
  if (!decodes(it.config)) return out;
  Count self, cross, position;
  for (const BlockSpec& block : it.config.blocks) {
    const AttentionSpec& a = block.attention;
    const Count row = cache_per_row(it, a);
    self += row * Count(a.window > 0 ? std::min(a.window, work.seq) : work.seq);
    position += row;
    if (block.cross)
      cross +=
          Count(2) * Count(block.cross->n_kv_heads) * Count(block.cross->d_head) * Count(work.source_rows());
  }
  out.self = work.cache.bytes(self * Count(work.batch));
  out.cross = work.cache.bytes(cross * Count(work.batch));
  out.per_position = work.cache.bytes(position);
  return out;
}

CacheForms cache_forms(const Described& it, const Workload& work) {
  const auto with = [&](auto heads) { return kv_cache(with_kv_heads(it, heads), work).total(); };
  CacheForms out;
  out.groups = it.config.blocks.empty() ? 1 : cache_groups_of(it.config.blocks.back().attention);
  out.mha = with([](const AttentionSpec& a) { return a.n_heads; });
  out.gqa = with(cache_groups_of);
  out.mqa = with([](const AttentionSpec&) { return 1; });
  out.own = kv_cache(it, work).total();
  out.no_windows = kv_cache(without_windows(it), work).total();
  return out;
}

}  // namespace attnscope
