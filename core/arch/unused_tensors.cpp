#include "core/arch/unused_tensors.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostGroups = 8;  // of one sentence

// Buffers of the libraries that wrote the files, which the transformers library passes over too, and what
// pools rows behind all that is shown.
bool is_leftover(const TensorInfo& info) {
  const auto holds = [&](const char* part) { return info.name.find(part) != std::string::npos; };
  if (holds("pooler.") || holds("_float_tensor") || (holds("vision_tower.") && holds(".head."))) return true;
  for (const char* end :
       {"inv_freq", "position_ids", "token_type_ids", "masked_bias", "causal_mask", "num_batches_tracked",
        "coder.version", "EncDecAttention.relative_attention_bias.weight"})
    if (ends_with(info.name, end)) return true;
  const bool mask = info.shape.size() != 1;  // a bias has one axis, the mask of that name has more
  return mask && (ends_with(info.name, ".attn.bias") || ends_with(info.name, ".attention.bias"));
}

// "model.layers.12.mlp.up.weight" -> "model.layers." and 12; nothing where no number stands in it.
struct Layer {
  std::string before;
  int number = 0;
  std::string name() const { return before + std::to_string(number); }
};
std::optional<Layer> layer_in_name(const std::string& name) {
  std::size_t at = 0;
  for (const std::string& piece : split(name, '.')) {
    const bool digits =
        !piece.empty() && piece.size() < 6 && piece.find_first_not_of("0123456789") == std::string::npos;
    if (digits) return Layer{name.substr(0, at), std::stoi(piece)};
    at += piece.size() + 1;
  }
  return std::nullopt;
}

bool same_values(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.rank() != 2) return false;
  if (a.same_bytes(b)) return true;
  constexpr std::int64_t kPanel = 64;
  std::vector<float> of_a, of_b;
  for (std::int64_t row = 0; row < a.size(0); row += kPanel) {
    const std::int64_t end = std::min(a.size(0), row + kPanel);
    of_a = a.slice(0, row, end).values();
    of_b = b.slice(0, row, end).values();
    if (std::memcmp(of_a.data(), of_b.data(), of_a.size() * sizeof(float)) != 0) return false;
  }
  return true;
}

// The embedding that stands in the place of an unused tensor of its shape: null where there is none.
const Tensor* embedding_like(const TensorInfo& info, const Weights& weights) {
  for (const char* name : {"tok_embed.weight", "dec.tok_embed.weight", "enc.tok_embed.weight"}) {
    const Tensor* table = weights.find(name);
    if (table && table->sizes() == info.shape) return table;
  }
  return nullptr;
}

// "h.2" to "h.5", each layer with its tensors; consecutive layers are named as one range.
void say_layers(const std::string& before, const std::map<int, int>& layers, std::vector<Text>& said) {
  for (auto first = layers.begin(); first != layers.end();) {
    int tensors = first->second, last = first->first;
    auto next = std::next(first);
    for (; next != layers.end() && next->first == last + 1; ++next) {
      ++last;
      tensors += next->second;
    }
    const std::string from = in_quotes(before + std::to_string(first->first));
    said.push_back(
        last == first->first
            ? Text::of("note.unused.layer", {from, tensors})
            : Text::of("note.unused.layers", {from, in_quotes(before + std::to_string(last)), tensors}));
    first = next;
  }
}

// One after the other, with commas between.
Text list_of(const std::vector<Text>& items) {
  Text out = items.front();
  for (std::size_t i = 1; i < items.size(); ++i) out = Text::of("note.list", {out, items[i]});
  return out;
}

}  // namespace

Text unused_sentence(const std::vector<std::string>& names, const std::set<std::string>& used_layers) {
  std::map<std::string, std::map<int, int>> layers;  // what stands before the number; tensors of each
  std::vector<Text> said, single;
  for (const std::string& name : names) {
    const auto layer = layer_in_name(name);
    if (layer && !used_layers.contains(layer->name()))
      ++layers[layer->before][layer->number];
    else
      single.push_back(in_quotes(name));
  }
  for (const auto& [before, numbers] : layers) say_layers(before, numbers, said);
  said.insert(said.end(), single.begin(), single.end());
  const std::size_t count = said.size();
  if (count <= kMostGroups) return Text::of("note.unused", {names.size(), list_of(said)});
  said.resize(kMostGroups);
  return Text::of("note.unused_more", {names.size(), list_of(said), count - kMostGroups});
}

UnusedTensors unused_tensors(const WatchedSource& source, const ModelConfig& config, const Weights& weights) {
  UnusedTensors out;
  const std::set<std::string, std::less<>>& loaded = source.loaded();
  std::set<std::string> used_layers;
  for (const std::string& name : loaded)
    if (const auto layer = layer_in_name(name)) used_layers.insert(layer->name());
  std::vector<std::string> plain;
  for (const TensorInfo& info : source.infos()) {
    if (loaded.contains(info.name) || is_leftover(info)) continue;
    const Tensor* table = embedding_like(info, weights);
    const auto tensor = table ? source.load_encoded(info.name) : Result<Tensor>(Tensor());
    if (table && tensor && same_values(*tensor, *table)) continue;
    out.names.push_back(info.name);
    if (!table || !config.head.tied) {
      plain.push_back(info.name);
      continue;
    }
    out.warnings.push_back(Text::of("note.untied_head", {in_quotes(info.name)}));
  }
  if (!plain.empty()) out.warnings.push_back(unused_sentence(plain, used_layers));
  return out;
}

}  // namespace attnscope
