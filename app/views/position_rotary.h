// The page of models with RoPE: every frequency pair of a query and a key as arrows on a dial, and q · k,
// which does not change when both move. Computed in core/lens.
#pragma once

#include <vector>

#include "app/views/view.h"
#include "core/lens/positions.h"

namespace attnscope {

constexpr float kFarthestMove = 200;  // positions

class RotaryPage {
 public:
  /// True if the run has queries and keys before rotation.
  /// The block rotates, and the run has its queries and keys.
  static bool possible(const Trace& trace, Stack stack, int layer);
  void draw(const ViewContext& context, ImVec2 at, ImVec2 room);

  void keep(Choices& choices) {
    choices.all(page_, move_, variant_, factor_);
    choices.of("rotary_pair", selected_, 0, 1 << 16);
  }

 private:
  enum class Page { distance, wavelengths, reach, variants };
  static constexpr Option<Page> kPages[] = {
      {"distance", Page::distance, "position.distance", "distance_page"},
      {"wavelengths", Page::wavelengths, "position.wavelengths", "wavelengths_page"},
      {"reach", Page::reach, "position.reach.page", "reach_page"},
      {"variants", Page::variants, "position.variants", "variants_page"}};
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
  /// Positions by which both are moved.
  Ranged<float> move_{"rotary_move", "position.move", "###rope_move", 0, kFarthestMove, 0};
  bool playing_ = false;
  OneOf<Page> page_{"rotary_page", kPages, Page::distance, "", "###rope_"};
  static constexpr Option<int> kVariantNames[] = {
      {"own", -1, "own", "-1"},       {"standard", 0, "standard", "0"}, {"linear", 1, "linear", "1"},
      {"dynamic", 2, "dynamic", "2"}, {"llama3", 3, "llama3", "3"},     {"yarn", 4, "yarn", "4"}};
  /// Index in kVariants; -1: the model's own.
  OneOf<int> variant_{"rotary_variant",   kVariantNames,           -1, "position.variant.",
                      "###rope_variant_", "position.variant.help", -1};
  Ranged<float> factor_{"rotary_factor", "position.variant.factor", "###rope_factor", 1, 32, 4};
};

}  // namespace attnscope
