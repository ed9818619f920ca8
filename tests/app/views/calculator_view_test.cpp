// The calculator without a screen: it opens with any model, follows presets and sizes, and is drawn in both
// languages.
#include "app/views/calculator_panes.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_calculator_view();
namespace {

constexpr const char* kPaneItems[] = {"calc_parameters", "calc_cache", "calc_flops", "calc_training",
                                      "calc_slips"};

class CalculatorViewTest : public testing::LensViewFixture {
 protected:
  void walk_panes(View& view) {
    for (const char* pane : kPaneItems) {
      click_item(view, pane);
      settle(view);
      EXPECT_FALSE(noted_items().contains("calc_error")) << pane;
    }
  }
};

TEST_F(CalculatorViewTest, EveryPaneIsDrawnForEveryKindOfModelInBothLanguages) {
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const char* model : {"gpt2", "t5", "vit", "mistral", "paligemma_prefix", "scene"}) {
      open(model);
      const auto view = make_calculator_view();
      walk_panes(*view);
      EXPECT_TRUE(noted_items().contains("calc_d_model")) << model;
    }
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
  ASSERT_TRUE(set_language("en"));
}

TEST_F(CalculatorViewTest, TheRunIsCountedWhenItIsAsked) {
  open("gpt2");
  const auto view = make_calculator_view();
  click_item(*view, "calc_flops");
  settle(*view);
  ASSERT_TRUE(noted_items().contains("calc_count"));
  EXPECT_FALSE(noted_items().contains("calc_counted"));
  click_item(*view, "calc_count");
  settle(*view);
  EXPECT_TRUE(noted_items().contains("calc_counted"));
}

TEST_F(CalculatorViewTest, ANumberThatIsDraggedChangesTheModel) {
  open("gpt2");
  const auto view = make_calculator_view();
  settle(*view);
  EXPECT_FALSE(noted_items().contains("calc_reset"));
  const ItemRect field = noted_items().at("calc_layers");
  const float x = (field.p0.x + field.p1.x) / 2, y = (field.p0.y + field.p1.y) / 2;
  point_at(x, y);
  show(*view);
  show(*view);
  press(true);
  for (int step = 0; step < 8; ++step) {
    show(*view);
    point_at(x + 12.f * static_cast<float>(step), y);
  }
  press(false);
  settle(*view);
  EXPECT_TRUE(noted_items().contains("calc_reset"));
  click_item(*view, "calc_reset");
  settle(*view);
  EXPECT_FALSE(noted_items().contains("calc_reset"));
}

TEST(CalculatorNumbers, HaveALetterForTheirThousands) {
  EXPECT_EQ(with_prefix(20), "20");
  EXPECT_EQ(with_prefix(1.4e11), "140 G");
  EXPECT_EQ(with_prefix(2.04e12), "2.04 T");
}

}  // namespace
}  // namespace attnscope
