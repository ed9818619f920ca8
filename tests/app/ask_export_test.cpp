// What Ctrl+E and Copy values give of a page of Ask: the numbers on screen, or a sentence that there are
// none.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/state/shown_figure.h"
#include "core/base/text.h"
#include "core/export/data.h"
#include "core/lens/attribution.h"
#include "core/lens/twin_directions.h"
#include "core/session/request.h"
#include "core/session/session_file.h"
#include "core/trace/edit.h"
#include "core/view/ask_again.h"
#include "core/view/ask_figures.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

constexpr const char* kExportStory = "The cat sat on the mat because it was tired. So the";
constexpr const char* kExportSoft = "The cat sat on the mat because it was soft. So the";

class AskExportTest : public testing::FrameTest {
 protected:
  void ask(AskPage page) {
    if (!open_shipped_or_skip("storyteller")) return;
    ASSERT_TRUE(session_->edit("text", {}, [](Document& d) { return set_text(d, 0, kExportStory); }));
    workspace().view = "ask", workspace().ask_more = true;
    workspace().asking.measure.text = "logit_diff:cat,mat";
    workspace().asking.settings.page = page;
    workspace().asking.settings.other = kExportSoft;
    settle();
  }
  /// The matrices that a file of the page on screen has.
  std::vector<FigureData> exported() {
    const auto shown = shown_view(state());
    EXPECT_TRUE(shown);
    const auto figure = draw_view(*shown->view, shown->state);
    EXPECT_TRUE(figure) << figure.error().text();
    std::vector<FigureData> out;
    for (FigureData& part : data_of(*figure)) {
      EXPECT_EQ(part.kind, FigureData::Kind::matrix) << part.id << " is not on this page";
      out.push_back(std::move(part));
    }
    return out;
  }
  const SweepAnswer& answer() { return *workspace().asking.answer(); }
  /// The dialog's file of this form; empty where the dialog gives none.
  std::string saved_as(const std::string& form) {
    state().settings.last_folder = folder_.path();
    key(compat::Key::e, true);
    settle();
    click("as_" + form);
    frames(2);
    const bool none = shows("export_none");
    click("export_save");
    EXPECT_EQ(state().export_request.has_value(), !none);
    if (!state().export_request) return {};
    const ExportRequest request = *state().export_request;
    state().export_request.reset();
    export_shown_figure(state(), request);
    settle();
    return request.path;
  }
  testing::TempFolder folder_;
};

TEST_F(AskExportTest, APatchGivesTheCellsOfThePatch) {
  ask(AskPage::patch);
  ASSERT_TRUE(workspace().asking.answer());
  const std::vector<FigureData> parts = exported();
  ASSERT_GE(parts.size(), 3u);
  EXPECT_EQ(parts[0].id, "change");
  EXPECT_EQ(parts[1].id, "value");
  ASSERT_EQ(parts[1].values.sizes(), (std::vector<std::int64_t>{2, 14}));
  EXPECT_EQ(parts[1].of[1], "blocks.1.resid_pre");
  EXPECT_EQ(parts[1].rows[1], "block 1");
  EXPECT_EQ(parts[1].columns[2], "2 cat");
  for (std::size_t cell = 0; cell < answer().values.size(); ++cell) {
    const auto row = static_cast<std::int64_t>(cell / 14), col = static_cast<std::int64_t>(cell % 14);
    EXPECT_NEAR(parts[1].values.at(row, col), answer().values[cell], 1e-5);
    EXPECT_NEAR(parts[0].values.at(row, col), answer().values[cell] - answer().base(), 1e-5);
  }
}

TEST_F(AskExportTest, DataCarryTheSessionThatTheyAreComputedFromAgain) {
  ask(AskPage::patch);
  const std::string path = saved_as("json");
  ASSERT_TRUE(std::filesystem::exists(path));
  std::ifstream file(path);
  const nlohmann::json run = nlohmann::json::parse(file)["run"];
  EXPECT_EQ(run["command"], nlohmann::json({"figure", "session"}));
  EXPECT_EQ(run["session"]["figure"]["view"], "ask");
  EXPECT_EQ(run["session"]["look"]["ask"].is_null(), false);
}

