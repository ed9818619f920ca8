#include "app/figure/display_list.h"

#include <utility>

namespace attnscope {
namespace {

bool same(ImVec2 a, ImVec2 b) { return a.x == b.x && a.y == b.y; }

}  // namespace

void DisplayList::clear() {
  items_.clear();
  points_.clear();
  texts_.clear();
  cells_.clear();
  pictures_.clear();
  clips_.clear();
  groups_.clear();
  group_ = -1;
}

std::span<const ImVec2> DisplayList::points(const DrawItem& item) const {
  return std::span(points_).subspan(item.first, item.count);
}

std::string_view DisplayList::text(const DrawItem& item) const {
  return std::string_view(texts_).substr(item.first, item.count);
}

void DisplayList::add(DrawItem item, ImVec2 clip0, ImVec2 clip1) {
  const auto is_last = [&](const DrawClip& last) {
    return same(last.p0, clip0) && same(last.p1, clip1) && last.scrolls_x == scrolls_x_ &&
           last.scrolls_y == scrolls_y_;
  };
  if (clips_.empty() || !is_last(clips_.back())) clips_.push_back({clip0, clip1, scrolls_x_, scrolls_y_});
  item.clip = static_cast<std::uint32_t>(clips_.size() - 1);
  item.group = group_;
  items_.push_back(item);
}

void DisplayList::add_points(DrawItem item, std::span<const ImVec2> points, ImVec2 clip0, ImVec2 clip1) {
  item.first = static_cast<std::uint32_t>(points_.size());
  item.count = static_cast<std::uint32_t>(points.size());
  points_.insert(points_.end(), points.begin(), points.end());
  add(item, clip0, clip1);
}

void DisplayList::add_text(DrawItem item, std::string_view text, ImVec2 clip0, ImVec2 clip1) {
  item.first = static_cast<std::uint32_t>(texts_.size());
  item.count = static_cast<std::uint32_t>(text.size());
  texts_ += text;
  add(item, clip0, clip1);
}

void DisplayList::add_cells(DrawItem item, DrawCells cells, ImVec2 clip0, ImVec2 clip1) {
  item.first = static_cast<std::uint32_t>(cells_.size());
  cells_.push_back(std::move(cells));
  add(item, clip0, clip1);
}

void DisplayList::add_picture(DrawItem item, DrawPicture picture, ImVec2 clip0, ImVec2 clip1) {
  item.first = static_cast<std::uint32_t>(pictures_.size());
  pictures_.push_back(std::move(picture));
  add(item, clip0, clip1);
}

void DisplayList::begin_group(std::string what, std::string site) {
  groups_.push_back({group_, std::move(what), std::move(site)});
  group_ = static_cast<std::int32_t>(groups_.size() - 1);
}

void DisplayList::end_group() {
  if (group_ >= 0) group_ = groups_[static_cast<std::size_t>(group_)].parent;
}

}  // namespace attnscope
