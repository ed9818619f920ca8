// An input with spans (image, text, action) under two masks side by side: causal, and
// bidirectional within the first span (prefix LM). A click selects one. Without spans it offers to
// define three.
#pragma once

#include <array>

#include "app/views/mask_board.h"

namespace attnscope {

class MaskSegments {
 public:
  void draw(const ViewContext& context, const AttentionScene& scene, ImVec2 position, ImVec2 size);

 private:
  void make(const std::vector<Span>& spans, std::int64_t tokens);
  void draw_one(const ViewContext& context, const AttentionScene& scene, const std::vector<Span>& spans,
                std::size_t which, ImVec2 at, ImVec2 each);

  std::uint64_t key_ = 0;
  std::array<Tensor, 2> planes_;
  std::array<std::string, 2> texts_;
};

}  // namespace attnscope
