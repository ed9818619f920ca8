// Without a display: pictures from the command line, and what it refuses. No window is opened.
#include <algorithm>
#include <fstream>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

Finished run_blind(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), ATTNSCOPE_PROGRAM);
  return run_program(arguments, {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}});
}

TEST(Screenshot, NeedsNoDisplay) {
  const TempFolder folder;
  const fs::path picture = folder / "scene.png";
  const Finished done = run_blind({"--screenshot", picture.string()});
  EXPECT_EQ(done.status, 0) << done.err;
  expect_picture(picture, 1440, 900);
}

TEST(Screenshot, TakesSizeAndScale) {
  const TempFolder folder;
  const fs::path picture = folder / "model.png";
  const Finished done =
      run_blind({"--screenshot", picture.string(), golden_model("llama").string(), "--size", "1280x720",
                 "--scale", "2", "--view", "attention", "--theme", "light", "--layer", "1", "--head", "1"});
  EXPECT_EQ(done.status, 0) << done.err;
  expect_picture(picture, 2560, 1440);
}

TEST(Screenshot, IsTheSameTwice) {
  const TempFolder folder;
  const fs::path first = folder / "1.png", second = folder / "2.png";
  for (const fs::path& picture : {first, second})
    EXPECT_EQ(
        run_blind({"scene:nine_steps", "--screenshot", picture.string(), "--step", "blocks.0.attn.pattern"})
            .status,
        0);
  EXPECT_TRUE(read_text(first) == read_text(second));
}

TEST(Screenshot, ABrokenModelIsOneSentence) {
  const TempFolder folder;
  std::ofstream(folder / "config.json") << R"({"model_type": "gpt2", "n_embd": 8)";
  const Finished done = run_blind({"--screenshot", (folder / "x.png").string(), folder.path().string()});
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(done.err.rfind("attnscope: ", 0), 0u) << done.err;
  EXPECT_FALSE(fs::exists(folder / "x.png"));
  const Finished nowhere = run_blind({"--screenshot", (folder / "x.png").string(), "/nowhere/at/all"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_NE(nowhere.err.find("/nowhere/at/all"), std::string::npos) << nowhere.err;
}

TEST(Screenshot, AFolderThatIsNotThereIsOneSentence) {
  const Finished done = run_blind({"--screenshot", "/nowhere/x.png"});
  EXPECT_EQ(done.status, 1);
  EXPECT_NE(done.err.find("/nowhere"), std::string::npos) << done.err;
}

TEST(Screenshot, WrongArgumentsAreRefused) {
  const std::vector<std::vector<std::string>> wrong{{"--view", "nothing"}, {"--size", "12"},
                                                    {"--size", "10x10"},   {"--scale", "9"},
                                                    {"--theme", "pink"},   {"--ids", "1,x"},
                                                    {"--step", "no.such"}, {"--no-such-option"},
                                                    {"--layer", "-3"},     {"--text", "a", "--ids", "1"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Finished done = run_blind(arguments);
    EXPECT_EQ(done.status, 2) << arguments.front();
    EXPECT_EQ(done.err.rfind("attnscope: ", 0), 0u) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }
}

TEST(Screenshot, WithoutADisplayAWindowIsRefusedInWords) {
  const Finished done = run_blind({});
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(done.err.rfind("attnscope: ", 0), 0u) << done.err;
  EXPECT_NE(done.err.find("--screenshot"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace attnscope::testing
