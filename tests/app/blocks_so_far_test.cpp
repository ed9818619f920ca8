// A long run in the window, stopped after its first block by the news of it: its pictures are there, and the
// rest goes on.
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>

#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

// Whoever comes through it while it is shut waits: the run's thread, after each picture.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    open_.wait(lock, [&] { return !shut_; });
  }
  void set(bool shut) {
    const std::lock_guard lock(mutex_);
    shut_ = shut;
    open_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  bool shut_ = false;
};

class BlocksSoFar : public testing::FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    frame_.reset();
    const auto own = std::this_thread::get_id();
    session_ = std::make_unique<Session>([this, own] {
      if (std::this_thread::get_id() != own) gate_.pass();
    });
    frame_ = std::make_unique<Frame>(*session_);
    std::ofstream(folder_ / "config.json")
        << R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 24,
      "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 32,
      "vocab_size": 700, "max_position_embeddings": 1024, "rms_norm_eps": 1e-5})";
    state().open("random:" + (folder_ / "config.json"));
    settle();
    ASSERT_TRUE(session_->result());
    workspace().view = "attention";
    settle();
  }
  void TearDown() override {
    gate_.set(false);
    FrameTest::TearDown();
  }
  // Of other tokens; returns when the first block has its pictures.
  void run_until_the_first_block() {
    gate_.set(true);
    std::vector<int> ids;
    for (int i = 0; i < 300; ++i) ids.push_back(i + 1);
    ASSERT_TRUE(session_->edit("Another text", {},
                               [&](Document& document) { return set_ids(document, 0, ids, {}); }));
    while (session_->running() && !session_->so_far()->pictures()) std::this_thread::yield();
    ASSERT_TRUE(session_->so_far());
  }

  testing::TempFolder folder_;
  Gate gate_;
};

TEST_F(BlocksSoFar, TheFirstBlockIsSeenBeforeTheLast) {
  run_until_the_first_block();
  frames();
  EXPECT_TRUE(shows("so_far_0_1"));
  EXPECT_FALSE(shows("so_far_1_0")) << "no more than the first block is computed";
  EXPECT_FALSE(shows("matrix.attention.plane")) << "the picture of other tokens";
  click("so_far_0_1");
  gate_.set(false);
  settle();
  EXPECT_FALSE(shows("so_far_0_1"));
  EXPECT_EQ(run().trace(0).length, 300);
  EXPECT_EQ(workspace().cursor.layer, 0);
  EXPECT_EQ(workspace().cursor.head, 1);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(BlocksSoFar, AnEditOfTheSameTokensKeepsTheViewInSight) {
  run_until_the_first_block();
  gate_.set(false);
  settle();
  gate_.set(true);
  ASSERT_TRUE(session_->edit("Nothing of head 0", {}, [&](Document& document) {
    put_edit(document, *parse_edit("blocks.0.attn.z[head=0]=0"));
    return Status(Done{});
  }));
  while (session_->running() && !session_->so_far()->pictures()) std::this_thread::yield();
  frames();
  EXPECT_TRUE(session_->running());
  EXPECT_FALSE(shows("so_far_0_0"));
  gate_.set(false);
  settle();
}

TEST_F(BlocksSoFar, ARunThatWasStoppedBeginsAgain) {
  Document fresh = document();
  std::vector<int> ids(300, 3);
  ASSERT_TRUE(set_ids(fresh, 0, ids, {}));
  session_->open_document([fresh](const std::atomic<bool>&) -> Result<Document> { return fresh; });
  while (session_->opening() || session_->workers().any_busy()) std::this_thread::yield();
  gate_.set(true);
  session_->poll();
  while (!session_->so_far()->pictures()) std::this_thread::yield();
  frames();
  EXPECT_TRUE(shows("so_far_0_0"));
  session_->cancel_run();
  frames();
  EXPECT_FALSE(shows("so_far_0_0"));
  ASSERT_TRUE(shows("compute_again"));
  gate_.set(false);
  click("compute_again");
  settle();
  EXPECT_FALSE(shows("compute_again"));
  ASSERT_TRUE(session_->result());
  EXPECT_EQ(run().trace(0).length, 300);
}

}  // namespace
}  // namespace attnscope
