#include "app/shell/view_tabs.h"

#include <algorithm>
#include <span>
#include <vector>

#include "app/look/item_map.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kLeastGap = 4.f, kMostGap = 13.f;  // units beside the label of a tab
constexpr float kGroupGap = 6.f, kArrow = 11.f, kDots = 24.f;

using Views = std::vector<const View*>;

struct Group {
  ViewGroup which{};
  Views views;
  bool has_open = false;
  const char* title() const { return tr(Label("view.group.", group_name(which))); }
};

/// For each view, whether it is available for the newest run; all are if there is none.
const std::vector<char>& telling_views(const FrameState& state) {
  static std::vector<char> telling;
  static std::pair<std::uint64_t, const void*> of{0, nullptr};
  const RunResult* run = state.run.get();
  const std::pair<std::uint64_t, const void*> now{run ? run->version + 1 : 0, &state};
  if (of == now && telling.size() == state.views.size()) return telling;
  of = now;
  telling.clear();
  for (const auto& view : state.views) telling.push_back(!run || view->unavailable(*run).empty());
  return telling;
}

/// The available views and the open one, by group.
std::vector<Group>& groups_of(const FrameState& state, const std::string& open) {
  static std::vector<Group> groups;
  const auto& views = state.views;
  const std::vector<char>& telling = telling_views(state);
  std::size_t count = 0;  // vectors are reused: no heap allocation in an idle frame
  for (std::size_t i = 0; i < views.size(); ++i) {
    const bool is_open = views[i]->id() == open;
    if (!telling[i] && !is_open) continue;
    const ViewGroup which = views[i]->group();
    if (count == 0 || which != groups[count - 1].which) {
      if (count == groups.size()) groups.push_back({which, {}, false});
      groups[count].which = which, groups[count].has_open = false;
      groups[count++].views.clear();
    }
    groups[count - 1].views.push_back(views[i].get());
    groups[count - 1].has_open |= is_open;
  }
  groups.resize(count);
  return groups;
}

float word_width(const char* text) { return ImGui::CalcTextSize(text).x; }
float small_width(const char* text) {
  const WithFont face(fonts().small);
  return word_width(text);
}
float heading_width(const Group& group, bool folded) {
  return small_width(group.title()) + px(2 * kGroupGap + (folded ? kArrow : 0));
}

/// How many of the groups are unfolded.
enum class Unfolded : std::uint8_t { all, open_group, open_view, none };

bool spread(const Group& group, Unfolded how) {
  return how == Unfolded::all || (how == Unfolded::open_group && group.has_open);
}

/// The tabs of a group shown beside its label: all, the open one, or none.
std::span<const View* const> tabs_of(const Group& group, const std::string& open, Unfolded how) {
  const std::span<const View* const> all(group.views);
  if (spread(group, how)) return all;
  for (std::size_t i = 0; group.has_open && i < all.size(); ++i)
    if (all[i]->id() == open) return all.subspan(i, 1);
  return {};
}

struct Need {
  float words = 0;  // width of all labels outside tabs, pixels
  int tabs = 0;
};
Need need_of(const std::vector<Group>& groups, const std::string& open, Unfolded how) {
  Need out;
  if (how == Unfolded::none) out.words = px(kDots);
  for (const Group& group : groups) {
    if (how != Unfolded::none) out.words += heading_width(group, !spread(group, how));
    for (const View* view : tabs_of(group, open, how)) {
      out.words += word_width(view_title(*view)) + px(2);
      ++out.tabs;
    }
  }
  return out;
}

/// One tab: the label; the open one is raised, with an accent line on top. True when clicked.
bool tab(const View& view, bool open, float height, float padding) {
  const Theme& t = theme();
  const char* title = view_title(view);
  const ImVec2 text = ImGui::CalcTextSize(title);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size(text.x + 2 * padding, height);
  const Label id("###tab_", view.id());
  const bool clicked = hit_area(id.c_str(), size);
  note_item(id);
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImDrawFlags top = ImDrawFlags_RoundCornersTop;
  if (open || hovered)
    list->AddRectFilled(at, end, open ? t.panel_raised : with_alpha(t.hovered, 0.6f), px(6), top);
  if (open) {
    list->PushClipRect(at, ImVec2(end.x, at.y + px(5)), true);
    list->AddRect(at, ImVec2(end.x, end.y + px(4)), t.accent, px(6), top, px(2));
    list->PopClipRect();
  }
  const ImU32 ink = open || hovered ? t.text : t.text_dim;
  list->AddText(ImVec2(at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2), ink, title);
  compat::item_tooltip(tr(Label("view.", view.id(), ".help")));
  return clicked;
}

