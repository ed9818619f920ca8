// Opening models and scenes, refusing broken ones without losing what is open, saving pictures.
#include <fstream>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

class Opening : public WindowTest {
 protected:
  fs::path broken_model() {
    const fs::path broken = folder_ / "broken";
    fs::create_directory(broken);
    std::ofstream(broken / "config.json") << R"({"model_type": "gpt2", "n_embd": "wide"})";
    return broken;
  }
  /// Ctrl+O, the path, Enter.
  static void open_by_path(Window& window, const fs::path& path) {
    window.key("ctrl+o");
    window.click("browser.path");
    window.wait("the path can be typed", [](const Json& now) { return now.at("typing") == true; });
    window.key("ctrl+a");
    window.type(path.string());
    window.key("Return");
  }
  static void export_to(Window& window, const fs::path& path, int scale) {
    window.key("ctrl+e");
    window.click("scale" + std::to_string(scale));
    window.click("export_path");
    window.wait("the path can be typed", [](const Json& now) { return now.at("typing") == true; });
    window.key("ctrl+a");
    window.type(path.string());
    window.key("Return");
  }
};

TEST_F(Opening, ATypedPathOpensAModel) {
  Window& window = start();
  open_by_path(window, golden_model("gpt2"));
  window.wait("gpt2 is open and has run", [](const Json& now) {
    return now.at("path") == golden_model("gpt2").string() && now.at("opened_version") == 2 &&
           now.at("steps").size() > 20 && now.at("busy") == false && now.at("popup") == false;
  });
  EXPECT_EQ(window.state().at("error"), "");
  EXPECT_EQ(window.state().at("recent").at(0), golden_model("gpt2").string());
}

TEST_F(Opening, TheBrowserWalksFoldersAndOpensBySearch) {
  Window& window = start();
  open_by_path(window, golden_model("gpt2").parent_path());
  window.wait("the folder's models", [](const Json& now) {
    return now.at("items").contains("browser.entry.llama3") &&
           now.at("items").contains("browser.entry.qwen2");
  });
  window.click("browser.name");
  window.type("qwen");
  window.wait("one of them", [](const Json& now) {
    return now.at("items").contains("browser.entry.qwen2") && !now.at("items").contains("browser.entry.gpt2");
  });
  window.key("Return");
  window.wait("qwen2 is open",
              [](const Json& now) { return now.at("path") == golden_model("qwen2").string(); });
  window.settled();
  EXPECT_EQ(window.state().at("error"), "");
  window.key("ctrl+o");
  window.wait("the browser", [](const Json& now) { return now.at("items").contains("browser.path"); });
  window.key("Escape");
  window.wait("no browser", [](const Json& now) { return now.at("popup") == false; });
}

TEST_F(Opening, APathThatIsNotThereIsSaidInTheBrowser) {
  Window& window = start();
  open_by_path(window, folder_ / "nothing");
  window.wait("a complaint", [](const Json& now) { return now.at("items").contains("browser.complaint"); });
  EXPECT_EQ(window.state().at("path"), "scene:nine_steps");
}

TEST_F(Opening, ABrokenModelLeavesTheOldOneUsable) {
  Window& window = start();
  open_by_path(window, broken_model());
  window.wait("a sentence", [](const Json& now) { return now.at("error") != ""; });
  EXPECT_EQ(window.state().at("path"), "scene:nine_steps");
  EXPECT_EQ(window.state().at("steps").size(), 9u);
  window.key("Right");
  window.wait("it still steps", [](const Json& now) { return now.at("cursor").at("index") == 1; });
  window.click("dismiss");
  window.wait("dismissed", [](const Json& now) { return now.at("error") == ""; });
}

TEST_F(Opening, ABrokenModelOnTheCommandLineKeepsTheWindow) {
  const fs::path broken = broken_model();
  window_ = std::make_unique<Window>(folder_, std::vector<std::string>{broken.string()});
  window_->wait(
      "a sentence", [](const Json& now) { return now.at("error") != ""; }, 60);
  EXPECT_EQ(window_->state().at("version"), 0);
  for (const char* key : {"Right", "2", "space", "3", "Escape"}) window_->key(key);
  open_by_path(*window_, golden_model("llama"));
  window_->wait("llama is open", [](const Json& now) {
    return now.at("path") == golden_model("llama").string() && now.at("error") == "" && now.at("version") > 0;
  });
}

TEST_F(Opening, ExportWritesThePictureOfTheWindow) {
  Window& window = start({"--size", "1280x800"});
  const fs::path picture = folder_ / "window.png";
  export_to(window, picture, 1);
  window.wait("the picture is there", [&](const Json&) { return fs::exists(picture); });
  window.wait("it is said", [](const Json& now) { return !now.at("notices").empty(); });
  expect_picture(picture, 1280, 800);
  const fs::path twice = folder_ / "twice.png";
  export_to(window, twice, 2);
  window.wait("the larger picture is there", [&](const Json&) { return fs::exists(twice); });
  expect_picture(twice, 2560, 1600);
}

TEST_F(Opening, AnImpossibleExportIsOneSentence) {
  Window& window = start();
  export_to(window, folder_ / "no/such/folder/x.png", 1);
  window.wait("a sentence", [](const Json& now) { return !now.at("notices").empty(); });
  EXPECT_NE(window.state().at("notices").at(0).get<std::string>().find("no/such/folder"), std::string::npos);
  window.key("Right");
  window.wait("it still steps", [](const Json& now) { return now.at("cursor").at("index") == 1; });
}

}  // namespace
}  // namespace attnscope::testing
