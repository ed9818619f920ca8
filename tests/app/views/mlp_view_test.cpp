// The MLP view without a screen: cells are the trace's, clicks go to the step, groups part the clouds.
#include "app/views/mlp_clouds.h"
#include "app/widgets/matrix_plot.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_mlp_view();
namespace {

class MlpViewTest : public testing::LensViewFixture {};

TEST_F(MlpViewTest, CellsAreTheTracesAtEveryStage) {
  for (const char* model : {"gpt2", "llama", "gemma", "bert", "bart"}) {
    open(model);
    const Trace& trace = run().trace(0);
    workspace_.cursor.stack = trace.config().stack;
    workspace_.cursor.layer = 1;
    workspace_.cursor.query = 1;
    const auto view = make_mlp_view();
    ASSERT_EQ(view->unavailable(run()), "") << model;
    click_item(*view, "mlp_neurons_page");
    settle(*view);
    const bool gated = trace.config().blocks[1].mlp.kind == MlpSpec::Kind::gated;
    const std::vector<std::pair<const char*, Slot>> stages =
        gated ? std::vector<std::pair<const char*, Slot>>{{"gate", Slot::mlp_gate},
                                                          {"act", Slot::mlp_act},
                                                          {"up", Slot::mlp_up},
                                                          {"post", Slot::mlp_post}}
              : std::vector<std::pair<const char*, Slot>>{{"pre", Slot::mlp_pre}, {"post", Slot::mlp_post}};
    for (const auto& [name, slot] : stages) {
      click_item(*view, std::string("mlp_stage_") + name);
      settle(*view);
      const Tensor shown = painter_.shown("mlp_neurons");
      const auto top =
          strongest_neurons(trace, {trace.config().stack, 1}, 1, static_cast<std::size_t>(shown.size(0)));
      ASSERT_EQ(std::ssize(top), shown.size(0));
      for (std::int64_t i = 0; i < 30; ++i) {
        const std::int64_t row = i * 7 % shown.size(0), pos = i * 3 % shown.size(1);
        EXPECT_EQ(shown.at(row, pos),
                  trace.cell(trace.main(slot, 1), {pos, top[static_cast<std::size_t>(row)].index}))
            << model << " " << name;
      }
    }
  }
}

TEST_F(MlpViewTest, AClickGoesToTheNeuronsCell) {
  open("llama", "5 17 5 33 17 88");
  workspace_.cursor.query = 4;
  const auto view = make_mlp_view();
  click_item(*view, "mlp_neurons_page");
  settle(*view);
  const auto top = strongest_neurons(run().trace(0), {Stack::single, 0}, 4, 3);
  click_item(*view, "matrix.mlp_neurons", 2, 3);
  EXPECT_EQ(to_text(workspace_.cursor.step), "blocks.0.mlp.post");
  EXPECT_EQ(workspace_.cursor.query, 3);
  ASSERT_TRUE(workspace_.cursor.pinned);
  EXPECT_EQ(to_text(*workspace_.cursor.pinned),
            "blocks.0.mlp.post[pos=3,d_mlp=" + std::to_string(top[2].index) + "]");
}

TEST_F(MlpViewTest, NewMinusOldOfTheTokensThatBothRunsHave) {
  open("gpt2", "5 17 5 33 17 88");
  type("5 17 9 33 17 88");
  workspace_.show_difference = true;
  workspace_.cursor.query = 4;
  const auto view = make_mlp_view();
  click_item(*view, "mlp_neurons_page");
  settle(*view);
  const Trace &now = run().trace(0), &before = session_->previous()->trace(0);
  const auto top = strongest_neurons(now, {Stack::single, 0}, 4, 3);
  const Tensor shown = painter_.shown("mlp_neurons");
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t pos = 0; pos < 6; ++pos) {
      const std::vector<std::int64_t> at{pos, top[static_cast<std::size_t>(row)].index};
      const Site site = now.main(Slot::mlp_post, 0);
      EXPECT_EQ(shown.at(row, pos), now.cell(site, at) - before.cell(site, at)) << row << " " << pos;
    }
}

TEST_F(MlpViewTest, CloudsFollowTheGroups) {
  open("gpt2", "5 17 5 33 17 88");
  const auto view = make_mlp_view();
  click_item(*view, "mlp_clouds_page");
  settle(*view);
  for (const char* cloud : {"mlp_cloud_0", "mlp_cloud_1", "mlp_cloud_2"})
    EXPECT_TRUE(noted_items().count(cloud)) << cloud;
  click_item(*view, "mlp_group_2");
  for (const ImVec2 size : {ImVec2(1200, 800), ImVec2(420, 300), ImVec2(120, 90)}) settle(*view, size);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
  const Trace& trace = run().trace(0);
  const auto clouds = mlp_clouds(trace, {Stack::single, 1}, {1, 1, 2, 2, 2, 0});
  ASSERT_EQ(clouds.size(), 3u);
  EXPECT_EQ(to_text(clouds[0].site), "blocks.1.ln2.out");
  EXPECT_EQ(to_text(clouds[1].site), "blocks.1.mlp.post");
  EXPECT_EQ(to_text(clouds[2].site), "blocks.1.mlp.out");
  for (const MlpCloud& cloud : clouds) {
    EXPECT_EQ(cloud.parted.a, 2);
    EXPECT_EQ(cloud.parted.b, 3);
    EXPECT_EQ(cloud.plane.points.size(0), 6);
    // Rows lie as far from each other in the plane as along its axes in the trace.
    for (std::int64_t c = 0; c < 2; ++c) {
      double along = 0;
      for (std::int64_t d = 0; d < cloud.plane.axes.size(1); ++d)
        along += (double(trace.cell(cloud.site, {4, d})) - trace.cell(cloud.site, {1, d})) *
                 cloud.plane.axes.at(c, d);
      EXPECT_NEAR(along, cloud.plane.points.at(4, c) - cloud.plane.points.at(1, c), 1e-4);
    }
  }
}

TEST_F(MlpViewTest, OpensInWordsAndAClickOpensTheNumbersOfANeuron) {
  open("gpt2", "5 17 5 33 17 88");
  workspace_.cursor.query = 4;
  const auto view = make_mlp_view();
  settle(*view);
  ASSERT_TRUE(noted_items().contains("figure.neurons"));
  EXPECT_FALSE(noted_items().contains("matrix.mlp_neurons"));
  click_item(*view, "figure.neurons");
  settle(*view);
  EXPECT_TRUE(noted_items().contains("matrix.mlp_neurons"));
}

TEST_F(MlpViewTest, SaysWhyThereIsNone) {
  const auto view = make_mlp_view();
  open("scene");
  EXPECT_NE(view->unavailable(run()), "");
}

}  // namespace
}  // namespace attnscope
