// SVG files: well-formed whatever the texts are, cells in the colours of their numbers, clips, pictures.
#include "app/figure/svg.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include "app/figure/canvas.h"
#include "app/figure/hint.h"
#include "app/gpu/image_file.h"
#include "core/base/text.h"
#include "core/text/charsmap.h"
#include "tests/app/widgets/imgui_fixture.h"
#include "tests/temp_folder.h"
#include "tests/xml.h"

namespace attnscope {
namespace {

using testing::XmlElement;

Tensor matrix(const std::vector<float>& values, std::int64_t cols) {
  return Tensor::from(values,
                      {{Axis::query, static_cast<std::int64_t>(values.size()) / cols}, {Axis::key, cols}});
}

std::string fill_of(ImU32 colour) {
  return format("#%02x%02x%02x", (colour >> IM_COL32_R_SHIFT) & 255u, (colour >> IM_COL32_G_SHIFT) & 255u,
                (colour >> IM_COL32_B_SHIFT) & 255u);
}

class SvgTest : public testing::ImguiFixture {
 protected:
  /// The elements of what `draw` draws; a failure where the file is not well-formed.
  std::vector<XmlElement> svg_of(const std::function<void(const Canvas&)>& draw, std::string title = "t") {
    DisplayList list;
    {
      const DrawRecording recording(&list);
      frame([&] { draw(Canvas()); });
    }
    SvgPage page;
    page.title = std::move(title), page.description = "a < b & c";
    page.language = "en";
    page.p0 = ImVec2(0, 0), page.p1 = ImVec2(900, 640);
    const auto text = to_svg(list, page);
    EXPECT_TRUE(text.ok());
    text_ = *text;
    testing::XmlReader reader(text_);
    auto elements = reader.read();
    EXPECT_TRUE(elements) << reader.error();
    return elements ? *elements : std::vector<XmlElement>{};
  }
  static std::vector<XmlElement> named(const std::vector<XmlElement>& all, const std::string& name) {
    std::vector<XmlElement> out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out),
                 [&](const XmlElement& element) { return element.name == name; });
    return out;
  }
  /// What is drawn last over a point; null where nothing is.
  static const XmlElement* rect_at(const std::vector<XmlElement>& all, ImVec2 point) {
    const XmlElement* found = nullptr;
    for (const XmlElement& e : all) {
      const bool defined = std::find(e.path.begin(), e.path.end(), "defs") != e.path.end();
      const float x = e.number("x"), y = e.number("y");
      if (e.name == "rect" && !defined && point.x >= x && point.y >= y && point.x < x + e.number("width") &&
          point.y < y + e.number("height"))
        found = &e;
    }
    return found;
  }
  std::string text_;
};

TEST_F(SvgTest, TextsAreTextsWhateverTheyHold) {
  const std::string hard = "<b>&\"'高 고양이\x01\xff ]]>";
  const auto all = svg_of(
      [&](const Canvas& canvas) {
        canvas.text(fonts().mono, ImVec2(10, 20), 0xFFFFFFFF, hard);
        canvas.text(fonts().title, ImVec2(10, 60), 0x80FFFFFF, "  the title ");
        canvas.climbing_text(fonts().small, ImVec2(100, 90), 0xFFFFFFFF, "slope", 0.766f, 0.643f);
      },
      "고양이 & <title>");
  const auto texts = named(all, "text");
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0].text, "<b>&\"'高 고양이\xEF\xBF\xBD\xEF\xBF\xBD ]]>");
  EXPECT_NE(texts[0].attributes.at("font-family").find("monospace"), std::string::npos);
  EXPECT_NEAR(texts[0].number("font-size"), 12.5f, 0.5f);
  EXPECT_GT(texts[0].number("y"), 25) << "the baseline";
  EXPECT_LT(texts[0].number("y"), 38);
  EXPECT_EQ(texts[1].text, "  the title ");
  EXPECT_EQ(texts[1].attributes.at("font-weight"), "600");
  EXPECT_EQ(texts[1].attributes.at("fill-opacity"), "0.502");
  ASSERT_EQ(texts[2].attributes.at("transform").substr(0, 7), "rotate(");
  EXPECT_NEAR(std::stof(texts[2].attributes.at("transform").substr(7)), -50.f, 0.1f);
  EXPECT_EQ(named(all, "title").front().text, "고양이 & <title>");
  EXPECT_EQ(named(all, "desc").front().text, "a < b & c");
}

TEST_F(SvgTest, CellsHaveTheColoursOfTheirNumbers) {
  const float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0, 0, 0, 0.5f, 1, -kInf, std::nanf(""), 0.25f, 0.25f, 0, 1, 1};
  for (const float gap : {0.f, 2.f}) {
    HeatStyle style;
    style.gap = gap, style.rounding = gap;
    const auto all = svg_of([&](const Canvas& canvas) {
      painter_.upload("m", matrix(values, 4));
      canvas.cells(painter_, "m", ImVec2(100, 50), ImVec2(180, 110), style);
    });
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ImVec2 centre(110 + 20 * static_cast<float>(i % 4), 60 + 20 * static_cast<float>(i / 4));
      const XmlElement* rect = rect_at(all, centre);
      ASSERT_TRUE(rect) << i;
      EXPECT_EQ(rect->attributes.at("fill"),
                is_masked(values[i]) ? "url(#masked)" : fill_of(heat_colour(values[i], style)))
          << i;
      EXPECT_NEAR(rect->number("height"), 20 - gap, 0.01f);
    }
    const auto cells = [&] {
      std::size_t count = 0;
      for (const XmlElement& e : all) count += e.name == "rect" && e.path.size() == 2 && e.path.back() == "g";
      return count;
    }();
    EXPECT_EQ(cells, gap > 0 ? values.size() : 9u) << "equal neighbours are one rectangle";
    EXPECT_EQ(named(all, "pattern").size(), 1u);
  }
}

