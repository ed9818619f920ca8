// What is left out of a run that starts from another one and is asked for the predictions of some rows only:
// the attention of a block whose weighted values are edited, and all but keys and values of the last block
// for rows that nobody asks. What is asked has the bits of a full run, in families of every kind.
#include "core/model/measure.h"
#include "core/ops/op_count.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class AskedRows : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path(GetParam()));
    fixture_ = fixture(GetParam());
    const ModelConfig& config = opened_.model->config();
    if (!config.head.present) GTEST_SKIP() << "nothing is predicted";
    block_ = std::string(stack_prefix(config.stack)) + "blocks.";
    last_ = std::to_string(config.n_layers() - 1);
  }
  TracePointer run(const Input& input, const Edits& edits) const {
    return must_run(*opened_.model, input, with(edits));
  }
  RunOptions with(const Edits& edits) const {
    RunOptions options = fixture_.options;
    options.edits.insert(options.edits.end(), edits.begin(), edits.end());
    return options;
  }
  // Each row of the short run from `asked` on has the logits of the full one, earlier ones have those or
  // none.
  void expect_equal(const Edits& edits, const Input& input, const TracePointer& base,
                    const std::string& what) const {
    const TracePointer full = run(input, edits);
    const Record* logits = full->find(full->main(StepRole::logits));
    ASSERT_NE(logits, nullptr);
    for (const std::int64_t asked : {std::int64_t{0}, logits->shape[0] / 2, logits->shape[0] - 1}) {
      RunOptions options = with(edits);
      options.base = base;
      options.keep = Keep::predictions;
      options.asked = asked;
      const TracePointer part = must_run(*opened_.model, input, options);
      for (std::int64_t row = 0; row < logits->shape[0]; ++row) {
        const Tensor own = part->logits_row(row), wanted = full->logits_row(row);
        if (row < asked && std::isnan(own.at(0))) continue;
        EXPECT_EQ(max_abs_difference(own, wanted), 0) << what << " asked from " << asked << ", row " << row;
      }
    }
  }

  OpenedModel opened_;
  Fixture fixture_;
  std::string block_, last_;
};

TEST_P(AskedRows, knocked_out_heads_of_every_stack) {
  for (const Input& input : fixture_.inputs) {
    const TracePointer base = run(input, {});
    for (const Record& record : base->records())
      if (record.site.slot == Slot::z)
        for (std::int64_t head = 0; head < record.shape[0]; ++head) {
          const std::string place = to_text(record.site) + "[head=" + std::to_string(head) + "]";
          expect_equal({edit((place + "=0").c_str())}, input, base, place);
        }
  }
}

TEST_P(AskedRows, edits_of_every_kind) {
  std::vector<std::string> texts;
  for (const std::string& at : {block_ + "0.", block_ + last_ + "."})
    for (const char* rest :
         {"attn.z[head=1,pos=1]=0", "attn.z[head=0]=mean", "attn.z[pos=2]=@pos:0", "attn.scores[head=1]=mean",
          "attn.pattern[head=0,query=2]=@pos:1", "attn.q[pos=2]*=2", "attn.k[pos=1]*=2", "attn.out=mean",
          "mlp.out[pos=1]=@pos:2", "mlp.out*=0.5", "ln1.out*=0.5", "attn.q.weight[in=1,out=2]=0.7",
          "attn.out.weight[in=1,out=2]=0.7"})
      texts.push_back(at + rest);
  for (const char* rest : {"logits[pos=1]=0", "logits=mean", "logits[pos=0]=@pos:1"})
    texts.push_back(block_.substr(0, block_.size() - 7) + rest);
  const std::string head = block_ + "0.attn.z[head=1]->";  // paths into the last block and to the logits
  for (const std::string& to : {block_ + last_ + ".attn.q[head=0]", block_ + last_ + ".attn.v[head=0]",
                                block_ + last_ + ".mlp.out", std::string("logits")})
    texts.push_back(head + to + "=0");
  const Input& input = fixture_.inputs.front();
  const TracePointer base = run(input, {});
  int tried = 0;
  for (const std::string& text : texts) {
    const auto read = parse_edits(text, opened_.model->config());
    if (!read) continue;
    const Edits& own = *read;
    if (!opened_.model->accepts(input, with(own)) || !opened_.model->run(input, with(own))) continue;
    ++tried;
    expect_equal(own, input, base, text);
    // From a run whose values of a head were changed already: they are no beginning for the others.
    Edits both{edit((block_ + last_ + ".attn.z[head=1]*=0.5").c_str())};
    const TracePointer changed = run(input, both);
    both.insert(both.end(), own.begin(), own.end());
    expect_equal(both, input, changed, text + " behind another");
    std::rotate(both.begin(), both.begin() + 1, both.end());
    expect_equal(both, input, changed, text + " before another");
  }
  EXPECT_GT(tried, 20);
  expect_equal({cells({{2, 0, false}})}, input, base, "a switched cell");
  expect_equal({mask("full")}, input, base, "another mask");
}