/// Views as menu items, with their keys.
void view_lines(const Views& views, const std::string& open, std::string& chosen) {
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(14), px(7)));
  for (const View* view : views) {
    const std::string id = view->id();
    const Action* action = find_action("view." + id);
    const std::string key = action ? action_key(*action) : std::string();
    if (ImGui::MenuItem(Label(view_title(*view), "###behind_", id).c_str(), key.c_str(), id == open))
      chosen = id;
    note_item("behind_" + id);
    compat::item_tooltip(tr("view." + id + ".help"));
  }
}

bool begin_menu_below(const char* id) {
  popup_below_item(false);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing,
                        ImVec2(px(14), px(7)));  // spacing of the columns of menu items
  return ImGui::BeginPopup(id);
}

/// The label of a group: a heading for its tabs; when folded, a button that opens the list of its views.
void view_tabs_heading(const Group& group, const std::string& open, bool folded, float height,
                       std::string& chosen) {
  const Theme& t = theme();
  const WithFont face(fonts().small);
  const char* title = group.title();
  const Label button("###tabs_", group_name(group.which)), list_id("###list_tabs_", group_name(group.which));
  const ImVec2 at = ImGui::GetCursorScreenPos(), size(heading_width(group, folded), height);
  if (!folded) {
    ImGui::Dummy(size);
  } else if (hit_area(button.c_str(), size)) {
    ImGui::OpenPopup(list_id.c_str());
  }
  if (folded) note_item(button);
  const bool lit = folded && ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 text = ImGui::CalcTextSize(title);
  const float x = at.x + px(kGroupGap), y = at.y + (height - text.y) / 2;
  list->AddText(ImVec2(x, y), lit ? t.text : t.text_dim, title);
  if (!folded) return;
  const ImVec2 tip(x + text.x + px(kArrow - 4), at.y + height / 2 + px(2.5f));
  list->AddTriangleFilled(ImVec2(tip.x - px(3.5f), tip.y - px(4)), ImVec2(tip.x + px(3.5f), tip.y - px(4)),
                          tip, lit ? t.text : t.text_dim);
  const WithFont list_face(fonts().body);
  if (!begin_menu_below(list_id.c_str())) return;
  view_lines(group.views, open, chosen);
  ImGui::EndPopup();
}

/// A "..." button with all views.
void dots(const std::vector<Group>& groups, const std::string& open, float height, std::string& chosen) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (hit_area("###tab_more", ImVec2(px(kDots), height))) ImGui::OpenPopup("###tabs_behind");
  note_item("tab_more");
  const ImU32 ink = ImGui::IsItemHovered() ? theme().text : theme().text_dim;
  for (int dot = -1; dot <= 1; ++dot)
    ImGui::GetWindowDrawList()->AddCircleFilled(
        ImVec2(at.x + px(kDots / 2 + 5 * static_cast<float>(dot)), at.y + height / 2), px(1.6f), ink);
  if (!begin_menu_below("###tabs_behind")) return;
  for (const Group& group : groups) {
    if (&group != &groups.front()) ImGui::Dummy(ImVec2(1, px(3)));
    dim_text(group.title());
    ImGui::Dummy(ImVec2(1, px(2)));
    view_lines(group.views, open, chosen);
  }
  ImGui::EndPopup();
}

}  // namespace

std::string draw_view_tabs(const FrameState& state, const std::string& open, float width, float height) {
  const std::vector<Group>& groups = groups_of(state, open);
  Unfolded how = Unfolded::all;
  Need need = need_of(groups, open, how);
  while (how != Unfolded::none && need.words + px(2 * kLeastGap) * static_cast<float>(need.tabs) > width) {
    how = static_cast<Unfolded>(static_cast<int>(how) + 1);
    need = need_of(groups, open, how);
  }
  const float padding = std::clamp((width - need.words) / (2.f * static_cast<float>(std::max(1, need.tabs))),
                                   px(kLeastGap), px(kMostGap));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(2), 0));
  std::string chosen;
  for (const Group& group : groups) {
    if (how != Unfolded::none) {
      view_tabs_heading(group, open, !spread(group, how), height, chosen);
      ImGui::SameLine(0, 0);
    }
    for (const View* view : tabs_of(group, open, how)) {
      if (tab(*view, view->id() == open, height, padding)) chosen = view->id();
      ImGui::SameLine();
    }
  }
  if (how == Unfolded::none) dots(groups, open, height, chosen);
  return chosen;
}

}  // namespace attnscope
