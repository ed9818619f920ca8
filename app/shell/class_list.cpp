// The class: who is where, from a folder with the answers of each learner.
#include "app/shell/class_list.h"

#include "app/look/item_map.h"
#include "app/shell/dialogs.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr ImGuiTableFlags kClassTable =
    ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_ScrollY;
constexpr std::size_t kMostStuck = 2, kHardestPages = 5;
constexpr float kClassWidth = 760, kClassRow = 25;

std::string class_lesson_title(const std::string& lesson) {
  const Text title = Text::of("lesson." + lesson + ".title");
  return title.has_words() ? title.str() : lesson;
}

std::string class_page_title(const std::string& lesson, const std::string& page) {
  const Text title = Text::of("lesson." + lesson + "." + page + ".title");
  return title.has_words() ? title.str() : page;
}

void class_cell(const std::string& text, ImU32 colour) {
  ImGui::TableNextColumn();
  note_text(text);
  const WithColour ink(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(shortened(text, ImGui::GetContentRegionAvail().x).c_str());
}

// A column's title, and its share of the width.
struct ClassColumn {
  const char* key;
  float share;
};

void begin_class_columns(std::initializer_list<ClassColumn> columns) {
  for (const ClassColumn& one : columns)
    ImGui::TableSetupColumn(tr(one.key), ImGuiTableColumnFlags_WidthStretch, one.share);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
}

std::string stuck_words(const ClassMember& member) {
  std::vector<std::string> out;
  for (const std::string& place : member.stuck) {
    if (out.size() == kMostStuck) break;
    const std::size_t slash = place.find('/');
    out.push_back(class_page_title(place.substr(0, slash), place.substr(slash + 1)));
  }
  return join(out, " · ");
}

void draw_class_members(const ClassView& seen) {
  const float tall = std::min(px(kClassRow) * static_cast<float>(seen.members.size() + 1) + px(4),
                              ImGui::GetIO().DisplaySize.y * 0.4f);
  if (!ImGui::BeginTable("###class_members", 5, kClassTable, ImVec2(px(kClassWidth), tall))) return;
  begin_class_columns({{"class.learner", 2},
                       {"class.where", 4.6f},
                       {"class.when", 2.4f},
                       {"class.right", 1.7f},
                       {"class.stuck", 4}});
  for (const ClassMember& member : seen.members) {
    ImGui::TableNextRow();
    class_cell(member.learner, theme().text);
    class_cell(
        tr("class.place", {class_lesson_title(member.lesson), class_page_title(member.lesson, member.page)}),
        theme().text);
    class_cell(member.when, theme().text_dim);
    class_cell(tr("lessons.done", {std::to_string(member.right), std::to_string(member.tried)}),
               theme().text);
    class_cell(stuck_words(member), theme().warning);
  }
  ImGui::EndTable();
}

void draw_hardest_pages(const ClassView& seen) {
  const std::size_t count = std::min(kHardestPages, seen.pages.size());
  if (!ImGui::BeginTable("###class_pages", 4, kClassTable & ~ImGuiTableFlags_ScrollY,
                         ImVec2(px(kClassWidth), px(kClassRow) * static_cast<float>(count + 1))))
    return;
  begin_class_columns({{"class.page", 4}, {"class.lesson", 5}, {"class.right", 2}, {"class.tries", 1}});
  for (std::size_t i = 0; i < count; ++i) {
    const ClassPage& page = seen.pages[i];
    ImGui::TableNextRow();
    class_cell(class_page_title(page.lesson, page.page), theme().text);
    class_cell(class_lesson_title(page.lesson), theme().text_dim);
    class_cell(tr("lessons.done", {std::to_string(page.right), std::to_string(page.tried)}), theme().text);
    class_cell(format("%.1f", page.tries), theme().text);
  }
  ImGui::EndTable();
}

}  // namespace

void draw_class(FrameState& state) {
  ClassShown& shown = state.class_shown;
  if (!begin_dialog("###class_list", shown.open)) return;
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("class.title", {std::to_string(shown.seen->members.size())}).c_str());
  }
  draw_class_members(*shown.seen);
  ImGui::Dummy(ImVec2(1, px(4)));
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(tr("class.hardest"));
  }
  draw_hardest_pages(*shown.seen);
  ImGui::Dummy(ImVec2(1, px(4)));
  if (raised_button(tr("class.again") + std::string("###class_again"))) read_class_again(state);
  end_dialog("learn.class");
}

}  // namespace attnscope
