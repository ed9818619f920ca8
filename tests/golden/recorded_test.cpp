// Arrays that another program saved: our own names and TransformerLens names, with and without a batch,
// opened without a model; what contradicts itself is refused in words.
#include "core/arch/recorded.h"

#include "core/base/text.h"
#include "core/lens/attention_places.h"
#include "core/lens/attention_plane.h"
#include "core/lens/attention_row.h"
#include "core/lens/head_stats.h"
#include "core/lens/logit_lens.h"
#include "core/lens/patches.h"
#include "core/lens/positions.h"
#include "core/lens/thumbnails.h"
#include "core/session/backward_run.h"
#include "core/session/session.h"
#include "core/trace/flow.h"
#include "core/trace/run_mask.h"
#include "tests/golden/explained.h"
#include "tests/recordings.h"

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
  EXPECT_EQ(back.recorded[0]->config().encoders.size(), trace->config().encoders.size());
  EXPECT_FALSE(timeline(*back.recorded[0], "").empty());
}

// All that is asked of a run anywhere, of one that holds some of its steps only.
void ask_everything(const Trace& trace) {
  EXPECT_FALSE(timeline(trace, "").empty());
  EXPECT_TRUE(lens_rows(trace).empty());  // there is no unembedding
  EXPECT_EQ(has_additions(trace),
            additions(trace, 0).size() > (trace.find(trace.main(Slot::embed)) ? 1u : 0u));
  EXPECT_FALSE(default_objective(trace, {}));
  for (std::int64_t pos = 0; pos < trace.length; ++pos) {
    additions(trace, pos);
    const Record* logits = trace.find(trace.main(Slot::logits));
    EXPECT_EQ(trace.logits_row(pos).empty(), !logits || pos >= logits->shape[0]);
  }
  for (const Record& record : trace.records()) {
    const Site& site = record.site;
    for (const Site& from : flow_inputs(trace, site)) (void)trace.find(from);
    std::vector<std::int64_t> first(record.shape.size(), 0), last = record.shape;
    for (std::int64_t& index : last) --index;
    for (const auto& index : {first, last}) {
      const auto why = explain(trace, site, index);
      ASSERT_TRUE(why) << to_text(site);
      EXPECT_FALSE(why->edited) << to_text(site);
    }
    EXPECT_TRUE(trace.tensor(site));
    EXPECT_GE(trace.rows(site.stack), 0);
    run_mask(trace, site);
    bias_rectangle(trace, site, 0, {0, 9}, {0, 9});
    if (site.slot == Slot::rot_q || site.slot == Slot::rot_k) rotary_of(trace, site);
    patch_rows(trace, site.stack);
    if (site.slot != Slot::pattern) continue;
    for (std::int64_t head = 0; head < record.shape[0]; ++head) {
      EXPECT_TRUE(head_stats(trace, site, head));
      EXPECT_EQ(attention_row(trace, site, head, record.shape[1] - 1).ok(), trace.attention(site) != nullptr);
      strongest_key(trace, site, head, 0);
    }
  }
  for (const AttentionPlace& place : attention_places(trace))
    EXPECT_FALSE(thumbnails(trace, place, 16).heads.empty());
}

TEST_P(EveryModel, of_any_subset_is_asked_everything) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Fixture known = fixture(GetParam());
  const TracePointer trace = must_run(*opened.model, known.inputs.back(), known.options);  // the padded one
  testing::Arrays all;
  all.add(*trace);
  const TempFolder folder;
  const std::string path = folder / "run.npz";
  const unsigned first = first_seed();
  for (unsigned seed = first; seed < first + 12; ++seed) {
    const testing::Arrays some = seed == 0 ? all : subset(all, seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + names_of(some));
    ASSERT_TRUE(write_npz(path, some.tensors, some.ints));
    const auto back = open_model(path);
    ASSERT_TRUE(back) << back.error().text();
    ask_everything(*back->recorded[0]);
    for (const NamedTensor& tensor : some.tensors)
      EXPECT_EQ(max_abs_difference(must_tensor(*back->recorded[0], tensor.name), tensor.value), 0)
          << tensor.name;
    // What is worked out of queries and keys is either what ran or said to be a guess.
    const bool guessed = std::any_of(back->notes.begin(), back->notes.end(), [](const Text& note) {
      return note.str().find("not in the file") != std::string::npos;
    });
    for (const Record& record : back->recorded[0]->records()) {
      if (!record.derived || guessed) continue;
      const double gap =
          max_abs_difference(must_tensor(*back->recorded[0], record.site), must_tensor(*trace, record.site));
      EXPECT_LE(gap, record.site.slot == Slot::pattern ? 0.03 : 1.0) << to_text(record.site);
    }
  }
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

