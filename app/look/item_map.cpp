#include "app/look/item_map.h"

#include <algorithm>

namespace attnscope {
namespace {

bool noting = true;

std::map<std::string, ItemRect>& items() {
  static std::map<std::string, ItemRect> map;
  return map;
}

std::string& scope() {
  static std::string prefix;
  return prefix;
}

std::string_view id_of(std::string_view label) {
  const std::size_t hashes = label.find("###");
  return hashes == std::string_view::npos ? label : label.substr(hashes + 3);
}

}  // namespace

void note_items(bool on) { noting = on; }
void begin_items() { items().clear(); }
void set_item_scope(std::string prefix) { scope() = std::move(prefix); }

void note_item(std::string_view name) {
  if (!noting || !ImGui::IsItemVisible()) return;
  note_item(name, {ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), 0, 0});
}

void note_item(std::string_view name, const ItemRect& rect) {
  if (!noting) return;
  ItemRect item = rect;
  const ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 clip0 = list->GetClipRectMin(), clip1 = list->GetClipRectMax();
  item.seen0 = ImVec2(std::max(rect.p0.x, clip0.x), std::max(rect.p0.y, clip0.y));
  item.seen1 = ImVec2(std::min(rect.p1.x, clip1.x), std::min(rect.p1.y, clip1.y));
  items().insert_or_assign(scope() + std::string(id_of(name)), item);
}

const std::map<std::string, ItemRect>& noted_items() { return items(); }

}  // namespace attnscope
