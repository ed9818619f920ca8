// Files dropped on the window from another program.
#include <fstream>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

using Dropping = WindowTest;

TEST_F(Dropping, AModelFolderOpens) {
  Window& window = start();
  window.drop(golden_model("gpt2"));
  window.wait("gpt2 is open and has run", [](const Json& now) {
    return now.at("path") == golden_model("gpt2").string() && now.at("steps").size() > 20 &&
           now.at("busy") == false;
  });
  EXPECT_EQ(window.state().at("error"), "");
}

TEST_F(Dropping, ASceneWithSpacesAndHangulInItsNameOpens) {
  const fs::path scene = folder_ / "\xEC\x95\x84\xED\x99\x89 steps.json";
  fs::copy_file(fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/scenes/nine_steps.json", scene);
  Window& window = start({golden_model("llama").string()});
  window.drop(scene);
  window.wait("the scene is open and has run", [&](const Json& now) {
    return now.at("path") == scene.string() && now.at("steps").size() == 9 && now.at("busy") == false;
  });
  EXPECT_EQ(window.state().at("error"), "");
}

TEST_F(Dropping, AConfigAloneIsCalculated) {
  const fs::path config = folder_ / "config.json";
  fs::copy_file(golden_model("llama") / "config.json", config);
  Window& window = start();
  window.drop(config);
  window.wait("the calculator with its sizes", [](const Json& now) {
    return now.at("view") == "calculator" && now.at("items").contains("calc_kv_heads");
  });
  EXPECT_EQ(window.state().at("error"), "");
  EXPECT_EQ(window.state().at("path"), "scene:nine_steps") << "what was open stays";
}

// An entry of the palette.
void choose(Window& window, const std::string& id) {
  window.key("ctrl+p");
  window.wait("it takes letters", [](const Json& now) { return now.at("typing") == true; });
  window.type(id);
  window.wait("found", [&](const Json& now) { return now.at("items").contains("palette." + id); });
  window.key("Return");
  window.wait("done", [](const Json& now) { return now.at("popup") == false; });
}

TEST_F(Dropping, ACopiedPictureIsTheFigureAndOpensAgain) {
  const fs::path picture = folder_ / "pasted.png";
  Window& window = start({"model:storyteller", "--view", "attention", "--layer", "1", "--head", "2"});
  choose(window, "edit.copy_picture");
  std::string png;
  for (int tries = 0; tries < 50 && !png.starts_with("\x89PNG"); ++tries)
    png = run_program({"timeout", "2", "xclip", "-selection", "clipboard", "-t", "image/png", "-o"}).out;
  ASSERT_TRUE(png.starts_with("\x89PNG"));
  std::ofstream(picture, std::ios::binary) << png;
  choose(window, "view.output");
  window.wait("another view", [](const Json& now) { return now.at("view") == "output"; });
  window.drop(picture);
  window.wait("the view that was copied", [](const Json& now) {
    return now.at("view") == "attention" && now.at("path") == "model:storyteller" && now.at("busy") == false;
  });
  EXPECT_EQ(window.state().at("error"), "");
  EXPECT_EQ(window.state().at("cursor").at("head"), 2);
}

TEST_F(Dropping, ABrokenFileIsOneSentenceAndTheOldModelStays) {
  const fs::path broken = folder_ / "broken.json";
  std::ofstream(broken) << "{\"format\": ";
  Window& window = start();
  window.drop(broken);
  window.wait("a sentence", [](const Json& now) { return now.at("error") != ""; });
  EXPECT_NE(window.state().at("error").get<std::string>().find("broken.json"), std::string::npos);
  EXPECT_EQ(window.state().at("path"), "scene:nine_steps");
  window.key("Right");
  window.wait("it still steps", [](const Json& now) { return now.at("cursor").at("index") == 1; });
}

}  // namespace
}  // namespace attnscope::testing
