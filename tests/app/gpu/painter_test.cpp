// Heatmaps drawn by the shader against the colours of the processor, cell by cell; null mode; contexts.
// Skips where no context without a display can be made.
#include "app/gpu/painter.h"

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "app/gpu/imgui_host.h"
#include "app/gpu/program.h"
#include "app/look/fonts.h"

namespace attnscope {
namespace {

constexpr int kSide = 320;
constexpr float kPainterInf = std::numeric_limits<float>::infinity();

Tensor matrix(const std::vector<float>& values, int rows, int columns) {
  return Tensor::from(values, {{Axis::query, rows}, {Axis::key, columns}});
}

ImU32 pixel(const Image& image, float x, float y) {
  const std::uint8_t* p = image.at(static_cast<int>(x), static_cast<int>(y));
  return IM_COL32(p[0], p[1], p[2], 255);
}

class PainterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto context = make_offscreen(kSide, kSide);
    if (!context) GTEST_SKIP() << context.error().text();
    context_ = *std::move(context);
    auto host = ImguiHost::make(*context_, 1.0f);
    ASSERT_TRUE(host.ok()) << host.error().text();
    host_ = *std::move(host);
  }
  void TearDown() override {
    host_.reset();
    context_.reset();
    set_theme(ThemeKind::dark);
  }
  Painter& painter() { return host_->painter(); }
  /// One frame with `draw` on the background; the pixels.
  Image frame(const std::function<void(ImDrawList*)>& draw) {
    host_->new_frame();
    draw(ImGui::GetBackgroundDrawList());
    host_->render();
    EXPECT_EQ(painter().error(), "");
    return context_->read_pixels();
  }
  /// Draws rows x columns values over the whole picture.
  Image draw_map(const std::vector<float>& values, int columns, const HeatStyle& style) {
    const int rows = static_cast<int>(values.size()) / columns;
    return frame([&](ImDrawList* list) {
      painter().upload("map", matrix(values, rows, columns));
      painter().heatmap(list, "map", ImVec2(0, 0), ImVec2(kSide, kSide), style);
    });
  }
  void expect_colours(const std::vector<float>& values, int columns, const HeatStyle& style) {
    const Image image = draw_map(values, columns, style);
    const float width = kSide / static_cast<float>(columns);
    const float height = kSide / (static_cast<float>(values.size()) / static_cast<float>(columns));
    for (std::size_t at = 0; at < values.size(); ++at) {
      const float x = (static_cast<float>(at % columns) + 0.5f) * width;
      const float y = (static_cast<float>(at / columns) + 0.5f) * height;
      EXPECT_EQ(pixel(image, x, y), heat_colour(values[at], style)) << "cell " << at << " = " << values[at];
    }
  }
  std::unique_ptr<GlContext> context_;
  std::unique_ptr<ImguiHost> host_;
};

std::vector<float> ramp(float from, float to, int count) {
  std::vector<float> values;
  for (int at = 0; at < count; ++at) {  // off the borders between entries, where rounding decides
    const float entry = std::floor(255.0f * static_cast<float>(at) / static_cast<float>(count - 1));
    values.push_back(from + (to - from) * entry / 255.0f);
  }
  return values;
}

TEST_F(PainterTest, CellCentresHaveTheColoursOfTheTable) {
  for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) {
    set_theme(kind);
    for (int map = 0; map < kColormaps; ++map) {
      HeatStyle style;
      style.map = static_cast<Colormap>(map);
      style.lo = is_diverging(style.map) ? 0.0f : -0.5f;
      style.hi = 2.0f;
      expect_colours(ramp(is_diverging(style.map) ? -2.0f : -0.5f, 2.0f, 64), 8, style);
    }
  }
}

