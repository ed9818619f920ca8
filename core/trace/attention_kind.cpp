#include "core/trace/attention_kind.h"

#include <algorithm>

namespace attnscope {

AttentionKind attention_kind(Stack stack, Part part, Stack main) {
  if (part == Part::cross) return AttentionKind::cross;
  if (stack == main) return AttentionKind::main;
  if (stack == Stack::enc) return AttentionKind::encoder;
  return stack == Stack::vision ? AttentionKind::vision : AttentionKind::main;
}

bool has_attention(const ModelConfig& config, AttentionKind kind) {
  switch (kind) {
    case AttentionKind::main: return true;
    case AttentionKind::encoder: return config.encoder() != nullptr;
    case AttentionKind::vision: return config.vision() != nullptr;
    case AttentionKind::cross:
      return std::any_of(config.blocks.begin(), config.blocks.end(),
                         [](const BlockSpec& block) { return block.cross.has_value(); });
  }
  return false;
}

std::string_view mask_prefix(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder: return "enc:";
    case AttentionKind::vision: return "vision:";
    case AttentionKind::cross: return "cross:";
    case AttentionKind::main: break;
  }
  return "";
}

AttentionKind take_mask_prefix(std::string_view& text) {
  const std::string_view whole = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  for (const AttentionKind kind : {AttentionKind::encoder, AttentionKind::vision, AttentionKind::cross}) {
    if (!whole.starts_with(mask_prefix(kind))) continue;
    text = whole.substr(mask_prefix(kind).size());
    return kind;
  }
  return AttentionKind::main;
}

}  // namespace attnscope
