// Composition between heads as lines of the network map: which heads of other blocks write most into the
// queries, keys and values of the cursor's head, and which read most of what it writes
// (core/lens/circuits.h). One line for each side and box of blocks, that of its strongest head.
#pragma once

#include <vector>

#include "app/panels/network/network_layout.h"
#include "core/lens/circuits.h"

namespace attnscope {

struct NetworkLink {
  int from = 0, to = 0;  ///< boxes
  Reads side = Reads::q;
  int block = 0, head = 0;  ///< the other head
  double score = 0;
};

/// Of a head of the unfolded block of the main stack. `stack`: of the circuits.
std::vector<NetworkLink> composition_links(const NetworkLayout& layout, const Circuits& circuits, Stack stack,
                                           int block, std::int64_t head);

}  // namespace attnscope