// A driver that says that its memory is full: the cells are there all the same, as rectangles.
TEST_F(PainterTest, WithoutRoomForATextureCellsAreRectangles) {
  HeatStyle style;
  style.hi = 2.0f;
  const std::vector<float> values = ramp(0.0f, 2.0f, 16);
  const auto real = glad_glGetError;
  glad_glGetError = []() -> GLenum { return GL_OUT_OF_MEMORY; };
  painter().upload("map", matrix(values, 4, 4));
  glad_glGetError = real;
  EXPECT_TRUE(painter().memory_full());
  expect_colours(values, 4, style);
  const std::vector<float> others = ramp(0.0f, 1.0f, 16);
  expect_colours(others, 4, style);  // there is room again
}

TEST_F(PainterTest, ValuesOutsideTheRangeTakeTheEnds) {
  HeatStyle style;
  style.map = Colormap::diverging;
  style.hi = 1.0f;
  expect_colours({-1e9f, -1.0f, 0.0f, 1.0f, 1e9f, 3.0f, -7.0f, 0.0f}, 4, style);
}

TEST_F(PainterTest, LogScaleAgrees) {
  HeatStyle style;
  style.log_scale = true;
  std::vector<float> values;
  for (int entry = 0; entry < 256; entry += 4) {
    values.push_back(heat_value(static_cast<float>(entry) / 255.0f, style));
  }
  expect_colours(values, 8, style);
  style.map = Colormap::diverging;
  style.hi = 5.0f;
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = heat_value((static_cast<float>(at * 4) + 0.3f) / 255.0f, style);
  }
  expect_colours(values, 8, style);
}

TEST_F(PainterTest, GapsShowTheGroundAndCentresStay) {
  HeatStyle style;
  style.gap = 2.0f;
  style.rounding = 3.0f;
  expect_colours(ramp(0.0f, 1.0f, 64), 8, style);
  const Image image = draw_map(ramp(0.5f, 1.0f, 64), 8, style);
  EXPECT_EQ(pixel(image, 40, 20), theme().ground);
  EXPECT_EQ(pixel(image, 39, 20), theme().ground);
  EXPECT_NE(pixel(image, 42, 20), theme().ground);
}

TEST_F(PainterTest, NanAndInfinityHaveTheirOwnColours) {
  const HeatStyle style;
  expect_colours({std::nanf(""), 0.0f, kPainterInf, 1.0f}, 2, style);
}

TEST_F(PainterTest, MaskedIsHatchedAndNeverTheColourOfANumber) {
  const HeatStyle style;
  const Image image = draw_map({-kPainterInf, 0.0f, kMasked, 0.0f}, 2, style);
  std::set<ImU32> masked, zero;
  for (int y = 4; y < kSide - 4; ++y) {
    for (int x = 4; x < kSide / 2 - 4; ++x) {
      masked.insert(pixel(image, static_cast<float>(x), static_cast<float>(y)));
      zero.insert(pixel(image, static_cast<float>(x + kSide / 2), static_cast<float>(y)));
    }
  }
  EXPECT_EQ(zero, std::set<ImU32>{colormap_lut(Colormap::sequential)[0]});
  EXPECT_EQ(masked.count(theme().masked), 1u);
  EXPECT_GT(masked.size(), 1u);
  EXPECT_EQ(masked.count(*zero.begin()), 0u);
}

TEST_F(PainterTest, HatchDoesNotGrowWithTheCells) {
  const auto stripes = [&](int columns) {
    const Image image =
        draw_map(std::vector<float>(static_cast<std::size_t>(columns * columns), kMasked), columns, {});
    return image.rgba;
  };
  EXPECT_EQ(stripes(1), stripes(16));
}

TEST_F(PainterTest, AZoomedPartShowsThatPart) {
  const std::vector<float> values = ramp(0.0f, 1.0f, 64);
  const HeatStyle style;
  const Image image = frame([&](ImDrawList* list) {
    painter().upload("zoom", matrix(values, 8, 8));
    painter().heatmap(list, "zoom", ImVec2(0, 0), ImVec2(kSide, kSide), style, ImVec2(0.25f, 0.5f),
                      ImVec2(0.5f, 0.75f));
  });
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 2; ++x) {
      const float value = values[static_cast<std::size_t>((4 + y) * 8 + 2 + x)];
      EXPECT_EQ(pixel(image, 80.0f + 160.0f * static_cast<float>(x), 80.0f + 160.0f * static_cast<float>(y)),
                heat_colour(value, style));
    }
  }
}

