// The page of models that rotate (RoPE): every frequency pair of a query and a key as arrows on a dial, and
// q · k, which stays as it is when both move. Refuses to compute: core/lens does.
#pragma once

#include <vector>

#include "app/views/view.h"
#include "core/lens/positions.h"

namespace attnscope {

class RotaryPage {
 public:
  /// True where the run has queries and keys before rotation.
  /// The block rotates, and the run has its queries and keys.
  static bool possible(const Trace& trace, Stack stack, int layer);
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

  void keep(Choices& choices) {
    choices.of("rotary_page", page_, Page::variants);
    choices.of("rotary_pair", selected_, 0, 1 << 16);
    choices.of("rotary_move", move_, -1e6f, 1e6f);
    choices.of("rotary_variant", variant_, -1, 64);
    choices.of("rotary_factor", factor_, 0.01f, 1e4f);
  }

 private:
  enum class Page { distance, wavelengths, reach, variants };
  void follow(const ViewContext& context);
  void draw_controls(const ViewContext& context, float width);
  void draw_dials(ImVec2 at, ImVec2 room);
  void draw_dial(std::size_t pair, ImVec2 centre, float radius, float longest) const;
  void draw_numbers(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_distance(ImVec2 at, ImVec2 room);
  void draw_wavelengths(ImVec2 at, ImVec2 room);
  void draw_variants(const ViewContext& context, ImVec2 at, ImVec2 room);
  /// How the dials turn: as the model does, or by the variant that is chosen.
  Rotary shown(const ViewContext& context) const;

  Tensor q_, k_;  ///< [d_head], before rotation
  Stack stack_ = Stack::single;
  int layer_ = 0;
  Rotary rotary_;
  std::vector<double> wavelengths_;
  std::vector<RotaryPair> pairs_;  ///< where they stand now
  double query_pos_ = 0, key_pos_ = 0;
  double dot_ = 0, moved_dot_ = 0;
  std::vector<ImVec2> curve_;  ///< q · k against the distance
  std::uint64_t key_ = 0;
  int selected_ = 0;
  float move_ = 0;  ///< tokens that both are moved
  bool playing_ = false;
  Page page_ = Page::distance;
  int variant_ = -1;  ///< of kVariants; -1: the model's own
  float factor_ = 4.f;
};

}  // namespace attnscope
