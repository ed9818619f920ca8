// Glyphs: the fixed start, glyphs on demand, scale. Needs no OpenGL; skips what is not installed.
#include "app/look/fonts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "app/look/imgui_compat.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/measure.h"
#include "core/figure/place.h"
#include "core/step/catalog.h"
#include "core/step/catalog_backward.h"

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

// A chain at each size reads the same few files: with one copy for each, Hangul alone would be 60 MB.
TEST_F(FontsTest, EachFileIsInMemoryOnce) {
#if IMGUI_VERSION_NUM < 19200
  const auto& sources = ImGui::GetIO().Fonts->ConfigData;
#else
  const auto& sources = ImGui::GetIO().Fonts->Sources;
#endif
  std::set<const void*> files;
  for (const ImFontConfig& source : sources) {
    EXPECT_TRUE(!source.FontDataOwnedByAtlas || source.FontDataSize < 100000);
    files.insert(source.FontData);
  }
  EXPECT_LE(files.size(), 9u) << "three typefaces, three scripts";
}

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

// A sign that no typeface has is drawn as a box.
TEST_F(FontsTest, EveryTextOfEveryLanguageHasItsGlyphs) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  std::string texts;
  for (const std::string& name : languages()) {
    ASSERT_TRUE(set_language(name).ok());
    texts += all_texts();
  }
  ASSERT_TRUE(set_language("en").ok());
  for (const Step& step : catalog()) {
    texts.append(step.formula).append(step.torch);
    if (const BackwardStep* back = backward_step(step.slot))
      texts.append(back->formula).append(back->weights);
  }
  note_text(texts);
  if (fonts_pending()) rebuild_fonts();
  std::set<char32_t> signs;
  for (std::size_t at = 0; at < texts.size();) signs.insert(next_code_point(texts, at));
  signs.erase(U'\n');
  EXPECT_TRUE(signs.contains(U'한')) << "Korean is among them";
  const Fonts& f = fonts();
  for (ImFont* font : {f.body, f.body_bold, f.small, f.title, f.mono, f.mono_small, f.formula, f.mono_big})
    for (const char32_t sign : signs)
      EXPECT_TRUE(has(font, sign)) << "no glyph for U+" << std::hex << static_cast<std::uint32_t>(sign);
}

TEST_F(FontsTest, TwiceTheScaleIsTwiceTheSize) {
  const float before = compat::font_size(fonts().mono);
  load_fonts(2.0f);
  EXPECT_NEAR(compat::font_size(fonts().mono), 2.0f * before, 1.01f);
}

#if IMGUI_VERSION_NUM < 19200
// A line of a figure is broken by the typeface's own widths, and drawn by those of the atlas.
TEST_F(FontsTest, HangulIsAsWideAsItIsMeasured) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  const std::string line = "가중치만 보면 헤드의 출력은 쿼리에 가장 많이 들어갑니다";
  note_text(line);
  if (fonts_pending()) rebuild_fonts();
  const figure::Measure measure;
  for (const float em : {11.5f, 13.f, 15.f, 16.1f, 19.5f, 24.f}) {
    const SizedFont font = font_for(Typeface::sans, em);
    const float drawn = font.font->CalcTextSizeA(font.size, FLT_MAX, 0, line.c_str()).x;
    EXPECT_NEAR(drawn / measure.width(line, em, Typeface::sans), 1, 0.03) << em;
  }
}

// The letters of figures at their usual sizes are drawn unscaled: a scaled line loses the strokes at its top.
TEST_F(FontsTest, UsualLettersOfFiguresAreNotScaled) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  const figure::LetterSizes& look = figure::kWindowLetters;
  for (const float em : {look.body, look.small, 0.9f * look.body, look.lead}) {
    const SizedFont font = font_for(Typeface::sans, em);
    EXPECT_EQ(font.size, compat::font_size(font.font)) << em;
    EXPECT_NEAR(font.size / (em * 1.21f), 1, 0.045) << em;
  }
  for (const float em : {look.body, look.title}) {
    const SizedFont font = font_for(Typeface::bold, em);
    EXPECT_EQ(font.size, compat::font_size(font.font)) << em;
  }
  for (const float em : {look.small, 0.93f * look.body}) {
    const SizedFont font = font_for(Typeface::mono, em);
    EXPECT_EQ(font.size, compat::font_size(font.font)) << em;
    EXPECT_NEAR(font.size / (em * 1.32f), 1, 0.031) << em;
  }
  for (const float em : {11.f, 14.f, 20.f, 22.f})  // digits are never smaller than they have to be
    EXPECT_GE(font_for(Typeface::mono, em, true).size / 1.32f, em * 0.997f) << em;
}

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

TEST_F(FontsTest, ALateGlyphLooksLikeAnEarlyOne) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  note_text("녕");
  rebuild_fonts();
  struct Seen {
    float x0, y0, x1, y1, advance;
    std::vector<unsigned char> pixels;
  };
  const auto look = [](ImFont* font) {
    const ImFontGlyph* g = font->FindGlyphNoFallback(U'녕');
    const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    Seen seen{g->X0, g->Y0, g->X1, g->Y1, g->AdvanceX, {}};
    const auto column = [&](float u) {
      return static_cast<int>(u * static_cast<float>(atlas.TexWidth) + 0.5f);
    };
    const auto row = [&](float v) {
      return static_cast<int>(v * static_cast<float>(atlas.TexHeight) + 0.5f);
    };
    for (int y = row(g->V0); y < row(g->V1); ++y) {
      for (int x = column(g->U0); x < column(g->U1); ++x) {
        seen.pixels.push_back(atlas.TexPixelsAlpha8[y * atlas.TexWidth + x]);
      }
    }
    return seen;
  };
  ImFont* Fonts::*const some[] = {&Fonts::body, &Fonts::body_bold, &Fonts::mono, &Fonts::mono_big};
  std::vector<Seen> late;
  for (ImFont* Fonts::*font : some) late.push_back(look(fonts().*font));
  load_fonts(1.0f);  // the syllable is among the first glyphs now
  for (std::size_t at = 0; at < late.size(); ++at) {
    const Seen early = look(fonts().*some[at]);
    EXPECT_FALSE(early.pixels.empty());
    EXPECT_EQ(early.x0, late[at].x0);
    EXPECT_EQ(early.y0, late[at].y0);
    EXPECT_EQ(early.x1, late[at].x1);
    EXPECT_EQ(early.y1, late[at].y1);
    EXPECT_EQ(early.advance, late[at].advance);
    EXPECT_EQ(early.pixels, late[at].pixels);
  }
}

TEST_F(FontsTest, MoreGlyphsThanTheAreaHoldsStillShow) {
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  std::string text;
  for (char32_t syllable = U'가'; syllable < U'가' + 400; ++syllable) {
    text.clear();
    append_utf8(text, syllable);
    note_text(text);
    if (syllable % 25 == 0) rebuild_fonts();
  }
  rebuild_fonts();
  for (char32_t syllable = U'가'; syllable < U'가' + 400; ++syllable)
    EXPECT_TRUE(has(fonts().body, syllable));
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
