#include "core/trace/weight_parts.h"

#include "core/base/text.h"

namespace attnscope {

std::string_view part_name(WeightPart part) {
  switch (part) {
    case WeightPart::embedding: return "embedding";
    case WeightPart::attention: return "attention";
    case WeightPart::mlp: return "mlp";
    case WeightPart::norms: return "norms";
    case WeightPart::unembedding: return "unembedding";
    case WeightPart::other: return "other";
  }
  return "";
}

std::optional<WeightPart> part_of_weight(const ModelConfig& config, std::string_view full) {
  std::string_view name = full;
  for (const Stack stack : {Stack::enc, Stack::dec, Stack::vision})
    if (starts_with(name, stack_prefix(stack))) name.remove_prefix(stack_prefix(stack).size());
  const auto holds = [&](std::string_view piece) { return name.find(piece) != std::string_view::npos; };
  const bool table = starts_with(name, "tok_embed.");
  if (config.head.tied && name == "logits.weight") return std::nullopt;  // counted as the embedding table
  if (table && starts_with(full, "enc.") && config.of(Stack::enc).shares_embedding) return std::nullopt;
  if (starts_with(name, "projected") || starts_with(name, "pooler.")) return WeightPart::other;
  if (holds(".attn.") || holds(".cross.") || starts_with(name, "rel_bias.")) return WeightPart::attention;
  if (holds(".mlp.")) return WeightPart::mlp;
  if (holds("ln")) return WeightPart::norms;
  if (starts_with(name, "logits.") || starts_with(name, "head.")) return WeightPart::unembedding;
  return WeightPart::embedding;
}

std::vector<std::pair<std::string, std::int64_t>> parameters_by_part(const ModelConfig& config,
                                                                     const Weights& weights) {
  std::vector<std::pair<std::string, std::int64_t>> parts;
  for (const WeightPart part : kWeightParts) parts.emplace_back(part_name(part), 0);
  for (const auto& [name, tensor] : weights.all())
    if (const auto part = part_of_weight(config, name))
      parts[static_cast<std::size_t>(*part)].second += tensor.count();
  return parts;
}

}  // namespace attnscope
