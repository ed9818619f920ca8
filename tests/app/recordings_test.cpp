// Recordings that hold any part of a run: every view is drawn, every step is walked over, nothing falls over
// and no word is missing. What a view cannot show it says.
#include "tests/recordings.h"

#include "core/arch/open.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope::testing {
namespace {

constexpr int kSubsets = 5;  // of each model

class Recordings : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's renderer has
  }

  // Two runs of a model, the second padded.
  Arrays recorded(const std::string& name) {
    Arrays all;
    auto opened = open_model_at(name);
    Document document = new_document(opened);
    Input input = inputs_of(document).front();
    for (int sequence = 0; sequence < 2; ++sequence) {
      if (sequence == 1 && !input.ids.empty() && input.pixels.empty())
        input = padded(input, opened->model->config(), input.length() + 2,
                       static_cast<std::int64_t>(input.source.size()) + 1, PadSide::left);
      const auto trace = opened->model->run(input);
      EXPECT_TRUE(trace) << trace.error().text();
      if (trace) all.add(**trace, sequence == 0 ? "" : "seq1.");
    }
    return all;
  }
  void show(const Arrays& arrays) {
    ASSERT_FALSE(arrays.tensors.empty());
    const std::string path = folder_ / "run.npz";
    ASSERT_TRUE(write_npz(path, arrays.tensors, arrays.ints));
    state().open(path);
    settle();
    ASSERT_FALSE(session_->error()) << session_->error()->text();
    ASSERT_TRUE(session_->result());
  }
  // Every view, and in each some steps and cells; all of it where nothing is left to chance.
  void look_everywhere(std::mt19937& random) {
    const int steps = static_cast<int>(run().steps.size());
    for (const auto& view : state().views) {
      workspace().view = view->id();
      frames(1);
      for (int look = 0; look < 2; ++look) {
        Cursor& cursor = workspace().cursor;
        const Site site = run().steps[random() % static_cast<unsigned>(steps)].main;
        cursor.sequence = static_cast<int>(random() % run().traces.size());
        cursor.step = site, cursor.stack = site.stack, cursor.part = site.part;
        cursor.layer = std::max(0, site.layer);
        cursor.query = static_cast<int>(random() % 12), cursor.key = static_cast<int>(random() % 12);
        if (const Record* record = run().trace(cursor.sequence).find(site)) {
          Cell cell{site, {}};
          for (std::size_t d = 0; d < record->shape.size(); ++d)
            cell.at.push_back(
                {std::string(axis_name(record->axes[d])),
                 static_cast<std::int64_t>(random() % static_cast<unsigned>(record->shape[d]))});
          cursor.pinned = cell;
        }
        settle();
      }
    }
  }

  TempFolder folder_;

 private:
  std::shared_ptr<const OpenedModel> open_model_at(const std::string& name) {
    auto opened = attnscope::open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    EXPECT_TRUE(opened) << opened.error().text();
    return std::make_shared<const OpenedModel>(*std::move(opened));
  }
};

class RecordingsOf : public Recordings, public ::testing::WithParamInterface<const char*> {};

TEST_P(RecordingsOf, AnySubsetAreDrawnByEveryView) {
  const Arrays all = recorded(GetParam());
  const unsigned first = first_seed();
  for (unsigned seed = first; seed < first + kSubsets; ++seed) {
    const Arrays some = seed == 0 ? all : subset(all, seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + names_of(some));
    show(some);
    std::mt19937 random(seed);
    look_everywhere(random);
    EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
  }
}

TEST_F(Recordings, WithoutTheRestOfAStepAreDrawnByEveryView) {
  const Arrays all = recorded("gpt2");
  std::mt19937 random(1);
  for (const char* steps : kUsualParts) {
    SCOPED_TRACE(steps);
    show(selected(all, steps));
    look_everywhere(random);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RecordingsOf,
                         ::testing::Values("gpt2", "llama3", "gemma2", "gpt_neox", "bloom", "bert", "marian",
                                           "t5", "paligemma_prefix", "vit"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace attnscope::testing
