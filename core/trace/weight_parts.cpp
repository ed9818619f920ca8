#include "core/trace/weight_parts.h"

#include "core/base/text.h"

namespace attnscope {

std::string_view part_name(ParameterPart part) {
  switch (part) {
    case ParameterPart::embedding: return "embedding";
    case ParameterPart::attention: return "attention";
    case ParameterPart::mlp: return "mlp";
    case ParameterPart::norms: return "norms";
    case ParameterPart::unembedding: return "unembedding";
    case ParameterPart::other: return "other";
  }
  return "";
}

std::optional<ParameterPart> part_of_weight(const ModelConfig& config, std::string_view full) {
  std::string_view name = full;
  for (const Stack stack : {Stack::enc, Stack::dec, Stack::vision})
    if (starts_with(name, stack_prefix(stack))) name.remove_prefix(stack_prefix(stack).size());
  const auto holds = [&](std::string_view piece) { return name.find(piece) != std::string_view::npos; };
  const bool table = starts_with(name, "tok_embed.");
  if (config.head.tied && name == "logits.weight") return std::nullopt;  // counted as the embedding table
  if (table && starts_with(full, "enc.") && config.of(Stack::enc).shares_embedding) return std::nullopt;
  if (starts_with(name, "projected") || starts_with(name, "pooler.")) return ParameterPart::other;
  if (holds(".attn.") || holds(".cross.") || starts_with(name, "rel_bias.")) return ParameterPart::attention;
  if (holds(".mlp.")) return ParameterPart::mlp;
  if (holds("ln")) return ParameterPart::norms;
  if (starts_with(name, "logits.") || starts_with(name, "head.")) return ParameterPart::unembedding;
  return ParameterPart::embedding;
}

std::vector<std::pair<std::string, std::int64_t>> parameters_by_part(const ModelConfig& config,
                                                                     const Weights& weights) {
  std::vector<std::pair<std::string, std::int64_t>> parts;
  for (const ParameterPart part : kParameterParts) parts.emplace_back(part_name(part), 0);
  for (const auto& [name, tensor] : weights.all())
    if (const auto part = part_of_weight(config, name))
      parts[static_cast<std::size_t>(*part)].second += tensor.count();
  return parts;
}

}  // namespace attnscope
