#include "app/shell/handbook.h"

#include <algorithm>
#include <utility>

#include "app/look/item_map.h"
#include "app/shell/dialogs.h"
#include "app/shell/easy_window.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr float kContents = 176.f, kMostPage = 800.f, kLeastPage = 320.f, kAround = 110.f,
                kScrollLine = 48.f;  // units

// +1, 0 or -1.
int pressed(Key more, Key less) {
  return (compat::key_pressed(more) ? 1 : 0) - (compat::key_pressed(less) ? 1 : 0);
}

}  // namespace

std::string page_of_stage(const FrameState& state) {
  return shows_easy(state) ? "easy" : state.workspace.view;
}

void Handbook::open(const std::string& page) {
  page_ = page;
  language_ = language();
  contents_ = guide_contents();
  for (const GuideChapter& chapter : contents_) {
    note_text(chapter.title);
    for (const GuidePage& one : chapter.pages) note_text(one.title);
  }
  text_.show(guide_page(page));
  to_top_ = reveal_ = true;
}

void Handbook::turn(int by) {
  if (by == 0) return;
  std::vector<std::string> ids;
  for (const GuideChapter& chapter : contents_)
    for (const GuidePage& page : chapter.pages) ids.push_back(page.id);
  const auto at = std::find(ids.begin(), ids.end(), page_) - ids.begin() + by;
  if (at >= 0 && at < std::ssize(ids)) open(ids[static_cast<std::size_t>(at)]);
}

void Handbook::draw_contents(float height) {
  compat::begin_child("contents", ImVec2(px(kContents), height), false);
  std::string chosen;
  for (const GuideChapter& chapter : contents_) {
    dim_text(chapter.title);
    for (const GuidePage& page : chapter.pages) {
      const bool here = page.id == page_;
      if (ImGui::Selectable(Label(page.title, "###guide_", page.id).c_str(), here)) chosen = page.id;
      note_item("guide_" + page.id);
      if (here && reveal_ && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
    }
    ImGui::Dummy(ImVec2(1, px(3)));
  }
  reveal_ = false;
  ImGui::EndChild();
  if (!chosen.empty()) open(chosen);
}

void Handbook::draw_page(ImVec2 size) {
  compat::begin_child("page", size, false);
  note_item("guide_page", {ImGui::GetWindowPos(),
                           ImVec2(ImGui::GetWindowPos().x + size.x, ImGui::GetWindowPos().y + size.y)});
  if (std::exchange(to_top_, false)) ImGui::SetScrollY(0);
  const float page = size.y - px(kScrollLine);
  const float by = px(kScrollLine) * static_cast<float>(pressed(Key::down, Key::up)) +
                   page * static_cast<float>(pressed(Key::page_down, Key::page_up));
  if (by != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.f, ImGui::GetScrollMaxY()));
  const std::string link = text_.draw(size.x - ImGui::GetStyle().ScrollbarSize - px(10));
  ImGui::EndChild();
  constexpr std::string_view kEnding = ".md";
  if (ends_with(link, kEnding) && guide_page(link.substr(0, link.size() - kEnding.size())).data())
    open(link.substr(0, link.size() - kEnding.size()));
}

void Handbook::draw(FrameState& state) {
  if (state.show_keys) open(page_of_stage(state));
  if (!begin_dialog("###keys_help", state.show_keys)) return;
  if (language_ != language()) open(page_);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::clamp(screen.x - px(kContents + kAround), px(kLeastPage), px(kMostPage)),
                    std::max(px(120), screen.y - px(kAround)));
  if (!ImGui::IsWindowAppearing()) turn(pressed(Key::right, Key::left));
  draw_contents(size.y);
  ImGui::SameLine(0, px(18));
  draw_page(size);
  end_dialog("help.keys", tr("frame.handbook.keys"));
}

}  // namespace attnscope
