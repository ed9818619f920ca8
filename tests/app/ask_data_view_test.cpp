// Ask over a data set with the mouse: one click for the examples of the model's task, means in the grid, the
// prompts behind a cell, one of them opened and taken back; the list in the input bar; stopping; what Ctrl+E
// writes; files that are no data sets.
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include "app/state/session_look.h"
#include "app/state/shown_figure.h"
#include "app/views/ask_prompts.h"
#include "core/base/text.h"
#include "core/export/data.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_figures.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class AskDataViewTest : public testing::FrameTest {
 protected:
  void ask() {
    ask_the_storyteller("ask.over.own");
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_TRUE(document().data.prompts);
    ASSERT_TRUE(workspace().asking.answer() && workspace().asking.answer()->data);
  }
  std::set<std::string> texts() {
    const DisplayList list = drawn();
    std::set<std::string> out;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text) out.insert(std::string(list.text(item)));
    return out;
  }
  const SweepAnswer& answer() { return *workspace().asking.answer(); }
  void click_cell(std::int64_t row, std::int64_t col) {
    click_in("matrix.ask_sweep", row, col);
    settle();
  }
  std::string result() {
    testing::FrameTest::frames();
    const ViewContext context{*session_, run(), nullptr, workspace(), commands_, painter_};
    return data_result(context, answer(), "m");
  }
  Commands commands_;
};

TEST_F(AskDataViewTest, OneClickAsksAllExamplesOfTheTaskAndACellListsThem) {
  ask();
  EXPECT_EQ(workspace().asking.settings.over, AskOver::mean);
  EXPECT_EQ(answer().prompts_done(), 200);
  EXPECT_FALSE(shows("ask.over.own"));
  EXPECT_TRUE(shows("ask_result"));
  EXPECT_TRUE(shows("ask_data_progress"));
  EXPECT_NE(result().find("200 prompts"), std::string::npos) << result();
  const Tensor picture = painter_.shown("ask_sweep");
  ASSERT_EQ(picture.sizes(), (std::vector<std::int64_t>{2, 4}));
  for (std::int64_t layer = 0; layer < 2; ++layer)
    for (std::int64_t head = 0; head < 4; ++head) {
      const DataCell& cell = answer().data->cells()[static_cast<std::size_t>(layer * 4 + head)];
      EXPECT_NEAR(picture.at(1 - layer, head), cell.change.mean(), 1e-5);
    }
  click("ask.over.spread");
  settle();
  for (std::int64_t head = 0; head < 4; ++head)
    EXPECT_NEAR(painter_.shown("ask_sweep").at(1, head),
                answer().data->cells()[static_cast<std::size_t>(head)].change.deviation(), 1e-5);
  click("ask.over.mean");
  settle();
  EXPECT_FALSE(shows("ask_prompts_title"));
  click_cell(1, 2);
  ASSERT_TRUE(shows("ask_prompts_title"));
  EXPECT_TRUE(document().edits.empty()) << "a mean is no edit";
  std::size_t most = 0;
  const auto effect = [&](std::size_t row) {
    const DataRow& of = answer().data->rows()[row];
    return of.values[2].second - of.base;
  };
  for (std::size_t row = 0; row < 200; ++row)
    if (std::fabs(effect(row)) > std::fabs(effect(most))) most = row;
  const std::string text = document().sequences[0].text;
  click("ask_prompt_" + std::to_string(most));
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits[0]), "blocks.0.attn.z[head=2]=0");
  EXPECT_EQ(prompt_looked_at(document()), static_cast<std::int64_t>(most));
  const auto measured = workspace().asking.measure.newest();
  EXPECT_NEAR(measured->change(), effect(most), 1e-9) << "that very run";
  EXPECT_FALSE(shows("ask.earlier")) << "the answer is still of this question";
  EXPECT_TRUE(shows("ask_prompts_title"));
  key(compat::Key::z, true);
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_EQ(document().sequences[0].text, text);
}

