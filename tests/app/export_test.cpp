// Export of figures: what the dialog asks for, files that carry what made them, values for the clipboard.
#include "core/export/export.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/state/actions.h"
#include "app/state/copied_picture.h"
#include "app/state/shown_figure.h"
#include "core/export/carried.h"
#include "tests/app/ui_driver.h"
#include "tests/edits.h"
#include "tests/results.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using compat::Key;
using testing::FrameTest;

class ExportFigure : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    folder_ = fs::temp_directory_path() / ("attnscope-export-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    state().settings.last_folder = folder_.string();
  }
  void TearDown() override {
    fs::remove_all(folder_);
    FrameTest::TearDown();
  }
  void open_storyteller(Level level) {
    ASSERT_TRUE(perform(state(), "file.open_model", "storyteller"));
    settle();
    workspace().level = level;
    workspace().view = "attention";
    settle();
  }
  /// Chooses a form in the dialog; the file is written.
  fs::path exported(const std::string& form) {
    key(Key::e, true);
    settle();
    if (!shows("as_" + form)) click("as_more"), frames(2);
    click("as_" + form);
    frames(2);
    click("export_save");
    EXPECT_TRUE(state().export_request) << form;
    if (!state().export_request) return {};
    const ExportRequest request = *state().export_request;
    state().export_request.reset();
    EXPECT_TRUE(request.figure) << form;
    export_shown_figure(state(), request);
    settle();
    return request.path;
  }
  fs::path folder_;
};

TEST_F(ExportFigure, TheEasyWindowWritesEveryForm) {
  open_storyteller(Level::easy);
  for (const Exporter* one : exporters()) {
    if (one->id == "png") continue;  // of the window, unless the figure alone is asked for
    const fs::path path = exported(one->id);
    EXPECT_EQ(path.extension(), "." + one->id);
    EXPECT_TRUE(fs::exists(path)) << path;
    ASSERT_FALSE(state().notices.empty());
    EXPECT_NE(state().notices.back().text.str().find(path.string()), std::string::npos);
    EXPECT_EQ(state().notices.size(), 1u) << "what was written before is no news any more";
  }
}

