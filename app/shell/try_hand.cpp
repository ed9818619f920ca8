#include "app/shell/try_hand.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "app/state/controls.h"

namespace attnscope {
namespace {

ImVec2 on_the_way(ImVec2 a, ImVec2 b, float share) {
  const float even = share * share * (3 - 2 * share);  // begins and ends slowly
  return {a.x + (b.x - a.x) * even, a.y + (b.y - a.y) * even};
}

// One part of the hand: a rounded box from p0 to p1, in units from the tip of the finger.
struct HandPart {
  float x0, y0, x1, y1, round;
};
constexpr HandPart kHandParts[] = {{-4.5f, -2, 4.5f, 30, 4.5f},  // the finger that points
                                   {3, 14, 12, 32, 4.5f},        // those beside it
                                   {10, 16, 19, 33, 4.5f},      {17, 19, 25, 34, 4},
                                   {-13, 20, -4, 36, 4.5f},  // the thumb
                                   {-11, 26, 25, 46, 9}};    // the palm

}  // namespace

void TryHand::begin(ImVec2 at) {
  way_.reset();
  begin_ = at, time_ = 0, playing_ = true;
}

void TryHand::step(float seconds) {
  if (!playing_ || !way_) return;
  time_ += std::min(seconds, 0.1f);  // a frame that took long is no jump
  if (time_ >= kGoes + kPresses + kDrags + kLetsGo + kStays) playing_ = false;
}

float TryHand::share() const {
  const float begins = kGoes + kPresses / 2;  // the finger is down
  return std::clamp((time_ - begins) / (kDrags + kPresses / 2), 0.f, 1.f);
}

bool TryHand::pressed() const {
  return time_ > kGoes + kPresses / 2 && time_ < kGoes + kPresses + kDrags + kLetsGo / 2;
}

ImVec2 TryHand::at() const {
  if (!way_) return begin_;
  if (time_ < kGoes) return on_the_way(begin_, way_->from, time_ / kGoes);
  return on_the_way(way_->from, way_->to, std::clamp((time_ - kGoes - kPresses) / kDrags, 0.f, 1.f));
}

void TryHand::draw() const {
  if (!playing_) return;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 tip = at();
  const float unit = pressed() ? 0.9f : 1.f;
  if (pressed()) list->AddCircle(tip, px(15), theme().accent, 0, px(3));
  const auto draw_parts = [&](float around, ImU32 colour) {
    for (const HandPart& part : kHandParts) {
      const float x = tip.x, y = tip.y;
      list->AddRectFilled(ImVec2(x + px(part.x0 * unit - around), y + px(part.y0 * unit - around)),
                          ImVec2(x + px(part.x1 * unit + around), y + px(part.y1 * unit + around)), colour,
                          px(part.round + around));
    }
  };
  draw_parts(2.2f, IM_COL32(20, 24, 32, 255));
  draw_parts(0, IM_COL32(255, 255, 255, 255));
  // Lines between the fingers.
  for (const float x : {3.8f, 11.f, 18.f})
    list->AddLine(ImVec2(tip.x + px(x * unit), tip.y + px(21 * unit)),
                  ImVec2(tip.x + px(x * unit), tip.y + px(30 * unit)), IM_COL32(20, 24, 32, 255), px(1.6f));
  const ItemRect where{ImVec2(tip.x - 1, tip.y - 1), ImVec2(tip.x + 1, tip.y + 1)};
  note_item("try_hand", where);
}

}  // namespace attnscope
