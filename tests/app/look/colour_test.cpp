// Contrast of numbers on every cell colour, the maps' ends and centres, and the style without ImGui's blue.
#include "app/look/colour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/look/colormap.h"
#include "app/look/theme.h"

namespace attnscope {
namespace {

constexpr ThemeKind kKinds[] = {ThemeKind::dark, ThemeKind::light};

class EveryMap : public ::testing::TestWithParam<int> {
 protected:
  Colormap map() const { return static_cast<Colormap>(GetParam()); }
  void TearDown() override { set_theme(ThemeKind::dark); }
};

TEST_P(EveryMap, NumbersAreLegibleOnEveryEntry) {
  for (const ThemeKind kind : kKinds) {
    for (const ImU32 cell : colormap_lut(map(), kind)) {
      EXPECT_GE(contrast(cell, ink_on(cell)), 4.5f) << std::hex << cell;
    }
  }
}

TEST_P(EveryMap, NeighboursAreCloseAndEndsApart) {
  if (map() == Colormap::phase) return;  // a circle: its ends meet
  for (const ThemeKind kind : kKinds) {
    const Lut& lut = colormap_lut(map(), kind);
    EXPECT_GE(contrast(lut.front(), lut.back()) + (is_diverging(map()) ? 10.0f : 0.0f), 1.5f);
    for (std::size_t entry = 1; entry < lut.size(); ++entry) {
      for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT}) {
        const int before = static_cast<int>((lut[entry - 1] >> shift) & 255u);
        EXPECT_LE(std::abs(static_cast<int>((lut[entry] >> shift) & 255u) - before), 8) << entry;
      }
    }
  }
}

TEST_P(EveryMap, NoNumberLooksMaskedOrNan) {
  if (map() == Colormap::mask) return;  // its 0 is the masked colour on purpose
  for (const ThemeKind kind : kKinds) {
    const Theme& t = theme(kind);
    for (const ImU32 cell : colormap_lut(map(), kind)) {
      EXPECT_NE(cell, t.masked);
      EXPECT_NE(cell, t.nan);
      EXPECT_NE(cell, t.inf);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Colormaps, EveryMap, ::testing::Range(0, kColormaps));

TEST(Colour, KnownContrasts) {
  EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xffffff)), 21.0f, 1e-4f);
  EXPECT_NEAR(contrast(rgb(0x777777), rgb(0xffffff)), 4.478f, 1e-2f);
  EXPECT_EQ(contrast(rgb(0x123456), rgb(0x123456)), 1.0f);
}

TEST(Colour, InkReachesItsContrastOnAnyGround) {
  for (std::uint32_t grey = 0; grey < 256; ++grey) {
    const ImU32 cell = rgb(grey * 0x010101u);
    EXPECT_GE(contrast(cell, ink_on(cell)), 4.5f) << grey;
  }
}

TEST(Theme, TextIsLegible) {
  for (const ThemeKind kind : kKinds) {
    const Theme& t = theme(kind);
    for (const ImU32 ground : {t.ground, t.panel, t.panel_raised, t.hovered}) {
      EXPECT_GE(contrast(t.text, ground), 7.0f);
      EXPECT_GE(contrast(t.text_dim, ground), 4.5f);
    }
    EXPECT_GE(contrast(t.on_accent, t.accent), 4.5f);
    EXPECT_GE(contrast(t.error, t.ground), 4.5f);
  }
}

TEST(Theme, VersionCountsChangesOnly) {
  set_theme(ThemeKind::dark);
  const int before = theme_version();
  set_theme(ThemeKind::dark);
  EXPECT_EQ(theme_version(), before);
  set_theme(ThemeKind::light);
  EXPECT_EQ(theme_version(), before + 1);
  EXPECT_EQ(theme().kind, ThemeKind::light);
  set_theme(ThemeKind::dark);
}