// The same file as attnscope-cli report writes, with the view on the stage first.
TEST_F(ExportFigure, AReportIsWrittenFromTheDialog) {
  open_storyteller(Level::full);
  workspace().cursor.layer = 1, workspace().cursor.head = 3;
  settle();
  const fs::path path = exported("html");
  ASSERT_EQ(path.extension(), ".html");
  std::ifstream file(path);
  const std::string html((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>")) << html.substr(0, 60);
  EXPECT_NE(html.find(tr("view.attention")), std::string::npos);
  EXPECT_NE(html.find("</html>"), std::string::npos) << "to its end";
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.back().text.str(), tr("frame.export.report", {path.string()}));
}

TEST_F(ExportFigure, ADroppedFigureBringsBackWhatMadeIt) {
  open_storyteller(Level::easy);
  workspace().cursor.layer = 0, workspace().cursor.head = 2, workspace().cursor.query = 5;
  settle();
  for (const char* form : {"svg", "pdf"}) {
    const fs::path path = exported(form);
    ASSERT_TRUE(read_carried_session(path.string())) << form;
    open_default();
    workspace().view = "mask";
    workspace().level = Level::full;
    settle();
    state().drop(path.string());
    settle();
    ASSERT_FALSE(session_->error()) << session_->error()->text();
    EXPECT_EQ(document().opened->path, "model:storyteller") << form;
    EXPECT_EQ(workspace().view, "attention");
    EXPECT_EQ(workspace().level, Level::easy);
    EXPECT_EQ(workspace().cursor.layer, 0);
    EXPECT_EQ(workspace().cursor.head, 2);
    EXPECT_EQ(workspace().cursor.query, 5);
    EXPECT_EQ(state().own_path(), "") << "saving does not write over the figure";
  }
}

// A hostile or a very large one: hundreds of thousands of numbers, a few bytes each once they are packed.
TEST_F(ExportFigure, ADroppedFigureThatTakesLongIsReadBesideTheFrame) {
  open_storyteller(Level::easy);
  const fs::path path = exported("svg");
  std::string session = *read_carried_session(path.string());
  std::string numbers = ",\"numbers\":[1e300";
  for (int i = 0; i < 200'000; ++i) numbers += ",1e300";
  session.insert(session.rfind('}'), numbers + "]");
  const auto dropped = [&](const std::string& text) {
    std::ofstream(path) << "<svg xmlns=\"http://www.w3.org/2000/svg\">" << carried_in_svg(text) << "</svg>";
    open_default();
    workspace().view = "mask";
    settle();
    state().drop(path.string());
    EXPECT_TRUE(session_->opening());
    EXPECT_EQ(workspace().view, "mask") << "it was read by the frame";
  };
  dropped(session);
  settle();
  ASSERT_FALSE(session_->error()) << session_->error()->text();
  EXPECT_EQ(document().opened->path, "model:storyteller");
  EXPECT_EQ(workspace().view, "attention");
  dropped(session.substr(0, session.size() - 1));
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_NE(session_->error()->sentence().find(path.filename().string()), std::string::npos);
  EXPECT_EQ(workspace().view, "mask");
  dropped(session);
  session_->cancel_opening();
  settle();
  EXPECT_EQ(workspace().view, "mask");
}

TEST_F(ExportFigure, ThePictureOfTheFigureAloneCarriesItToo) {
  open_storyteller(Level::easy);
  key(Key::e, true);
  settle();
  click("figure_only");
  frames(2);
  click("scale8");
  click("export_paper");
  click("export_save");
  ASSERT_TRUE(state().export_request);
  EXPECT_TRUE(state().export_request->figure);
  EXPECT_TRUE(state().export_request->paper);
  EXPECT_EQ(state().export_request->scale, 8.f);
  ExportRequest request = *state().export_request;
  request.scale = 1, request.size = "8.5cm";
  state().export_request.reset();
  export_shown_figure(state(), request);
  settle();
  EXPECT_TRUE(read_carried_session(request.path));
  state().drop(request.path);
  settle();
  EXPECT_FALSE(session_->error());
  EXPECT_EQ(document().opened->path, "model:storyteller");
}

// As attnscope-cli figure writes them: row-001.png, row-002.png, ...
TEST_F(ExportFigure, AWalkOfStillPicturesIsNumberedFiles) {
  open_storyteller(Level::full);
  ExportRequest request;
  request.path = (folder_ / "row.png").string(), request.figure = true, request.size = "640x480";
  request.walk = "heads";
  export_shown_figure(state(), request);
  settle();
  EXPECT_TRUE(fs::exists(folder_ / "row-001.png"));
  EXPECT_TRUE(fs::exists(folder_ / "row-004.png"));
  EXPECT_FALSE(fs::exists(folder_ / "row.png"));
}

// A paper's second figure is asked for like its first: form, size and print stay; where a view has no figure
// of its own, the dialog opens with a picture.
TEST_F(ExportFigure, TheDialogOpensAsTheLastFileWasMade) {
  open_storyteller(Level::full);
  key(Key::e, true);
  settle();
  click("as_pdf");
  frames(2);
  click("export_size_8.5cm");
  click("export_paper");
  click("export_save");
  ASSERT_TRUE(state().export_request);
  state().export_request.reset();
  settle();
  key(Key::e, true);
  settle();
  click("export_save");
  ASSERT_TRUE(state().export_request);
  EXPECT_EQ(fs::path(state().export_request->path).extension(), ".pdf");
  EXPECT_EQ(state().export_request->size, "8.5cm");
  EXPECT_TRUE(state().export_request->paper);
  EXPECT_EQ(state().settings.exporting.form, "pdf");
  state().export_request.reset();
  workspace().view = "ask";
  workspace().asking.settings.page = AskPage::patch;  // without another prompt it shows nothing yet
  settle();
  ASSERT_FALSE(has_figure(state()));
  key(Key::e, true);
  settle();
  click("export_save");
  ASSERT_TRUE(state().export_request) << "a picture of the window";
  EXPECT_EQ(fs::path(state().export_request->path).extension(), ".png");
}

TEST_F(ExportFigure, ViewsOfThePanelsHaveTheirFigureWhereTheyCan) {
  open_storyteller(Level::full);
  EXPECT_TRUE(has_figure(state()));
  EXPECT_TRUE(fs::exists(exported("pdf")));
  workspace().view = "ask";
  workspace().asking.settings.page = AskPage::patch;
  settle();
  EXPECT_FALSE(has_figure(state()));
  key(Key::e, true);
  settle();
  click("as_pdf");
  frames(2);
  click("export_save");
  EXPECT_FALSE(state().export_request) << "it is said why, and nothing is written";
  ExportRequest request;
  request.path = (folder_ / "ask.pdf").string(), request.figure = true;
  export_shown_figure(state(), request);
  settle();
  EXPECT_FALSE(fs::exists(request.path));
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.back().text.key(), "error.export.not_asked");
}

// The pane and the sizes that are on screen, and what Check compares with, are those of the file.
TEST_F(ExportFigure, CalculatorAndCheckHaveTheirTables) {
  open_storyteller(Level::full);
  const auto written = [&](const char* view) {
    workspace().view = view;
    settle();
    EXPECT_TRUE(has_figure(state())) << view;
    ExportRequest request;
    request.path = (folder_ / (std::string(view) + ".json")).string(), request.figure = true;
    export_shown_figure(state(), request);
    settle();
    return nlohmann::json::parse(test::read_text(request.path), nullptr, false);
  };
  workspace().view = "calculator";
  settle();
  click("calc_flops");
  settle();
  const nlohmann::json calculator = written("calculator");
  ASSERT_EQ(calculator["parts"][0]["id"], "flops");
  EXPECT_EQ(calculator["run"]["session"]["look"]["views"]["calculator"]["pane"], "flops");
  const nlohmann::json torch = written("check");
  EXPECT_EQ(torch["parts"][0]["title"], tr("figure.check.page.torch"));
  EXPECT_GT(torch["parts"][0]["cells"].size(), 20u);
  state().session.pin();
  ASSERT_TRUE(state().session.edit("z", {}, [](Document& document) {
    document.edits.push_back(testing::edit("blocks.1.attn.z[head=3]=0"));
    return Status(Done{});
  }));
  settle();
  EXPECT_EQ(written("check")["parts"][0]["title"], tr("figure.check.page.run"));
}

TEST_F(ExportFigure, ValuesAreCopiedAsTables) {
  open_storyteller(Level::easy);
  ASSERT_TRUE(perform(state(), "edit.copy_values"));
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("\tcat\t"), std::string::npos)
      << ImGui::GetClipboardText();
  ASSERT_TRUE(perform(state(), "edit.copy_markdown"));
  EXPECT_NE(std::string(ImGui::GetClipboardText()).find("| cat |"), std::string::npos);
}

