// Without a display: pictures from the command line, and what it refuses. No window is opened.
#include <algorithm>
#include <fstream>

#include "tests/window/driver.h"
#include "tests/xml.h"

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

// With edits by every door, another text, a cursor elsewhere, a run that trains.
TEST(Screenshot, ASessionIsThePictureThatWasSaved) {
  const TempFolder folder;
  const fs::path saved = folder / "s.attnscope", first = folder / "1.png", second = folder / "2.png";
  const std::vector<std::vector<std::string>> cases{
      {"model:storyteller-llama", "--view", "steps", "--layer", "1", "--head", "2"},
      {"model:translator", "--view", "attention", "--mask", "cross:causal", "--text", "the cat sees a ball"},
      {"model:storyteller", "--view", "ask", "--edit", "blocks.0.attn.z[head=1]=0", "--edit",
       "blocks.1.attn.pattern[head=0]=mean", "--edit", "blocks.*.mlp.activation=relu"},
      {"scene:three_sentences", "--view", "mask", "--pad-to", "9"},
      {"scene:tiny_gpt", "--train", "sorter", "--train-steps", "4"}};
  for (const auto& asked : cases) {
    std::vector<std::string> arguments = asked;
    for (const std::string& more :
         {std::string("--screenshot"), first.string(), std::string("--save-session"), saved.string()})
      arguments.push_back(more);
    const Finished done = run_blind(arguments);
    ASSERT_EQ(done.status, 0) << done.err;
    const Finished again = run_blind({saved.string(), "--screenshot", second.string()});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_TRUE(read_text(first) == read_text(second)) << asked.front();
  }
  const fs::path model = folder / "model";
  fs::copy(golden_model("gpt2"), model);
  ASSERT_EQ(run_blind({model.string(), "--save-session", saved.string()}).status, 0);
  fs::remove_all(model);
  const Finished moved = run_blind({saved.string(), "--screenshot", second.string()});
  EXPECT_EQ(moved.status, 1);
  EXPECT_NE(moved.err.find("not at " + model.string()), std::string::npos) << moved.err;
}