TEST(Theme, StyleScalesAndHasOurColours) {
  ImGui::CreateContext();
  apply_imgui_style(2.0f);
  EXPECT_EQ(ImGui::GetStyle().FrameRounding, 2.0f * metric::kRounding);
  apply_imgui_style(1.0f);  // not twice scaled
  EXPECT_EQ(ImGui::GetStyle().FrameRounding, metric::kRounding);
  EXPECT_EQ(ImGui::GetColorU32(ImGuiCol_WindowBg), theme().ground);
  EXPECT_EQ(ui_scale(), 1.0f);
  ImGui::DestroyContext();
}

// ---- numbers to places -----------------------------------------------------------------------------------

TEST(Heat, DivergingIsCentredAtZeroAndSymmetric) {
  HeatStyle style;
  style.map = Colormap::diverging;
  style.hi = 0.13f;
  for (const bool log : {false, true}) {
    style.log_scale = log;
    EXPECT_FLOAT_EQ(heat_position(0.0f, style), 0.5f);
    EXPECT_FLOAT_EQ(heat_position(0.13f, style), 1.0f);
    EXPECT_FLOAT_EQ(heat_position(-0.13f, style), 0.0f);
    EXPECT_FLOAT_EQ(heat_position(-5.0f, style), 0.0f);
    EXPECT_NEAR(heat_position(0.05f, style) + heat_position(-0.05f, style), 1.0f, 1e-6f);
  }
  EXPECT_FLOAT_EQ(heat_position(0.065f, HeatStyle{Colormap::diverging, 0, 0.13f}), 0.75f);
}

TEST(Heat, PositiveIsBlueNegativeIsOrange) {
  for (const ThemeKind kind : kKinds) {
    const Lut& lut = colormap_lut(Colormap::diverging, kind);
    const auto channel = [](ImU32 colour, int shift) { return (colour >> shift) & 255u; };
    EXPECT_GT(channel(lut.back(), IM_COL32_B_SHIFT), channel(lut.back(), IM_COL32_R_SHIFT));
    EXPECT_GT(channel(lut.front(), IM_COL32_R_SHIFT), channel(lut.front(), IM_COL32_B_SHIFT));
  }
}

TEST(Heat, LogScaleSpreadsProbabilities) {
  HeatStyle style;
  style.log_scale = true;
  EXPECT_NEAR(heat_position(1.0f, style), 1.0f, 1e-6f);
  EXPECT_NEAR(heat_position(1e-3f, style), 0.5f, 1e-5f);
  EXPECT_NEAR(heat_position(1e-6f, style), 0.0f, 1e-6f);
  EXPECT_EQ(heat_position(0.0f, style), 0.0f);
}

TEST(Heat, ValueIsTheInverseOfPosition) {
  for (const Colormap map : {Colormap::diverging, Colormap::sequential}) {
    for (const bool log : {false, true}) {
      HeatStyle style;
      style.map = map;
      style.hi = 3.0f;
      style.log_scale = log;
      for (const float place : {0.0f, 0.1f, 0.5f, 0.77f, 1.0f}) {
        EXPECT_NEAR(heat_position(heat_value(place, style), style), place, 1e-4f) << place << log;
      }
    }
  }
}

TEST(Heat, EmptyRangeGivesAColourNotACrash) {
  const HeatStyle flat{Colormap::sequential, 1.0f, 1.0f};
  EXPECT_EQ(heat_position(1.0f, flat), 0.5f);
  const HeatStyle zero{Colormap::diverging, 0.0f, 0.0f};
  EXPECT_EQ(heat_position(0.0f, zero), 0.5f);
}

TEST(Heat, SpecialValuesHaveTheirOwnColours) {
  const HeatStyle style;
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(heat_colour(std::nanf(""), style), theme().nan);
  EXPECT_EQ(heat_colour(inf, style), theme().inf);
  EXPECT_EQ(heat_colour(-inf, style), theme().masked);
  EXPECT_EQ(heat_colour(std::numeric_limits<float>::lowest(), style), theme().masked);
  EXPECT_EQ(heat_colour(0.0f, style), colormap_lut(Colormap::sequential)[0]);
  EXPECT_NE(theme().masked, colormap_lut(Colormap::sequential)[0]);
}

}  // namespace
}  // namespace attnscope
