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
/// Entries of the frame before, reused: most names come again in every frame.
Items& spare() {
  static Items map;
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

// The entry of a name: of this frame, else one reused from the frame before, else a new one.
ItemRect& entry_of(std::string_view name) {
  static std::string key;
  key.assign(scope()).append(id_of(name));
  if (const auto known = items().find(key); known != items().end()) return known->second;
  const auto before = spare().find(key);
  if (before == spare().end()) return items()[key];
  return items().insert(spare().extract(before)).position->second;
}

}  // namespace

void note_items(bool on) { noting = on; }

void begin_items() {
  begin_controls();
  if (items().empty()) return;
  spare().clear();
  spare().swap(items());
}
void set_item_scope(std::string prefix) { scope() = std::move(prefix); }

bool hit_area(const char* id, ImVec2 size, ImGuiButtonFlags flags) {
  return ImGui::InvisibleButton(id, ImVec2(std::max(1.f, size.x), std::max(1.f, size.y)), flags);
}

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
