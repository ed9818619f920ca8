// Thumbnails of the patterns of all heads of one kind of attention, rows = blocks and columns =
// heads, or of one block: one texture, one draw call. Thumbnails and roles are computed by a
// background job; meanwhile its progress is shown. Does not move the cursor: returns the hovered or
// clicked head.
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
  /// Height in pixels that thumbnails and chips need for `width`.
  float wanted_height(const AttentionScene& scene, float width) const;
  Event draw(const ViewContext& context, const AttentionScene& scene, const StageLook& look, ImVec2 position,
             ImVec2 size);
  /// The newest thumbnails, or null; other panes use them as a preview of a head's pattern.
  const Thumbnails* pictures() const { return pictures_.get(); }
  /// True if the thumbnails are of the current run.
  bool fresh() const { return pictures_ && pictures_key_ == key_; }

  void keep(Choices& choices) {
    choices.of(whole_model_);
    choices.of("sorted", sorted_, kHeadOrderNames);
    choices.of("zoom", zoom_, 0.05f, 50.f);
  }

 private:
  struct Layout {
    bool captions = false;
    int columns = 1, rows = 1;
    float side = 0, gap = 0, caption = 0, left = 0;
    float height = 0;  ///< of a thumbnail that is `side` wide: keeps the aspect of the maps
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
  void draw_caption(const HeadThumbnail& head, ImVec2 at, float width, bool current, bool hides_roles) const;
  void draw_waiting(ImVec2 position, ImVec2 size) const;
  void keep_in_sight(const Cursor& cursor, ImVec2 p0, ImVec2 p1);

  static constexpr Option<bool> kWhole[] = {{"model", true}, {"layer", false}};
  OneOf<bool> whole_model_{"whole_model", kWhole, true, "attention.heads.", "###heads_"};
  HeadOrder sorted_ = HeadOrder::place;
  std::uint64_t order_key_ = 0;
  std::vector<std::size_t> order_;  ///< order of pictures_->heads
  std::vector<Tensor> maps_;        ///< the same order
  std::vector<AtlasPlace> places_;  ///< in this frame
  float zoom_ = 1.f;
  int shown_layer_ = -1, shown_head_ = -1;  ///< head that was last scrolled to
  std::uint64_t layers_key_ = 0;
  std::vector<int> layers_;              ///< blocks with this attention: the rows
  int widest_ = 1;                       ///< largest number of heads in a block
  float aspect_ = 1.f;                   ///< height / width of a map
  std::uint64_t subject_ = 0, key_ = 0;  ///< requested: model and attention; and run
  std::uint64_t pictures_key_ = 0;       ///< key of pictures_
  std::shared_ptr<const Thumbnails> pictures_;
  Computed<Thumbnails> made_;
  std::shared_ptr<std::atomic<float>> progress_ = std::make_shared<std::atomic<float>>(0.f);
};

}  // namespace attnscope
