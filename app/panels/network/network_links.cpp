#include "app/panels/network/network_links.h"

#include <algorithm>

namespace attnscope {
namespace {

int folded_box(const NetworkLayout& layout, Stack stack, int block) {
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const NetworkBox& box = layout.boxes[i];
    if (box.kind == NetworkBox::Kind::folded && box.stack == stack && block >= box.layer &&
        block < box.layer + box.blocks)
      return static_cast<int>(i);
  }
  return -1;
}

// Where the unfolded block reads, or writes what its heads found.
int part_box(const NetworkLayout& layout, Stack stack, int block, StepRole role, std::optional<Hue> hue) {
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const NetworkBox& box = layout.boxes[i];
    if (box.kind != NetworkBox::Kind::part || box.stack != stack || box.layer != block) continue;
    for (const Site& site : box.sites)
      if (site.part == Part::attn && site.is(role) && (!hue || step_of(site.slot).hue == *hue))
        return static_cast<int>(i);
  }
  return -1;
}

Hue hue_of(Reads side) { return side == Reads::q ? Hue::query : side == Reads::k ? Hue::key : Hue::value; }

}  // namespace

std::vector<NetworkLink> composition_links(const NetworkLayout& layout, const Circuits& circuits, Stack stack,
                                           int block, std::int64_t head) {
  std::vector<NetworkLink> out;
  for (const Composition& one : circuits.composition) {
    const bool into = one.to_block == block && one.to_head == head,
               out_of = one.from_block == block && one.from_head == head;
    if (!into && !out_of) continue;
    NetworkLink link;
    link.side = one.side, link.score = one.score;
    link.block = into ? one.from_block : one.to_block, link.head = into ? one.from_head : one.to_head;
    link.from = into ? folded_box(layout, stack, one.from_block)
                     : part_box(layout, stack, block, StepRole::head_out, {});
    link.to = into ? part_box(layout, stack, block, StepRole::split, hue_of(one.side))
                   : folded_box(layout, stack, one.to_block);
    if (link.from < 0 || link.to < 0) continue;
    const auto same = std::find_if(out.begin(), out.end(), [&](const NetworkLink& known) {
      return known.from == link.from && known.to == link.to && known.side == link.side;
    });
    if (same == out.end())
      out.push_back(link);
    else if (same->score < link.score)
      *same = link;
  }
  return out;
}

}  // namespace attnscope
