// Rows that an edit keeps from summing to one, against the sums of the whole step.
#include "core/lens/row_off_one.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/arch/open.h"
#include "core/trace/edit.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> row_off_one_run(const std::vector<std::string>& edits) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  EXPECT_TRUE(opened) << opened.error().text();
  RunOptions options;
  for (const std::string& text : edits) {
    const auto edit = parse_edit(text);
    EXPECT_TRUE(edit) << text;
    options.edits.push_back(*edit);
  }
  const auto trace = opened->model->run(Input{{5, 17, 5, 33, 17, 8}, {}}, options);
  EXPECT_TRUE(trace) << trace.error().text();
  return *trace;
}

const Site kOffPattern = site_of(Slot::pattern, 1);

double whole_row(const Trace& trace, std::int64_t head, std::int64_t row) {
  double sum = 0;
  for (const float cell : trace.tensor(kOffPattern)->select(0, head).slice(0, row, row + 1).values())
    sum += static_cast<double>(cell);
  return sum;
}

TEST(RowOffOne, NothingIsOffWithoutAnEditOfTheShares) {
  for (const std::vector<std::string>& edits : {std::vector<std::string>{},
                                                {"blocks.1.attn.scores[head=0,query=3,key=1]=4"},
                                                {"blocks.*.attn.mask_order=before"},
                                                {"logits[pos=2]*=3"}}) {
    const auto trace = row_off_one_run(edits);
    EXPECT_FALSE(row_off_one(*trace, kOffPattern));
    EXPECT_FALSE(row_off_one(*trace, site_of(Slot::probs)));
    EXPECT_FALSE(row_off_one(*trace, site_of(Slot::resid_post, 1))) << "no shares";
  }
}

TEST(RowOffOne, AWeightThatWasSetIsFoundWithTheSumOfItsRow) {
  const auto trace = row_off_one_run({"blocks.1.attn.pattern[head=2,query=3,key=1]=0.9"});
  const auto off = row_off_one(*trace, kOffPattern);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->head, 2);
  EXPECT_EQ(off->row, 3);
  EXPECT_NEAR(off->sum, whole_row(*trace, 2, 3), 1e-5);
  EXPECT_GT(std::fabs(off->sum - 1), 1e-3);
  EXPECT_TRUE(row_off_one(*trace, kOffPattern, 2));
  EXPECT_FALSE(row_off_one(*trace, kOffPattern, 1)) << "another head";
  EXPECT_FALSE(row_off_one(*trace, site_of(Slot::pattern, 0))) << "another block";
}

}  // namespace
}  // namespace attnscope