TEST_F(SvgTest, APartOfAMatrixEndsWhereItIsCut) {
  const auto all = svg_of([&](const Canvas& canvas) {
    painter_.upload("m", matrix({0, 1, 0.5f, 0.25f}, 4));
    canvas.cells(painter_, "m", ImVec2(100, 50), ImVec2(150, 70), {}, ImVec2(0.375f, 0), ImVec2(1, 1));
  });
  const XmlElement* first = rect_at(all, ImVec2(105, 60));  // half of the second cell
  ASSERT_TRUE(first);
  EXPECT_EQ(first->attributes.at("fill"), fill_of(heat_colour(1, {})));
  EXPECT_NEAR(first->number("x"), 100, 0.01f);
  EXPECT_NEAR(first->number("width"), 10, 0.01f);
  EXPECT_EQ(rect_at(all, ImVec2(115, 60))->attributes.at("fill"), fill_of(heat_colour(0.5f, {})));
}

TEST_F(SvgTest, ManyCellsAreAPictureOfOnePixelEach) {
  std::vector<float> values(70 * 60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 1000) / 1000.f;
  values[61] = kMasked;
  const auto all = svg_of([&](const Canvas& canvas) {
    painter_.upload("m", matrix(values, 60));
    canvas.cells(painter_, "m", ImVec2(100, 50), ImVec2(400, 260), {});
  });
  const auto images = named(all, "image");
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].attributes.at("style"), "image-rendering: pixelated");
  EXPECT_EQ(images[0].attributes.at("preserveAspectRatio"), "none");
  EXPECT_EQ(images[0].number("width"), 300);
  const std::string link = images[0].attributes.at("href"), head = "data:image/png;base64,";
  ASSERT_EQ(link.substr(0, head.size()), head);
  const auto png = from_base64(link.substr(head.size()));
  ASSERT_TRUE(png.ok());
  const testing::TempFolder folder;
  std::ofstream(folder / "cells.png", std::ios::binary) << *png;
  const auto image = read_png(folder / "cells.png");
  ASSERT_TRUE(image.ok());
  ASSERT_EQ(image->width, 60);
  ASSERT_EQ(image->height, 70);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint8_t* p = image->at(static_cast<int>(i % 60), static_cast<int>(i / 60));
    if (i == 61)
      EXPECT_EQ(p[3], 0) << "a hole over the hatching";
    else
      EXPECT_EQ(IM_COL32(p[0], p[1], p[2], p[3]), heat_colour(values[i], {})) << i;
  }
  EXPECT_EQ(rect_at(all, ImVec2(200, 100))->attributes.at("fill"), "url(#masked)");
}

TEST_F(SvgTest, WhatIsCutHasAClipAndWhatIsOutsideIsLeftOut) {
  const auto all = svg_of([&](const Canvas& canvas) {
    canvas.push_clip(ImVec2(50, 50), ImVec2(100, 100));
    canvas.fill_rect(ImVec2(60, 60), ImVec2(80, 80), 0xFFFFFFFF);
    canvas.fill_rect(ImVec2(60, 60), ImVec2(180, 80), 0xFFFFFFFF);
    canvas.fill_rect(ImVec2(60, 160), ImVec2(180, 180), 0xFFFFFFFF);
    canvas.pop_clip();
  });
  std::vector<XmlElement> drawn;
  for (const XmlElement& e : named(all, "rect"))
    if (e.number("y") == 60) drawn.push_back(e);
  EXPECT_EQ(drawn.size(), 2u);
  EXPECT_EQ(text_.find("160"), std::string::npos);
  const auto clips = named(all, "clipPath");
  ASSERT_EQ(clips.size(), 1u);
  std::size_t used = 0;
  for (const XmlElement& e : named(all, "g"))
    used += e.attributes.count("clip-path") > 0 &&
            e.attributes.at("clip-path") == "url(#" + clips[0].attributes.at("id") + ")";
  EXPECT_EQ(used, 1u) << "the one that is cut";
}

TEST_F(SvgTest, GroupsNameTheirStep) {
  const auto all = svg_of([&](const Canvas& canvas) {
    const DrawGroupScope group("matrix", site_of(Slot::logits));
    canvas.line(ImVec2(10, 10), ImVec2(30, 30), 0xFFFFFFFF);
  });
  const auto lines = named(all, "line");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].site, "logits");
}

TEST_F(SvgTest, ThePageIsAsLargeAsTheFigure) {
  DisplayList list;
  {
    const DrawRecording recording(&list);
    frame([] {
      const Canvas canvas;
      canvas.fill_rect(ImVec2(100, 50), ImVec2(180, 110), 0xFFFFFFFF);
      const DrawGroupScope hint(kHintGroup);
      canvas.text(fonts().body, ImVec2(10, 200), 0xFFFFFFFF, "click here");
    });
  }
  SvgPage page;
  page.p1 = ImVec2(900, 640);
  fit_page(page, list, 10);
  EXPECT_NEAR(page.p0.x, 90, 1.5f);
  EXPECT_NEAR(page.p1.y, 120, 1.5f) << "hints are none of the figure";
  EXPECT_EQ(to_svg(list, page)->find("click"), std::string::npos);
}

TEST_F(SvgTest, AFullDiskIsOneSentence) {
  const Status written = write_svg("/dev/full", std::string(1 << 16, 'x'));
  ASSERT_FALSE(written.ok());
  EXPECT_FALSE(written.error().sentence().empty());
  EXPECT_FALSE(write_svg("/nowhere/at/all.svg", "x").ok());
}

}  // namespace
}  // namespace attnscope