TEST(Screenshot, AnExportIsTheFigureAloneTheStageOrTheWindow) {
  const TempFolder folder;
  const auto written = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "model:storyteller", "--view", "attention", "--level", "easy", "--export", (folder / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished done = run_blind(arguments);
    EXPECT_EQ(done.status, 0) << name << ": " << done.err;
    return folder / name;
  };
  const fs::path svg = written("a.svg", {"--layer", "1", "--head", "3"});
  const Finished again = run_blind({svg.string(), "--export", (folder / "b.svg").string()});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(read_text(svg) == read_text(folder / "b.svg")) << "opened again it is the same figure";
  const std::string cli = (fs::path(ATTNSCOPE_PROGRAM).parent_path() / "attnscope-cli").string();
  const Finished without = run_program({cli, "figure", svg.string(), "-o", (folder / "c.svg").string()});
  ASSERT_EQ(without.status, 0) << without.err;
  EXPECT_TRUE(read_text(svg) == read_text(folder / "c.svg")) << "the command line writes the same file";
  expect_picture(written("a.png", {"--size", "900x600"}), 900, 600);
  expect_picture(written("8.png", {"--size", "640x400", "--scale", "8"}), 5120, 3200);
  EXPECT_NE(run_blind({"--screenshot", (folder / "8.png").string(), "--scale", "8"}).status, 0);
  expect_picture(written("w.png", {"--window", "--size", "1280x720"}), 1280, 720);
  EXPECT_TRUE(read_text(written("a.pdf", {"--paper", "--size", "8.5cm"})).starts_with("%PDF"));
  EXPECT_TRUE(read_text(written("a.gif", {"--walk", "heads"})).starts_with("GIF89a"));
  EXPECT_NE(read_text(written("a.csv", {})).find("attn.pattern"), std::string::npos);
  const Finished none = run_blind({"--export", (folder / "x.pdf").string(), "--window"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("--window"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(folder / "x.pdf"));
}

TEST(Screenshot, APictureOfTheWindowOpensAsTheSameScreen) {
  const TempFolder folder;
  const fs::path first = folder / "a.png", second = folder / "b.png", cut = folder / "cut.png";
  const std::vector<std::vector<std::string>> screens{
      {"model:storyteller", "--view", "steps", "--step", "blocks.1.attn.scores", "--head", "3"},
      {"model:storyteller", "--view", "attention", "--level", "full", "--layer", "1", "--head", "2", "--text",
       "The dog sat", "--edit", "blocks.1.attn.pattern[head=2,query=2,key=1]=0"},
      {"--lab", "sqrt,d_k=512"},
      {"model:storyteller", "--view", "check"}};  // no figure of its own
  for (const auto& screen : screens) {
    std::vector<std::string> words = screen;
    words.insert(words.end(), {"--export", first.string(), "--window"});
    const Finished done = run_blind(words);
    ASSERT_EQ(done.status, 0) << done.err;
    const Finished again = run_blind({first.string(), "--export", second.string(), "--window"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_TRUE(read_text(first) == read_text(second)) << screen.back();
  }
  ASSERT_EQ(run_blind({"--export", first.string(), "--stage"}).status, 0);
  EXPECT_EQ(run_blind({first.string(), "--screenshot", second.string()}).status, 0)
      << "the stage carries it too";
  ASSERT_EQ(run_blind({"--train", "sorter", "--train-steps", "2", "--screenshot", first.string()}).status, 0);
  const Finished trained = run_blind({first.string(), "--screenshot", second.string()});
  EXPECT_EQ(trained.status, 1);
  EXPECT_NE(trained.err.find("model in training"), std::string::npos) << trained.err;
  std::ofstream(cut, std::ios::binary) << read_text(first).substr(0, 300);
  const Finished damaged = run_blind({cut.string(), "--screenshot", second.string()});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(damaged.err.find("cut.png"), std::string::npos) << damaged.err;
}

TEST(Screenshot, WhatALessonHidesIsNotCarried) {
  const TempFolder folder;
  const std::string picture = (folder / "a.png").string();
  const auto carries = [&](const char* lesson, const char* page) {
    const Finished done = run_blind({"--lesson", lesson, "--page", page, "--export", picture, "--window"});
    EXPECT_EQ(done.status, 0) << done.err;
    return read_text(picture).find("attnscope-session") != std::string::npos;
  };
  EXPECT_FALSE(carries("nine_steps", "1")) << "one cell is to be guessed";
  EXPECT_TRUE(carries("head_roles", "2")) << "nothing is hidden";
}

TEST(Screenshot, AnSvgIsTheFigureWithItsTexts) {
  const TempFolder folder;
  const fs::path picture = folder / "scores.svg";
  const Finished done =
      run_blind({"scene:nine_steps", "--screenshot", picture.string(), "--view", "steps", "--step",
                 "blocks.0.attn.scores", "--lang", "ko", "--edit", "blocks.0.attn.q=0"});
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string text = read_text(picture);
  XmlReader reader(text);
  const auto all = reader.read();
  ASSERT_TRUE(all) << reader.error();
  const auto has = [&](const std::string& name, const std::string& words) {
    return std::any_of(all->begin(), all->end(), [&](const XmlElement& element) {
      return element.name == name && element.text.find(words) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("text", "0.4243")) << "its numbers";
  EXPECT_TRUE(has("text", "Kᵀ"));
  EXPECT_TRUE(has("title", "단계"));
  EXPECT_TRUE(has("desc", "blocks.0.attn.q")) << "that the run is edited";
  EXPECT_TRUE(std::any_of(all->begin(), all->end(), [](const XmlElement& element) {
    return element.name == "rect" && element.site.rfind("blocks.0.attn.scores", 0) == 0;
  }));
}

TEST(Screenshot, AFolderThatIsNotThereIsASentence) {
  const Finished nowhere = run_blind({"--screenshot", "/nowhere/x.svg"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_NE(nowhere.err.find("/nowhere"), std::string::npos) << nowhere.err;
}

TEST(Screenshot, FramesAreMeasured) {
  const Finished done = run_blind({"scene:nine_steps", "--bench-frames", "--json", "--size", "640x480"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << done.out;
  ASSERT_GE(json["views"].size(), 9u);
  for (const auto& row : json["views"]) {
    EXPECT_GT(row["p50_ms"].get<double>(), 0);
    EXPECT_GE(row["worst_ms"].get<double>(), row["p95_ms"].get<double>());
    EXPECT_GT(row["vertices"].get<int>(), 100);
    EXPECT_GT(row["draw_calls"].get<int>(), 0);
    if (row["doing"] == "still") {
      EXPECT_EQ(row["pixels_drawn"].get<int>(), 0) << row["view"];
    }
  }
}

TEST(Screenshot, EveryViewOfTheNineStepsFits) {
  const Finished done = run_blind({"scene:nine_steps", "--check-fit", "--json"});
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << done.out << done.err;
  EXPECT_GE(json["looked_at"].get<int>(), 2 * (5 + 15)) << "views and steps in two languages";
  EXPECT_EQ(done.status, json["findings"].empty() ? 0 : 1);
  for (const auto& one : json["findings"]) EXPECT_EQ(one["what"], "shortened") << one;
  EXPECT_GE(json["smallest_digit"].get<double>(), 10) << "pixels";
}

TEST(Screenshot, NothingScrollsWhilePresenting) {
  for (const auto& [model, view] :
       {std::pair("model:storyteller", "residual"), std::pair("model:pilot", "residual"),
        std::pair("model:pilot", "calculator"), std::pair("model:translator", "calculator"),
        std::pair("model:translator", "attention"), std::pair("model:translator", "mask")}) {
    const Finished done = run_blind({model, "--check-fit", "--json", "--present", "--view", view});
    const auto json = nlohmann::json::parse(done.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << done.out << done.err;
    EXPECT_EQ(json["looked_at"].get<int>(), 2) << model << " " << view << " in two languages";
    for (const auto& one : json["findings"]) EXPECT_NE(one["what"], "scrolls") << one;
  }
}

TEST(Screenshot, EachStepHasARowThatCanBeRead) {
  for (const char* model : {"scene:nine_steps", "model:storyteller"})
    for (const char* way : {"--json", "--present"}) {
      const Finished done = run_blind(
          {model, "--check-fit", "--json", "--level", "full", "--view", "steps", "--lang", "en", way});
      const auto json = nlohmann::json::parse(done.out, nullptr, false);
      ASSERT_TRUE(json.is_object()) << done.out << done.err;
      EXPECT_GE(json["looked_at"].get<int>(), 15);
      EXPECT_TRUE(json["findings"].empty()) << json["findings"].front();
    }
}

TEST(Screenshot, TheEasyWindowFitsEachViewAndStation) {
  for (const char* way : {"--json", "--present"}) {
    const Finished done = run_blind({"model:translator", "--check-fit", "--json", "--level", "easy", way});
    const auto json = nlohmann::json::parse(done.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << done.out << done.err;
    EXPECT_GE(json["looked_at"].get<int>(), 2 * (6 + 7)) << "views and stations in two languages";
    EXPECT_TRUE(json["findings"].empty()) << json["findings"].front();
  }
}

// Each model of the walk is looked at in the level that was asked for, whatever view the one before ended
// with.
TEST(Screenshot, EveryModelFitsTheEasyWindow) {
  const Finished done = run_blind({"--check-fit", "--json", "--level", "easy", "--lang", "en"});
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << done.out << done.err;
  EXPECT_GE(json["looked_at"].get<int>(), 8 * (6 + 7)) << "views and stations of the models that ship";
  EXPECT_TRUE(json["findings"].empty()) << json["findings"].front();
}

TEST(Screenshot, EachSlideOfALectureFitsOnAProjector) {
  for (const char* lecture : {"3_three_families", "6_nine_steps", "8_robot"}) {
    const Finished done = run_blind({"--check-fit", "--json", "--present", "--lecture", lecture});
    const auto json = nlohmann::json::parse(done.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << done.out << done.err;
    EXPECT_GE(json["looked_at"].get<int>(), 2 * 10) << lecture << " in two languages";
    EXPECT_TRUE(json["findings"].empty()) << json["findings"].front();
  }
}

TEST(Screenshot, NothingIsCutOnASmallerProjector) {
  const Finished done = run_blind({"model:storyteller-llama", "--check-fit", "--json", "--present", "--size",
                                   "1024x768", "--lang", "en"});
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << done.out << done.err;
  for (const auto& one : json["findings"]) EXPECT_EQ(one["what"], "shortened") << one;
}

TEST(Screenshot, ALongTitleIsWholeOnAProjector) {
  const Finished done = run_blind({"model:translator", "--check-fit", "--json", "--present", "--level",
                                   "full", "--view", "steps", "--size", "1920x1080", "--lang", "en"});
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << done.out << done.err;
  EXPECT_GE(json["looked_at"].get<int>(), 30);
  EXPECT_TRUE(json["findings"].empty()) << json["findings"].front();
}

TEST(Screenshot, AFitOfNothingFails) {
  const Finished done = run_blind({"/nowhere/model", "--check-fit"});
  EXPECT_EQ(done.status, 1);
  EXPECT_NE(done.err.find("/nowhere/model"), std::string::npos) << done.err;
}

TEST(Screenshot, MapsOfALongInputAreMeasured) {
  const TempFolder folder;
  const std::string config = (folder / "config.json").string();
  std::ofstream(config)
      << R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 24,
    "num_hidden_layers": 2, "num_attention_heads": 3, "num_key_value_heads": 3, "intermediate_size": 32,
    "vocab_size": 700, "max_position_embeddings": 1024, "rms_norm_eps": 1e-5})";
  std::string ids = "0";
  for (int id = 1; id < 600; ++id) ids += "," + std::to_string(id);
  const Finished done =
      run_blind({"random:" + config, "--ids", ids, "--bench-frames", "--json", "--size", "640x480"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << done.out;
  std::vector<std::string> first;
  for (const auto& row : json["views"]) first.push_back(row["doing"]);
  ASSERT_GE(first.size(), 3u);
  EXPECT_EQ(std::vector(first.begin(), first.begin() + 3),
            (std::vector<std::string>{"map", "tile", "still"}));
}

TEST(Screenshot, ABrokenModelIsOneSentence) {
  const TempFolder folder;
  std::ofstream(folder / "config.json") << R"({"model_type": "gpt2", "n_embd": 8)";
  const Finished done = run_blind({"--screenshot", (folder / "x.png").string(), folder.path().string()});
  EXPECT_EQ(done.status, 1);
  EXPECT_EQ(done.err.rfind("attnscope: ", 0), 0u) << done.err;
  EXPECT_FALSE(fs::exists(folder / "x.png"));
  const Finished shape = run_blind({"random:" + (folder / "config.json").string(), "--save-session", "x"});
  EXPECT_EQ(shape.status, 1);
  EXPECT_EQ(shape.err.find("no file"), std::string::npos) << "it is there, but broken: " << shape.err;
  const Finished nowhere = run_blind({"--screenshot", (folder / "x.png").string(), "/nowhere/at/all"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_NE(nowhere.err.find("/nowhere/at/all"), std::string::npos) << nowhere.err;
}

TEST(Screenshot, AFolderThatIsNotThereIsOneSentence) {
  const Finished done = run_blind({"--screenshot", "/nowhere/x.png"});
  EXPECT_EQ(done.status, 1);
  EXPECT_NE(done.err.find("/nowhere"), std::string::npos) << done.err;
}

TEST(Screenshot, AnEditOfNoPlaceIsRefused) {
  for (const char* edit : {"blocks.0.attn.z[pos=99]=0", "blocks.0.attn.z[head=9]=0"}) {
    const Finished done = run_blind({"scene:nine_steps", "--edit", edit, "--screenshot", "/nowhere/x.png"});
    EXPECT_EQ(done.status, 1);
    EXPECT_NE(done.err.find(edit), std::string::npos) << done.err;
  }
}

TEST(Screenshot, WrongArgumentsAreRefused) {
  const std::vector<std::vector<std::string>> wrong{
      {"--view", "nothing"}, {"--size", "12"}, {"--size", "10x10"},   {"--scale", "9"},
      {"--theme", "pink"},   {"--ids", "1,x"}, {"--step", "no.such"}, {"--no-such-option"},
      {"--layer", "-3"},     {"--text"}};
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
  EXPECT_NE(("\n" + done.err).find("\nattnscope: "), std::string::npos)
      << done.err;  // Wayland has its own say
  EXPECT_NE(done.err.find("--screenshot"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace attnscope::testing
