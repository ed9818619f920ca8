// Curves over the strength of vectors against runs with edits as a person writes them.
#include "core/session/steer_sweep.h"

#include <gtest/gtest.h>

#include "core/arch/open.h"
#include "core/session/edit_values.h"
#include "core/session/request.h"

namespace attnscope {
namespace {

const std::string kSat = "The cat sat on the mat because it was tired. So the";

Document document_of(const OpenedModel& opened, const std::vector<std::string>& edits) {
  Request request;
  request.words = {{kSat, false}};
  request.edits = edits;
  return *requested_document(opened, request);
}

double measured_with(const OpenedModel& opened, const std::vector<std::string>& edits,
                     const LogitMeasure& measure) {
  const Document document = document_of(opened, edits);
  RunOptions options;
  options.edits = edits_for(document.edits, 0);
  return *measured(measure, **document.model->run(inputs_of(document).front(), options));
}

TEST(SteerSweep, IsARunForEachStrengthAndBlock) {
  const OpenedModel opened = *open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
  const LogitMeasure measure{LogitMeasure::Kind::logit_diff, 13, 26, -1, {}};
  const std::string other = "blocks.1.attn.z[head=3]=0";
  const Document document = document_of(opened, {"blocks.0.resid_post[pos=3]+=@dir:cat-mat", other});
  const AddedVectors added = added_vectors(document, 0);
  ASSERT_EQ(added.vectors.size(), 1u);
  ASSERT_EQ(added.others.size(), 1u);
  EXPECT_EQ(to_text(*added.others.front()), other);

  RunOptions options;
  options.edits = added.others;
  const auto run = *document.model->run(inputs_of(document).front(), options);
  const std::vector<double> strengths{-1, 0, 2};
  const std::vector<SteerCell> cells =
      steer_cells(at_every_block(added.vectors.front(), opened.model->config()), strengths);
  ASSERT_EQ(cells.size(), 9u) << "two blocks and both together";
  const auto values = steer_values(*document.model, {measure}, run, cells);
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_NEAR(values->front()[0], measured_with(opened, {other}, measure), 1e-9);
  for (std::size_t block = 0; block < 2; ++block)
    for (std::size_t s = 0; s < strengths.size(); ++s) {
      const std::string edit = "blocks." + std::to_string(block) + ".resid_post[pos=3]+=@dir:cat-mat*" +
                               std::to_string(strengths[s]);
      EXPECT_NEAR(values->front()[1 + block * 3 + s], measured_with(opened, {edit, other}, measure), 1e-4)
          << edit;
    }
  EXPECT_GT(std::abs(values->front()[1] - values->front()[0]), 0.01);
  EXPECT_NEAR(values->front()[2], values->front()[0], 1e-9) << "strength 0 is the run without the vector";
}

}  // namespace
}  // namespace attnscope