TEST_F(PainterTest, AThinLineSurvivesShrinking) {
  std::vector<float> values(1000 * 1000, 0.0f);
  for (int row = 0; row < 1000; ++row) values[static_cast<std::size_t>(row * 1000 + 501)] = 1.0f;
  const Image image = frame([&](ImDrawList* list) {
    painter().upload("line", matrix(values, 1000, 1000));
    painter().heatmap(list, "line", ImVec2(0, 0), ImVec2(200, 200), HeatStyle{});
  });
  int lit = 0;
  for (int x = 0; x < 200; ++x) {
    lit += pixel(image, static_cast<float>(x), 100) == colormap_lut(Colormap::sequential)[255];
  }
  EXPECT_GE(lit, 1);
  EXPECT_LE(lit, 2);
}

TEST_F(PainterTest, AtlasPutsEveryMapInItsPlaceWithOneDrawCall) {
  constexpr int count = 12, width = 5, height = 3;
  std::vector<std::vector<float>> maps;
  std::vector<Tensor> tensors;
  std::vector<AtlasPlace> places;
  for (int map = 0; map < count; ++map) {
    std::vector<float> values;
    for (int at = 0; at < width * height; ++at) {
      values.push_back(static_cast<float>((map * 15 + at * 7) % 256) / 255.0f);
    }
    maps.push_back(values);
    const float x = 10.0f + 70.0f * static_cast<float>(map % 4),
                y = 10.0f + 50.0f * static_cast<float>(map / 4);
    places.push_back({map, ImVec2(x, y), ImVec2(x + 50, y + 30)});
  }
  for (const auto& map : maps) tensors.push_back(matrix(map, height, width));
  std::swap(places[0].p0, places[7].p0);  // the place is the caller's, not the map's number
  std::swap(places[0].p1, places[7].p1);
  int commands = 0;
  const Image image = frame([&](ImDrawList* list) {
    painter().upload_atlas("heads", tensors, 4);
    const int before = list->CmdBuffer.Size;
    painter().atlas(list, "heads", places, HeatStyle{});
    for (int at = before - 1; at < list->CmdBuffer.Size; ++at) commands += list->CmdBuffer[at].ElemCount > 0;
  });
  EXPECT_EQ(commands, 1);
  for (const AtlasPlace& place : places) {
    for (int at = 0; at < width * height; ++at) {
      const float x = place.p0.x + 10.0f * static_cast<float>(at % width) + 5.0f;
      const float y = place.p0.y + 10.0f * static_cast<float>(at / width) + 5.0f;
      const float value = maps[static_cast<std::size_t>(place.map)][static_cast<std::size_t>(at)];
      EXPECT_EQ(pixel(image, x, y), heat_colour(value, HeatStyle{})) << "map " << place.map << " cell " << at;
    }
  }
}

TEST_F(PainterTest, WhatFollowsAHeatmapHasImGuisColours) {
  const ImU32 red = IM_COL32(255, 0, 0, 255);
  const Image image = frame([&](ImDrawList* list) {
    painter().upload("one", matrix({0.0f}, 1, 1));
    painter().heatmap(list, "one", ImVec2(0, 0), ImVec2(100, 100), HeatStyle{});
    list->AddRectFilled(ImVec2(100, 0), ImVec2(200, 100), red);
  });
  EXPECT_EQ(pixel(image, 150, 50), red);
  EXPECT_EQ(pixel(image, 250, 50), theme().ground);
  const auto again = host_->picture();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->rgba, image.rgba);
}

