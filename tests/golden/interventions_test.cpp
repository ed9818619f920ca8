// Changed steps: exactly what follows from them changes, and changed scores or patterns give what a
// recomputation by hand gives.
#include "core/trace/provenance.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

std::shared_ptr<const Edit> change(const std::string& text) {
  const auto edit = parse_edit(text);
  EXPECT_TRUE(edit) << text;
  return *edit;
}

bool same_bits(const Tensor& a, const Tensor& b) { return max_abs_difference(a, b) == 0; }

class Changed : public ::testing::Test {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path("llama"));
    ids_ = fixture("llama").ids[0];
    plain_ = run({});
  }
  TracePointer run(Edits changes, std::vector<Mask::Cell> cells = {}) const {
    RunOptions options;
    options.edits = std::move(changes);
    if (!cells.empty())
      options.edits.push_back(make_edit(MaskEdit{AttentionKind::main, {}, std::move(cells)}));
    return must_run(*opened_.model, {ids_, {}}, options);
  }
  // Steps before `site` are untouched, and so are rows before `row` of all steps after it.
  void expect_only_later(const Trace& changed, const std::string& site, std::int64_t row) const {
    const int at = plain_->index_of(must_site(site));
    int later_changes = 0;
    for (const Record& record : changed.records()) {
      const Tensor now = must_tensor(changed, record.site), before = must_tensor(*plain_, record.site);
      const int axis = record.axes[0] == Axis::head ? 1 : 0;
      if (changed.index_of(record.site) < at) {
        EXPECT_TRUE(same_bits(now, before)) << to_text(record.site);
      } else {
        const bool sees_future = record.site.slot == Slot::scores || record.site.slot == Slot::scaled;
        EXPECT_TRUE(sees_future || same_bits(now.slice(axis, 0, row), before.slice(axis, 0, row)))
            << to_text(record.site);
        later_changes += !same_bits(now, before);
      }
    }
    EXPECT_GT(later_changes, 10);
  }
  Tensor pattern_times_v(const Tensor& pattern, const Trace& trace, std::int64_t head) const {
    const Tensor v = must_tensor(trace, "blocks.1.attn.split_v").select(0, head / 3);  // six heads share two
    return weighted_sum(pattern, v);
  }

  OpenedModel opened_;
  std::vector<int> ids_;
  TracePointer plain_;
};

TEST_F(Changed, one_cell_changes_what_follows_only) {
  const TracePointer changed = run({change("blocks.1.ln1.out[pos=5,d_model=2]=4")});
  EXPECT_EQ(changed->cell(must_site("blocks.1.ln1.out"), {5, 2}), 4.f);
  EXPECT_EQ(changed->cell(must_site("blocks.1.ln1.out"), {5, 3}),
            plain_->cell(must_site("blocks.1.ln1.out"), {5, 3}));
  expect_only_later(*changed, "blocks.1.ln1.out", 5);
  const auto why = explain(*changed, must_site("blocks.1.ln1.out"), {5, 2});
  EXPECT_TRUE(why && why->edited);
}

TEST_F(Changed, a_silenced_head_leaves_zeros_in_its_columns) {
  const TracePointer changed = run({change("blocks.1.attn.z[head=4]=0")});
  const Tensor z = must_tensor(*changed, "blocks.1.attn.z"), before = must_tensor(*plain_, "blocks.1.attn.z");
  const Tensor concat = must_tensor(*changed, "blocks.1.attn.concat");
  for (std::int64_t head = 0; head < 6; ++head) {
    const Tensor columns = concat.slice(1, head * 8, head * 8 + 8);
    EXPECT_TRUE(same_bits(columns, z.select(0, head)));
    EXPECT_EQ(same_bits(z.select(0, head), before.select(0, head)), head != 4);
  }
  EXPECT_EQ(stats(z.select(0, 4)).l2, 0);
  const Tensor weight = opened_.model->weights().get("blocks.1.attn.out.weight");
  const Tensor by_hand = linear(concat, weight, {}, Axis::d_model);
  EXPECT_LE(max_abs_difference(must_tensor(*changed, "blocks.1.attn.out"), by_hand), 1e-6);
  expect_only_later(*changed, "blocks.1.attn.z", 0);
}

