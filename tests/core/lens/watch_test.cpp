// What is watched against plain loops over the Trace, and rules at which playing stops.
#include "core/lens/watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/arch/open.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> run_gpt2() {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  EXPECT_TRUE(opened) << opened.error().text();
  auto trace = opened->model->run(Input{{1, 2, 3, 4}, {}});
  EXPECT_TRUE(trace) << trace.error().text();
  return *trace;
}

TEST(Watch, ReadsBack) {
  for (const char* text :
       {"blocks.0.attn.scores[head=1,query=3,key=2]", "entropy(blocks.0.attn.pattern[head=1,query=3])",
        "norm(blocks.0.resid_post[pos=1])"}) {
    const auto watch = parse_watch(text);
    ASSERT_TRUE(watch) << text;
    EXPECT_EQ(to_text(*watch), text);
  }
  EXPECT_FALSE(parse_watch("median(blocks.0.attn.out)"));
  EXPECT_FALSE(parse_watch("nowhere"));
}

TEST(Watch, MeasuresAreThoseOfAPlainLoop) {
  const auto trace = run_gpt2();
  const Site pattern = site_of(Slot::pattern, 0), out = site_of(Slot::resid_post, 0);
  double entropy = 0, squares = 0, sum = 0;
  for (std::int64_t key = 0; key < 4; ++key) {
    const auto p = static_cast<double>(trace->cell(pattern, {1, 3, key}));
    entropy -= p > 0 ? p * std::log(p) : 0;
  }
  const std::int64_t width = trace->find(out)->shape[1];
  for (std::int64_t d = 0; d < width; ++d) {
    const auto x = static_cast<double>(trace->cell(out, {2, d}));
    squares += x * x, sum += x;
  }
  const auto value = [&](const char* text) { return watch_value(*trace, *parse_watch(text)).value_or(-1); };
  EXPECT_NEAR(value("entropy(blocks.0.attn.pattern[head=1,query=3])"), entropy, 1e-6);
  EXPECT_NEAR(value("norm(blocks.0.resid_post[pos=2])"), std::sqrt(squares), 1e-6);
  EXPECT_NEAR(value("mean(blocks.0.resid_post[pos=2])"), sum / static_cast<double>(width), 1e-6);
  EXPECT_EQ(value("blocks.0.attn.pattern[head=1,query=3,key=2]"),
            static_cast<double>(trace->cell(pattern, {1, 3, 2})));
  EXPECT_FALSE(watch_value(*trace, *parse_watch("blocks.0.attn.pattern[head=1]"))) << "more than one number";
  EXPECT_FALSE(watch_value(*trace, *parse_watch("blocks.99.attn.out[pos=0,d_model=0]")));
}

TEST(Watch, GoesAlongTheRows) {
  const auto trace = run_gpt2();
  const auto series = watch_series(*trace, *parse_watch("norm(blocks.0.resid_post[pos=2])"));
  ASSERT_EQ(series.size(), 4u);
  EXPECT_EQ(series[2], *watch_value(*trace, *parse_watch("norm(blocks.0.resid_post[pos=2])")));
  EXPECT_NE(series[0], series[2]);
  EXPECT_TRUE(watch_series(*trace, *parse_watch("norm(blocks.0.resid_post)")).empty());
}

TEST(StopRules, AreMetByTheStepsThatMeetThem) {
  const auto trace = run_gpt2();
  const Site pattern = site_of(Slot::pattern, 0), out = site_of(Slot::attn_out, 0);
  for (const char* text : {"nan", "entropy < 0.5", "max > 100"}) EXPECT_EQ(to_text(*parse_stop(text)), text);
  for (const char* text : {"", "entropy > 1", "max < 1", "entropy < x", "rank < 2"})
    EXPECT_FALSE(parse_stop(text)) << text;
  EXPECT_FALSE(stop_value(*trace, out, *parse_stop("nan")));
  EXPECT_TRUE(stop_value(*trace, pattern, *parse_stop("entropy < 100")));
  EXPECT_FALSE(stop_value(*trace, pattern, *parse_stop("entropy < 0")));
  EXPECT_FALSE(stop_value(*trace, out, *parse_stop("entropy < 100"))) << "no weights";
  float most = 0;
  for (const float x : trace->tensor(out)->values()) most = std::max(most, std::fabs(x));
  EXPECT_NEAR(stop_value(*trace, out, *parse_stop("max > 0")).value_or(-1), static_cast<double>(most), 1e-7);
  EXPECT_FALSE(stop_value(*trace, out, {StopRule::Kind::max_above, static_cast<double>(most)}));
}

}  // namespace
}  // namespace attnscope