TEST_F(PainterTest, ATextureIsAlwaysOfTheTensorThatIsShown) {
  const std::vector<float> corners = {1.0f, 0.0f, 0.5f, 0.25f};
  const auto shows = [&](const Tensor& values) {
    const Image image = frame([&](ImDrawList* list) {
      painter().upload("kept", values);
      painter().heatmap(list, "kept", ImVec2(0, 0), ImVec2(100, 100), HeatStyle{});
    });
    EXPECT_TRUE(painter().shown("kept").same_place(values));
    for (int row = 0; row < 2; ++row)
      for (int col = 0; col < 2; ++col)
        EXPECT_EQ(pixel(image, 25 + 50 * static_cast<float>(col), 25 + 50 * static_cast<float>(row)),
                  heat_colour(values.at(row, col), HeatStyle{}));
  };
  // One place in memory and two shapes; a tensor that is gone and whatever comes to lie where it was.
  const Tensor first = matrix(corners, 2, 2);
  shows(first);
  shows(first.transpose());
  shows(first);
  for (int round = 0; round < 20; ++round) {
    std::vector<float> values = corners;
    values[static_cast<std::size_t>(round % 4)] = static_cast<float>(round) / 20.0f;
    shows(matrix(values, 2, 2));
  }
}

TEST_F(PainterTest, TexturesAreFreedWhenUnused) {
  const Tensor ones = matrix({1, 1, 1, 1}, 2, 2);
  frame([&](ImDrawList*) { painter().upload("kept", ones); });
  EXPECT_EQ(painter().texture_bytes(), 16u);
  for (int unused = 0; unused <= Painter::kFramesKept; ++unused) painter().begin_frame();
  EXPECT_TRUE(painter().shown("kept").empty());
  EXPECT_EQ(painter().texture_bytes(), 0u);
}

TEST_F(PainterTest, ABrokenShaderIsReportedAndTheLastGoodOneStays) {
  const std::string vertex = "in vec2 Position; void main() { gl_Position = vec4(Position, 0.0, 1.0); }\n";
  const std::string fragment = "out vec4 colour; void main() { colour = vec4(1.0); }\n";
  const auto folder = std::filesystem::path(::testing::TempDir()) / "attnscope_shaders";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text, int age) {
    std::ofstream(folder / name) << text;
    const auto time = std::filesystem::file_time_type::clock::now() - std::chrono::seconds(age);
    std::filesystem::last_write_time(folder / name, time);
  };
  write("t.vert", vertex, 100);
  write("t.frag", fragment, 100);
  setenv("ATTNSCOPE_SHADERS", folder.c_str(), 1);
  Program program("t.vert", "t.frag", {"Position"});
  const unsigned good = program.use_newest();
  EXPECT_NE(good, 0u) << program.error();
  write("t.frag", "this is no shader", 50);
  for (int call = 0; call < 100; ++call) program.use_newest();
  EXPECT_EQ(program.use_newest(), good);
  EXPECT_NE(program.error(), "");
  write("t.frag", fragment, 10);
  for (int call = 0; call < 100; ++call) program.use_newest();
  EXPECT_EQ(program.error(), "");
  unsetenv("ATTNSCOPE_SHADERS");
  std::filesystem::remove_all(folder);
}

TEST_F(PainterTest, NewScaleTakesEffectInTheNextFrame) {
  const float before = ImGui::GetFontSize();
  host_->set_scale(2.0f);
  frame([](ImDrawList*) {});
  EXPECT_EQ(ui_scale(), 2.0f);
  EXPECT_GT(ImGui::GetFontSize(), 1.8f * before);
}

