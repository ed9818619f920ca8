// The Trace and the Probe on their own: one attention recorded by hand, slices of every step, cancelling,
// edits.
#include "core/trace/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/trace/hook.h"

namespace attnscope {
namespace {

Tensor wave(const Shape& shape, double step) {
  std::int64_t count = 1;
  for (const auto& [axis, size] : shape) count *= size;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(1.5 * std::sin(step * static_cast<double>(i + 1))));
  return Tensor::from(std::move(values), shape);
}

// Four query heads over two key/value heads, nine positions, and a head over eleven words.
class OneAttention : public ::testing::Test {
 protected:
  static constexpr std::int64_t kHeads = 4, kRows = 9, kWidth = 6, kWords = 11;

  std::shared_ptr<Trace> run(const RunOptions& options, bool mask_first = false) const {
    auto config = std::make_shared<ModelConfig>();
    config->d_model = config->d_in = kHeads * kWidth;
    config->vocab_size = kWords;
    BlockSpec block;
    block.attention.n_heads = kHeads;
    block.attention.n_kv_heads = 2;
    block.attention.d_head = kWidth;
    block.attention.scale = 0.4f;
    block.attention.mask_before_scale = mask_first;
    config->blocks = {block};
    auto weights = std::make_shared<Weights>();
    weights->set("logits.weight", wave({{Axis::in, kHeads * kWidth}, {Axis::vocab, kWords}}, 0.9));
    auto trace = std::make_shared<Trace>(config, weights);
    trace->length = kRows;
    const Hook at(*trace, options), inside = at.in(Stack::single, 0);
    const Tensor x = at(Slot::embed, wave({{Axis::pos, kRows}, {Axis::d_model, kHeads * kWidth}}, 0.31));
    AttentionInputs in;
    in.q =
        inside(Slot::split_q, wave({{Axis::head, kHeads}, {Axis::pos, kRows}, {Axis::d_head, kWidth}}, 0.77));
    in.k = inside(Slot::split_k, wave({{Axis::head, 2}, {Axis::pos, kRows}, {Axis::d_head, kWidth}}, 0.53));
    in.v = inside(Slot::split_v, wave({{Axis::head, 2}, {Axis::pos, kRows}, {Axis::d_head, kWidth}}, 0.41));
    in.scale = 0.4f;
    in.mask_before_scale = mask_first;
    inside.attend(in);
    at(Slot::ln_final_out, x);
    at.predict(kRows);
    return trace;
  }
};

TEST_F(OneAttention, records_stand_in_the_order_of_execution) {
  for (const bool mask_first : {false, true}) {
    const auto trace = run({}, mask_first);
    std::vector<Slot> slots;
    std::int64_t last = 0;
    for (const Record& record : trace->records()) {
      slots.push_back(record.site.slot);
      EXPECT_GE(record.begin_ns, last);
      EXPECT_GE(record.end_ns, record.begin_ns);
      last = record.end_ns;
      EXPECT_EQ(record.derived, step_of(record.site.slot).derived);
    }
    const std::vector<Slot> plain{Slot::embed,   Slot::split_q, Slot::split_k,      Slot::split_v,
                                  Slot::scores,  Slot::scaled,  Slot::mask,         Slot::masked,
                                  Slot::pattern, Slot::z,       Slot::ln_final_out, Slot::logits,
                                  Slot::probs};
    const std::vector<Slot> swapped{Slot::embed,   Slot::split_q, Slot::split_k,      Slot::split_v,
                                    Slot::scores,  Slot::mask,    Slot::masked,       Slot::scaled,
                                    Slot::pattern, Slot::z,       Slot::ln_final_out, Slot::logits,
                                    Slot::probs};
    EXPECT_EQ(slots, mask_first ? swapped : plain);
  }
}

TEST_F(OneAttention, stages_follow_from_each_other) {
  const auto trace = run({});
  const auto get = [&](Slot slot) { return *trace->tensor(site_of(slot, 0)); };
  const Tensor scores = get(Slot::scores), scaled = get(Slot::scaled), masked = get(Slot::masked),
               pattern = get(Slot::pattern);
  const Tensor q = get(Slot::split_q), k = get(Slot::split_k);
  for (std::int64_t head = 0; head < kHeads; ++head) {
    EXPECT_LE(max_abs_difference(softmax_rows(masked.select(0, head)), pattern.select(0, head)), 1e-6);
    for (std::int64_t query = 0; query < kRows; ++query)
      for (std::int64_t key = 0; key < kRows; ++key) {
        double dot = 0;
        for (std::int64_t i = 0; i < kWidth; ++i)
          dot += static_cast<double>(q.at(head, query, i)) * k.at(head / 2, key, i);
        EXPECT_NEAR(scores.at(head, query, key), dot, 1e-5);
        EXPECT_NEAR(scaled.at(head, query, key), 0.4 * dot, 1e-5);
        EXPECT_EQ(std::isinf(masked.at(head, query, key)), key > query);
      }
  }
}

TEST_F(OneAttention, every_slice_equals_its_part_of_the_tensor) {
  RunOptions edited;
  edited.edits = {*parse_edit("blocks.0.attn.scores[head=1,query=4,key=2]=3")};
  for (const RunOptions& options : {RunOptions{}, edited}) {
    const auto trace = run(options);
    for (const Record& record : trace->records()) {
      const Tensor whole = *trace->tensor(record.site);
      EXPECT_EQ(whole.sizes(), record.shape);
      const bool heads = whole.rank() == 3;
      const double tolerance = record.site.slot == Slot::logits ? 1e-5 : 1e-6;  // sums of 24 products up to 2
      for (std::int64_t head = 0; head < (heads ? whole.size(0) : 1); ++head) {
        const Tensor plane = heads ? whole.select(0, head) : whole;
        for (const Range rows : {Range{0, 100}, Range{3, 4}, Range{2, 7}, Range{5, 5}})
          for (const Range cols : {Range{0, 100}, Range{0, 1}, Range{1, 6}}) {
            const Tensor part = trace->slice(record.site, head, rows, cols);
            const std::int64_t row_end = std::min(rows.end, plane.size(0)),
                               col_end = std::min(cols.end, plane.size(1));
            const Tensor expected = plane.slice(0, rows.begin, row_end).slice(1, cols.begin, col_end);
            ASSERT_EQ(part.sizes(), expected.sizes()) << to_text(record.site);
            if (part.count() == 0) continue;
            EXPECT_LE(max_abs_difference(part, expected), tolerance) << to_text(record.site);
          }
        EXPECT_NEAR(trace->cell(record.site, heads ? std::vector<std::int64_t>{head, 4, 2}
                                                   : std::vector<std::int64_t>{4, 2}),
                    plane.at(4, 2), tolerance)
            << to_text(record.site);
      }
    }
  }
}

TEST_F(OneAttention, what_is_not_there_is_empty_or_an_error) {
  const auto trace = run({});
  EXPECT_TRUE(trace->slice(site_of(Slot::q, 0), 0, {0, 1}, {0, 1}).empty());
  EXPECT_TRUE(trace->slice(site_of(Slot::pattern, 0), kHeads, {0, 1}, {0, 1}).empty());
  EXPECT_TRUE(trace->slice(site_of(Slot::pattern, 0), -1, {0, 1}, {0, 1}).empty());
  EXPECT_TRUE(std::isnan(trace->cell(site_of(Slot::pattern, 0), {0, kRows, 0})));
  EXPECT_TRUE(std::isnan(trace->cell(site_of(Slot::pattern, 0), {0, 0})));
  EXPECT_EQ(trace->tensor(site_of(Slot::q, 0)).error().code(), Code::not_found);
  EXPECT_EQ(trace->tensor(site_of(Slot::pattern, 0), kHeads * kRows * kRows - 1).error().code(),
            Code::no_memory);
  EXPECT_TRUE(trace->tensor(site_of(Slot::pattern, 0), kHeads * kRows * kRows));
  EXPECT_TRUE(trace->logits_row(kRows).empty());
  EXPECT_TRUE(trace->logits_row(-1).empty());
}

TEST_F(OneAttention, logits_and_probabilities) {
  const auto trace = run({});
  const Tensor logits = *trace->tensor(site_of(Slot::logits)), probs = *trace->tensor(site_of(Slot::probs));
  for (std::int64_t row = 0; row < kRows; ++row) {
    EXPECT_LE(max_abs_difference(trace->logits_row(row), logits.select(0, row)), 1e-5);
    double sum = 0;
    for (std::int64_t word = 0; word < kWords; ++word) sum += probs.at(row, word);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(OneAttention, own_head_of_grouped_queries) {
  const RunOptions plain;
  const auto trace = run(plain);
  const Hook inside = Hook(*trace, plain).in(Stack::single, 0);
  inside(Slot::q, wave({{Axis::pos, kRows}, {Axis::concat, kHeads * kWidth}}, 0.77));
  inside(Slot::k, wave({{Axis::pos, kRows}, {Axis::concat, 2 * kWidth}}, 0.53));
  for (std::int64_t head = 0; head < kHeads; ++head) {
    EXPECT_EQ(trace->own_head(site_of(Slot::split_q, 0), head), head);
    EXPECT_EQ(trace->own_head(site_of(Slot::split_k, 0), head), head / 2);
    EXPECT_EQ(trace->own_head(site_of(Slot::q, 0), head), head) << "columns of a projection";
    EXPECT_EQ(trace->own_head(site_of(Slot::k, 0), head), head / 2) << "columns of a projection";
    EXPECT_EQ(trace->own_head(site_of(Slot::embed), head), 0);
  }
}

TEST_F(OneAttention, an_edited_pattern_keeps_the_bits_of_other_rows) {
  RunOptions options;
  options.edits = {*parse_edit("blocks.0.attn.pattern[head=2,query=5,key=1]=0.9")};
  const auto plain = run({}), changed = run(options);
  for (const Slot slot : {Slot::pattern, Slot::z}) {
    const Tensor a = *plain->tensor(site_of(slot, 0)), b = *changed->tensor(site_of(slot, 0));
    for (std::int64_t head = 0; head < kHeads; ++head)
      for (std::int64_t row = 0; row < kRows; ++row) {
        const double gap =
            max_abs_difference(a.select(0, head).select(0, row), b.select(0, head).select(0, row));
        EXPECT_EQ(gap > 0, head == 2 && row == 5) << head << " " << row;
      }
  }
}

TEST_F(OneAttention, cancelling_stops_at_the_next_step) {
  std::atomic<bool> cancel{false};
  int seen = 0;
  RunOptions options;
  options.cancel = &cancel;
  options.on_record = [&](const Record&) { cancel = ++seen == 4; };
  EXPECT_THROW(run(options), RunCancelled);
  EXPECT_EQ(seen, 4);
}

std::vector<float> trace_edited(const char* text, const Tensor& x, const RowFrame& rows = {}) {
  const auto edit = parse_edit(text);
  EXPECT_TRUE(edit) << text;
  const auto applied = apply(*(*edit)->number(), x, rows);
  EXPECT_TRUE(applied) << text;
  return applied ? applied->value.values() : std::vector<float>{};
}

TEST(Apply, coordinates_pick_a_box) {
  const Tensor x = Tensor::from({1, 2, 3, 4, 5, 6}, {{Axis::pos, 2}, {Axis::d_model, 3}});
  using Values = std::vector<float>;
  EXPECT_EQ(trace_edited("embed[pos=1,d_model=0]=9", x), (Values{1, 2, 3, 9, 5, 6}));
  EXPECT_EQ(trace_edited("embed[d_model=2]=0", x), (Values{1, 2, 0, 4, 5, 0}));
  EXPECT_EQ(trace_edited("embed[d_model=0-1]+=1", x), (Values{2, 3, 3, 5, 6, 6}));
  EXPECT_EQ(trace_edited("embed[pos=0]=mean", x), (Values{2.5, 3.5, 4.5, 4, 5, 6}));
  EXPECT_EQ(trace_edited("embed[query=0]=@pos:1", x), (Values{4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(trace_edited("embed*=2", x), (Values{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(trace_edited("embed[pos=7]=0", x), x.values());
  const auto wrong = apply(*(*parse_edit("embed[head=0]=0"))->number(), x);
  EXPECT_EQ(wrong.error().code(), Code::bad_shape);
  const auto transposed = apply(*(*parse_edit("embed[pos=1]+=1"))->number(), x.transpose());
  EXPECT_EQ(transposed->value.values(), (Values{1, 5, 2, 6, 3, 7}));  // strides of a view are honoured
  EXPECT_EQ(x.values(), (Values{1, 2, 3, 4, 5, 6}));                  // and the original is never touched
}

TEST(Apply, positions_are_absolute) {
  const Tensor x = Tensor::from({1, 2, 3, 4}, {{Axis::pos, 2}, {Axis::d_model, 2}});
  using Values = std::vector<float>;
  EXPECT_EQ(trace_edited("embed[pos=6]=0", x, {5, nullptr}), (Values{1, 2, 0, 0}));
  EXPECT_EQ(trace_edited("embed[pos=2-5]=0", x, {5, nullptr}), (Values{0, 0, 3, 4}));
  EXPECT_EQ(trace_edited("embed[pos=1]=0", x, {5, nullptr}), x.values());
  const std::vector<std::uint8_t> attention_mask{1, 0};
  EXPECT_EQ(trace_edited("embed=mean", x, {0, &attention_mask}),
            (Values{1, 2, 1, 2}));  // padding does not count
}

TEST(Apply, frozen_numbers_fit_a_step_a_box_or_every_row) {
  const Tensor x = Tensor::filled({{Axis::head, 2}, {Axis::query, 3}, {Axis::d_head, 2}}, 0.f);
  const auto frozen = [&](const char* place, std::vector<float> values, std::vector<std::int64_t> sizes) {
    Shape shape;
    for (const std::int64_t size : sizes) shape.emplace_back(Axis::none, size);
    return apply({*parse_target(place), EditOp::set, Frozen{Tensor::from(std::move(values), shape), ""}}, x);
  };
  const auto row = frozen("blocks.0.attn.z[head=1]", {7, 8}, {2});
  ASSERT_TRUE(row);
  EXPECT_EQ(row->value.values(), (std::vector<float>{0, 0, 0, 0, 0, 0, 7, 8, 7, 8, 7, 8}));
  const auto box = frozen("blocks.0.attn.z[head=0,pos=1-2]", {1, 2, 3, 4}, {2, 2});
  ASSERT_TRUE(box);
  EXPECT_EQ(box->value.values(), (std::vector<float>{0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0}));
  const auto whole =
      frozen("blocks.0.attn.z[head=0,pos=2]", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 3, 2});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->value.values(), (std::vector<float>{0, 0, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(frozen("blocks.0.attn.z[head=0]", {1, 2, 3}, {3}).error().code(), Code::bad_shape);
}

TEST(EditText, says_what_it_reads) {
  for (const char* text :
       {"blocks.2.attn.z[head=1]=0", "blocks.0.mlp.out[pos=2-5]+=0.25", "embed*=-1.5",
        "logits[pos=3,vocab=7]=1e+10", "blocks.1.attn.z[head=0]=mean", "blocks.1.resid_pre[pos=5]=@pos:2",
        "blocks.0.attn.q.weight[in=1,out=0]=3", "input[pos=1,d_model=2]=0.5", "blocks.*.order=post",
        "dec.blocks.1.cross.skip=off", "blocks.0.mlp.activation=relu", "blocks.*.attn.scaling=off",
        "blocks.3.attn.kv_heads=2", "blocks.1.attn.kv_heads=swapped",
        "enc.blocks.*.attn.mask_order=before"}) {
    const auto edit = parse_edit(text);
    ASSERT_TRUE(edit) << text << ": " << edit.error().text();
    EXPECT_EQ(to_text(**edit), text);
    EXPECT_TRUE(same_edit(**edit, **parse_edit(text)));
  }
  EXPECT_EQ(to_text(**parse_edit("blocks.2.attn.hook_z[head=1]*=2")), "blocks.2.attn.z[head=1]*=2");
  for (const char* text :
       {"", "=3", "blocks.0.attn.z", "blocks.0.attn.z=", "blocks.0.attn.z=x", "blocks.0.attn.z=nan",
        "blocks.0.attn.z[head=]=0", "blocks.0.attn.z[head=1=0", "blocks.0.attn.w=0", "embed=@pos:-1",
        "embed=@nothing.npz", "blocks.*.order=sideways", "blocks.0.attn.kv_heads=0",
        "blocks.0.attn.kv_heads=exchanged"})
    EXPECT_FALSE(parse_edit(text)) << text;
}

TEST(EditText, a_place_of_several_blocks_is_an_edit_of_each) {
  ModelConfig config;
  config.blocks.resize(3);
  const auto texts = [&](const char* text) {
    const auto edits = parse_edits(text, config);
    std::vector<std::string> out;
    for (const auto& edit : edits ? *edits : Edits{}) out.push_back(to_text(*edit));
    return out;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts("blocks.*.attn.z[head=0-1,pos=2]*=0.5"),
            (Texts{"blocks.0.attn.z[head=0-1,pos=2]*=0.5", "blocks.1.attn.z[head=0-1,pos=2]*=0.5",
                   "blocks.2.attn.z[head=0-1,pos=2]*=0.5"}));
  EXPECT_EQ(texts("blocks.1-2.mlp.out.weight=0"),
            (Texts{"blocks.1.mlp.out.weight=0", "blocks.2.mlp.out.weight=0"}));
  EXPECT_EQ(texts("blocks.*.order=post"), (Texts{"blocks.*.order=post"}));
  EXPECT_EQ(texts("embed+=1"), (Texts{"embed+=1"}));
  for (const char* bad : {"blocks.1-3.mlp.out=0", "enc.blocks.*.mlp.out=0", "blocks.2-1.mlp.out=0"})
    EXPECT_FALSE(parse_edits(bad, config)) << bad;
}

}  // namespace
}  // namespace attnscope
