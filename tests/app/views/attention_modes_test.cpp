// The modes of the attention view and the pages of the mask view, by their items.
#include <cmath>

#include "core/session/mask_edits.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_attention_view();
std::unique_ptr<View> make_mask_view();
namespace {

class AttentionModesTest : public testing::LensViewFixture {
 protected:
  void SetUp() override {
    LensViewFixture::SetUp();
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  }
  void open_page(View& view, const char* page) {
    click_item(view, "mask_page_menu");
    click_item(view, page);
  }
  std::string mask() const { return asked_mask(session_->document(), AttentionKind::main).text(); }
};

TEST_F(AttentionModesTest, EveryModeDrawsOnEveryModel) {
  for (const char* model : {"gpt2", "llama", "marian", "vit", "scene"}) {
    open(model);
    const auto view = make_attention_view();
    for (const char* mode : {"attention.mode_lines", "attention.mode_build", "attention.mode_triangle"}) {
      click_item(*view, mode);
      for (const ImVec2 size : {ImVec2(880, 640), ImVec2(700, 460), ImVec2(120, 90)}) settle(*view, size);
    }
    EXPECT_FALSE(session_->error()) << model;
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AttentionModesTest, LinesOfSeveralHeadsAndAWordThatIsPointedAt) {
  open("gpt2");
  const auto view = make_attention_view();
  click_item(*view, "attention.mode_lines");
  click_item(*view, "head_line_1");
  EXPECT_EQ(workspace_.cursor.head, 0) << "one click adds a head, it does not move";
  settle(*view);
  const ItemRect rect = noted_items().at("attention.lines");
  for (float y = rect.p1.y - 4; y > rect.p0.y && !workspace_.cursor.pinned; y -= 6)
    click(*view, ImVec2(rect.p0.x + 20, y));
  EXPECT_TRUE(workspace_.cursor.pinned.has_value());
}

TEST_F(AttentionModesTest, TheLastOuterProductGivesTheScoresOfTheRun) {
  open("llama");
  const auto view = make_attention_view();
  click_item(*view, "attention.mode_build");
  settle(*view);
  const Tensor first = painter_.shown("attention.build_sum");
  ASSERT_EQ(first.rank(), 2);
  const ItemRect slider = noted_items().at("attention.build_feature");
  click(*view, ImVec2(slider.p1.x - 4, (slider.p0.y + slider.p1.y) / 2));
  settle(*view);
  const Tensor last = painter_.shown("attention.build_sum");
  const Cursor& cursor = workspace_.cursor;
  for (std::int64_t q = 0; q < last.size(0); ++q)
    for (std::int64_t k = 0; k < last.size(1); ++k)
      EXPECT_NEAR(last.at(q, k),
                  run().trace(0).cell(site_of(Slot::scores, cursor.layer), {cursor.head, q, k}), 1e-4);
}

TEST_F(AttentionModesTest, HeadsComeInOrderAndGoBack) {
  open("gpt2");
  const auto view = make_attention_view();
  settle(*view);
  const float before = noted_items().at("head_1_0").p0.y;
  EXPECT_GT(before, noted_items().at("head_0_0").p0.y);
  click_item(*view, "heads_sort");
  click_item(*view, "heads_by_entropy");
  click_item(*view, "heads_sort");
  click_item(*view, "heads_by_place");
  settle(*view);
  EXPECT_EQ(noted_items().at("head_1_0").p0.y, before);
}

TEST_F(AttentionModesTest, AMaskIsPutTogetherOfKinds) {
  open("gpt2");
  const auto view = make_mask_view();
  click_item(*view, "mask_kind_causal");
  EXPECT_EQ(mask(), "causal");
  click_item(*view, "mask_kind_window");
  EXPECT_EQ(mask(), "causal & window(4)");
  click_item(*view, "mask_or");
  EXPECT_EQ(mask(), "causal | window(4)");
  click_item(*view, "mask_kind_causal");
  EXPECT_EQ(mask(), "window(4)");
  click_item(*view, "mask_kind_full");
  EXPECT_EQ(mask(), "full");
  click_item(*view, "mask_kind_model");
  EXPECT_EQ(mask(), "model");
  EXPECT_EQ(session_->document().edits.size(), 0u) << "one mask, one edit";
}

// Of a model that looks back only, each pair by the definition: the newest four keys, nothing after the
// query.
TEST_F(AttentionModesTest, AWindowOpensNoFutureKeyOfACausalModel) {
  open("gpt2");
  const auto view = make_mask_view();
  for (const char* first : {"mask_kind_model", "mask_kind_full"}) {
    click_item(*view, first);
    click_item(*view, "mask_kind_window");
    EXPECT_EQ(mask(), "causal & window(4)") << first;
    const Trace& trace = run().trace(0);
    for (std::int64_t q = 0; q < trace.length; ++q)
      for (std::int64_t k = 0; k < trace.length; ++k)
        EXPECT_EQ(trace.cell(site_of(Slot::mask, 0), {q, k}) != 0, k <= q && k > q - 4) << q << "," << k;
  }
  open("bert");
  click_item(*view, "mask_kind_window");
  EXPECT_EQ(mask(), "window(4)") << "an encoder looks both ways";
}

TEST_F(AttentionModesTest, ThePatternBeforeIsThatOfTheModelsOwnMask) {
  open("gpt2");
  const auto own = session_->result()->traces.front();
  const auto view = make_mask_view();
  open_page(*view, "mask_page_pattern");
  click_item(*view, "mask_kind_full");
  settle(*view, ImVec2(1400, 640));
  const Tensor before = painter_.shown("mask.pattern_own"), after = painter_.shown("mask.pattern_now");
  ASSERT_EQ(before.rank(), 2);
  ASSERT_EQ(after.sizes(), before.sizes());
  const Cursor& cursor = workspace_.cursor;
  const Site site = site_of(Slot::pattern, cursor.layer);
  for (std::int64_t q = 0; q < before.size(0); ++q)
    for (std::int64_t k = 0; k < before.size(1); ++k) {
      if (k <= q) {
        EXPECT_NEAR(before.at(q, k), own->cell(site, {cursor.head, q, k}), 1e-6);
      } else {
        EXPECT_TRUE(std::isinf(before.at(q, k)));
      }
      EXPECT_NEAR(after.at(q, k), run().trace(0).cell(site, {cursor.head, q, k}), 1e-6);
    }
}

// The view opens with scores, mask, masked scores and pattern beside each other, and the row below in digits.
TEST_F(AttentionModesTest, TheMaskOpensWithAllStagesSideBySide) {
  open("gpt2");
  type("5 17 5 33 17 88");
  const auto view = make_mask_view();
  settle(*view);
  const auto& items = noted_items();
  float right = 0;
  for (const char* plane : {"matrix.mask.plane.before", "matrix.mask.board", "matrix.mask.plane.after",
                            "matrix.mask.plane.pattern"}) {
    ASSERT_TRUE(items.contains(plane)) << plane;
    EXPECT_GE(items.at(plane).p0.x, right) << plane;
    EXPECT_FLOAT_EQ(items.at(plane).p0.y, items.at("matrix.mask.board").p0.y) << plane;
    right = items.at(plane).p1.x;
  }
  ASSERT_TRUE(items.contains("figure.row"));
  EXPECT_GT(items.at("figure.row").p0.y, items.at("matrix.mask.board").p1.y);
  for (const char* item : {"mask_kind_causal", "mask_page_menu"})
    EXPECT_LT(items.at(item).p1.y, items.at("matrix.mask.board").p0.y) << item;
  const Tensor after = painter_.shown("mask.plane.after"), before = painter_.shown("mask.plane.before");
  for (std::int64_t query = 0; query < 6; ++query)
    for (std::int64_t key = 0; key < 6; ++key) {
      EXPECT_EQ(is_masked(after.at(query, key)), key > query);
      if (key <= query) {
        EXPECT_EQ(after.at(query, key), before.at(query, key));
      }
    }
}

TEST_F(AttentionModesTest, PartsABlindRowAndNotations) {
  open("gpt2");
  const auto view = make_mask_view();
  open_page(*view, "mask_page_segments");
  click_item(*view, "mask_name_parts");
  EXPECT_EQ(session_->document().sequences[0].input.spans.size(), 3u);
  click_item(*view, "mask_segments_1");
  EXPECT_EQ(mask(), "causal | image>image");
  click_item(*view, "mask_kind_part_0");
  EXPECT_EQ(mask(), "causal");
  workspace_.cursor.query = 2;
  open_page(*view, "mask_page_blind");
  settle(*view);
  const Tensor weights = painter_.shown("mask.blind_weights");
  ASSERT_EQ(weights.size(0), 3);
  EXPECT_TRUE(std::isnan(weights.at(0, 0)));
  EXPECT_EQ(weights.at(2, 0), 0.f);
  settle(*view, ImVec2(330, 460));
  const Tensor few = painter_.shown("mask.blind_weights");
  ASSERT_LT(few.size(1), weights.size(1));
  EXPECT_NEAR(few.at(1, 0), 1.0 / static_cast<double>(run().trace(0).length), 1e-6)
      << "of all keys, not of those shown";
  settle(*view);
  click_item(*view, "mask_blind_row");
  settle(*view);
  for (std::int64_t k = 0; k < 3; ++k)
    EXPECT_EQ(run().trace(0).cell(site_of(Slot::pattern, workspace_.cursor.layer), {0, 2, k}), 0.f);
  for (const char* item : {"mask_notation_1", "mask_notation_2", "mask_copy_PyTorch"})
    click_item(*view, item);
  EXPECT_EQ(std::string(ImGui::GetClipboardText()).substr(0, 12), "import torch");
  for (const char* page : {"mask_page_scores", "mask_page_pattern"}) open_page(*view, page);
  for (const ImVec2 size : {ImVec2(700, 460), ImVec2(120, 90)}) settle(*view, size);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

}  // namespace
}  // namespace attnscope
