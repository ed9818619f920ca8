// The page of models with RoPE: every frequency pair of a query and a key as arrows on a dial, and q · k,
// which does not change when both move. Computed in core/lens.
#pragma once

#include <vector>

#include "app/views/view.h"
#include "core/lens/positions.h"

namespace attnscope {

class RotaryPage {
 public:
  /// True if the run has queries and keys before rotation.
  /// The block rotates, and the run has its queries and keys.
  static bool possible(const Trace& trace, Stack stack, int layer);
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

  void keep(Choices& choices) {
    choices.of("rotary_page", page_, kPages);
    choices.of("rotary_pair", selected_, 0, 1 << 16);
    choices.of("rotary_move", move_, -1e6f, 1e6f);
    choices.of("rotary_variant", variant_, kVariantNames, -1);
    choices.of("rotary_factor", factor_, 0.01f, 1e4f);
  }

 private:
  enum class Page { distance, wavelengths, reach, variants };
  static constexpr Named<Page> kPages[] = {{"distance", Page::distance},
                                           {"wavelengths", Page::wavelengths},
                                           {"reach", Page::reach},
                                           {"variants", Page::variants}};
  void follow(const ViewContext& context);
  void draw_controls(const ViewContext& context, float width);
  void draw_dials(ImVec2 at, ImVec2 room);
  void draw_dial(std::size_t pair, ImVec2 centre, float radius, float longest) const;
  void draw_numbers(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_distance(ImVec2 at, ImVec2 room);
  void draw_wavelengths(ImVec2 at, ImVec2 room);
  void draw_variants(const ViewContext& context, ImVec2 at, ImVec2 room);
  /// Frequencies of the dials: the model's, or those of the selected variant.
  Rotary shown(const ViewContext& context) const;

  Tensor q_, k_;  ///< [d_head], before rotation
  Stack stack_ = Stack::single;
  int layer_ = 0;
  Rotary rotary_;
  std::vector<double> wavelengths_;
  std::vector<RotaryPair> pairs_;  ///< current angles
  double query_pos_ = 0, key_pos_ = 0;
  double dot_ = 0, moved_dot_ = 0;
  std::vector<ImVec2> curve_;  ///< q · k against the distance
  std::uint64_t key_ = 0;
  int selected_ = 0;
  float move_ = 0;  ///< positions by which both are moved
  bool playing_ = false;
  Page page_ = Page::distance;
  static constexpr Named<int> kVariantNames[] = {{"own", -1},    {"standard", 0}, {"linear", 1},
                                                 {"dynamic", 2}, {"llama3", 3},   {"yarn", 4}};
  int variant_ = -1;  ///< index in kVariants; -1: the model's own
  float factor_ = 4.f;
};

}  // namespace attnscope
