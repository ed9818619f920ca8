// The palette, F1 and presenting in the real window: full screen and back, a clicker's keys, all without a
// mouse.
#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

using Presenting = WindowTest;

std::function<bool(const Json&)> presenting(bool on) {
  return [on](const Json& now) { return now.at("presenting").at("on") == on; };
}

TEST_F(Presenting, AClickerPresentsOnTheWholeScreenAndTheWindowComesBack) {
  Window& window = start({"scene:nine_steps", "--size", "1000x700"});
  const Json size = window.state().at("window");
  window.key("F5");
  window.wait("it presents", presenting(true));
  window.wait("the panels are away",
              [](const Json& now) { return !now.at("items").contains("toolbar.file"); });
  window.wait("the whole screen", [&](const Json& now) { return now.at("window")[0] > size[0]; });
  window.wait("a pointer that the last row sees",
              [](const Json& now) { return now.at("presenting").at("pointer") >= 38; });
  for (int step = 1; step <= 3; ++step) {
    window.key("Next");  // Page Down
    window.wait("a page further", [=](const Json& now) { return now.at("cursor").at("index") == step; });
  }
  window.key("Prior");  // Page Up
  window.wait("a page back", [](const Json& now) { return now.at("cursor").at("index") == 2; });
  window.key("period");
  window.wait("black", [](const Json& now) { return now.at("presenting").at("black") == true; });
  window.key("b");
  window.wait("not black", [](const Json& now) { return now.at("presenting").at("black") == false; });
  window.key("m");
  window.wait("the magnifier", [](const Json& now) { return now.at("presenting").at("magnifier") == true; });
  window.key("Escape");
  window.wait("it has ended", presenting(false));
  window.wait("the window as before", [&](const Json& now) { return now.at("window") == size; });
  EXPECT_EQ(window.state().at("presenting").at("pointer"), 0) << "the desktop's own";
  EXPECT_TRUE(window.has("toolbar.file"));
  EXPECT_EQ(window.state().at("error"), "");
  window.key("ctrl+q");
  EXPECT_EQ(window.wait_for_end(), 0) << window.errors();
}

TEST_F(Presenting, NotesStandInASecondWindowAndGoAgain) {
  Window& window = start({"--lesson", "nine_steps", "--page", "2", "--size", "1000x700"});
  const auto windows = [] { return run_program({"xdotool", "search", "--name", "notes"}).out; };
  const auto notes = [](bool on) {
    return [on](const Json& now) { return now.at("presenting").at("notes") == on; };
  };
  EXPECT_EQ(windows(), "");
  window.key("F5");
  window.wait("it presents", presenting(true));
  window.wait("the question under the figure",
              [](const Json& now) { return now.at("items").contains("lesson_answer"); });
  EXPECT_FALSE(window.state().at("presenting").at("notes")) << "one screen";
  window.key("n");
  window.wait("notes", notes(true));
  EXPECT_NE(windows(), "");
  window.key("l");
  window.wait("the figure alone", [](const Json& now) { return !now.at("items").contains("lesson_answer"); });
  window.key("l");
  for (int time = 0; time < 4; ++time) {  // the key goes down in a window that is gone before it comes up
    run_program({"xdotool", "windowfocus", windows().substr(0, windows().find('\n')), "key", "n"});
    window.wait("no notes", notes(false));
    window.key("n");
    window.wait("notes again", notes(true));
  }
  window.key("Escape");
  window.wait("it has ended", presenting(false));
  EXPECT_EQ(windows(), "") << "the second window goes with it";
  EXPECT_EQ(window.state().at("error"), "");
  window.key("ctrl+q");
  EXPECT_EQ(window.wait_for_end(), 0) << window.errors();
}

TEST_F(Presenting, AClickerWalksALectureAndWhatIsShownIsKept) {
  Window& window = start({"--lecture", "7_anatomy", "--size", "1000x700"});
  const auto at = [](int slide) { return [=](const Json& now) { return now.at("slide") == slide; }; };
  window.wait("the first slide", at(0));
  const std::string first = window.state().at("path");
  window.key("F5");
  window.wait("it presents", presenting(true));
  for (int slide = 1; slide <= 5; ++slide) {
    window.key(slide % 2 == 1 ? "Next" : "Right");
    window.wait("a slide further", at(slide));
  }
  window.wait("another model", [&](const Json& now) { return now.at("path") == "model:storyteller"; });
  EXPECT_NE(first, "model:storyteller");
  window.key("Prior");
  window.wait("a slide back", at(4));
  window.wait("its model", [](const Json& now) { return now.at("path") == "scene:alibi"; });
  window.key("Escape");
  window.wait("it has ended", presenting(false));
  EXPECT_EQ(window.state().at("error"), "");
  EXPECT_EQ(window.state().at("slide"), 4) << "the lecture has not";
  window.key("ctrl+k");
  window.wait("kept behind it", at(5));
  window.key("ctrl+q");
  EXPECT_EQ(window.wait_for_end(), 0) << window.errors();
}

TEST_F(Presenting, ThePaletteIsTypedInto) {
  Window& window = start();
  window.key("ctrl+p");
  window.wait("the palette", [](const Json& now) { return now.at("items").contains("palette_text"); });
  window.wait("it takes letters", [](const Json& now) { return now.at("typing") == true; });
  window.type("view.output");
  window.wait("found", [](const Json& now) { return now.at("items").contains("palette.view.output"); });
  window.key("Return");
  window.wait("done", [](const Json& now) { return now.at("view") == "output" && now.at("popup") == false; });
  window.key("ctrl+p");
  window.wait("the palette again", [](const Json& now) { return now.at("typing") == true; });
  window.type("attn.pattern");
  window.key("Return");
  window.wait("at that step",
              [](const Json& now) { return now.at("cursor").at("step") == "blocks.0.attn.pattern"; });
}

TEST_F(Presenting, F1OpensHelpAndClosesIt) {
  Window& window = start();
  window.key("F1");
  window.wait("help", [](const Json& now) { return now.at("popup") == true; });
  window.wait("its button", [](const Json& now) { return now.at("items").contains("close"); });
  window.key("F1");
  window.wait("closed", [](const Json& now) { return now.at("popup") == false; });
  window.key("F10");
  window.wait("the menus", [](const Json& now) { return now.at("items").contains("file.open"); });
  window.key("Escape");
  window.wait("closed again", [](const Json& now) { return now.at("popup") == false; });
}

}  // namespace
}  // namespace attnscope::testing
