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
  items().insert_or_assign(scope() + std::string(id_of(name)), rect);
}

const std::map<std::string, ItemRect>& noted_items() { return items(); }

}  // namespace attnscope
