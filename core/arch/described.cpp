#include "core/arch/described.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::string_view kBlocks = "blocks.";

struct Numbered {
  std::size_t begin = 0, end = 0;  // of the digits
  int block = -1;
};
// Where the number of the block stands in a name.
Numbered number_in(const std::string& name) {
  Numbered out;
  const std::size_t at = name.find(kBlocks);
  if (at == std::string::npos) return out;
  out.begin = out.end = at + kBlocks.size();
  while (out.end < name.size() && name[out.end] >= '0' && name[out.end] <= '9') ++out.end;
  if (out.end > out.begin && out.end - out.begin < 7)
    out.block = std::stoi(name.substr(out.begin, out.end - out.begin));
  return out;
}

bool holds(const std::string& name, std::string_view piece) { return name.find(piece) != std::string::npos; }

// The weights of one attention whose keys and values come from a latent vector, in the place of q, k, v, out.
void latent_attention(const Described& it, int block, std::vector<WeightShape>& out) {
  const LatentSpec& s = it.latent;
  const AttentionSpec& a = it.config.blocks[static_cast<std::size_t>(block)].attention;
  const std::string base = "blocks." + std::to_string(block) + ".attn.";
  const std::int64_t d = it.config.d_model, q = std::int64_t{a.n_heads} * (s.nope + s.rope);
  if (s.q_rank > 0) {
    out.push_back({base + "q_down.weight", {d, s.q_rank}});
    out.push_back({base + "q_down_norm.weight", {s.q_rank}});
    out.push_back({base + "q_up.weight", {s.q_rank, q}});
  } else {
    out.push_back({base + "q.weight", {d, q}});
  }
  out.push_back({base + "kv_down.weight", {d, std::int64_t{s.kv_rank} + s.rope}});
  out.push_back({base + "kv_down_norm.weight", {s.kv_rank}});
  out.push_back({base + "kv_up.weight", {s.kv_rank, std::int64_t{a.n_heads} * (s.nope + s.v)}});
  out.push_back({base + "out.weight", {std::int64_t{a.n_heads} * s.v, d}});
}

// The router and the shared experts of one block.
void beside_experts(const Described& it, int block, std::vector<WeightShape>& out) {
  const std::string base = "blocks." + std::to_string(block) + ".mlp.";
  const std::int64_t d = it.config.d_model,
                     wide = it.config.blocks[static_cast<std::size_t>(block)].mlp.d_mlp;
  out.push_back({base + "router.weight", {d, it.experts.count}});
  if (it.experts.router_bias) out.push_back({base + "router.bias", {it.experts.count}});
  if (it.experts.shared == 0) return;
  const std::int64_t shared = wide * it.experts.shared;
  out.push_back({base + "shared.gate.weight", {d, shared}});
  out.push_back({base + "shared.up.weight", {d, shared}});
  out.push_back({base + "shared.out.weight", {shared, d}});
}

}  // namespace

std::string any_block(const std::string& name) {
  const Numbered at = number_in(name);
  if (at.end == at.begin) return name;
  return name.substr(0, at.begin) + "*" + name.substr(at.end);
}

std::vector<WeightShape> weights_of(const Described& it) {
  std::vector<WeightShape> out;
  const bool experts = it.experts.count > 0, latent = it.latent.kv_rank > 0;
  int last_latent = -1;
  for (WeightShape& weight : expected_weights(it.config)) {
    if (!weight.required && (it.absent.contains(weight.name) || it.absent.contains(any_block(weight.name))))
      continue;
    const Numbered at = starts_with(weight.name, kBlocks) ? number_in(weight.name) : Numbered{};
    if (latent && at.block >= 0 && holds(weight.name, ".attn.")) {
      if (at.block != last_latent) latent_attention(it, at.block, out);
      last_latent = at.block;
      continue;
    }
    if (experts && at.block >= it.experts.first_block && holds(weight.name, ".mlp.")) {
      if (ends_with(weight.name, ".mlp.out.weight")) beside_experts(it, at.block, out);
      weight.shape.insert(weight.shape.begin(), it.experts.count);
    }
    out.push_back(std::move(weight));
  }
  out.insert(out.end(), it.beside.begin(), it.beside.end());
  return out;
}

Described describe_model(const std::string& title, const std::string& family, const ModelConfig& config,
                         const Weights& weights) {
  Described out;
  out.title = title;
  out.family = family;
  out.config = config;
  std::map<std::string, int> missing, all;  // by any_block
  std::set<std::string> known;
  for (const WeightShape& weight : expected_weights(config)) {
    ++all[any_block(weight.name)];
    known.insert(weight.name);
    if (weights.find(weight.name)) continue;
    ++missing[any_block(weight.name)];
    out.absent.insert(weight.name);
  }
  for (const auto& [name, count] : missing) {
    if (count != all[name]) continue;
    std::erase_if(out.absent,
                  [&, &pattern = name](const std::string& one) { return any_block(one) == pattern; });
    out.absent.insert(name);
  }
  for (const auto& [name, tensor] : weights.all())
    if (!known.contains(name)) out.beside.push_back({name, tensor.sizes()});
  return out;
}

}  // namespace attnscope