// The answer stays that of the run without the edit that a click on one of its cells puts there.
TEST_F(AskExportTest, WhatAClickOnTheAnswerPutInIsNoPartOfIt) {
  ask(AskPage::knock_out);
  ASSERT_TRUE(session_->edit(
      "put", {}, [&](Document& changed) { return workspace().asking.toggle(changed, answer(), 0); }));
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  std::ifstream file(saved_as("json"));
  const nlohmann::json told = nlohmann::json::parse(file);
  EXPECT_FALSE(told["run"].contains("edits"));
  EXPECT_TRUE(told["run"]["session"]["edits"].empty());
  EXPECT_EQ(told["caption"].get<std::string>().find("Edits:"), std::string::npos) << told["caption"];
  workspace().asking.settings.page = AskPage::parts;
  settle();
  std::ifstream other(saved_as("json"));
  EXPECT_EQ(nlohmann::json::parse(other)["run"]["edits"].size(), 1u)
      << "this page is about the run on screen";
}

// Roles and effects of the table of heads are of one run, that on screen.
TEST_F(AskExportTest, HeadsAreThoseOfTheRunOnScreenWithWhatAClickPutThere) {
  ask(AskPage::knock_out);
  ASSERT_TRUE(session_->edit(
      "put", {}, [&](Document& changed) { return workspace().asking.toggle(changed, answer(), 0); }));
  settle();
  ASSERT_TRUE(workspace().asking.request());
  EXPECT_TRUE(workspace().asking.request()->edits.empty()) << "cells are those of the run without it";
  workspace().asking.settings.page = AskPage::heads;
  settle();
  ASSERT_TRUE(workspace().asking.request());
  EXPECT_EQ(workspace().asking.request()->edits.size(), 1u);
  ASSERT_TRUE(workspace().asking.answer());
  EXPECT_NEAR(answer().base(), *measured(*workspace().asking.measure.newest()->measure, run().trace(0)),
              1e-5);
  std::ifstream file(saved_as("json"));
  const nlohmann::json told = nlohmann::json::parse(file);
  EXPECT_EQ(told["run"]["edits"].size(), 1u);
  EXPECT_EQ(told["run"]["session"]["edits"].size(), 1u);
}

// What is saved before all of it is there says so, and is not computed again as if it were whole.
TEST_F(AskExportTest, AnAnswerThatIsNotCompleteSaysSo) {
  ask(AskPage::texts);  // without a data set nothing else is shown there
  for (const bool whole : {false, true}) {
    workspace().asking.show_table(AskPage::texts, whole ? 1 : 2, [whole] {
      return ShownTable{0, {"text"}, {{"The cat"}}, whole};
    });
    std::ifstream file(saved_as("json"));
    const nlohmann::json told = nlohmann::json::parse(file);
    EXPECT_EQ(told["run"].value("complete", true), whole);
  }
  workspace().asking.settings.page = AskPage::knock_out;
  settle();
  SweepAnswer half = answer();
  EXPECT_TRUE(half.whole());
  half.exact.back() = false;
  EXPECT_FALSE(half.whole());
}

TEST_F(AskExportTest, AKnockOutGivesTheMeasureAndThePlacesThatWereAsked) {
  ask(AskPage::knock_out);
  workspace().asking.settings.knock_out = "parts";
  settle();
  const std::vector<FigureData> parts = exported();
  ASSERT_GE(parts.size(), 2u);
  EXPECT_EQ(parts[0].rows, (std::vector<std::string>{"blocks.0.attn.out", "blocks.0.mlp.out",
                                                     "blocks.1.attn.out", "blocks.1.mlp.out"}));
  for (std::size_t cell = 0; cell < 4; ++cell)
    EXPECT_NEAR(parts[0].values.at(static_cast<std::int64_t>(cell), 0),
                answer().values[cell] - answer().base(), 1e-5);
}

