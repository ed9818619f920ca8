// The file browser, export, the workspace file, saving, and the command line.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/dialogs/folder_list.h"
#include "app/shell/options.h"
#include "app/state/workspace_file.h"
#include "core/arch/presets.h"
#include "tests/app/ui_driver.h"
#include "tests/request_sample.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using compat::Key;
using testing::FrameTest;

class FilesTest : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    folder_ = fs::temp_directory_path() / ("attnscope-files-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "inner");
  }
  void TearDown() override {
    fs::remove_all(folder_);
    FrameTest::TearDown();
  }
  void browse(const fs::path& where) {
    state().settings.last_folder = where.string();
    key(Key::o, true);
    settle();
    ASSERT_TRUE(shows("browser.path"));
  }
  void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  fs::path folder_;
};

TEST_F(FilesTest, AConfigAloneOpensInTheCalculator) {
  const fs::path config = folder_ / "inner" / "config.json";
  write(config, preset_config("llama-2-7b")->dump());
  state().open(config.string());
  settle();
  EXPECT_EQ(workspace().view, "calculator");
  ASSERT_TRUE(shows("calc_layers")) << "though nothing else was open";
  EXPECT_FALSE(shows("calc_error"));
  EXPECT_FALSE(session_->error());
}

TEST_F(FilesTest, TheBrowserOpensAModelByTyping) {
  open_default();
  browse(fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models");
  EXPECT_TRUE(shows("browser.entry.gpt2"));
  EXPECT_TRUE(shows("browser.entry.llama"));
  type("lla");
  settle();
  EXPECT_FALSE(shows("browser.entry.gpt2"));
  while (!shows("browser.entry.llama")) FAIL();
  key(Key::enter);
  settle();
  EXPECT_EQ(document().opened->family, "Llama");
  EXPECT_FALSE(state().settings.recent.empty());
}

TEST_F(FilesTest, OnlyWhatOpenedIsAmongTheRecent) {
  open_default();
  state().open((folder_ / "nowhere").string());
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_TRUE(state().settings.recent.empty());
  const std::string model = std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
  state().open(model);
  settle();
  ASSERT_EQ(state().settings.recent, std::vector<std::string>{model});
  state().open((folder_ / "nowhere").string());
  settle();
  state().open_shipped(kDefaultScene);
  settle();
  EXPECT_EQ(state().settings.recent, std::vector<std::string>{model});
}

TEST_F(FilesTest, BackspaceGoesUpAndEscapeLeaves) {
  browse(folder_ / "inner");
  EXPECT_TRUE(shows("browser.path"));
  key(Key::backspace);
  settle();
  EXPECT_EQ(state().settings.last_folder, folder_.string());
  EXPECT_TRUE(shows("browser.entry.inner"));
  key(Key::escape);
  settle();
  EXPECT_FALSE(shows("browser.path"));
}

TEST_F(FilesTest, ATypedPathLeadsThereAndDoesNotStayAsAFilter) {
  fs::create_directories(folder_ / "inner" / "deep");
  write(folder_ / "inner" / "deep" / "scene.json", "{}");
  browse(folder_);
  type((folder_ / "inner").string());
  key(Key::enter);
  settle();
  EXPECT_EQ(state().settings.last_folder, (folder_ / "inner").string());
  EXPECT_TRUE(shows("browser.entry.deep")) << "nothing is left of what was typed";
  type("de");
  settle();
  EXPECT_TRUE(shows("browser.entry.deep")) << "and one goes on typing";
  key(Key::enter);
  settle();
  EXPECT_TRUE(shows("browser.entry.scene.json"));
  key(Key::escape);
  settle();
  key(Key::escape);
  settle();
}

TEST_F(FilesTest, ARelativePathIsTypedFromTheFolderThatIsShown) {
  fs::create_directories(folder_ / "inner" / "deep");
  write(folder_ / "inner" / "deep" / "run.npz", "x");
  std::string chosen;
  state().settings.last_folder = folder_.string();
  state().browse =
      BrowseRequest{false, "check.open.title", {}, [&chosen](const std::string& path) { chosen = path; }};
  settle();
  ASSERT_TRUE(shows("browser.path"));
  type("inner/deep/nothing.npz");
  key(Key::enter);
  settle();
  EXPECT_TRUE(shows("browser.complaint")) << "what is not there is said";
  key(Key::a, true);
  type("inner/deep/run.npz");
  key(Key::enter);
  settle();
  EXPECT_EQ(chosen, (folder_ / "inner" / "deep" / "run.npz").string());
}

TEST_F(FilesTest, ABrokenFileShowsItsSentence) {
  open_default();
  write(folder_ / "broken.json", "{\"format\": \"attnscope-scene\", \"version\": 1");
  browse(folder_);
  type("broken");
  settle();
  key(Key::enter);
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_NE(session_->error()->sentence().find("broken.json"), std::string::npos)
      << session_->error()->sentence();
  EXPECT_TRUE(session_->result()) << "the scene stays open";
}

TEST_F(FilesTest, AFolderThatCannotBeReadIsSaid) {
  const FolderList list = read_folder((folder_ / "not there").string());
  EXPECT_FALSE(list.error.empty());
  EXPECT_TRUE(list.entries.empty());
  browse(folder_);
  state().commands.act([](Session&) {});
  settle();
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(FilesTest, FoldersComeFirstAndModelsAndScenesAreKnown) {
  write(folder_ / "b.txt", "x");
  write(folder_ / "A.json", "{\"format\": \"attnscope-scene\"}");
  fs::create_directories(folder_ / "model");
  write(folder_ / "c.gguf", "GGUF");
  write(folder_ / "model/config.json", "{}");
  const FolderList list = read_folder(folder_.string());
  ASSERT_EQ(list.entries.size(), 5u);
  EXPECT_EQ(list.entries[0].name, "inner");
  EXPECT_EQ(list.entries[0].kind, FolderEntry::Kind::folder);
  EXPECT_EQ(list.entries[1].kind, FolderEntry::Kind::model);
  EXPECT_EQ(list.entries[2].kind, FolderEntry::Kind::scene);
  EXPECT_EQ(list.entries[3].name, "b.txt");
  EXPECT_EQ(list.entries[3].bytes, 1u);
  EXPECT_EQ(list.entries[4].kind, FolderEntry::Kind::gguf);
  EXPECT_EQ(list.entries[3].date.size(), 16u);
  EXPECT_EQ(folder_above("/"), "/");
  EXPECT_EQ(folder_above("/tmp/x/"), "/tmp");
}

TEST_F(FilesTest, ASceneIsSavedAsAndOpenedAgain) {
  open_default();
  state().commands.edit("Set one number", {},
                        [](Document& changed) { return set_input_cell(changed, 0, 0, 0, 2.5f); });
  settle();
  state().save_as((folder_ / "mine.json").string());
  state().open((folder_ / "mine.json").string());
  settle();
  EXPECT_FALSE(session_->error()) << session_->error()->text();
  EXPECT_EQ(session_->result()->trace(0).input.vectors.at(0, 0), 2.5f);
  state().save_as((folder_ / "no such folder/mine.json").string());
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.back().kind, Notice::Kind::warning);
}

TEST_F(FilesTest, WhatAConfigLeavesUnusedIsABanner) {
  const fs::path model = folder_ / "model";
  fs::copy(fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models/gpt2", model);
  std::ifstream file(model / "config.json");
  auto config = nlohmann::json::parse(file);
  config["n_layer"] = 1;
  write(model / "config.json", config.dump());
  state().open(model.string());
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.front().kind, Notice::Kind::warning);
  EXPECT_NE(state().notices.front().text.str().find("transformer.h.1"), std::string::npos);
}

TEST_F(FilesTest, ASessionBringsBackWhatWasLookedAt) {
  open_default();
  state().open_shipped("tiny_translator");
  settle();
  ASSERT_TRUE(session_->edit("Knock out", {}, [](Document& changed) -> Status {
    put_edit(changed, *parse_edit("dec.blocks.0.cross.z[head=1]=0"));
    return Done{};
  }));
  settle();
  workspace().view = "residual";
  workspace().second_view = "output";
  workspace().cursor.head = 1;
  workspace().cursor.pinned = *parse_cell("dec.blocks.0.cross.pattern[head=1,query=1,key=0]");
  settle();
  const Cursor cursor = workspace().cursor;
  const std::string path = (folder_ / "mine").string();
  EXPECT_EQ(state().save_name(), "tiny_translator.json");
  state().save_as(path);
  ASSERT_TRUE(std::filesystem::exists(path + ".attnscope"));
  state().open_shipped("nine_steps");
  settle();
  workspace().view = "mask";
  workspace().second_view.clear();
  state().open(path + ".attnscope");
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  EXPECT_EQ(workspace().view, "residual");
  EXPECT_EQ(workspace().second_view, "output");
  EXPECT_TRUE(workspace().cursor == cursor);
  EXPECT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(session_->result()->trace(0).cell(*parse_site("dec.blocks.0.cross.z"), {1, 0, 0}), 0.f);
  EXPECT_EQ(state().save_name(), "mine.attnscope");
  EXPECT_EQ(state().settings.recent.front(), path + ".attnscope");
  workspace().view = "output";
  state().save();  // where it came from
  state().open_shipped("nine_steps");
  settle();
  state().open(path + ".attnscope");
  settle();
  EXPECT_EQ(workspace().view, "output");
}

TEST_F(FilesTest, ASessionBringsBackWhatWasChosenInsideTheViews) {
  open_default();
  state().open_shipped("tiny_gpt");
  settle();
  workspace().view = "attention";
  workspace().second_view = "attention";
  settle();
  const auto choose = [&](bool second, nlohmann::json chosen) {
    Choices choices(std::as_const(chosen));
    state().view("attention", second)->keep(choices);
  };
  choose(false, {{"mode", 1}, {"lines", "10"}});
  choose(true, {{"mode", 2}, {"feature", 3}, {"plane", {0.0, 0.0, 2.0, 2.0}}});
  workspace().map_width = 300;
  workspace().cursor.pinned = *parse_cell("blocks.0.attn.q[pos=1,out=2]");
  workspace().inspector.trail = {Place{*parse_cell("blocks.0.attn.scores[head=0,query=1,key=0]"), {}, {}},
                                 Place{*parse_cell("blocks.0.attn.q[pos=1,out=2]"), {}, {}},
                                 Place{{}, "blocks.0.attn.q.weight", {1, 2}}};
  settle();
  const nlohmann::json look = state().look();
  EXPECT_EQ(look.at("views").size(), 1u) << "what is as in a fresh window is not written";
  state().save_as((folder_ / "mine").string());
  state().open_shipped("nine_steps");
  settle();
  choose(false, {{"mode", 3}});
  choose(true, {{"mode", 0}, {"zoom", 2.0}});
  workspace().map_width = 200;
  state().open((folder_ / "mine.attnscope").string());
  settle();
  EXPECT_EQ(state().look(), look);
}

TEST_F(FilesTest, TheModelOfASessionThatMovedIsAskedFor) {
  open_default();
  const std::string model = (folder_ / "model").string(), path = (folder_ / "a.attnscope").string();
  std::filesystem::copy(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2", model);
  state().open(model);
  settle();
  state().save_as(path);
  std::filesystem::rename(model, (folder_ / "elsewhere").string());
  state().open_shipped("nine_steps");
  settle();
  state().settings.last_folder = folder_.string();
  state().open(path);
  settle();
  EXPECT_FALSE(session_->error()) << "it is asked for, not refused";
  ASSERT_TRUE(shows("browser.entry.elsewhere"));
  type("elsewh");
  settle();
  key(Key::enter);
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  EXPECT_EQ(document().opened->family, "GPT-2");
  EXPECT_TRUE(document().opened->warnings.empty()) << "it is the same model";
}

TEST_F(FilesTest, AModelElsewhereThatASessionNamesIsAskedFor) {
  const std::string given = (folder_ / "given").string(), path = given + "/a.attnscope",
                    mine = (folder_ / "mine").string();
  fs::create_directory(given);
  for (const std::string& to : {mine, given + "/model"})
    fs::copy(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2", to);
  open_default();
  state().open(given + "/model");
  settle();
  state().save_as(path);
  std::ifstream in(path);
  nlohmann::json session = nlohmann::json::parse(in);
  session["model"]["path"] = "../mine";  // as a stranger may have written it
  session["model"].erase("beside");
  write(path, session.dump());
  state().open(path);
  settle();
  ASSERT_TRUE(shows("outside_leave"));
  key(Key::escape);
  settle();
  EXPECT_FALSE(shows("outside_leave"));
  EXPECT_FALSE(session_->error());
  const auto ask = [&] {
    state().open_shipped("nine_steps");
    settle();
    state().open(path);
    settle();
    ASSERT_TRUE(shows("outside_leave"));
    ASSERT_EQ(state().asked_outside(), fs::canonical(mine).string());
  };
  ask();
  click("outside_leave");
  settle();
  EXPECT_FALSE(shows("outside_leave"));
  EXPECT_FALSE(session_->error());
  EXPECT_EQ(document().opened->family, "scene");
  ask();
  click("outside_read");
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  EXPECT_EQ(fs::canonical(document().opened->path), fs::canonical(mine));
  state().open_shipped("nine_steps");
  settle();
  state().open(path);
  settle();
  EXPECT_FALSE(shows("outside_leave")) << "it is known now";
  EXPECT_FALSE(session_->error());
}

// What a stranger's session names for a view is read where it lies beside the session, or was opened before.
TEST_F(FilesTest, AFileElsewhereThatAViewOfASessionNamesIsNotRead) {
  const std::string given = (folder_ / "given").string(), path = given + "/a.attnscope";
  fs::create_directory(given);
  const std::string config = preset_config("llama-2-7b")->dump();
  write(folder_ / "inner" / "config.json", config);
  write(given + "/config.json", config);
  open_default();
  ASSERT_TRUE(session_->save(path, state().look_to_keep()).ok());
  std::ifstream in(path);
  nlohmann::json session = nlohmann::json::parse(in);
  const auto open_with = [&](const char* view, const std::string& file) {
    session["look"]["view"] = view;
    session["look"]["views"] = {{view, {{"file", file}}}};
    write(path, session.dump());
    state().open(path);
    settle();
  };
  const auto file_of_calculator = [&] {
    return state().look().value(nlohmann::json::json_pointer("/views/calculator/file"), std::string());
  };
  const std::string outside = (folder_ / "inner" / "config.json").string();
  for (const std::string& file : {outside, std::string("../inner/config.json")}) {
    open_with("calculator", file);
    EXPECT_TRUE(shows("calc_error")) << file;
    EXPECT_EQ(file_of_calculator(), "");
    open_with("check", file);
    EXPECT_TRUE(shows("check.error")) << file;
  }
  open_with("calculator", "config.json");
  EXPECT_FALSE(shows("calc_error"));
  EXPECT_EQ(file_of_calculator(), fs::canonical(given + "/config.json").string());
}

TEST_F(FilesTest, ExportAsksForAPicture) {
  open_default();
  state().settings.last_folder = folder_.string();
  key(Key::e, true);
  ASSERT_TRUE(shows("export_save"));
  click("stage_only");
  click("scale3");
  click("export_save");
  ASSERT_TRUE(state().export_request);
  EXPECT_EQ(state().export_request->scale, 3.f);
  EXPECT_TRUE(state().export_request->stage_only);
  EXPECT_EQ(fs::path(state().export_request->path).parent_path(), folder_);
}

TEST_F(FilesTest, ExportAsksForAFigure) {
  open_default();
  state().settings.last_folder = folder_.string();
  key(Key::e, true);
  ASSERT_TRUE(shows("as_svg") && shows("stage_only"));
  click("as_svg");
  EXPECT_FALSE(shows("stage_only")) << "a figure is that of the stage, and has no pixels";
  click("export_save");
  ASSERT_TRUE(state().export_request);
  EXPECT_EQ(fs::path(state().export_request->path).extension(), ".svg");
  state().write_figure((folder_ / "f.svg").string(), "<svg/>");
  settle();
  EXPECT_TRUE(fs::exists(folder_ / "f.svg"));
}

TEST_F(FilesTest, TheWorkspaceIsKeptAndABrokenFileIsHarmless) {
  Workspace workspace;
  Settings settings;
  workspace.view = "mask";
  workspace.map_width = 301;
  settings.theme = ThemeKind::light;
  settings.recent = {"/a", "/b"};
  settings.exporting = {"pdf", ExportPart::figure, "8.5cm", 8, false, true, false, true};
  const std::string path = (folder_ / "deep/er/workspace.json").string();
  ASSERT_TRUE(save_workspace(path, workspace, settings));
  Workspace again;
  Settings same;
  EXPECT_TRUE(load_workspace(path, again, same));
  EXPECT_EQ(again.view, "mask");
  EXPECT_EQ(again.map_width, 301);
  EXPECT_EQ(same.theme, ThemeKind::light);
  EXPECT_EQ(same.recent, settings.recent);
  EXPECT_EQ(same.exporting.form, "pdf");
  EXPECT_EQ(same.exporting.part, ExportPart::figure);
  EXPECT_EQ(same.exporting.size, "8.5cm");
  EXPECT_EQ(same.exporting.scale, 8);
  EXPECT_TRUE(same.exporting.paper && !same.exporting.caption && same.exporting.transparent);
  for (const char* text :
       {"", "{", "[]", "{\"map_width\": 1e99, \"recent\": 3, \"view\": 7, \"speed\": -1, \"theme\": null}",
        "{\"export\": {\"form\": \"exe\", \"size\": \"-3x\", \"part\": 4, \"scale\": 1e9}}"}) {
    write(path, text);
    Workspace other;
    Settings defaults;
    (void)load_workspace(path, other, defaults);
    EXPECT_EQ(other.view, Workspace().view) << text;
    EXPECT_LE(other.map_width, 520.f) << text;
    EXPECT_GT(other.speed, 0.f) << text;
    EXPECT_TRUE(defaults.recent.empty()) << text;
    EXPECT_EQ(defaults.exporting.form, "png") << text;
    EXPECT_EQ(defaults.exporting.size, "1280x720") << text;
    EXPECT_LE(defaults.exporting.scale, 8) << text;
  }
  EXPECT_FALSE(load_workspace((folder_ / "none.json").string(), again, same));
  EXPECT_FALSE(save_workspace("/proc/nowhere/workspace.json", workspace, settings));
}

CommandLine read(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "attnscope");
  return read_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, AreRead) {
  const CommandLine line = read({"model",
                                 "--screenshot",
                                 "out.png",
                                 "--ids",
                                 "1,2,3",
                                 "--view",
                                 "steps",
                                 "--layer",
                                 "1",
                                 "--head",
                                 "2",
                                 "--step",
                                 "blocks.0.attn.hook_pattern",
                                 "--size",
                                 "800x600",
                                 "--scale",
                                 "2",
                                 "--theme",
                                 "light",
                                 "--no-animation"});
  ASSERT_TRUE(line.run) << line.text;
  EXPECT_EQ(line.options.path, "model");
  EXPECT_EQ(line.options.screenshot, "out.png");
  EXPECT_EQ(line.options.request.words, (std::vector<Request::Words>{{"1,2,3", true}}));
  EXPECT_EQ(line.options.step, "blocks.0.attn.pattern") << "other libraries' names are understood";
  EXPECT_EQ(line.options.width, 800);
  EXPECT_EQ(line.options.height, 600);
  EXPECT_EQ(line.options.scale, 2.f);
  EXPECT_FALSE(line.options.animate);
  EXPECT_TRUE(read({}).run);
}

// The same rule as attnscope-cli figure: what moves needs a walk, a walk is of a figure, and none is dropped.
TEST(Options, AWalkIsOfAnExportedFigure) {
  EXPECT_TRUE(read({"--export", "a.gif", "--walk", "rows"}).run);
  EXPECT_TRUE(read({"--export", "a.png", "--walk", "rows"}).run);
  for (const auto& arguments :
       std::vector<std::vector<const char*>>{{"--export", "a.gif"},
                                             {"--walk", "rows"},
                                             {"--screenshot", "a.png", "--walk", "rows"},
                                             {"--export", "a.png", "--window", "--walk", "rows"},
                                             {"--export", "a.png", "--stage", "--walk", "rows"}}) {
    const CommandLine line = read(arguments);
    EXPECT_FALSE(line.run) << arguments.back();
    EXPECT_NE(line.text.find("walk"), std::string::npos) << line.text;
  }
}

TEST(Options, ABatchItsPaddingMaskAndPicturesAreRead) {
  const CommandLine line = read({"--text", "a", "--text", "b", "--decoder-text", "c", "--image", "x.png",
                                 "--mask", "window(2)", "--pad-to", "9", "--pad-side", "left"});
  ASSERT_TRUE(line.run) << line.text;
  EXPECT_EQ(line.options.request.words, (std::vector<Request::Words>{{"a", false}, {"b", false}}));
  EXPECT_EQ(line.options.request.decoder_words, (std::vector<Request::Words>{{"c", false}}));
  EXPECT_EQ(line.options.request.images, std::vector<std::string>{"x.png"});
  EXPECT_EQ(line.options.request.masks, std::vector<std::string>{"window(2)"});
  EXPECT_EQ(line.options.request.pad_to, 9);
  EXPECT_EQ(line.options.request.pad_side, PadSide::left);
  EXPECT_TRUE(read({}).options.request.unused());
}

// attnscope-cli trace takes the same table (tests/cli/inputs_test.cpp).
TEST(Options, EveryFlagOfARunIsTaken) {
  for (const RequestFlag& flag : request_flags()) {
    const std::string name = "--" + std::string(flag.name), value = request_sample(flag);
    const CommandLine line = read({name.c_str(), value.c_str()});
    ASSERT_TRUE(line.run) << name << ": " << line.text;
    EXPECT_EQ(line.options.request, *read_request({name, value})) << name;
    EXPECT_NE(read({"--help"}).text.find(name), std::string::npos) << name;
  }
  const CommandLine mixed = read({"--ids", "1,2", "--text", "a", "--ids", "3"});
  EXPECT_EQ(mixed.options.request.words,
            (std::vector<Request::Words>{{"1,2", true}, {"a", false}, {"3", true}}))
      << "in the order in which they were given";
}

// attnscope-cli ablate takes the same table (tests/cli/inputs_test.cpp).
TEST(Options, EveryFlagOfADataSetIsTaken) {
  std::vector<const char*> all;
  for (const DataFlag& flag : data_flags()) {
    const CommandLine line = read({flag.name, flag.sample});
    ASSERT_TRUE(line.run) << flag.name << ": " << line.text;
    EXPECT_NE(read({"--help"}).text.find(flag.name), std::string::npos) << flag.name;
    all.insert(all.end(), {flag.name, flag.sample});
  }
  all.insert(all.end(), {"--where", "a=b"});
  const DataChoice data = read(all).options.data;
  EXPECT_EQ(data.path, "task:storyteller");
  EXPECT_EQ(data.where, (std::vector<std::string>{"group=ioi", "a=b"}));
  EXPECT_EQ(data.limit, 7);
  EXPECT_EQ(data.seed, 3u);
}

TEST(Options, BadOnesAreOneSentenceAndStatusTwo) {
  for (const std::vector<const char*>& bad :
       std::vector<std::vector<const char*>>{{"--size", "big"},
                                             {"--limit", "0"},
                                             {"--seed", "x"},
                                             {"--size", "10x10"},
                                             {"--size", "99999x99999"},
                                             {"--view", "nope"},
                                             {"--theme", "pink"},
                                             {"--lang", "xx"},
                                             {"--layer", "-1"},
                                             {"--layer", "x"},
                                             {"--step", "nonsense"},
                                             {"--ids", "1,x"},
                                             {"--scale", "9"},
                                             {"--scale", "nan"},
                                             {"--mask", "causal |"},
                                             {"--pad-to", "-2"},
                                             {"--pad-side", "top"},
                                             {"--layer", "1.5"},
                                             {"--head", "0x1"},
                                             {"--head", "99999999999999999999"},
                                             {"--train-steps", "nan"},
                                             {"--scale", "0"},
                                             {"--memory-limit", ""},
                                             {"--memory-limit", "nan"},
                                             {"--memory-limit", "-1G"},
                                             {"--size", ""},
                                             {"--screenshot", ""},
                                             {"--view", ""},
                                             {"--layer", "\x1b[2J\n"},
                                             {"--unknown"},
                                             {"a", "b"}}) {
    const CommandLine line = read(bad);
    EXPECT_FALSE(line.run) << bad.front();
    EXPECT_EQ(line.status, 2) << bad.front();
    EXPECT_EQ(line.text.rfind("attnscope: ", 0), 0u) << line.text;
    EXPECT_EQ(std::count(line.text.begin(), line.text.end(), '\n'), 1) << line.text;
  }
}

TEST(Options, HelpAndVersionAreNoErrors) {
  EXPECT_EQ(read({"--help"}).status, 0);
  EXPECT_NE(read({"--help"}).text.find("--screenshot"), std::string::npos);
  EXPECT_EQ(read({"--version"}).status, 0);
}

}  // namespace
}  // namespace attnscope
