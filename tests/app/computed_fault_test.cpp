// Every kind of background computation throws once, and the frame says so in a sentence.
#include <functional>
#include <stdexcept>

#include "app/state/autosave.h"
#include "core/base/noted_words.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

std::atomic<int> thrown{0};

struct ComputedFaults : testing::FrameTest {
  void TearDown() override {
    before_computation = nullptr;
    note_words(false);
    FrameTest::TearDown();
  }
  /// Carries out `begin`, and every computation that begins from then on throws. True where a sentence says
  /// it.
  bool says(const std::function<void()>& begin) {
    session_->dismiss_error();
    note_words(true);
    thrown = 0;
    before_computation = [] {
      ++thrown;
      throw std::length_error("too many rows");
    };
    begin();
    settle();
    before_computation = nullptr;
    const bool said = noted_words().contains("error.work.failed_because");
    note_words(false);
    return said;
  }
  void set_number(float value) {
    ASSERT_TRUE(session_->edit("Set", {}, [&](Document& d) {
      put_edit(d, *parse_edit("blocks.0.resid_pre[pos=1,d_model=2]=" + std::to_string(value)));
      return Status(Done{});
    }));
  }
};

TEST_F(ComputedFaults, OfWhatTheSessionAndThePanelsCompute) {
  const testing::TempFolder folder;
  open_model("gpt2");
  Autosave autosave;
  const std::map<std::string, std::function<void()>> kinds{
      {"open",
       [&] {
         session_->open_document([](const std::atomic<bool>&) -> Result<Document> {
           return Error{Code::not_found, {}, {}};
         });
       }},
      {"run", [&] { set_number(2); }},
      {"generate", [&] { session_->answer(0, 1, "Answer"); }},
      {"pin",
       [&] {
         session_->pin([](const std::atomic<bool>&) -> Result<std::shared_ptr<const Document>> {
           return std::shared_ptr<const Document>();
         });
       }},
      {"measure", [&] { workspace().asking.measure.text = "logit:#3"; }},
      {"backward", [&] { workspace().backward = true; }},
      {"picture", [&] { state().write_figure(folder / "a.svg", "<svg/>"); }},
      {"browser",
       [&] {
         state().browse = BrowseRequest{false, "check.open.title", {}, {}};
       }},
      {"autosave",
       [&] {
         for (int i = 0; i < 400; ++i) {
           autosave.follow(state());
           frames(1);
         }
         settle();
         autosave.follow(state());
       }},
  };
  for (const auto& [name, begin] : kinds) {
    set_number(static_cast<float>(name.size()) + 0.25F);
    settle();
    EXPECT_TRUE(says(begin)) << name;
    EXPECT_GT(thrown, 0) << name << ": nothing was computed";
    workspace().backward = false;
    state().browse.reset();
    key(compat::Key::escape);
    ASSERT_TRUE(session_->result()) << name << ": what was there is gone";
  }
}

TEST_F(ComputedFaults, OfACheckedGradient) {
  open_model("gpt2");
  workspace().backward = true;
  settle();
  const auto grads = workspace().backward_run.newest();
  ASSERT_TRUE(grads && grads->gradients);
  pin_cell(workspace(), run(), *parse_cell("blocks.0.attn.q[pos=1,head*d_head=2]"));
  settle();
  EXPECT_TRUE(says([&] {
    const Cell cell = *workspace().cursor.pinned;
    workspace().backward_run.check(session_->workers(), grads, cell.site, "",
                                   cell_index(grads->gradients->trace(), cell));
  }));
}

TEST_F(ComputedFaults, OfEveryView) {
  open_model("gpt2");
  int computing = 0;
  float number = 1;
  for (const auto& view : state().views)
    for (int page = 0; page < 7; ++page) {
      const std::string id = view->id();
      if (page > 0 && id != "ask" && id != "output") break;
      workspace().view = "attention";
      set_number(number += 1);
      settle();
      const bool said = says([&] {
        workspace().asking.settings.page = static_cast<AskPage>(page);
        workspace().output_page = static_cast<OutputPage>(std::min(page, 3));
        workspace().view = id;
      });
      EXPECT_EQ(said, thrown > 0) << id << ", page " << page;
      computing += thrown > 0 ? 1 : 0;
      state().faults.clear();
    }
  EXPECT_GE(computing, 12) << "of the views";
}

}  // namespace
}  // namespace attnscope
