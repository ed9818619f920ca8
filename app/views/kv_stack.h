// The KV cache as it is in memory: a row for every block and K/V head, a column for every position, K in the
// upper half of a cell and V in the lower half. Shows no numbers.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/figure/canvas.h"

namespace attnscope {

struct KvStackRow {
  int layer = 0;
  std::int64_t head = -1;  ///< K/V head; -1: all heads of the block
  std::string label;
};

struct KvStack {
  std::span<const KvStackRow> rows;
  std::int64_t columns = 0;   ///< positions of the whole sequence
  std::int64_t length = 0;    ///< positions in the cache at this step
  std::int64_t computed = 0;  ///< first position whose keys and values are computed in this step
  int layer = 0;
  std::int64_t head = 0;  ///< selected K/V head
  std::function<std::string(std::int64_t)> token;
};

struct KvStackEvent {
  int row = -1;
  std::int64_t column = -1;
  bool clicked = false;
};
/// Rows for a height of `height` pixels: one per head, or one per block if those would be too small.
std::vector<KvStackRow> kv_stack_rows(const std::vector<int>& heads_of_layers, float height);
KvStackEvent draw_kv_stack(const KvStack& stack, ImVec2 at, ImVec2 size);

}  // namespace attnscope