TEST_F(Changed, a_pattern_by_hand) {
  const TracePointer changed = run({change("blocks.1.attn.pattern[head=3,query=6,key=1]=1"),
                                    change("blocks.1.attn.pattern[head=3,query=6,key=6]=0")});
  Tensor expected = must_tensor(*plain_, "blocks.1.attn.pattern").select(0, 3);
  const Tensor pattern = must_tensor(*changed, "blocks.1.attn.pattern");
  EXPECT_EQ(pattern.at(3, 6, 1), 1.f);
  EXPECT_EQ(pattern.at(3, 6, 6), 0.f);
  for (std::int64_t query = 0; query < 11; ++query)
    for (std::int64_t key = 0; key < 11; ++key) {
      const bool changed_here = query == 6 && (key == 1 || key == 6);
      if (!changed_here) {
        EXPECT_NEAR(pattern.at(3, query, key), expected.at(query, key), 1e-6);
      }
    }
  const Tensor z = must_tensor(*changed, "blocks.1.attn.z"), before = must_tensor(*plain_, "blocks.1.attn.z");
  for (std::int64_t head = 0; head < 6; ++head) {
    if (head != 3) {
      EXPECT_TRUE(same_bits(z.select(0, head), before.select(0, head)));
    }
  }
  EXPECT_LE(max_abs_difference(z.select(0, 3), pattern_times_v(pattern.select(0, 3), *changed, 3)), 2e-6);
  for (const char* stage : {"scores", "scaled", "masked"})  // made before the pattern
    EXPECT_LE(max_abs_difference(must_tensor(*changed, std::string("blocks.1.attn.") + stage),
                                 must_tensor(*plain_, std::string("blocks.1.attn.") + stage)),
              1e-6);
  EXPECT_TRUE(explain(*changed, must_site("blocks.1.attn.pattern"), {3, 6, 1})->edited);
}

TEST_F(Changed, scores_go_through_mask_and_softmax) {
  const TracePointer changed = run({change("blocks.1.attn.scores[head=2,query=5,key=0]=9"),
                                    change("blocks.1.attn.scores[head=2,query=5,key=8]=50")});
  const Tensor scaled = must_tensor(*changed, "blocks.1.attn.scaled"),
               masked = must_tensor(*changed, "blocks.1.attn.masked");
  EXPECT_NEAR(scaled.at(2, 5, 0), 9.0 / std::sqrt(8.0), 1e-5);
  EXPECT_EQ(masked.at(2, 5, 8), -INFINITY);  // still in the future
  const Tensor row = masked.select(0, 2).slice(0, 5, 6),
               pattern = must_tensor(*changed, "blocks.1.attn.pattern");
  EXPECT_LE(max_abs_difference(softmax_rows(row), pattern.select(0, 2).slice(0, 5, 6)), 1e-6);
  EXPECT_GT(pattern.at(2, 5, 0), 2 * must_tensor(*plain_, "blocks.1.attn.pattern").at(2, 5, 0));
  EXPECT_LE(max_abs_difference(must_tensor(*changed, "blocks.1.attn.z").select(0, 2),
                               pattern_times_v(pattern.select(0, 2), *changed, 2)),
            1e-6);
  expect_only_later(*changed, "blocks.1.attn.scores", 5);
}

TEST_F(Changed, add_scale_and_mean) {
  const Site site = must_site("blocks.0.mlp.out");
  const Tensor before = must_tensor(*plain_, site);
  const TracePointer added = run({change("blocks.0.mlp.out[pos=2]+=0.5")});
  const TracePointer scaled = run({change("blocks.0.mlp.out[pos=2]*=-2")});
  const TracePointer mean = run({change("blocks.0.mlp.out[pos=2]=mean")});
  for (std::int64_t i = 0; i < before.size(1); ++i) {
    EXPECT_FLOAT_EQ(added->cell(site, {2, i}), before.at(2, i) + 0.5f);
    EXPECT_FLOAT_EQ(scaled->cell(site, {2, i}), before.at(2, i) * -2.f);
    double average = 0;
    for (std::int64_t pos = 0; pos < before.size(0); ++pos)
      average += before.at(pos, i) / static_cast<double>(before.size(0));
    EXPECT_NEAR(mean->cell(site, {2, i}), average, 1e-6);
    EXPECT_EQ(mean->cell(site, {1, i}), before.at(1, i));
  }
}

