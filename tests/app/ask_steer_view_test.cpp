// The measure over the strength of a direction: nothing to show before an edit adds one, then a curve for
// each block with the numbers of steer_values(), and a table of them.
#include "core/session/request.h"
#include "core/session/steer_sweep.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using AskSteerViewTest = testing::FrameTest;

TEST_F(AskSteerViewTest, ACurveForEachBlock) {
  ask_the_storyteller("ask.page.steer");
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_TRUE(shows("ask_steer_none"));
  ASSERT_TRUE(session_->edit("direction", {}, [](Document& document) {
    Request request;
    request.edits = {"blocks.0.resid_post+=@dir:cat-mat*0.5"};
    return apply_request(document, request);
  }));
  settle();
  ASSERT_TRUE(shows("ask_steer_facts"));
  const ShownTable* table = workspace().asking.table();
  ASSERT_TRUE(table);
  ASSERT_EQ(table->columns.size(), 3u);
  ASSERT_EQ(table->rows.size(), 9u);
  const auto run = session_->result();
  const AddedVectors added = added_vectors(run->document, 0);
  RunOptions options;
  options.edits = added.others;
  const auto without = *run->document.model->run(inputs_of(run->document).front(), options);
  const auto values =
      steer_values(*run->document.model, {*workspace().asking.measure.newest()->measure}, without,
                   steer_cells(at_every_block(added.vectors.front(), run->document.model->config()), {1, 2}));
  ASSERT_TRUE(values);
  EXPECT_EQ(table->rows[6][1], table_number(values->front()[1]));
  EXPECT_EQ(table->rows[8][1], table_number(values->front()[2]));
  EXPECT_EQ(table->rows[6][2], table_number(values->front()[3]));
  EXPECT_NEAR(values->front()[1], workspace().asking.measure.newest()->value, 1e-9)
      << "strength 1 at its block is the run on screen";
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

}  // namespace
}  // namespace attnscope
