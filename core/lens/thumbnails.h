// The patterns of all heads of one kind of attention as small pictures with the role of each head, for
// the thumbnails of the attention view. For background jobs: a callback between bands of rows can
// cancel. No pattern is kept: a head's picture has at most `side` cells a side, whatever the
// input's length. Roles are left out where they are not defined: in cross-attention, and among patches those
// that depend on order.
#pragma once

#include <functional>
#include <vector>

#include "core/lens/attention_places.h"
#include "core/lens/attention_plane.h"
#include "core/lens/head_roles.h"

namespace attnscope {

struct HeadThumbnail {
  int layer = 0, head = 0;
  Tensor cells;  ///< [query blocks, key blocks], the largest weight of each block; -inf: all masked
  HeadRoles roles;
  double entropy = 0;  ///< mean over the rows with a visible key, nats; of long inputs over some of them
  double largest = 0;  ///< mean of the largest weight of these rows
};

struct Thumbnails {
  AttentionPlace place;
  std::vector<HeadThumbnail> heads;  ///< by layer, then head
  int layers = 0, widest = 0;        ///< blocks with this attention; heads of the one with most
  std::int64_t block = 1;            ///< tokens per cell and axis
  std::int64_t row_stride = 1;       ///< > 1: every so many queries were read
  bool difference = false;           ///< new minus old: the largest change of each block
  float largest = 1;                 ///< magnitude of all cells
  const HeadThumbnail* find(int layer, int head) const;
};

/// Multiplications that thumbnails() would take: small ones need no job.
double thumbnails_cost(const Trace& trace, const AttentionPlace& place);
/// `go_on` is called with the share that is done (0..1); when it returns false, there are no heads. Of
/// inputs longer than 2048 tokens every k-th query is read (row_stride). `before`: what is subtracted, where
/// the two can be compared; the roles stay those of `trace`.
Thumbnails thumbnails(const Trace& trace, const AttentionPlace& place, std::int64_t side,
                      const std::function<bool(float)>& go_on = {},
                      const std::shared_ptr<const Trace>& before = nullptr);

}  // namespace attnscope
