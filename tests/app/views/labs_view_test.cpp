// The labs without a screen: every lab draws in rooms of several sizes, its controls move it, and what to
// notice stands inside of the window where the window is as large as a small screen.
#include "app/figure/canvas.h"
#include "app/views/labs_table.h"
#include "core/lab/lab.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_labs_view();
namespace {

using LabsViewTest = testing::LensViewFixture;

TEST_F(LabsViewTest, EveryLabDraws) {
  open("scene");
  const auto view = make_labs_view();
  for (const Lab& lab : labs()) {
    workspace_.lab = lab.id();
    LabValues& values = workspace_.lab_values[lab.id()] = initial_values(lab);
    for (const LabControl& control : lab.controls)  // short trainings
      if (control.id() == "steps") values.set("steps", 20);
    for (const ImVec2 size : {ImVec2(1240, 590), ImVec2(820, 560), ImVec2(160, 90)}) settle(*view, size);
    settle(*view, ImVec2(1240, 590));
    const auto notice = noted_items().find("lab_notice");
    ASSERT_NE(notice, noted_items().end()) << lab.id();
    EXPECT_LE(notice->second.p1.y, 590) << lab.id() << ": what to notice is below the edge";
    EXPECT_GT(notice->second.p1.y, 540) << lab.id() << ": there is room below";
    for (const LabControl& control : lab.controls)
      EXPECT_TRUE(noted_items().contains("lab_" + control.id())) << lab.id() << " " << control.id();
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

// At the first opening one number goes there and back by itself, once; a click stops it.
TEST_F(LabsViewTest, OneNumberMovesByItselfOnce) {
  open("scene");
  const auto view = make_labs_view();
  workspace_.lab = "softmax";
  const auto value = [&] { return workspace_.lab_values["softmax"].number("largest"); };
  settle(*view);
  double least = 100;
  for (int i = 0; i < 400; ++i) show(*view), least = std::min(least, value());
  EXPECT_LT(least, 20);
  EXPECT_EQ(value(), 100) << "back where it began";
  for (int i = 0; i < 60; ++i) show(*view);
  EXPECT_EQ(value(), 100) << "never again";
  workspace_.lab = "sqrt";
  settle(*view);
  for (int i = 0; i < 40; ++i) show(*view);
  click_item(*view, "lab_scaling");
  EXPECT_EQ(workspace_.lab_values["sqrt"].number("d_k"), 64) << "stopped by a click";
  EXPECT_TRUE(workspace_.lab_values["sqrt"].on("scaling"));
}

TEST_F(LabsViewTest, NothingMovesWhereValuesWereChosenOrMotionIsOff) {
  open("scene");
  for (const bool animate : {true, false}) {
    const auto view = make_labs_view();
    workspace_.animate = animate;
    workspace_.lab = "softmax";
    LabValues& values = workspace_.lab_values["softmax"] = initial_values(**find_lab("softmax"));
    if (animate) values.set("largest", 80);
    const double before = values.number("largest");
    settle(*view);
    for (int i = 0; i < 60; ++i) {
      show(*view);
      ASSERT_EQ(values.number("largest"), before);
    }
  }
}

// Names of two tables that were shortened at 1280x720.
TEST_F(LabsViewTest, TheFirstColumnOfATableIsWhole) {
  const auto texts = [&](const LabTable& table, ImVec2 size) {
    DisplayList list;
    frame([&] {
      const DrawRecording recording(&list);
      draw_lab_table(table, 1, "test", ImGui::GetCursorScreenPos(), size);
    });
    std::string out;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text) out += std::string(list.text(item)) + "\n";
    return out;
  };
  LabTable cost;
  cost.header = {Text(), Text("1 head"), Text("8 heads")};
  for (const char* name : {"d_k", "products for the scores", "weights W_Q, W_K, W_V, W_O"})
    cost.rows.push_back({Text(name), Text("33,554,432"), Text("33,554,432")});
  cost.rows.push_back(
      {Text("time, measured: median"), Text("1.48 ms (931 µs–49.0 ms)"), Text("1.31 ms (1.23–30.0 ms)")});
  const std::string wide = texts(cost, ImVec2(529, 130));
  for (const auto& row : cost.rows) EXPECT_NE(wide.find(row[0].str() + "\n"), std::string::npos) << wide;
  LabTable turn;
  turn.rows = {{Text("this answer took, median of 3"), Text("1.35 ms (1.16–41.5 ms)")},
               {Text("right so far"), Text("1 of 1")}};
  const std::string lines = texts(turn, ImVec2(282, 90));
  EXPECT_EQ(lines.find("\u2026"), std::string::npos) << lines;
}

TEST_F(LabsViewTest, InANarrowRoomPiecesStandOneBelowTheOther) {
  open("scene");
  const auto view = make_labs_view();
  workspace_.lab = "loss";
  settle(*view, ImVec2(340, 460));
  ASSERT_TRUE(noted_items().contains("lab_piece_2"));
  for (const char* piece : {"lab_piece_0", "lab_piece_1", "lab_piece_2"}) {
    const ItemRect& rect = noted_items().at(piece);
    EXPECT_GE(rect.p1.x - rect.p0.x, 250) << piece;
  }
  EXPECT_GE(noted_items().at("lab_piece_1").p0.y, noted_items().at("lab_piece_0").p1.y);
  settle(*view, ImVec2(1240, 590));
  EXPECT_EQ(noted_items().at("lab_piece_1").p0.y, noted_items().at("lab_piece_0").p0.y);
}

TEST_F(LabsViewTest, AClickOnASliderMovesTheLab) {
  open("scene");
  workspace_.animate = false;  // else it moves by itself first
  const auto view = make_labs_view();
  workspace_.lab = "sqrt";
  settle(*view);
  const double before = workspace_.lab_values["sqrt"].number("d_k");
  click_item(*view, "lab_d_k");
  EXPECT_NE(workspace_.lab_values["sqrt"].number("d_k"), before);
  click_item(*view, "lab_scaling");
  EXPECT_TRUE(workspace_.lab_values["sqrt"].on("scaling"));
  click_item(*view, "lab_reset");
  EXPECT_EQ(workspace_.lab_values["sqrt"].number("d_k"), before);
  EXPECT_FALSE(workspace_.lab_values["sqrt"].on("scaling"));
}

TEST_F(LabsViewTest, AControlThatChangesNothingIsDimmed) {
  open("scene");
  const auto view = make_labs_view();
  workspace_.lab = "families";
  settle(*view);
  LabValues& values = workspace_.lab_values["families"];
  const double before = values.number("source");
  click_item(*view, "lab_source");
  EXPECT_EQ(values.number("source"), before) << "a decoder alone has no source";
  values.set("family", 2);
  values.set("source", 3);
  click_item(*view, "lab_source");
  EXPECT_NE(values.number("source"), 3);
}

TEST_F(LabsViewTest, TheLoopGoesOnByItselfUntilItIsStopped) {
  open("scene");
  const auto view = make_labs_view();
  workspace_.lab = "loop";
  settle(*view);
  const LabValues& values = workspace_.lab_values["loop"];
  EXPECT_EQ(values.number("picture"), 0);
  click_item(*view, "lab_go");
  for (int i = 0; i < 20; ++i) settle(*view);
  EXPECT_GE(values.number("picture"), 2) << "10 pictures a second";
  EXPECT_TRUE(workspace_.moving);
  click_item(*view, "lab_go");
  const double stopped = values.number("picture");
  for (int i = 0; i < 10; ++i) settle(*view);
  EXPECT_EQ(values.number("picture"), stopped);
}

TEST_F(LabsViewTest, TheListOpensALab) {
  open("scene");
  const auto view = make_labs_view();
  const ImVec2 size(1240, 590);
  settle(*view, size);
  const auto at = noted_items().find("lab_open_loss");
  ASSERT_NE(at, noted_items().end());
  click(*view, ImVec2((at->second.p0.x + at->second.p1.x) / 2, (at->second.p0.y + at->second.p1.y) / 2),
        size);
  EXPECT_EQ(workspace_.lab, "loss");
}

}  // namespace
}  // namespace attnscope
