#include "core/trace/config.h"

#include <algorithm>
#include <cstdlib>

#include "core/step/catalog.h"
#include "core/trace/input.h"

namespace attnscope {

const ModelConfig* ModelConfig::encoder(Stack which) const {
  for (const ModelConfig& encoder : encoders)
    if (encoder.stack == which) return &encoder;
  return nullptr;
}

const ModelConfig& ModelConfig::of(Stack which) const {
  const ModelConfig* found = which == stack ? this : encoder(which);
  return found ? *found : *this;
}

AttentionSpec AttentionSpec::as_cross() const {
  AttentionSpec out = *this;
  out.position = {};
  out.causal = false;
  out.window = 0;
  out.mask.clear();
  return out;
}

bool ModelConfig::causal() const {
  return !blocks.empty() && std::all_of(blocks.begin(), blocks.end(),
                                        [](const BlockSpec& block) { return block.attention.causal; });
}

bool ModelConfig::predicts_next() const {
  return head.present && !head.first_row_only && vocab_size > 0 && causal();
}

bool ModelConfig::bare() const { return blocks.size() == 1 && !blocks[0].residual; }

bool ModelConfig::has_positions() const {
  const auto tells = [](const BlockSpec& block) {
    return block.attention.position.kind != AttentionPosition::Kind::none;
  };
  return position.kind != PositionSpec::Kind::none || std::any_of(blocks.begin(), blocks.end(), tells);
}

const BlockSpec* ModelConfig::block_of(std::string_view weight) const {
  constexpr std::string_view kBlocks = "blocks.";
  const std::size_t at = weight.find(kBlocks);
  if (at == std::string_view::npos) return nullptr;
  const std::string number(weight.substr(at + kBlocks.size()));
  const auto layer = static_cast<std::size_t>(std::max(0, std::atoi(number.c_str())));
  return layer < blocks.size() ? &blocks[layer] : nullptr;
}

const BlockSpec& ModelConfig::block_at(const Site& site) const {
  const auto& all = of(site.stack).blocks;
  const auto last = static_cast<int>(all.size()) - 1;
  return all[static_cast<std::size_t>(std::clamp(site.layer, 0, last))];
}

const AttentionSpec& ModelConfig::attention_at(const Site& site) const {
  const BlockSpec& block = block_at(site);
  return site.part == Part::cross && block.cross ? *block.cross : block.attention;
}

const NormSpec& norm_spec(const ModelConfig& config, const Site& site) {
  const ModelConfig& own = config.of(site.stack);
  if (site.is(StepKind::norm_embed)) return own.embed_norm;
  if (site.is(StepKind::head) && site.is(StepRole::norm)) return own.head.norm;
  if (site.is(StepRole::head_norm)) return config.attention_at(site).qk_norm;
  return site.layer < 0 ? own.final_norm : config.block_at(site).norm;
}

Activation activation_at(const ModelConfig& config, const Site& site) {
  return site.layer < 0 ? config.of(site.stack).head.activation : config.block_at(site).mlp.activation;
}

Positions positions_of(const std::vector<std::uint8_t>& real, std::int64_t first) {
  Positions out{first, {}};
  if (std::find(real.begin(), real.end(), 0) == real.end()) return out;
  std::int64_t next = first;
  for (const std::uint8_t one : real) {
    out.rows.push_back(next);
    // Padding behind the text counts on, padding before it does not.
    if (one || next > first) ++next;
  }
  return out;
}

std::shared_ptr<const std::vector<KeySpan>> sequences_of(const Input& input) {
  if (input.starts.empty()) return nullptr;
  std::vector<std::int64_t> ends = input.starts;
  ends.push_back(input.length());
  auto out = std::make_shared<std::vector<KeySpan>>();
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    out->insert(out->end(), static_cast<std::size_t>(end - begin), {begin, end});
    begin = end;
  }
  return out;
}

Positions positions_of(const Input& input) {
  Positions out = positions_of(input.attention_mask, 0);
  if (const auto sequences = sequences_of(input))
    for (std::int64_t row = 0; row < input.length(); ++row)
      out.rows.push_back(row - (*sequences)[static_cast<std::size_t>(row)].begin);
  return out;
}

const Tensor* Weights::find(const std::string& name) const {
  const auto at = tensors_.find(name);
  return at == tensors_.end() ? nullptr : &at->second;
}

Tensor Weights::get(const std::string& name) const {
  const Tensor* found = find(name);
  return found ? *found : Tensor();
}

std::int64_t Weights::parameter_count() const {
  std::int64_t total = 0;
  for (const auto& [name, tensor] : tensors_) total += tensor.count();
  return total;
}

std::string_view activation_name(Activation kind) {
  switch (kind) {
    case Activation::gelu_tanh: return "GELU (tanh)";
    case Activation::gelu_exact: return "GELU";
    case Activation::silu: return "SiLU";
    case Activation::relu: return "ReLU";
    case Activation::quick_gelu: return "quick GELU";
  }
  return "";
}

}  // namespace attnscope
