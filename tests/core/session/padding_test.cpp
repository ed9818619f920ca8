// What counts from the end beside padding: measures, and the places of a data set.
#include <gtest/gtest.h>

#include "core/arch/open.h"
#include "core/session/data_cells.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"
#include "core/session/request.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> padded_run(const OpenedModel& opened, const std::string& ids, const char* side) {
  const auto document =
      requested_document(opened, *read_request({"--ids", ids, "--pad-to", "6", "--pad-side", side}));
  EXPECT_TRUE(document) << document.error().text();
  return *opened.model->run(inputs_of(*document).front());
}

TEST(Padding, TheLastPositionOfAMeasureIsTheLastToken) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(opened);
  const auto row = [&](const char* side, const std::string& position) -> std::int64_t {
    const auto run = padded_run(*opened, "1,2,3", side);
    const auto measure = parse_measure(*opened, "logit:#3" + position, -1, run.get());
    return measure ? measure->row : -1;
  };
  EXPECT_EQ(row("right", "[pos=-1]"), 2);
  EXPECT_EQ(row("right", "[pos=-3]"), 0);
  EXPECT_EQ(row("right", "[pos=-4]"), -1) << "there are three tokens";
  EXPECT_EQ(row("right", "[pos=5]"), 5) << "a row's own number, padding or not";
  EXPECT_EQ(row("left", "[pos=-1]"), 5);
  EXPECT_EQ(row("left", "[pos=-3]"), 3);
  EXPECT_EQ(row("left", "[pos=-4]"), -1);
  EXPECT_EQ(row("left", "[pos=0]"), 0);
}

TEST(Padding, ThePlacesOfPromptsAreCountedFromTheirLastTokens) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(opened);
  const Site site = *parse_site("blocks.0.mlp.out");
  DataCells cells({}, false);
  for (const auto& [ids, last] : {std::pair("1,2,3", 2), std::pair("4,5,6,7", 3)}) {
    const auto run = padded_run(*opened, ids, "right");
    ASSERT_TRUE(
        cells.add(1, *run, 0, {{to_text(site), site.stack, {AxisRange("pos", last)}, 1.0, 0}}, false));
  }
  ASSERT_EQ(cells.cells().size(), 1u);
  EXPECT_EQ(to_text(cells.cells()[0].at), "[pos=-1]");
  EXPECT_EQ(cells.cells()[0].value.n(), 2);
}

}  // namespace
}  // namespace attnscope
