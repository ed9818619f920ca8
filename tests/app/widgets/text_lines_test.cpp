// Lines of text: numbers stay whole, whatever the width is.
#include "app/look/text_lines.h"

#include <imgui_internal.h>

#include <cctype>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
namespace {

using TextLinesTest = testing::ImguiFixture;

constexpr const char* kSentence =
    "Llama 2 has 6,738,415,616 parameters, 1.17 of them here; x = 0.3, and −12.5 nats. The end.";

bool ends_inside_a_number(std::string_view line, std::string_view next) {
  const bool mark = !line.empty() && (line.back() == '.' || line.back() == ',');
  return mark && !next.empty() && std::isdigit(static_cast<unsigned char>(next.front())) && line.size() > 1 &&
         std::isdigit(static_cast<unsigned char>(line[line.size() - 2]));
}

TEST_F(TextLinesTest, NoNumberIsBroken) {
  for (float width = 110; width < 700; width += 7) {
    DisplayList list;
    frame([&] {
      const DrawRecording recording(&list);
      figure_text(kSentence, width);
    });
    std::string_view before;
    for (const DrawItem& item : list.items()) {
      if (item.kind != DrawItem::Kind::text) continue;
      EXPECT_FALSE(ends_inside_a_number(before, list.text(item))) << width << ": " << before;
      before = list.text(item);
    }
  }
}

TEST_F(TextLinesTest, LinesFitAndNothingIsLost) {
  frame([&] {
    ImGui::TextUnformatted("x");
    for (float width = 110; width < 700; width += 37) {
      std::string words(in_lines(kSentence, width));
      std::size_t begin = 0;
      for (std::size_t at = 0; at <= words.size(); ++at) {
        if (at < words.size() && words[at] != '\n') continue;
        const std::string line = words.substr(begin, at - begin);
        EXPECT_LE(ImGui::CalcTextSize(line.c_str()).x, width) << line;
        begin = at + 1;
      }
      for (char& c : words) c = c == '\n' ? ' ' : c;
      EXPECT_EQ(words, kSentence);
    }
  });
}

TEST_F(TextLinesTest, ANumberAndItsPercentStandInOneLine) {
  frame([&] {
    ImGui::TextUnformatted("x");
    for (float width = 60; width < 500; width += 3)
      EXPECT_EQ(in_lines("the answer falls from 98.4 % to 20.4 % here", width).find("\n%"),
                std::string_view::npos)
          << width;
  });
}

// A row among others: its tooltip covers neither neighbour, where a side has room.
TEST_F(TextLinesTest, ATooltipOfARowStandsBesideIt) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize, size(300, 20);
  for (const float x : {10.f, screen.x - 310}) {
    point_at(x + 150, 110);
    for (int i = 0; i < 40; ++i)
      frame(
          [&] {
            ImGui::SetCursorScreenPos(ImVec2(x, 100));
            ImGui::InvisibleButton("row", size);
            const TooltipsBeside beside;
            compat::item_tooltip("What this row says,\nin two lines");
          },
          screen);
    const ImGuiWindow* shown = nullptr;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active) shown = window;
    ASSERT_TRUE(shown);
    const ImRect tip(shown->Pos, ImVec2(shown->Pos.x + shown->Size.x, shown->Pos.y + shown->Size.y));
    EXPECT_FALSE(tip.Overlaps(ImRect(ImVec2(x, 0), ImVec2(x + size.x, screen.y)))) << x;
    EXPECT_TRUE(ImRect(ImVec2(0, 0), screen).Contains(tip)) << x;
  }
}

// What was clicked was used: its tooltip would cover what is used next. Once the pointer has left, it is
// back.
TEST_F(TextLinesTest, AClickedControlHasNoTooltipUntilThePointerReturns) {
  bool shown = false;
  const auto draw = [&] {
    frame([&] {
      ImGui::SetCursorScreenPos(ImVec2(100, 100));
      hit_area("###control", ImVec2(80, 30));
      shown = ImGui::IsItemHovered() && !tooltip_is_spent();
      ImGui::SetCursorScreenPos(ImVec2(300, 100));
      hit_area("###picture", ImVec2(200, 200));
      shown |= ImGui::IsItemHovered() && !tooltip_is_spent();
    });
  };
  const auto at = [&](float x, float y) {
    point_at(x, y);
    for (int i = 0; i < 3; ++i) draw();
    return shown;
  };
  const auto click = [&] {
    for (const bool down : {true, false}) press(down), draw(), draw();
  };
  EXPECT_TRUE(at(120, 110));
  click();
  EXPECT_FALSE(shown);
  for (int i = 0; i < 60; ++i) draw();
  EXPECT_FALSE(shown) << "as long as the pointer stays";
  EXPECT_FALSE(at(20, 20));
  for (int i = 0; i < 60; ++i) draw();
  EXPECT_TRUE(at(130, 110)) << "it came back";
  EXPECT_TRUE(at(320, 120));
  click();
  EXPECT_TRUE(shown) << "a picture has another one at each place";
}

TEST_F(TextLinesTest, ATooltipCoversNothingOfWhatItExplains) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const auto check = [&](ImVec2 at, ImVec2 size, const char* text) {
    SCOPED_TRACE(text);
    ImVec2 p0, p1;
    point_at(at.x + size.x * 0.7f, at.y + size.y * 0.7f);
    for (int i = 0; i < 40; ++i)  // later versions wait before they show one
      frame(
          [&] {
            ImGui::SetCursorScreenPos(at);
            ImGui::InvisibleButton("item", size);
            compat::item_tooltip(text);
            p0 = ImGui::GetItemRectMin(), p1 = ImGui::GetItemRectMax();
          },
          screen);
    const ImGuiWindow* shown = nullptr;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active) shown = window;
    ASSERT_TRUE(shown) << at.x << "," << at.y;
    const ImRect tip(shown->Pos, ImVec2(shown->Pos.x + shown->Size.x, shown->Pos.y + shown->Size.y));
    EXPECT_FALSE(tip.Overlaps(ImRect(p0, p1))) << at.x << "," << at.y << " " << size.x << "x" << size.y;
    EXPECT_TRUE(ImRect(ImVec2(0, 0), screen).Contains(tip));
  };
  const char *one = "One line of help", *three = "Three lines of help:\nthe second one,\nand the third one.";
  for (const char* text : {one, three})
    for (const ImVec2 size : {ImVec2(60, 20), ImVec2(500, 24), ImVec2(40, screen.y - 20)})
      for (const float x : {0.f, 0.5f, 1.f})
        for (const float y : {0.f, 0.5f, 1.f})
          check(ImVec2(10 + x * (screen.x - size.x - 20), 10 + y * (screen.y - size.y - 20)), size, text);
}

}  // namespace
}  // namespace attnscope
