// Glyphs: the fixed start, glyphs on demand, scale. Needs no OpenGL; skips what is not installed.
#include "app/look/fonts.h"

#include <gtest/gtest.h>

#include <chrono>

#include "app/look/imgui_compat.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

class FontsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    load_fonts(1.0f);
  }
  void TearDown() override { ImGui::DestroyContext(); }

  static bool has(ImFont* font, char32_t code_point) {
#if IMGUI_VERSION_NUM >= 19200
    return font->IsGlyphInFont(static_cast<ImWchar>(code_point));
#else
    return font->FindGlyphNoFallback(static_cast<ImWchar>(code_point)) != nullptr;
#endif
  }
};

TEST_F(FontsTest, EverySizeIsThereAndOrdered) {
  const Fonts& f = fonts();
  for (const ImFont* font :
       {f.body, f.body_bold, f.small, f.title, f.mono, f.mono_small, f.formula, f.mono_big}) {
    ASSERT_NE(font, nullptr);
  }
  EXPECT_LT(compat::font_size(f.small), compat::font_size(f.body));
  EXPECT_LT(compat::font_size(f.body), compat::font_size(f.title));
  EXPECT_LT(compat::font_size(f.mono_small), compat::font_size(f.mono));
  EXPECT_LT(compat::font_size(f.formula), compat::font_size(f.mono_big));
}

TEST_F(FontsTest, FormulasHaveTheirSigns) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  const std::string_view signs = "·␣⏎…–—“”‘’−×÷√∑σμ∞≤≥≠≈→←↑↓∂∇‖⊙⊕₀₉⁰⁹ᵀᵢ▲▶▾Ġ�αΔ";
  for (ImFont* font : {fonts().body, fonts().mono, fonts().formula}) {
    for (std::size_t at = 0; at < signs.size();) {
      const std::size_t begin = at;
      const char32_t code_point = next_code_point(signs, at);
      EXPECT_TRUE(has(font, code_point)) << signs.substr(begin, at - begin);
    }
  }
}

TEST_F(FontsTest, TwiceTheScaleIsTwiceTheSize) {
  const float before = compat::font_size(fonts().mono);
  load_fonts(2.0f);
  EXPECT_NEAR(compat::font_size(fonts().mono), 2.0f * before, 1.01f);
}

#if IMGUI_VERSION_NUM < 19200
TEST_F(FontsTest, HangulComesOnDemandAndPointersStay) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  ImFont* const body = fonts().body;
  EXPECT_FALSE(has(body, U'뷁'));
  note_text("뷁 plain");
  EXPECT_TRUE(fonts_pending());
  rebuild_fonts();
  EXPECT_FALSE(fonts_pending());
  EXPECT_EQ(fonts().body, body);
  EXPECT_TRUE(has(body, U'뷁'));
  EXPECT_TRUE(has(fonts().mono, U'뷁'));
  EXPECT_TRUE(has(body, U'A'));
  note_text("뷁");
  EXPECT_FALSE(fonts_pending());
}

TEST_F(FontsTest, TextThatNoFontHasIsAskedForOnce) {
  note_text("\xEE\x80\x80 \xF0\x9F\x98\x80 \xFF");  // private use, an emoji beyond 16 bits, no UTF-8
  if (fonts_pending()) rebuild_fonts();
  note_text("\xEE\x80\x80 \xF0\x9F\x98\x80 \xFF");
  EXPECT_FALSE(fonts_pending());
}
#endif

}  // namespace
}  // namespace attnscope
