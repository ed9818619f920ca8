// Arrays that another program saved: our own names and TransformerLens names, with and without a batch,
// opened without a model; what contradicts itself is refused in words.
#include "core/arch/recorded.h"

#include "core/io/writers.h"
#include "core/lens/attention_places.h"
#include "core/lens/attention_plane.h"
#include "core/lens/attention_row.h"
#include "core/lens/thumbnails.h"
#include "core/session/session.h"
#include "tests/golden/explained.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class Recording : public ::testing::Test {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path("llama"));
    trace_ = must_run(*opened_.model, fixture("llama").inputs[0]);
  }
  Tensor of(const std::string& site) const { return must_tensor(*trace_, site); }
  // With a batch of one in front, heads behind positions where `behind`.
  Tensor batched(Tensor value, bool behind = false) const {
    if (behind) value = value.permute({1, 0, 2});
    return value.packed().split(0, Axis::batch, 1, value.axis(0));
  }
  OpenedModel open(const std::vector<NamedTensor>& tensors, const Metadata& metadata = {},
                   const std::vector<NamedInts>& ints = {}) const {
    const std::string path = folder_ / "run.safetensors";
    EXPECT_TRUE(write_safetensors(path, tensors, ints, metadata));
    return must_open(path);
  }
  std::string refusal(const std::vector<NamedTensor>& tensors) const {
    const std::string path = folder_ / "bad.npz";
    EXPECT_TRUE(write_npz(path, tensors));
    const auto opened = open_model(path);
    return opened ? "accepted" : opened.error().text();
  }

  TempFolder folder_;
  OpenedModel opened_;
  TracePointer trace_;
};

TEST_F(Recording, our_own_traces_come_back_bit_for_bit) {
  std::vector<NamedTensor> all;
  for (const Record& record : trace_->records())
    all.push_back({to_text(record.site), must_tensor(*trace_, record.site)});
  const OpenedModel opened = open(all, {}, {{"tokens", {trace_->ids.begin(), trace_->ids.end()}, {11}}});
  ASSERT_EQ(opened.recorded.size(), 1u);
  const Trace& back = *opened.recorded[0];
  EXPECT_EQ(back.ids, trace_->ids);
  EXPECT_EQ(back.length, 11);
  ASSERT_EQ(back.records().size(), trace_->records().size());
  for (std::size_t i = 0; i < back.records().size(); ++i) {
    const Site site = trace_->records()[i].site;
    EXPECT_EQ(max_abs_difference(must_tensor(back, site), must_tensor(*trace_, site)), 0) << to_text(site);
    const auto why = explain(back, site, std::vector<std::int64_t>(back.find(site)->shape.size(), 0));
    EXPECT_TRUE(why) << to_text(site);
  }
  EXPECT_EQ(back.config().n_layers(), 3);
  EXPECT_EQ(back.config().blocks[0].attention.n_heads, 6);
  EXPECT_EQ(back.config().blocks[0].attention.n_kv_heads, 2);
  EXPECT_EQ(thumbnails(back, attention_places(back).front(), 64).heads.size(), 18u);
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, recorded_and_opened_again) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const TracePointer trace = must_run(*opened.model, fixture(GetParam()).inputs[0]);
  std::vector<NamedTensor> all;
  for (const Record& record : trace->records())
    all.push_back({to_text(record.site), must_tensor(*trace, record.site)});
  const TempFolder folder;
  const std::string path = folder / "run.npz";
  ASSERT_TRUE(write_npz(path, all));
  const OpenedModel back = must_open(path);
  ASSERT_EQ(back.recorded.size(), 1u);
  EXPECT_EQ(back.recorded[0]->records().size(), trace->records().size());
  EXPECT_EQ(back.recorded[0]->config().stack, trace->config().stack);
  EXPECT_EQ(back.recorded[0]->config().towers.size(), trace->config().towers.size());
  EXPECT_FALSE(timeline(*back.recorded[0], "").empty());
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

TEST_F(Recording, transformer_lens_names_and_layouts) {
  const OpenedModel opened =
      open({{"blocks.1.attn.hook_rot_q", batched(of("blocks.1.attn.rot_q"), true)},
            {"blocks.1.attn.hook_rot_k", batched(of("blocks.1.attn.rot_k"), true)},
            {"blocks.1.attn.hook_v", batched(of("blocks.1.attn.split_v"), true)},
            {"blocks.1.hook_resid_pre", batched(of("blocks.1.resid_pre"))},
            {"blocks.0.attn.hook_pattern", batched(of("blocks.0.attn.pattern"))}},
           {{"words", R"(["The","cat"])"}}, {{"tokens", {5, 6, 1, 2, 3, 4, 7, 8, 9, 10, 11}, {1, 11}}});
  const Trace& back = *opened.recorded.at(0);
  EXPECT_EQ(token_label(opened, 5), "The");
  EXPECT_LE(max_abs_difference(must_tensor(back, "blocks.1.attn.rot_q"), of("blocks.1.attn.rot_q")), 0);
  EXPECT_LE(max_abs_difference(must_tensor(back, "blocks.1.attn.pattern"), of("blocks.1.attn.pattern")),
            1e-5);
  EXPECT_LE(max_abs_difference(must_tensor(back, "blocks.0.attn.pattern"), of("blocks.0.attn.pattern")), 0);
  const auto why = explain(back, must_site("blocks.1.attn.scores"), {3, 6, 2});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->terms.size(), 8u);
  EXPECT_NEAR(why->result, of("blocks.1.attn.scores").at(3, 6, 2), 1e-4);
  EXPECT_TRUE(attention_row(back, must_site("blocks.1.attn.pattern"), 0, 3));
  EXPECT_FALSE(attention_row(back, must_site("blocks.0.attn.pattern"), 0, 3));
  EXPECT_EQ(attention_plane(back, {must_site("blocks.0.attn.pattern"), 0, {0, 11}, {0, 11}, false}).count(),
            121);
}

TEST_F(Recording, a_session_shows_it_and_refuses_to_run_it) {
  Session session;
  const OpenedModel opened = open({{"blocks.0.attn.pattern", of("blocks.0.attn.pattern")}});
  session.open(opened.path);
  session.wait();
  ASSERT_TRUE(session.result());
  EXPECT_FALSE(session.result()->steps.empty());
  const Status changed = session.edit("x", {}, [](Document& document) {
    document.mask_cells.push_back({1, 0, false});
    return Status(Done{});
  });
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().sentence.find("recording"), std::string::npos);
}

TEST_F(Recording, contradictions_are_said_in_words) {
  const Tensor pattern = of("blocks.0.attn.pattern"), rows = of("blocks.0.resid_pre");
  EXPECT_NE(
      refusal({{"blocks.0.attn.pattern", pattern}, {"blocks.0.resid_pre", rows.slice(0, 0, 9)}}).find("9"),
      std::string::npos);
  EXPECT_NE(refusal({{"blocks.0.attn.pattern", rows}}).find("head, query, key"), std::string::npos);
  EXPECT_NE(refusal({{"weight", rows}}).find("weight"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
