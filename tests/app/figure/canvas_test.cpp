// A canvas draws into ImGui's list at once, and the same primitives are in the recording; without a recording
// the picture is the same.
#include "app/figure/canvas.h"

#include "core/figure/measure.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
namespace {

using Kind = DrawItem::Kind;
constexpr ImU32 kRed = IM_COL32(255, 0, 0, 255);

class CanvasTest : public testing::ImguiFixture {
 protected:
  void draw_all() {
    const Canvas canvas;
    const ImVec2 points[] = {{10, 10}, {20, 30}, {40, 20}};
    canvas.fill_rect(ImVec2(10, 10), ImVec2(50, 40), kRed, 4);
    canvas.rect(ImVec2(10, 10), ImVec2(50, 40), kRed, 0, 0, 2);
    canvas.line(ImVec2(10, 10), ImVec2(90, 10), kRed, 3);
    canvas.polyline(points, kRed, true, 1);
    canvas.fill_triangle(points[0], points[1], points[2], kRed);
    canvas.circle(ImVec2(60, 60), 8, kRed);
    canvas.gradient(ImVec2(0, 0), ImVec2(5, 5), kRed, 0xFFFFFFFF, true);
    canvas.push_clip(ImVec2(0, 100), ImVec2(40, 120));
    canvas.text(fonts().mono, ImVec2(10.7f, 100.2f), kRed, "token");
    canvas.pop_clip();
    canvas.climbing_text(fonts().mono, ImVec2(80, 90), kRed, "slope", 0.766f, 0.643f);
    painter_.upload("cells",
                    Tensor::from({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {{Axis::query, 2}, {Axis::key, 3}}));
    canvas.cells(painter_, "cells", ImVec2(100, 100), ImVec2(130, 120), {});
  }
  std::vector<Kind> recorded(DisplayList& list) {
    list.clear();
    const DrawRecording recording(&list);
    frame([this] { draw_all(); });
    std::vector<Kind> kinds;
    for (const DrawItem& item : list.items()) kinds.push_back(item.kind);
    return kinds;
  }
};

TEST_F(CanvasTest, RecordsWhatItDraws) {
  DisplayList list;
  EXPECT_EQ(recorded(list),
            (std::vector<Kind>{Kind::rect, Kind::rect, Kind::line, Kind::polyline, Kind::polygon,
                               Kind::circle, Kind::gradient, Kind::text, Kind::text, Kind::cells}));
  const auto items = list.items();
  EXPECT_EQ(items[0].fill, kRed);
  EXPECT_EQ(items[0].radius, 4);
  EXPECT_EQ(items[1].fill, 0u);
  EXPECT_EQ(items[1].thickness, 2);
  EXPECT_EQ(list.points(items[3]).size(), 3u);
  EXPECT_TRUE(items[3].closed);
  EXPECT_EQ(list.points(items[4])[1].y, 30);
  EXPECT_EQ(list.text(items[7]), "token");
  EXPECT_EQ(items[7].p0.x, 10) << "texts stand on whole pixels";
  EXPECT_EQ(items[7].p0.y, 100);
  EXPECT_GT(items[7].baseline, 0);
  EXPECT_EQ(list.clip(items[7]).p1.x, 40);
  EXPECT_EQ(list.clip(items[7]).p0.y, 100);
  EXPECT_EQ(list.text(items[8]), "slope");
  EXPECT_NEAR(items[8].angle, -0.8727f, 1e-3f);
  EXPECT_GT(list.clip(items[8]).p1.y, 120) << "the clip is over";
  EXPECT_EQ(list.cells(items[9]).values.at(1, 2), 6.f);
}

// A figure is placed by figure::Measure: letters of sizes that no font has, too.
TEST_F(CanvasTest, LettersOfOtherSizesAreAsWideAsTheyWereMeasured) {
  const figure::Measure measure;
  DisplayList list;
  for (float em = 6; em < 40; em += em < 9.6f ? 0.1f : em < 27 ? 20 : 0.7f) {
    list.clear();
    float drawn = 0;
    frame([&] {
      const DrawRecording recording(&list);
      const auto [font, size] = font_for(Typeface::mono, em);
      const ImVector<ImDrawVert>& vertices = ImGui::GetWindowDrawList()->VtxBuffer;
      const int first = vertices.Size;
      Canvas().text(font, ImVec2(20, 20), kRed, "children", size);
      for (int v = first; v < vertices.Size; ++v) drawn = std::max(drawn, vertices[v].pos.x - 20);
    });
    const float wanted = measure.width("children", em, Typeface::mono);
    ASSERT_EQ(list.items().size(), 1u);
    const float noted = list.items()[0].p1.x - list.items()[0].p0.x;
    EXPECT_LE(noted, 1.05f * wanted + 0.5f) << em;
    EXPECT_LE(drawn, noted + 0.5f) << em;
    EXPECT_GE(drawn, 0.9f * wanted) << em;
  }
}

TEST_F(CanvasTest, DrawsTheSameWithoutARecording) {
  frame([this] { draw_all(); });
  const int without = ImGui::GetDrawData()->TotalVtxCount;
  DisplayList list;
  (void)recorded(list);
  EXPECT_EQ(ImGui::GetDrawData()->TotalVtxCount, without);
  const std::size_t before = list.items().size();
  frame([this] { draw_all(); });
  EXPECT_EQ(list.items().size(), before) << "the recording is over";
}

TEST_F(CanvasTest, ARecordingKeepsItsMemory) {
  DisplayList list;
  (void)recorded(list);
  const DrawItem* const first = list.items().data();
  (void)recorded(list);
  EXPECT_EQ(list.items().data(), first);
}

TEST_F(CanvasTest, GroupsHoldWhatIsDrawnInThem) {
  DisplayList list;
  const DrawRecording recording(&list);
  frame([] {
    const Canvas canvas;
    const DrawGroupScope outer("view");
    {
      const DrawGroupScope inner("matrix", Site{Stack::single, 2, Part::attn, Slot::q}, 1);
      canvas.line(ImVec2(0, 0), ImVec2(9, 9), kRed);
    }
    canvas.line(ImVec2(0, 0), ImVec2(9, 9), kRed);
  });
  ASSERT_EQ(list.items().size(), 2u);
  const DrawGroup& inner = list.groups()[static_cast<std::size_t>(list.items()[0].group)];
  EXPECT_EQ(inner.site, "blocks.2.attn.q[head=1]");
  EXPECT_EQ(inner.parent, list.items()[1].group);
  EXPECT_EQ(list.groups()[static_cast<std::size_t>(list.items()[1].group)].what, "view");
}

TEST_F(CanvasTest, TextThatImGuiHasWrappedIsRecordedByTheLine) {
  DisplayList list;
  const DrawRecording recording(&list);
  frame([] { Canvas().drawn_text(fonts().body, ImVec2(5, 5), kRed, "one two three\nfour", 50); });
  std::string lines;
  float lowest = 0;
  for (const DrawItem& item : list.items()) {
    lines += std::string(list.text(item)) + "|";
    EXPECT_LE(item.p1.x, 56);
    EXPECT_GE(item.p0.y, lowest);
    lowest = item.p1.y;
  }
  EXPECT_EQ(lines.substr(lines.size() - 5), "four|");
  EXPECT_GE(list.items().size(), 3u);
}

}  // namespace
}  // namespace attnscope
