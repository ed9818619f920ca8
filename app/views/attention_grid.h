// The patterns of all heads of one kind of attention as thumbnails, rows = blocks and columns = heads, or of
// one block alone: one texture, one draw. Pictures and roles come from a background job; until it is done the
// grid says how far it is. Refuses to move the cursor: it tells what is under the pointer and what was
// clicked.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "app/views/attention_common.h"
#include "app/views/choices.h"
#include "core/lens/head_order.h"

namespace attnscope {

class HeadGrid {
 public:
  struct Event {
    bool hovered = false, clicked = false;
    int layer = 0, head = 0;
  };
  /// What the thumbnails alone would take of `width`, chips included.
  float wanted_height(const AttentionScene& scene, float width) const;
  Event draw(const ViewContext& context, const AttentionScene& scene, const StageLook& look, ImVec2 position,
             ImVec2 size);
  /// The newest pictures, or null: also for other panes, as the picture of a head before it is computed.
  const Thumbnails* pictures() const { return pictures_.get(); }
  /// The pictures are those of the run that is shown.
  bool fresh() const { return pictures_ && pictures_key_ == key_; }

  void keep(Choices& choices) {
    choices.of("whole_model", whole_model_);
    choices.of("sorted", sorted_, static_cast<HeadOrder>(kHeadOrders - 1));
    choices.of("zoom", zoom_, 0.05f, 50.f);
  }

 private:
  struct Layout {
    bool captions = false;
    int columns = 1, rows = 1;
    float side = 0, gap = 0, caption = 0, left = 0;
    float height = 0;  ///< of a thumbnail that is `side` wide: maps keep their shape
    ImVec2 at(int row, int column) const;
    ImVec2 extent() const;
  };
  Layout layout(const AttentionScene& scene, float width) const;
  void set_height(Layout& grid, float side) const;
  int row_of(int layer) const;
  void take_pictures(const ViewContext& context, const AttentionScene& scene);
  void draw_chips(float width);
  void offer_orders();
  void put_in_order();
  Event draw_thumbnails(const ViewContext& context, const AttentionScene& scene, const StageLook& look,
                        const Layout& grid);
  void draw_caption(const HeadThumbnail& head, ImVec2 at, float width, bool current) const;
  void draw_waiting(ImVec2 position, ImVec2 size) const;
  void keep_in_sight(const Cursor& cursor, ImVec2 p0, ImVec2 p1);

  bool whole_model_ = true;
  HeadOrder sorted_ = HeadOrder::place;
  std::uint64_t order_key_ = 0;
  std::vector<std::size_t> order_;  ///< of pictures_->heads
  std::vector<Tensor> maps_;        ///< theirs
  std::vector<AtlasPlace> places_;  ///< of this frame
  float zoom_ = 1.f;
  int shown_layer_ = -1, shown_head_ = -1;  ///< that was scrolled to last
  std::uint64_t layers_key_ = 0;
  std::vector<int> layers_;              ///< blocks with this attention, in order: the rows
  int widest_ = 1;                       ///< heads of the one with most
  float aspect_ = 1.f;                   ///< height of a map by its width
  std::uint64_t subject_ = 0, key_ = 0;  ///< what is asked for: model and attention; and the run
  std::uint64_t pictures_key_ = 0;       ///< what pictures_ were made for
  std::shared_ptr<const Thumbnails> pictures_;
  Computed<Thumbnails> made_;
  std::shared_ptr<std::atomic<float>> progress_ = std::make_shared<std::atomic<float>>(0.f);
};

}  // namespace attnscope
