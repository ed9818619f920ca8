// What is told of a run before it is over: its blocks in order, pictures of their patterns, the time that is
// left.
#include "core/session/run_so_far.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/arch/open.h"
#include "core/lens/attention_plane.h"
#include "core/session/session.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

constexpr int kLayers = 3, kHeads = 2;

struct BlocksTest : ::testing::Test {
  void SetUp() override {
    std::ofstream(folder / "config.json")
        << R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 16,
      "num_hidden_layers": 3, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 16,
      "vocab_size": 50, "max_position_embeddings": 512, "rms_norm_eps": 1e-5})";
    auto opened = open_model("random:" + (folder / "config.json"));
    ASSERT_TRUE(opened) << opened.error().text();
    document = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
    give(300);
  }
  void give(int tokens) {
    std::vector<int> ids;
    for (int i = 0; i < tokens; ++i) ids.push_back(i * 7 % 50);
    document.sequences[0].input.ids = ids;
  }
  std::shared_ptr<const Trace> run(RunSoFar& so_far) {
    const auto traces = run_all(document, {}, {}, &so_far);
    return traces ? traces->front() : nullptr;
  }
  testing::TempFolder folder;
  Document document;
};

TEST_F(BlocksTest, PicturesAreThereAfterEachBlock) {
  std::vector<std::size_t> heads;
  RunSoFar* told = nullptr;
  RunSoFar so_far(document, [&] { heads.push_back(told->pictures()->heads.size()); });
  told = &so_far;
  EXPECT_FALSE(so_far.pictures());
  ASSERT_TRUE(run(so_far));
  EXPECT_EQ(heads, (std::vector<std::size_t>{kHeads, 2 * kHeads, 3 * kHeads}));
}

TEST_F(BlocksTest, PicturesShowTheRun) {
  RunSoFar so_far(document);
  const auto trace = run(so_far);
  ASSERT_TRUE(trace);
  const auto pictures = so_far.pictures();
  ASSERT_TRUE(pictures);
  EXPECT_EQ(pictures->layers, kLayers);
  EXPECT_EQ(pictures->of_layers, kLayers);
  EXPECT_EQ(pictures->widest, kHeads);
  ASSERT_EQ(pictures->heads.size(), static_cast<std::size_t>(kLayers * kHeads));
  const std::int64_t stride = pictures->row_stride, block = 5;  // 300 tokens in at most 64 cells
  ASSERT_GT(stride, 1);
  for (const HeadSoFar& head : pictures->heads) {
    const Tensor pattern =
        trace->slice(trace->main(StepRole::pattern, head.layer), head.head, {0, 300}, {0, 300});
    ASSERT_EQ(head.cells.sizes(), (std::vector<std::int64_t>{60, 60}));
    for (std::int64_t row = 0; row < 60; ++row)
      for (std::int64_t col = 0; col < row; ++col) {
        float largest = 0;
        for (std::int64_t query = row * block; query < (row + 1) * block; ++query)
          for (std::int64_t key = col * block; query % stride == 0 && key < (col + 1) * block; ++key)
            largest = std::max(largest, pattern.at(query, key));
        ASSERT_NEAR(head.cells.at(row, col), largest, 1e-6f) << head.layer << "." << head.head << " " << row;
      }
  }
}

TEST_F(BlocksTest, ShortInputsHaveNoPictures) {
  give(RunSoFar::kLeastPictured - 1);
  RunSoFar so_far(document);
  ASSERT_TRUE(run(so_far));
  EXPECT_FALSE(so_far.pictures());
  EXPECT_EQ(so_far.share(), 1.f);
}

TEST_F(BlocksTest, TheTimeThatIsLeftFollowsTheBlocks) {
  using Time = std::chrono::steady_clock::time_point;
  Time now{};
  RunSoFar so_far(document, {}, [&] { return now; });
  EXPECT_FALSE(so_far.seconds_left());
  const auto trace = run_all(document, {}, {});
  ASSERT_TRUE(trace);
  now += std::chrono::seconds(4);
  so_far.took(0, *trace->front(), trace->front()->config().stack, 0);
  EXPECT_NEAR(so_far.seconds_left().value_or(-1), 8, 1e-4);
  now += std::chrono::seconds(2);
  so_far.took(0, *trace->front(), trace->front()->config().stack, 1);
  EXPECT_NEAR(so_far.seconds_left().value_or(-1), 3, 1e-4);
}

// A run that shares its first blocks with another one: the time of those that it computes counts.
TEST_F(BlocksTest, SharedBlocksTakeNoTime) {
  using Time = std::chrono::steady_clock::time_point;
  Time now{};
  RunSoFar so_far(document, {}, [&] { return now; });
  const auto trace = run_all(document, {}, {});
  ASSERT_TRUE(trace);
  now += std::chrono::seconds(2);
  so_far.took(0, *trace->front(), trace->front()->config().stack, 1);
  EXPECT_NEAR(so_far.seconds_left().value_or(-1), 2, 1e-4);
}

TEST_F(BlocksTest, ARunIsCancelledBetweenBlocks) {
  std::atomic<bool> cancel{false};
  int blocks = 0;
  RunSoFar so_far(document, [&] {
    ++blocks;
    cancel = true;
  });
  RunOptions options;
  options.cancel = &cancel;
  const auto traces = run_all(document, options, {}, &so_far);
  ASSERT_FALSE(traces);
  EXPECT_EQ(traces.error().code(), Code::cancelled);
  EXPECT_EQ(blocks, 1);
}

}  // namespace
}  // namespace attnscope