// A clipboard that takes nothing and holds something else.
void break_clipboard() {
#if IMGUI_VERSION_NUM < 19111
  ImGui::GetIO().SetClipboardTextFn = [](void*, const char*) {};
  ImGui::GetIO().GetClipboardTextFn = [](void*) { return "of another program"; };
#else
  ImGui::GetPlatformIO().Platform_SetClipboardTextFn = [](ImGuiContext*, const char*) {};
  ImGui::GetPlatformIO().Platform_GetClipboardTextFn = [](ImGuiContext*) { return "of another program"; };
#endif
}

TEST_F(ExportFigure, AClipboardThatTakesNothingIsOneSentence) {
  open_storyteller(Level::easy);
  break_clipboard();
  for (const char* action : {"edit.copy_values", "edit.copy_markdown"}) {
    state().notices.clear();
    ASSERT_TRUE(perform(state(), action));
    settle();
    ASSERT_EQ(state().notices.size(), 1u) << action;
    EXPECT_EQ(state().notices.back().kind, Notice::Kind::warning);
    EXPECT_EQ(state().notices.back().text.key(), "frame.copy_refused");
  }
}

// wl-copy of a compositor that is gone; xclip, by which the window's own text is copied; neither.
TEST_F(ExportFigure, APictureIsCopiedByTheProgramThatCan) {
  const auto program = [&](const char* name, const std::string& does) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << does << '\n';
    fs::permissions(folder_ / name, fs::perms::owner_all);
  };
  const std::string took = (folder_ / "took").string(), path = std::getenv("PATH");
  program("wl-copy", "exit 1");
  program("xclip", "exec /bin/cat > '" + took + "'");
  setenv("WAYLAND_DISPLAY", "none-such", 1);
  setenv("PATH", folder_.c_str(), 1);
  EXPECT_TRUE(picture_into_clipboard("a picture"));
  std::ifstream file(took);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "a picture");
  program("xclip", "exit 2");
  const Status none = picture_into_clipboard("a picture");
  unsetenv("WAYLAND_DISPLAY");
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence().find("wl-copy"), std::string::npos) << none.error().sentence();
}

TEST_F(ExportFigure, WhatCarriesNothingIsOneSentenceAndNothingIsLost) {
  open_storyteller(Level::easy);
  const fs::path path = folder_ / "stripped.svg";
  std::ofstream(path) << "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
  state().drop(path.string());
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_NE(session_->error()->sentence().find("stripped.svg"), std::string::npos);
  EXPECT_EQ(document().opened->path, "model:storyteller");
}

TEST_F(ExportFigure, ADroppedPictureWithADamagedSessionIsNoStrippedOne) {
  open_storyteller(Level::easy);
  ExportRequest request;
  request.path = (folder_ / "cut.png").string(), request.figure = true;
  export_shown_figure(state(), request);
  settle();
  std::ifstream whole(request.path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(whole), {});
  bytes[bytes.find("attnscope-session") + 40] ^= 1;
  std::ofstream(request.path, std::ios::binary) << bytes;
  state().notices.clear();
  state().drop(request.path);
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_EQ(session_->error()->what().key(), "error.export.damaged");
  EXPECT_TRUE(state().notices.empty());
  EXPECT_EQ(document().opened->path, "model:storyteller");
}

TEST_F(ExportFigure, APlaceThatCannotBeWrittenIsOneSentence) {
  open_storyteller(Level::easy);
  for (const char* path : {"/proc/a.pdf", "/dev/full"}) {
    ExportRequest request;
    request.path = path, request.figure = true;
    state().notices.clear();
    export_shown_figure(state(), request);
    settle();
    ASSERT_EQ(state().notices.size(), 1u) << path;
    EXPECT_EQ(state().notices.back().kind, Notice::Kind::warning);
  }
}

}  // namespace
}  // namespace attnscope