INSTANTIATE_TEST_SUITE_P(Models, AskedRows, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

// Multiply-adds of the products of one run of GPT-2's shape, and those of its blocks.
class KnockOutWork : public ::testing::Test {
 protected:
  std::int64_t products(const char* text, bool everything, std::int64_t asked = 0) const {
    RunOptions options;
    options.edits = {edit(text)};
    options.base = base_;
    options.keep = everything ? Keep::all : Keep::predictions;
    options.asked = asked;
    OpCount count;
    const CountOps counted(count);
    must_run(*opened_.model, input_, options);
    return count.products;
  }

  const OpenedModel opened_ = must_open(model_path("gpt2"));
  const Input input_{.ids = {5, 3, 8, 1, 9, 2}};
  const TracePointer base_ = must_run(*opened_.model, input_);
  const ModelConfig& config_ = opened_.model->config();
  const std::int64_t square_ = std::int64_t{config_.d_model} * config_.d_model;  // q, k, v, out: one each
  const std::int64_t behind_ = square_ + 2 * std::int64_t{config_.d_model} * config_.blocks[0].mlp.d_mlp;
};

TEST_F(KnockOutWork, an_edited_head_leaves_its_blocks_queries_keys_and_values) {
  const std::string last = "blocks." + std::to_string(config_.n_layers() - 1) + ".";
  for (const char* rest : {"attn.z[head=1]=0", "attn.out*=2", "mlp.out*=2", "resid_mid*=2"})
    EXPECT_EQ(products((last + rest).c_str(), true), 6 * behind_) << rest;
  EXPECT_EQ(products((last + "attn.z[head=1,pos=4]=0").c_str(), true), 2 * behind_);
  EXPECT_EQ(products((last + "attn.pattern[head=1]*=2").c_str(), true), 6 * (3 * square_ + behind_));
  EXPECT_EQ(products((last + "attn.q[pos=0]*=2").c_str(), true), 6 * (3 * square_ + behind_));
}

TEST_F(KnockOutWork, rows_that_nobody_asks_have_keys_and_values_in_the_last_block) {
  const std::string last = "blocks." + std::to_string(config_.n_layers() - 1) + ".";
  const std::string before = "blocks." + std::to_string(config_.n_layers() - 2) + ".attn.z[head=1]";
  EXPECT_EQ(products((last + "attn.z[head=1]=0").c_str(), false, 5), behind_);
  EXPECT_EQ(products((last + "attn.z[head=1]=mean").c_str(), false, 5), 6 * behind_)
      << "a mean reads all rows";
  EXPECT_EQ(products((before + "=0").c_str(), false, 5), 6 * behind_ + 12 * square_ + square_ + behind_);
  EXPECT_EQ(products((before + "=0").c_str(), false, 2),
            6 * behind_ + 12 * square_ + 4 * (square_ + behind_));
  EXPECT_EQ(products((before + "=0").c_str(), true, 5), 6 * behind_ + 6 * (3 * square_ + behind_))
      << "who keeps every step has every row";
}

TEST_F(KnockOutWork, rows_that_were_not_asked_have_no_logits) {
  RunOptions options;
  options.edits = {edit("blocks.0.attn.z[head=1]=0")};
  options.base = base_;
  options.keep = Keep::predictions;
  options.asked = 3;
  const TracePointer part = must_run(*opened_.model, input_, options);
  for (std::int64_t row = 0; row < 6; ++row)
    EXPECT_EQ(std::isnan(part->logits_row(row).at(0)), row < 3) << row;
}

}  // namespace
}  // namespace attnscope
