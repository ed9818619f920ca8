// The KV cache view without a screen: what it draws is the trace's keys and values up to the step, and its
// steps, pages and clicks do what they say.
#include "app/views/kv_stack.h"
#include "app/widgets/matrix_plot.h"
#include "core/figure/figure.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_kv_view();
namespace {

class KvViewTest : public testing::LensViewFixture {
 protected:
  void key(View& view, compat::Key which) {
    compat::feed_key(ImGui::GetIO(), which, true);
    show(view);
    compat::feed_key(ImGui::GetIO(), which, false);
    show(view);
    settle(view);
  }
};

TEST_F(KvViewTest, DrawsTheKeysAndValuesThatAttentionReads) {
  struct Case {
    const char* model;
    Slot keys;
    const char* text;
  };
  for (const Case& it : {Case{"gpt2", Slot::split_k, "5 17 5 33 17 88"},
                         Case{"llama", Slot::rot_k, "5 17 5 33 17 88"}, Case{"bart", Slot::split_k, ""}}) {
    open(it.model);
    if (it.text[0]) type(it.text);
    workspace_.view = "kv";
    workspace_.animate = false;
    workspace_.cursor.layer = 1;
    workspace_.cursor.head = 3;
    const auto view = make_kv_view();
    ASSERT_EQ(view->unavailable(run()), "") << it.model;
    settle(*view);
    const Trace& trace = run().trace(0);
    const AttentionSpec& spec = trace.config().blocks[1].attention;
    const std::int64_t own = std::min(3, spec.n_heads - 1) * spec.n_kv_heads / spec.n_heads;
    const Tensor k = painter_.shown("kv_keys"), v = painter_.shown("kv_values");
    ASSERT_EQ(k.size(0), trace.length) << it.model;
    for (std::int64_t i = 0; i < 40; ++i) {
      const std::int64_t row = i * 7 % k.size(0), dim = i * 5 % k.size(1);
      EXPECT_EQ(k.at(row, dim), trace.cell(trace.main(it.keys, 1), {own, row, dim})) << it.model;
      EXPECT_EQ(v.at(row, dim), trace.cell(trace.main(Slot::split_v, 1), {own, row, dim})) << it.model;
    }
    // One token less: its row is not there yet.
    if (trace.length < 3) continue;
    key(*view, compat::Key::left);
    const Tensor before = painter_.shown("kv_keys");
    EXPECT_TRUE(is_masked(before.at(trace.length - 1, 0))) << it.model;
    EXPECT_FALSE(is_masked(before.at(trace.length - 2, 0))) << it.model;
    key(*view, compat::Key::right);
    EXPECT_FALSE(is_masked(painter_.shown("kv_keys").at(trace.length - 1, 0)));
  }
}

// The newest row stands below in digits, and is another one a step before.
TEST_F(KvViewTest, TheNewestRowStandsInDigits) {
  open("gpt2", "5 17 5 33 17 88");
  workspace_.view = "kv";
  workspace_.animate = false;
  const auto view = make_kv_view();
  settle(*view);
  ASSERT_TRUE(noted_items().contains("figure.row"));
  const Trace& trace = run().trace(0);
  const auto largest = [&](std::int64_t row) {
    float most = 0;
    for (std::int64_t dim = 0; dim < 8; ++dim)
      if (const float one = trace.cell(trace.main(Slot::split_v, workspace_.cursor.layer),
                                       {workspace_.cursor.head, row, dim});
          std::abs(one) > std::abs(most))
        most = one;
    return figure::number_text(static_cast<double>(most), 2);
  };
  EXPECT_TRUE(texts(*view).contains(largest(5)));
  key(*view, compat::Key::left);
  EXPECT_TRUE(texts(*view).contains(largest(4)));
}

TEST_F(KvViewTest, EveryPageAtEverySizeAndAClickChoosesTheHead) {
  open("gpt2", "5 17 5 33 17 88");
  workspace_.view = "kv";
  const auto view = make_kv_view();
  for (const char* page : {"kv_products_page", "kv_bytes_page", "kv_cells"}) {
    click_item(*view, page);
    for (const ImVec2 size : {ImVec2(880, 640), ImVec2(420, 300), ImVec2(120, 90)}) settle(*view, size);
  }
  workspace_.cursor.layer = workspace_.cursor.head = 0;
  settle(*view);
  const ItemRect cells = noted_items().at("kv_stack");
  const int heads = run().trace(0).config().blocks[0].attention.n_heads;
  ASSERT_EQ(cells.rows, static_cast<std::int64_t>(heads) * run().trace(0).config().n_layers());
  click_item(*view, "kv_stack", heads + 1, 2);
  EXPECT_EQ(workspace_.cursor.layer, 1);
  EXPECT_EQ(workspace_.cursor.head, 1);
  EXPECT_EQ(workspace_.cursor.key, 2);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(KvViewTest, SaysWhyThereIsNone) {
  const auto view = make_kv_view();
  for (const char* model : {"bert", "vit", "scene"}) {
    open(model);
    EXPECT_NE(view->unavailable(run()), "") << model;
  }
}

TEST_F(KvViewTest, NumbersOfPositionsStandAtEqualSteps) {
  const std::vector<KvStackRow> rows{{0, 0, "0.0"}};
  KvStack stack;
  stack.rows = rows;
  stack.columns = stack.length = 27;
  stack.computed = 26;
  stack.token = [](std::int64_t) { return std::string("x"); };
  DisplayList list;
  frame([&] {
    const DrawRecording recording(&list);
    (void)draw_kv_stack(stack, ImVec2(20, 20), ImVec2(280, 200));
  });
  std::vector<int> told;
  for (const DrawItem& item : list.items())
    if (item.kind == DrawItem::Kind::text && list.text(item) != "0.0")
      told.push_back(std::stoi(std::string(list.text(item))));
  ASSERT_GE(told.size(), 5u);
  ASSERT_LT(told.size(), 27u);
  for (std::size_t i = 2; i < told.size(); ++i) EXPECT_EQ(told[i] - told[i - 1], told[1] - told[0]) << i;
}

TEST(KvStack, HeadsBecomeBlocksWhereTheyDoNotFit) {
  EXPECT_EQ(kv_stack_rows({2, 4}, 1000).size(), 6u);
  const auto few = kv_stack_rows({2, 4}, 40);
  ASSERT_EQ(few.size(), 2u);
  EXPECT_EQ(few[1].layer, 1);
  EXPECT_EQ(few[1].head, -1);
}

}  // namespace
}  // namespace attnscope
