// Lines of text: numbers stay whole, whatever the width is.
#include "app/look/text_lines.h"

#include <cctype>

#include "app/figure/canvas.h"
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

}  // namespace
}  // namespace attnscope