TEST_F(Changed, disabled_or_beside_the_tensor_changes_nothing) {
  Edit off = *change("blocks.0.attn.pattern[head=0]=0");
  off.enabled = false;
  const TracePointer same = run({std::make_shared<const Edit>(off), change("blocks.0.mlp.out[pos=99]=1")});
  EXPECT_TRUE(same_bits(must_tensor(*same, "logits"), must_tensor(*plain_, "logits")));
  ASSERT_EQ(same->unreached.size(), 1u);
  EXPECT_EQ(to_text(*same->unreached[0]), "blocks.0.mlp.out[pos=99]=1");
}

TEST_F(Changed, what_cannot_be_changed_is_refused_in_words) {
  for (const char* cell : {"probs[pos=0]", "blocks.0.attn.mask[query=0,key=0]", "pos_embed[pos=1]",
                           "blocks.77.attn.q[pos=0]", "embed[layer=0]", "blocks.0.attn.pattern[d_head=0]"}) {
    RunOptions options;
    options.edits = {change(std::string(cell) + "=0")};
    const auto refused = opened_.model->run({ids_, {}}, options);
    ASSERT_FALSE(refused) << cell;
    const std::string name = std::string(cell).substr(0, std::string(cell).find('['));
    EXPECT_NE(refused.error().sentence().find(name), std::string::npos) << refused.error().sentence();
  }
}

TEST_F(Changed, switched_mask_cells) {
  const TracePointer changed = run({}, {{2, 7, true}, {4, 1, false}});
  const Tensor mask = must_tensor(*changed, "blocks.0.attn.mask"),
               pattern = must_tensor(*changed, "blocks.0.attn.pattern");
  EXPECT_EQ(mask.at(2, 7), 1.f);
  EXPECT_EQ(mask.at(4, 1), 0.f);
  EXPECT_GT(pattern.at(0, 2, 7), 0.f);
  EXPECT_EQ(pattern.at(0, 4, 1), 0.f);
  double sum = 0;
  for (std::int64_t key = 0; key < 11; ++key) sum += pattern.at(0, 2, key);
  EXPECT_NEAR(sum, 1.0, 1e-5);
}

TEST_F(Changed, a_fully_masked_row_is_zero_and_never_nan) {
  const TracePointer changed = run({}, {{0, 0, false}});
  for (const Record& record : changed->records()) {
    if (record.site.slot == Slot::masked) continue;
    EXPECT_EQ(stats(must_tensor(*changed, record.site)).nans, 0) << to_text(record.site);
  }
  EXPECT_EQ(stats(must_tensor(*changed, "blocks.0.attn.pattern").select(1, 0)).l2, 0);
  EXPECT_EQ(stats(must_tensor(*changed, "blocks.0.attn.z").select(1, 0)).l2, 0);
  const auto why = explain(*changed, must_site("blocks.0.attn.pattern"), {0, 0, 0});
  EXPECT_EQ(why->result, 0);
}

TEST(ChangedScene, scale_after_mask) {
  const OpenedModel opened = must_open(source_path("assets/scenes/nine_steps.json"));
  RunOptions options;
  options.edits = {change("blocks.0.attn.scores[head=1,query=3,key=2]=2")};
  const TracePointer changed = must_run(*opened.model, opened.scene->inputs[0], options);
  const Tensor scaled = must_tensor(*changed, "blocks.0.attn.scaled"),
               pattern = must_tensor(*changed, "blocks.0.attn.pattern");
  EXPECT_EQ(must_tensor(*changed, "blocks.0.attn.masked").at(1, 3, 2), 2.f);
  EXPECT_LE(max_abs_difference(softmax_rows(scaled.select(0, 1)), pattern.select(0, 1)), 1e-6);
  const Tensor v = must_tensor(*changed, "blocks.0.attn.split_v").select(0, 1);
  EXPECT_LE(max_abs_difference(weighted_sum(pattern.select(0, 1), v),
                               must_tensor(*changed, "blocks.0.attn.z").select(0, 1)),
            1e-6);
}

}  // namespace
}  // namespace attnscope
