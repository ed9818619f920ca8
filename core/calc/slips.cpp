#include "core/calc/slips.h"

#include <algorithm>
#include <cmath>

#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/cache.h"
#include "core/calc/flops.h"
#include "core/calc/parameters.h"
#include "core/calc/sizes.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

constexpr std::int64_t kGroups = 8;  // key/value heads of most models with groups

std::string count_text(Count count) { return format_count(count.value()); }

// "8 key/value heads" of a model that has a pair for every query head, and the other way round.
void about_heads(const Described& it, const Workload& work, std::vector<Text>& out) {
  const Sizes own = sizes_of(it);
  if (it.latent.kv_rank > 0 || !decodes(it.config) || own.heads <= 1 || it.config.encoder()) return;
  Sizes wrong = own;
  const bool shared = own.kv_heads < own.heads;
  wrong.kv_heads = shared ? own.heads : own.heads % kGroups == 0 && own.heads > kGroups ? kGroups : 1;
  const auto other = resized(it, wrong);
  if (!other || !parameters(*other).total.fits() || !kv_cache(*other, work).total().fits()) return;
  out.push_back(Text::of(shared ? "slip.heads.shared" : "slip.heads.all",
                         {own.kv_heads, own.heads, wrong.kv_heads, count_text(parameters(*other).total),
                          count_text(parameters(it).total), binary_bytes(kv_cache(*other, work).total()),
                          binary_bytes(kv_cache(it, work).total())}));
}

// Once or twice V times d.
void about_tables(const Described& it, std::vector<Text>& out) {
  if (!it.config.head.present || it.config.vocab_size == 0) return;
  const Count table = Count(it.config.vocab_size) * Count(it.config.d_model), total = parameters(it).total;
  const Count other = it.config.head.tied ? total + table : Count(total.value() - table.value());
  if (!other.fits()) return;
  out.push_back(Text::of(it.config.head.tied ? "slip.tied" : "slip.untied",
                         {count_text(table), count_text(total), count_text(other)}));
}

void about_mlp(const Described& it, std::vector<Text>& out) {
  const Sizes own = sizes_of(it);
  if (common(it.config, &BlockSpec::mlp, &MlpSpec::kind) != MlpSpec::Kind::gated || it.experts.count > 0)
    return;
  const double share = 3.0 * static_cast<double>(own.d_ff) / static_cast<double>(own.d_model);
  out.push_back(Text::of("slip.gated", {own.d_model, own.d_ff, format("%.2f", share)}));
}

void about_norms(const Described& it, std::vector<Text>& out) {
  const auto usual = [](const BlockSpec& block) {
    return block.norm.kind == NormSpec::Kind::layer && !block.branch_norms && !block.shared_norm &&
           !block.cross;
  };
  if (!std::all_of(it.config.blocks.begin(), it.config.blocks.end(), usual)) return;
  out.push_back(Text::of("slip.norms", {4 * it.config.d_model, 2 * it.config.d_model}));
}

// What K or V of one block takes: smallest and largest of all blocks.
std::pair<Count, Count> one_matrix(const Described& it, const Workload& work) {
  Described one = it;
  std::pair<Count, Count> out;
  for (std::size_t i = 0; i < it.config.blocks.size(); ++i) {
    one.config.blocks = {it.config.blocks[i]};
    const Count bytes = kv_cache(one, work).self / 2;
    if (i == 0 || bytes.value() < out.first.value()) out.first = bytes;
    if (i == 0 || bytes.value() > out.second.value()) out.second = bytes;
  }
  return out;
}

// How the cache is made of K and V of every block, with the keys and values of cross-attention where there
// are some.
Text matrices_of_cache(const Described& it, const Workload& work) {
  const CacheSize cache = kv_cache(it, work);
  const std::string all = binary_bytes(cache.total());
  const auto [least, most] = one_matrix(it, work);
  if (cache.cross.value() > 0)
    return Text::of("slip.cache.cross",
                    {it.config.n_layers(), all, binary_bytes(cache.self), binary_bytes(cache.cross)});
  if (!(least == most))
    return Text::of("slip.cache.windows",
                    {it.config.n_layers(), all, binary_bytes(least), binary_bytes(most)});
  return Text::of("slip.cache", {it.config.n_layers(), all, binary_bytes(most)});
}

void about_cache(const Described& it, const Workload& work, std::vector<Text>& out) {
  const CacheSize cache = kv_cache(it, work);
  if (cache.self.value() == 0) return;
  if (it.latent.kv_rank > 0) {
    out.push_back(Text::of("slip.latent", {it.latent.kv_rank, it.latent.rope, binary_bytes(cache.total()),
                                           binary_bytes(cache_forms(it, work).mha)}));
    return;
  }
  out.push_back(matrices_of_cache(it, work));
  const Count whole = cache_forms(it, work).no_windows;
  if (!(whole == cache.total()))
    out.push_back(Text::of("slip.window", {binary_bytes(cache.total()), binary_bytes(whole)}));
}

void about_experts(const Described& it, std::vector<Text>& out) {
  if (it.experts.count == 0) return;
  const Parameters all = parameters(it);
  out.push_back(Text::of(
      "slip.experts", {it.experts.count, it.experts.active, count_text(all.total), count_text(all.active)}));
}

}  // namespace

std::vector<Text> slips_of(const Described& it, const Workload& work) {
  std::vector<Text> out;
  about_heads(it, work, out);
  about_tables(it, out);
  about_mlp(it, out);
  about_norms(it, out);
  about_cache(it, work, out);
  about_experts(it, out);
  const double n = parameters(it).active.real();
  out.push_back(
      Text::of("slip.chinchilla", {format("%.3g", n), format("%.3g", 20 * n), format("%.3g", n / 20)}));
  return out;
}

std::vector<Text> counting_notes(const Described& it, const Workload& work) {
  std::vector<Text> out;
  const std::string key = "calc.note.preset." + it.title;
  const bool as_published =
      has_string(key) && is_preset(it.title) && sizes_of(*describe_preset(it.title)) == sizes_of(it);
  if (as_published) out.push_back(Text::of(key, {format_count(parameters(it).total.value())}));
  if (it.config.head.present && it.config.head.tied && it.config.vocab_size > 0)
    out.push_back(Text::of("calc.note.tied"));
  for (const WeightShape& weight : it.beside)
    if (weight.name == "pooler.weight") out.push_back(Text::of("calc.note.pooler"));
  if (!decodes(it.config)) out.push_back(Text::of("calc.note.no_decoding"));
  if (it.config.encoder()) out.push_back(Text::of("calc.note.encoder", {work.source_rows()}));
  const std::int64_t longest = it.config.patch.size > 0 ? 0 : it.config.position.max_positions;
  if (longest > 0 && work.seq > longest) out.push_back(Text::of("calc.note.too_long", {work.seq, longest}));
  if (it.config.patch.size > 0) out.push_back(Text::of("calc.note.patches", {it.config.patch.count()}));
  if (it.config.vision()) out.push_back(Text::of("calc.note.images"));
  if (!it.runs) out.push_back(Text::of("calc.note.runs_not"));
  return out;
}

}  // namespace attnscope
