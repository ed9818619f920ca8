// What throws while the frame is drawn: its part becomes a sentence, the rest of the frame goes on, and it
// comes back.
#include <new>
#include <stdexcept>

#include "app/panels/inspector/inspector_parts.h"
#include "app/state/controls.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using testing::FrameTest;

// Stands in for the mask view, and throws from the middle of everything that can be left open.
class Thrower final : public View {
 public:
  enum class How : std::uint8_t { well, memory, deep, inside, background, at_once };
  explicit Thrower(How& how) : View({"mask", ViewGroup::walk, 3}), how_(how) {}
  void draw(const ViewContext& context) override {
    ++drawn;
    if (how_ == How::memory) throw std::bad_alloc();
    if (how_ == How::deep) throw_deep();
    if (how_ == How::inside) catch_inside();
    if (how_ == How::background || how_ == How::at_once)
      (void)value_.get(1, how_ == How::at_once, context.workers(),
                       []() -> int { throw std::length_error("too many rows"); });
    ImGui::Button("###well");
    note_item("well");
  }
  int drawn = 0;

 private:
  static void throw_deep() {
    const WithId id("a");
    const WithColour colour(ImGuiCol_Text, theme().error);
    const WithFont font(fonts().mono);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.1f);
    ImGui::PushClipRect(ImVec2(0, 0), ImVec2(2000, 2000), false);
    ImGui::GetWindowDrawList()->ChannelsSplit(2);
    const ChildScope child("inner", ImVec2(100, 100));
    const DisabledScope disabled(true);
    ImGui::BeginGroup();
    EXPECT_TRUE(ImGui::BeginTable("table", 2, ImGuiTableFlags_ScrollY, ImVec2(80, 80)));
    ImGui::TableNextColumn();
    ImGui::BeginTooltip();
    throw std::runtime_error("deep\x1b inside");
  }
  // A part of the view fails where something of the same window is open around it.
  static void catch_inside() {
    const WithId id("outer");
    const WithColour colour(ImGuiCol_Text, theme().accent);
    const WithVar room(ImGuiStyleVar_ItemSpacing, ImVec2(1, 1));
    const DisabledScope disabled(true);
    ImGui::BeginGroup();
    const UiMark mark;
    try {
      throw_deep();
    } catch (const std::runtime_error&) {
      mark.restore();
    }
    ImGui::EndGroup();
  }
  How& how_;
  Computed<int> value_;
};

struct Faults : FrameTest {
  Thrower::How how = Thrower::How::well;
  Thrower* thrower = nullptr;
  void SetUp() override {
    FrameTest::SetUp();
    for (auto& view : state().views)
      if (std::string("mask") == view->id()) {
        auto made = std::make_unique<Thrower>(how);
        thrower = made.get();
        view = std::move(made);
      }
    ASSERT_TRUE(thrower);
    open_default();
    workspace().view = "mask";
    settle();
    ASSERT_TRUE(shows("well"));
  }
};

TEST_F(Faults, AViewThatThrowsBecomesASentenceAndTheRestGoesOn) {
  for (const Thrower::How bad : {Thrower::How::memory, Thrower::How::deep}) {
    how = bad;
    frames(3);
    EXPECT_TRUE(shows("again_view_mask"));
    EXPECT_FALSE(shows("well"));
    EXPECT_TRUE(shows("timeline.steps"));
    EXPECT_EQ(ImGui::GetStyle().Alpha, 1.f);
    const int drawn = thrower->drawn;
    frames(3);
    EXPECT_EQ(thrower->drawn, drawn) << "it is not tried in every frame";
    EXPECT_EQ(state().faults.at("view_mask").error.sentence().find('\x1b'), std::string::npos);
    click_view("steps");
    EXPECT_EQ(workspace().view, "steps");
    click_view("mask");
    how = Thrower::How::well;
    click("again_view_mask");
    EXPECT_TRUE(shows("well"));
    EXPECT_FALSE(shows("again_view_mask"));
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(Faults, WhatIsOpenAroundAPartThatFailsIsClosedByItsOwner) {
  how = Thrower::How::inside;
  frames(3);
  EXPECT_TRUE(shows("well"));
  EXPECT_TRUE(shows("timeline.steps"));
  EXPECT_FALSE(shows("again_view_mask"));
}

TEST_F(Faults, ItIsDrawnAgainWithTheNextRun) {
  how = Thrower::How::memory;
  frames(2);
  ASSERT_TRUE(shows("again_view_mask"));
  how = Thrower::How::well;
  ASSERT_TRUE(session_->edit("Set", {}, [](Document& d) { return set_input_cell(d, 0, 1, 2, 5.f); }));
  settle();
  EXPECT_TRUE(shows("well"));
}

TEST_F(Faults, WhatABackgroundValueThrowsIsThrownWhereItIsAsked) {
  for (const Thrower::How bad : {Thrower::How::background, Thrower::How::at_once}) {
    how = bad;
    frames(1);
    settle();
    ASSERT_TRUE(shows("again_view_mask"));
    EXPECT_NE(state().faults.at("view_mask").error.sentence().find("too many rows"), std::string::npos);
    how = Thrower::How::well;
    click("again_view_mask");
    ASSERT_TRUE(shows("well"));
  }
}

TEST_F(Faults, ACommandThatThrowsIsTold) {
  state().commands.act([](Session&) { throw std::bad_alloc(); });
  frames(2);
  ASSERT_TRUE(session_->error());
  EXPECT_EQ(session_->error()->code(), Code::no_memory);
}

}  // namespace
}  // namespace attnscope
