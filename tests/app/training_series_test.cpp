// The checkpoints of a folder in the training view: the slider goes between them and leaves input, edits and
// A.
#include <map>

#include "core/arch/save_model.h"
#include "core/session/data_prompt.h"
#include "core/session/probing.h"
#include "core/session/series_curves.h"
#include "core/train/trainer.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class TrainingSeriesTest : public testing::FrameTest {
 protected:
  // Three checkpoints of a small training: steps 0, 2 and 4.
  void make_series() {
    const auto task = *find_task("induction");
    TaskSizes sizes;
    sizes.layers = 2, sizes.heads = 2, sizes.d_model = 16, sizes.d_mlp = 16;
    Recipe recipe = task->recipe();
    recipe.steps = 4, recipe.batch = 2;
    auto trainer = Trainer::make(task, sizes, recipe, 1);
    ASSERT_TRUE(trainer);
    for (int step = 0; step <= 4; ++step) {
      if (step > 0) {
        ASSERT_TRUE(trainer->step());
      }
      const std::string to = folder_ / ("step" + std::to_string(step));
      if (step % 2 == 0) {
        ASSERT_TRUE(save_model(to, task->layout(), *trainer->state().model, task->tokenizer()));
      }
    }
  }
  const OpenedModel& opened() const { return *session_->document().opened; }
  testing::TempFolder folder_;
};

TEST_F(TrainingSeriesTest, the_slider_goes_between_steps_and_keeps_what_was_made) {
  make_series();
  state().open(folder_.path());
  settle();
  ASSERT_TRUE(session_->result());
  ASSERT_TRUE(opened().series);
  EXPECT_EQ(opened().title, "step4");
  ASSERT_TRUE(session_->edit("edit", {}, [](Document& d) {
    d.edits.push_back(*parse_edit("blocks.0.attn.z[head=1]=0"));
    return Status(Done{});
  }));
  const std::vector<int> ids = session_->document().sequences.front().input.ids;
  workspace().view = "training";
  settle();
  ASSERT_TRUE(shows("train_series"));
  session_->pin();
  drag("train_series", -4000);
  settle();
  EXPECT_EQ(opened().title, "step0");
  EXPECT_EQ(session_->document().edits.size(), 1u);
  EXPECT_EQ(session_->document().sequences.front().input.ids, ids);
  ASSERT_TRUE(session_->pinned());
  EXPECT_EQ(session_->pinned()->document.opened->title, "step4");
  key(compat::Key::right);
  settle();
  EXPECT_EQ(opened().title, "step2");
  session_->undo();
  settle();
  EXPECT_EQ(opened().title, "step2") << "undo takes the edit back, not the step";
  EXPECT_TRUE(session_->document().edits.empty());
}

// A point of the curves is the run of that checkpoint under the document's edits.
TEST_F(TrainingSeriesTest, points_are_runs_under_the_edits) {
  make_series();
  state().open(folder_.path());
  settle();
  ASSERT_TRUE(session_->edit("edit", {}, [](Document& d) {
    d.edits.push_back(*parse_edit("blocks.0.attn.z[head=1]=0"));
    return Status(Done{});
  }));
  settle();
  SeriesQuestion question{opened().series, session_->document(), {kLossMeasure, "logit:#3"}, -1};
  const SeriesPoint point = series_point(question, 1);
  ASSERT_FALSE(point.error) << point.error->text();
  EXPECT_EQ(point.step, 2);
  const auto model = attnscope::open_model(folder_ / "step2");
  RunOptions options;
  options.edits = session_->document().edits;
  const auto run = *model->model->run(session_->document().sequences.front().input, options);
  EXPECT_EQ(point.values.at(1).value, static_cast<double>(run->logits_row(run->length - 1).at(3)));
  const auto without = *model->model->run(session_->document().sequences.front().input, {});
  EXPECT_NE(point.values.at(1).value, static_cast<double>(without->logits_row(without->length - 1).at(3)));
}

// The probes of a checkpoint are those of that model over the same prompts.
TEST_F(TrainingSeriesTest, probes_over_a_data_set_are_curves_by_depth) {
  make_series();
  state().open(folder_.path());
  settle();
  workspace().view = "training";
  settle();
  EXPECT_FALSE(shows("train_probe")) << "without a data set there is nothing to read";
  state().open_data({"task:induction", {}, 40, 2});
  settle();
  ASSERT_TRUE(document().data.prompts);
  click("train_probe");
  settle();
  ASSERT_TRUE(shows("train_series_probes"));
  SeriesQuestion question{opened().series, document(), {kLossMeasure}, -1, "answer"};
  const SeriesPoint point = series_point(question, 1);
  ASSERT_FALSE(point.error) << point.error->text();
  auto model = attnscope::open_model(folder_ / "step2");
  const Document start = new_document(std::make_shared<const OpenedModel>(*std::move(model)));
  std::vector<ProbedRun> runs;
  std::map<std::string, int> labels;
  for (const DataLine& line : document().data.prompts->lines) {
    Document one = start;
    ASSERT_TRUE(apply_request(one, *prompt_request(line, {}, DataSide::clean)));
    ProbedRun& run = runs.emplace_back();
    run.trace = *one.model->run(inputs_of(one).front());
    run.asked = run.trace->length - 1;
    run.label = labels.emplace(line.answer, static_cast<int>(labels.size())).first->second;
  }
  const auto found = probe_runs(runs, {});
  ASSERT_TRUE(found) << found.error().text();
  std::size_t depth = 0;
  for (const CurveValue& value : point.values) {
    if (value.measure != kProbeMeasure) continue;
    EXPECT_EQ(value.value, found->depths.at(depth).held_out);
    EXPECT_EQ(value.at, to_text(found->depths[depth].site));
    EXPECT_EQ(value.chance, found->guessing);
    ++depth;
  }
  EXPECT_EQ(depth, found->depths.size());
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

}  // namespace
}  // namespace attnscope