// A data set that is open shows what can be asked of it, without a click on more.
TEST_F(AskDataViewTest, AnOpenDataSetShowsItsControls) {
  ask();
  click("ask.over.prompt");
  settle();
  workspace().ask_more = false;
  settle();
  for (const char* over : {"ask.over.prompt", "ask.over.mean", "ask.over.spread"})
    EXPECT_TRUE(shows(over)) << over;
}

TEST_F(AskDataViewTest, TheListOfHeadsHasTheMeanEffects) {
  ask();
  click("ask.page.heads");
  settle();
  EXPECT_TRUE(answer().over_data());
  EXPECT_EQ(answer().prompts_done(), 200);
  EXPECT_TRUE(shows("ask_result"));
  EXPECT_TRUE(shows("ask_heads_scope")) << "which columns are over the prompts";
  const double effect = answer().data->cells()[2].change.mean(),
               deviation = answer().data->cells()[2].change.deviation();
  EXPECT_TRUE(texts().contains(tr("ask.heads.effect.mean")));
  EXPECT_FALSE(texts().contains(tr("ask.heads.effect")));
  EXPECT_TRUE(texts().contains(signed_number(effect, 2)));
  click("ask.over.spread");
  settle();
  EXPECT_TRUE(texts().contains(tr("ask.heads.effect.spread")));
  EXPECT_TRUE(texts().contains(number_text(static_cast<float>(deviation), 2))) << "a spread has no sign";
  EXPECT_FALSE(texts().contains(signed_number(deviation, 2)));
  click("ask.over.prompt");
  settle();
  EXPECT_FALSE(answer().over_data());
  EXPECT_FALSE(shows("ask_heads_scope"));
  EXPECT_TRUE(texts().contains(tr("ask.heads.effect")));
  click("ask.over.mean");
  settle();
  EXPECT_EQ(answer().prompts_done(), 200) << "what was found is still there";
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskDataViewTest, WhatIsStoppedSaysOverHowManyPrompts) {
  ask();
  state().open_data({"task:storyteller", {}, 4000, 0});
  settle();
  EXPECT_TRUE(shows("ask.earlier")) << "so many are not asked without a click";
  click("ask_start");
  ASSERT_TRUE(workspace().asking.running());
  while (workspace().asking.running() && answer().prompts_done() == 0) frames(1);
  click("ask_start");
  settle();
  const std::int64_t done = answer().prompts_done();
  ASSERT_GT(done, 0);
  ASSERT_LT(done, 4000);
  EXPECT_NE(result().find(format_count(done) + " of"), std::string::npos) << result();
  EXPECT_NE(result().find("of 4,000 prompts"), std::string::npos) << result();
  for (const DataCell& cell : answer().data->cells()) EXPECT_EQ(cell.value.n(), done);
  EXPECT_TRUE(workspace().asking.can_go_on());
}

TEST_F(AskDataViewTest, TheListOpensPromptsAndKeepsOnesOwnText) {
  ask();
  const std::string own = document().sequences[0].text;
  click("prompts");
  ASSERT_TRUE(shows("prompts_filter"));
  EXPECT_TRUE(shows("own_text"));
  ASSERT_TRUE(shows("prompt_2"));
  click("prompt_2");
  settle();
  EXPECT_EQ(prompt_looked_at(document()), 1);
  EXPECT_NE(document().sequences[0].text, own);
  click("prompts");
  const std::string fifth = prompt_text(*document().opened, document().data.prompts->lines[150]);
  click("prompts_filter");
  type(fifth);
  frames(3);
  EXPECT_FALSE(shows("prompt_2") &&
               prompt_text(*document().opened, document().data.prompts->lines[1]) != fifth);
  click("own_text");
  settle();
  EXPECT_EQ(document().sequences[0].text, own);
  key(compat::Key::z, true);
  settle();
  EXPECT_EQ(prompt_looked_at(document()), 1);
}