TEST_F(AskExportTest, WhoWroteItGivesTheSumAndWhyItLooksThereTheSplitScore) {
  ask(AskPage::parts);
  const Attribution& sum = *workspace().asking.parts.sum;
  std::vector<FigureData> parts = exported();
  ASSERT_GE(parts.size(), 1u);
  EXPECT_EQ(parts[0].id, "parts");
  double total = 0;
  for (const float value : parts[0].values.values()) total += static_cast<double>(value);
  EXPECT_NEAR(total + sum.rest, sum.total, 1e-4);
  EXPECT_EQ(parts[0].rows.size(), sum.parts.size());
  EXPECT_EQ(parts[0].rows[0], "blocks.1.mlp.out") << "the largest first";
  click("part_blocks.1.attn.z[head=3]");
  settle();
  parts = exported();
  ASSERT_GE(parts.size(), 2u);
  EXPECT_EQ(parts[1].rows[0], "blocks.1.attn.z[head=3,pos=2]") << "what is opened beside it";
  click("ask.inside.why");
  settle();
  parts = exported();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].id, "score");
  total = 0;
  for (const float value : parts[0].values.values()) total += static_cast<double>(value);
  EXPECT_NEAR(total, run().trace(0).cell(*parse_site("blocks.1.attn.scaled"), {3, 13, 2}), 1e-3);
}

// Beside the linear twin's tokens stands the matrix of one of them: the largest, or the one that was clicked.
TEST_F(AskExportTest, ATokenOfTheTwinHasItsMatrixBeside) {
  ask(AskPage::parts);
  workspace().asking.settings.sum = AskSum::twin_token;
  settle();
  ASSERT_TRUE(shows("ask_twin_directions"));
  EXPECT_TRUE(shows("twin_direction_0"));
  click("twin_embed[pos=2]");
  settle();
  EXPECT_EQ(workspace().cursor.key, 2);
  EXPECT_TRUE(shows("twin_direction_0"));
  const std::vector<FigureData> parts = exported();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].id, "directions");
  const auto found = twin_directions(run().trace(0), workspace().asking.parts.measure, 2);
  ASSERT_TRUE(found);
  ASSERT_EQ(parts[1].values.size(0), std::ssize(found->directions));
  EXPECT_EQ(parts[1].values.at(0, 3), static_cast<float>(found->directions.front().value));
  workspace().asking.settings.sum = AskSum::twin_head;
  settle();
  EXPECT_FALSE(shows("ask_twin_directions"));
}

// Heads, Graph, Paths and Probes give their tables, with the numbers of the run.
TEST_F(AskExportTest, PagesOfTablesGiveTheirRows) {
  ask(AskPage::heads);
  const auto table_of = [&](AskPage page) -> FigureData {
    workspace().asking.settings.page = page;
    settle();
    const auto shown = shown_view(state());
    EXPECT_TRUE(shown);
    const auto figure = draw_view(*shown->view, shown->state);
    EXPECT_TRUE(figure) << figure.error().text();
    const std::vector<FigureData> parts = figure ? data_of(*figure) : std::vector<FigureData>{};
    EXPECT_EQ(parts.size(), 1u);
    if (parts.empty()) return {};
    EXPECT_EQ(parts[0].kind, FigureData::Kind::table);
    EXPECT_EQ(parts[0].id, name_of_value(page, kAskPages));
    for (const auto& row : parts[0].cells) EXPECT_EQ(row.size(), parts[0].columns.size());
    return parts[0];
  };
  const FigureData heads = table_of(AskPage::heads);
  ASSERT_EQ(heads.cells.size(), 8u);
  EXPECT_EQ(heads.columns.front(), "head");
  const FigureData paths = table_of(AskPage::paths);
  ASSERT_EQ(paths.cells.size(), 2u);
  ASSERT_EQ(paths.columns.size(), 15u) << "the block, and the tokens";
  for (const auto& row : paths.cells) {
    double sum = 0;
    for (std::size_t i = 1; i < row.size(); ++i) sum += std::stod(row[i]);
    EXPECT_NEAR(sum, 1, 1e-5) << "rollout";
  }
  const FigureData graph = table_of(AskPage::graph);
  ASSERT_EQ(graph.columns.size(), 3u);
  const Attribution sum =
      *attribute(run().trace(0), *workspace().asking.measure.newest()->measure, AttributeBy::head);
  double most = 0;
  for (const LogitPart& part : sum.parts) most = std::max(most, std::fabs(part.value));
  EXPECT_NEAR(std::fabs(std::stod(graph.cells.front().back())), most, 1e-4) << "the measure's largest edge";
  click("ask_graph_qk");
  const FigureData followed = table_of(AskPage::graph);
  ASSERT_EQ(followed.columns.size(), 5u);
  std::set<std::string> sides;
  for (const auto& row : followed.cells) sides.insert(row[2]);
  EXPECT_EQ(sides, (std::set<std::string>{"", "k", "q", "v"}));
  EXPECT_GE(table_of(AskPage::probes).cells.size(), 3u);
  const std::string path = saved_as("csv");
  ASSERT_TRUE(std::filesystem::exists(path));
}