TEST(PainterWithoutGl, DrawsTheSameColoursAsRectangles) {
  ImGui::CreateContext();
  load_fonts(1.0f);
  std::optional<ImDrawList> kept(std::in_place, ImGui::GetDrawListSharedData());
  ImDrawList& list = *kept;
  list._ResetForNewFrame();
  list.PushClipRectFullScreen();
  Painter painter(false);
  painter.begin_frame();
  const std::vector<float> values = {0.0f, 1.0f, std::nanf(""), -kPainterInf, kPainterInf, 0.5f};
  painter.upload("map", matrix(values, 2, 3));
  painter.heatmap(&list, "map", ImVec2(0, 0), ImVec2(30, 20), HeatStyle{});
  ASSERT_EQ(list.VtxBuffer.Size, 6 * 4);
  for (int cell = 0; cell < 6; ++cell) {
    EXPECT_EQ(list.VtxBuffer[cell * 4].col, heat_colour(values[static_cast<std::size_t>(cell)], HeatStyle{}))
        << cell;
  }
  EXPECT_FLOAT_EQ(list.VtxBuffer[4 * 4].pos.x, 10.0f);
  EXPECT_FLOAT_EQ(list.VtxBuffer[4 * 4].pos.y, 10.0f);
  painter.heatmap(&list, "unknown", ImVec2(0, 0), ImVec2(30, 20), HeatStyle{});
  EXPECT_EQ(list.VtxBuffer.Size, 6 * 4);
  kept.reset();  // of this context
  ImGui::DestroyContext();
}

TEST(Context, AbsurdSizeIsASentence) {
  for (const int side : {0, -5, 1 << 20}) {
    const auto context = make_offscreen(side, 10);
    ASSERT_FALSE(context.ok());
    EXPECT_FALSE(context.error().sentence().empty());
    EXPECT_FALSE(context.error().hint().empty());
  }
}

TEST(Context, NoDisplayIsASentenceWithAHint) {
  const char* display = std::getenv("DISPLAY");
  const std::string saved = display != nullptr ? display : "";
  setenv("DISPLAY", ":4242", 1);
  setenv("WAYLAND_DISPLAY", "none-such", 1);
  const auto window = make_window("test", 100, 100);
  unsetenv("WAYLAND_DISPLAY");
  if (saved.empty()) {
    unsetenv("DISPLAY");
  } else {
    setenv("DISPLAY", saved.c_str(), 1);
  }
  ASSERT_FALSE(window.ok());
  EXPECT_NE(window.error().sentence().find("No window"), std::string::npos);
  EXPECT_FALSE(window.error().hint().empty());
}

TEST_F(PainterTest, APictureIsDrawnPixelByPixelAndItsPartAlone) {
  const std::uint8_t rgb[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 250, 200, 10};  // red green / blue yellow
  const auto draw = [&](ImVec2 uv0, ImVec2 uv1) {
    return frame([&](ImDrawList* list) {
      painter().upload_picture("photo", 1, rgb, 2, 2);
      painter().picture(list, "photo", ImVec2(0, 0), ImVec2(kSide, kSide), uv0, uv1);
    });
  };
  const Image whole = draw(ImVec2(0, 0), ImVec2(1, 1));
  EXPECT_EQ(pixel(whole, kSide * 0.25f, kSide * 0.25f), IM_COL32(255, 0, 0, 255));
  EXPECT_EQ(pixel(whole, kSide * 0.49f, kSide * 0.49f), IM_COL32(255, 0, 0, 255)) << "no smear at the edge";
  EXPECT_EQ(pixel(whole, kSide * 0.51f, kSide * 0.25f), IM_COL32(0, 255, 0, 255));
  EXPECT_EQ(pixel(whole, kSide * 0.25f, kSide * 0.75f), IM_COL32(0, 0, 255, 255));
  const Image part = draw(ImVec2(0.5f, 0.5f), ImVec2(1, 1));
  EXPECT_EQ(pixel(part, 5, 5), IM_COL32(250, 200, 10, 255));
  EXPECT_TRUE(painter().has_picture("photo", 1));
  painter().upload_picture("photo", 2, rgb, 0, 2);
  EXPECT_FALSE(painter().has_picture("photo", 1)) << "a picture without pixels is none";
}

}  // namespace
}  // namespace attnscope