// All that TransformerLens keeps of a run, in its names and layouts.
TEST_F(Recording, a_whole_transformer_lens_file) {
  std::vector<NamedTensor> all;
  for (const Record& record : trace_->records()) {
    const Step& step = step_of(record.site.slot);
    const std::string alias = split(step.aliases, ' ').front(), name = to_text(record.site);
    if (alias.empty()) continue;
    const bool heads = record.shape.size() == 3 && record.axes[2] == Axis::d_head;
    all.push_back({name.substr(0, name.size() - step.text.size()) + alias, batched(of(name), heads)});
  }
  ASSERT_GT(all.size(), 30u);
  const OpenedModel opened = open(all);
  ask_everything(*opened.recorded.at(0));
  for (const TimelineStep& step : timeline(*opened.recorded[0], ""))
    for (const Site& site : step.sites) {
      if (opened.recorded[0]->find(site)->derived) continue;
      EXPECT_EQ(max_abs_difference(must_tensor(*opened.recorded[0], site), must_tensor(*trace_, site)), 0);
    }
}

TEST_F(Recording, parts_without_the_rest) {
  testing::Arrays all;
  all.add(*trace_);
  for (const char* steps : testing::kUsualParts) {
    SCOPED_TRACE(steps);
    const testing::Arrays some = testing::selected(all, steps);
    ask_everything(*open(some.tensors, {}, some.ints).recorded.at(0));
  }
}

// Which rows are padding comes with the arrays: they are named so, and nothing is looked for in them.
TEST_F(Recording, padding_is_read) {
  const Input padded_input = padded({{5, 6, 7}, {}}, opened_.model->config(), 5, 0, PadSide::left);
  const TracePointer run = must_run(*opened_.model, padded_input);
  testing::Arrays all;
  all.add(*run);
  const OpenedModel back = open(all.tensors, {}, all.ints);
  const Trace& trace = *back.recorded.at(0);
  EXPECT_EQ(trace.input.attention_mask, (std::vector<std::uint8_t>{0, 0, 1, 1, 1}));
  EXPECT_FALSE(trace.is_real(Stack::single, 1));
  EXPECT_EQ(head_stats(trace, must_site("blocks.0.attn.pattern"), 0)->in_sight, 3);
  all.ints.back().values.pop_back();
  all.ints.back().shape = {4};
  const std::string path = folder_ / "short.npz";
  ASSERT_TRUE(write_npz(path, all.tensors, all.ints));
  const auto refused = open_model(path);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence().find("attention_mask holds 4 numbers"), std::string::npos);
}

TEST_F(Recording, a_session_shows_it_and_refuses_to_run_it) {
  Session session;
  const OpenedModel opened = open({{"blocks.0.attn.pattern", of("blocks.0.attn.pattern")}});
  session.open(opened.path);
  session.wait();
  ASSERT_TRUE(session.result());
  EXPECT_FALSE(session.result()->steps.empty());
  const Status changed = session.edit("x", {}, [](Document& document) {
    document.edits.push_back(cells({{1, 0, false}}));
    return Status(Done{});
  });
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().sentence().find("recording"), std::string::npos);
}

TEST_F(Recording, contradictions_are_said_in_words) {
  const Tensor pattern = of("blocks.0.attn.pattern"), rows = of("blocks.0.resid_pre");
  EXPECT_NE(
      refusal({{"blocks.0.attn.pattern", pattern}, {"blocks.0.resid_pre", rows.slice(0, 0, 9)}}).find("9"),
      std::string::npos);
  EXPECT_NE(refusal({{"blocks.0.attn.pattern", rows}}).find("head, query, key"), std::string::npos);
  EXPECT_NE(
      refusal({{"logits", of("logits").slice(0, 0, 5)}, {"blocks.0.resid_pre", rows}}).find("logits has 5"),
      std::string::npos)
      << refusal({{"logits", of("logits").slice(0, 0, 5)}, {"blocks.0.resid_pre", rows}});
  EXPECT_EQ(refusal({{"logits", of("logits").slice(0, 0, 1)}, {"blocks.0.resid_pre", rows}}), "accepted");
  EXPECT_NE(
      refusal({{"dec.logits", of("logits")}, {"blocks.0.resid_pre", rows}}).find("a decoder and a model"),
      std::string::npos);
  EXPECT_NE(refusal({{"weight", rows}}).find("weight"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
