// Curves in a frame: what stands on their axes.
#include "app/widgets/line_plot.h"

#include "app/figure/canvas.h"
#include "app/figure/display_list.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope::testing {
namespace {

using LinePlotTest = ImguiFixture;

TEST_F(LinePlotTest, ALowAxisHasMoreThanOneNumber) {
  LinePlot plot;
  plot.key = "rates";
  plot.x1 = 100;
  plot.series.emplace_back().points = {{0, 0}, {50, 0.003f}, {100, 0.003f}};
  for (const float most : {0.0033f, 0.0049f, 0.99f, 2.4f}) {
    plot.y1 = most;
    DisplayList list;
    frame([&] {
      const DrawRecording recording(&list);
      draw_line_plot(plot, ImVec2(20, 20), ImVec2(360, 76));
    });
    int numbers = 0;
    for (const DrawItem& item : list.items())
      numbers += item.kind == DrawItem::Kind::text && item.p1.x < 80 && item.p1.y < 84;
    EXPECT_GE(numbers, 2) << most;
  }
}

// Dashes are of one length along a line, however long it is.
TEST_F(LinePlotTest, DashesAreAlike) {
  LinePlot plot;
  plot.key = "level";
  plot.x1 = 1500, plot.y1 = 6;
  plot.series.emplace_back();
  plot.series.back().dashed = true, plot.series.back().colour = IM_COL32(1, 2, 3, 255);
  plot.series.back().points = {{0, 5.29f}, {1500, 5.29f}};
  DisplayList list;
  frame([&] {
    const DrawRecording recording(&list);
    draw_line_plot(plot, ImVec2(20, 20), ImVec2(826, 400));
  });
  std::vector<float> dashes;
  for (const DrawItem& item : list.items())
    if (item.kind == DrawItem::Kind::line && item.stroke == IM_COL32(1, 2, 3, 255))
      dashes.push_back(item.p1.x - item.p0.x);
  ASSERT_GT(dashes.size(), 20u);
  for (std::size_t at = 0; at + 1 < dashes.size(); ++at) EXPECT_NEAR(dashes[at], dashes[0], 0.3f) << at;
}

// A level has its value in its label; the readout is of what moves.
TEST_F(LinePlotTest, AReadoutLeavesOutWhatALabelStates) {
  LinePlot plot;
  plot.x_name = "step", plot.x1 = 10;
  plot.series.emplace_back();
  plot.series.back().label = "guessing: 5.29", plot.series.back().level = true;
  plot.series.back().points = {{0, 5.29f}, {10, 5.29f}};
  EXPECT_EQ(readout_text(plot, 3), "");
  plot.series.emplace_back();
  plot.series.back().label = "this model", plot.series.back().points = {{0, 5}, {5, 2}, {10, 1}};
  EXPECT_EQ(readout_text(plot, 6), "step 5\nthis model  2");
}

}  // namespace
}  // namespace attnscope::testing