// The session in the file gives the same table, cell by cell, without a window.
TEST_F(AskExportTest, EveryPageThatWasSavedIsComputedAgain) {
  ask(AskPage::heads);
  const auto same_again = [&](AskPage page) {
    workspace().asking.settings.page = page;
    settle();
    const std::string name(name_of_value(page, kAskPages));
    const std::string path = saved_as("json");
    ASSERT_FALSE(path.empty()) << name;
    std::ifstream file(path);
    const nlohmann::json told = nlohmann::json::parse(file);
    ASSERT_TRUE(told["run"]["session"].is_object()) << name;
    const auto session = session_from_json(told["run"]["session"], path);
    ASSERT_TRUE(session) << session.error().text();
    auto model = open_model_of(*session, {});
    ASSERT_TRUE(model) << model.error().text();
    const auto again = document_of(*session, *std::move(model));
    ASSERT_TRUE(again) << again.error().text();
    const auto pinned = pinned_of(*session, *again);
    ASSERT_TRUE(pinned) << pinned.error().text();
    const auto shown = asked_again(session->look(), *again, 0, pinned->get());
    ASSERT_TRUE(shown) << name << ": " << shown.error().text();
    ASSERT_TRUE((*shown)->table) << name;
    EXPECT_EQ(nlohmann::json((*shown)->table->columns), told["parts"][0]["columns"]) << name;
    EXPECT_EQ(nlohmann::json((*shown)->table->rows), told["parts"][0]["cells"]) << name;
  };
  // Against the run before the last edit, then against A.
  ASSERT_TRUE(session_->edit("mask", {}, [](Document& changed) {
    changed.edits.push_back(*parse_edit("blocks.0.attn.z[head=2]=0"));
    return Status(Done{});
  }));
  settle();
  workspace().asking.settings.heads_by = HeadScore::change;
  same_again(AskPage::heads);
  state().session.pin();
  settle();
  workspace().asking.settings.heads_by = HeadScore::entropy;
  workspace().asking.settings.heads_least = 0.3f;
  same_again(AskPage::heads);
  for (const AttentionPath path : {AttentionPath::raw, AttentionPath::rollout, AttentionPath::flow}) {
    workspace().asking.settings.attention = path;
    same_again(AskPage::paths);
  }
  same_again(AskPage::graph);
  workspace().asking.settings.graph_qk = true, workspace().asking.settings.graph_share = 0.08f;
  same_again(AskPage::graph);
  same_again(AskPage::probes);
  state().open_data({"task:storyteller", {}, 12, 0});
  settle();
  workspace().cursor.layer = 1, workspace().cursor.head = 2;
  same_again(AskPage::texts);
  workspace().asking.settings.strongest = "blocks.0.mlp.post[d_mlp=5]";
  workspace().asking.settings.whole_range = true;
  same_again(AskPage::texts);
  workspace().asking.measure.text.clear();
  workspace().asking.settings.circuit_how = AskHow::resample;
  same_again(AskPage::circuit);
  ASSERT_TRUE(session_->edit("direction", {}, [](Document& changed) {
    Request request;
    request.edits = {"blocks.0.resid_post+=@dir:cat-mat*0.5"};
    return apply_request(changed, request);
  }));
  settle();
  same_again(AskPage::steer);
}

TEST_F(AskExportTest, AFileOfNumbersIsNotCalledAPictureAndPagesWithoutOneSaySo) {
  ask(AskPage::patch);
  const std::string path = saved_as("csv");
  ASSERT_TRUE(std::filesystem::exists(path));
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.back().text.key(), "frame.export.values");
  workspace().asking.settings.page = AskPage::texts;  // there is no data set
  settle();
  EXPECT_EQ(saved_as("csv"), "");
  copy_values(state(), false);
  EXPECT_EQ(state().notices.back().text.key(), "error.export.not_asked");
  workspace().asking.settings.page = AskPage::patch;
  workspace().asking.settings.other.clear();
  settle();
  EXPECT_EQ(saved_as("csv"), "") << "nothing is asked yet";
}

}  // namespace
}  // namespace attnscope
