#include "app/look/item_map.h"

#include <algorithm>

#include "app/look/key_controls.h"

namespace attnscope {
namespace {

bool noting = true;

using Items = std::map<std::string, ItemRect>;

Items& items() {
  static Items map;
  return map;
}
std::vector<Items::node_type>& spare() {
  static std::vector<Items::node_type> entries;
  return entries;
}

std::string& scope() {
  static std::string prefix;
  return prefix;
}

std::string_view id_of(std::string_view label) {
  const std::size_t hashes = label.find("###");
  return hashes == std::string_view::npos ? label : label.substr(hashes + 3);
}

// The entry of a name: known in this frame, or one of the frame before, or new.
ItemRect& entry_of(std::string_view name) {
  static std::string key;
  key.assign(scope()).append(id_of(name));
  if (const auto known = items().find(key); known != items().end()) return known->second;
  if (spare().empty()) return items()[key];
  Items::node_type entry = std::move(spare().back());
  spare().pop_back();
  entry.key() = key;
  return items().insert(std::move(entry)).position->second;
}

}  // namespace

void note_items(bool on) { noting = on; }

// The entries of the frame before are kept to be filled again: most of them come again in every frame.
void begin_items() {
  begin_controls();
  if (items().empty()) return;
  while (!items().empty()) spare().push_back(items().extract(items().begin()));
  std::reverse(spare().begin(), spare().end());  // the first is taken first: names find room of their size
}
void set_item_scope(std::string prefix) { scope() = std::move(prefix); }

void note_item(std::string_view name) {
  if (!noting) return;
  note_control();
  if (ImGui::IsItemVisible()) note_item(name, {ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), 0, 0});
}

void note_item(std::string_view name, const ItemRect& rect) {
  if (!noting) return;
  const ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 clip0 = list->GetClipRectMin(), clip1 = list->GetClipRectMax();
  ItemRect& item = entry_of(name);
  item = rect;
  item.seen0 = ImVec2(std::max(rect.p0.x, clip0.x), std::max(rect.p0.y, clip0.y));
  item.seen1 = ImVec2(std::min(rect.p1.x, clip1.x), std::min(rect.p1.y, clip1.y));
}

const std::map<std::string, ItemRect>& noted_items() { return items(); }

}  // namespace attnscope