TEST_F(AskDataViewTest, APromptBringsItsCorruptSideIntoPatch) {
  ask();
  const auto corrupt = [&](std::size_t line) {
    return corrupt_text(*document().opened, document().data.prompts->lines[line]);
  };
  const auto open = [&](const char* prompt) {
    click("prompts");
    click(prompt);
    settle();
  };
  ASSERT_NE(corrupt(1), "");
  ASSERT_NE(corrupt(1), corrupt(2));
  open("prompt_2");
  EXPECT_EQ(workspace().asking.settings.other, corrupt(1));
  click("ask.page.patch");
  click("ask.over.prompt");
  settle();
  ASSERT_TRUE(workspace().asking.answer());
  ASSERT_TRUE(answer().request.other);
  EXPECT_EQ(answer().known(), std::ssize(answer().values)) << "this prompt's own pair";
  open("prompt_3");
  EXPECT_EQ(workspace().asking.settings.other, corrupt(2));
  workspace().asking.settings.other = corrupt(1);
  settle();
  EXPECT_EQ(workspace().asking.settings.other, corrupt(1)) << "another text of one's own stays";
  open("prompt_2");
  click_cell(0, 3);  // the two prompts change places
  EXPECT_EQ(document().sequences[0].text, corrupt(1));
  key(compat::Key::z, true);
  settle();
  EXPECT_EQ(workspace().asking.settings.other, corrupt(1)) << "undo gives both back";
  EXPECT_TRUE(workspace().asking.settings.into_other);
}

TEST_F(AskDataViewTest, ThePictureThatIsExportedHasMeanErrorAndCount) {
  ask();
  const auto shown = shown_view(state());
  ASSERT_TRUE(shown && shown->state.asked && shown->state.asked->sweep);
  const auto figure = draw_view(*shown->view, shown->state);
  ASSERT_TRUE(figure) << figure.error().text();
  int found = 0;
  for (const FigureData& part : data_of(*figure)) {
    if (part.kind != FigureData::Kind::matrix) continue;
    for (std::int64_t row = 0; row < 2; ++row)
      for (std::int64_t col = 0; col < 4; ++col) {
        const Spread& value = answer().data->cells()[static_cast<std::size_t>(row * 4 + col)].value;
        const double wanted = part.id == "mean"     ? value.mean()
                              : part.id == "stderr" ? value.standard_error()
                              : part.id == "n"      ? 200
                                                    : value.mean() - answer().base();
        EXPECT_NEAR(part.values.at(row, col), wanted, 1e-5) << part.id;
      }
    ++found;
  }
  EXPECT_EQ(found, 4);
}

TEST_F(AskDataViewTest, ABrokenFileThatIsDroppedIsASentenceAndNothingIsLost) {
  ask();
  const testing::TempFolder folder;
  std::ofstream(folder / "broken.jsonl") << "{\"text\": \"The cat\"}\n{\"text\": 7}\n";
  const auto prompts = document().data.prompts;
  state().drop(folder / "broken.jsonl");
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_NE(session_->error()->text().find("line 2, column 10"), std::string::npos)
      << session_->error()->text();
  EXPECT_EQ(document().data.prompts, prompts);
  std::ofstream(folder / "good.txt") << "The cat sat\nThe dog lay\n";
  state().drop(folder / "good.txt");
  settle();
  ASSERT_TRUE(document().data.prompts);
  EXPECT_EQ(document().data.prompts->lines.size(), 2u);
  key(compat::Key::z, true);
  settle();
  EXPECT_EQ(document().data.prompts, prompts);
}

TEST_F(AskDataViewTest, SettingsOverADataSetAreKept) {
  workspace().asking.settings.over = AskOver::spread;
  workspace().asking.settings.how = AskHow::mean_by_pos;
  const nlohmann::json look = look_of(workspace());
  workspace().asking.settings = {};
  take_look(look, workspace());
  EXPECT_EQ(workspace().asking.settings.over, AskOver::spread);
  EXPECT_EQ(workspace().asking.settings.how, AskHow::mean_by_pos);
  nlohmann::json old = look;
  old["ask"].erase("how");
  old["ask"]["mean"] = true;
  take_look(old, workspace());
  EXPECT_EQ(workspace().asking.settings.how, AskHow::mean) << "of earlier versions";
}

}  // namespace
}  // namespace attnscope
