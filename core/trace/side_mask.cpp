#include "core/trace/side_mask.h"

#include <algorithm>

namespace attnscope {

MaskOf mask_of_attention(Stack stack, Part part, Stack main) {
  if (part == Part::cross) return MaskOf::cross;
  if (stack == main) return MaskOf::main;
  if (stack == Stack::enc) return MaskOf::encoder;
  return stack == Stack::vision ? MaskOf::vision : MaskOf::main;
}

bool has_mask(const ModelConfig& config, MaskOf of) {
  switch (of) {
    case MaskOf::main: return true;
    case MaskOf::encoder: return config.encoder() != nullptr;
    case MaskOf::vision: return config.vision() != nullptr;
    case MaskOf::cross:
      return std::any_of(config.blocks.begin(), config.blocks.end(),
                         [](const BlockSpec& block) { return block.cross.has_value(); });
  }
  return false;
}

std::string_view mask_prefix(MaskOf of) {
  switch (of) {
    case MaskOf::encoder: return "enc:";
    case MaskOf::vision: return "vision:";
    case MaskOf::cross: return "cross:";
    case MaskOf::main: break;
  }
  return "";
}

MaskOf take_mask_prefix(std::string_view& text) {
  const std::string_view whole = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  for (const MaskOf of : {MaskOf::encoder, MaskOf::vision, MaskOf::cross}) {
    if (!whole.starts_with(mask_prefix(of))) continue;
    text = whole.substr(mask_prefix(of).size());
    return of;
  }
  return MaskOf::main;
}

bool SideMask::operator==(const SideMask& other) const {
  const auto same = [](const Mask::Cell& a, const Mask::Cell& b) {
    return a.query == b.query && a.key == b.key && a.allowed == b.allowed;
  };
  return of == other.of && spec == other.spec &&
         std::equal(cells.begin(), cells.end(), other.cells.begin(), other.cells.end(), same);
}

const SideMask* find_mask(const std::vector<SideMask>& masks, MaskOf of) {
  const auto at =
      std::find_if(masks.begin(), masks.end(), [of](const SideMask& mask) { return mask.of == of; });
  return at == masks.end() ? nullptr : &*at;
}

const MaskSpec& asked_mask(const std::vector<SideMask>& masks, MaskOf of) {
  static const MaskSpec own;
  const SideMask* mask = find_mask(masks, of);
  return mask ? mask->spec : own;
}

void put_mask(std::vector<SideMask>& masks, SideMask changed) {
  std::erase_if(masks, [&](const SideMask& mask) { return mask.of == changed.of; });
  if (changed.spec.is_model() && changed.cells.empty()) return;
  const auto after = [](const SideMask& a, const SideMask& b) { return a.of < b.of; };
  masks.insert(std::upper_bound(masks.begin(), masks.end(), changed, after), std::move(changed));
}

}  // namespace attnscope
