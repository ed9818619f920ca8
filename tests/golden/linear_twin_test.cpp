// The linear twin closes in double, agrees with the run, and each token's addend is what a second plain pass
// in double says: the input of all other rows and every bias taken away, patterns, scales and gates held.
#include "core/lens/linear_twin.h"

#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/lens/twin_directions.h"
#include "tests/golden/helpers.h"
#include "tests/golden/naive_paths.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using Matrix = NaiveStack::Matrix;

const std::vector<int> kWords{5, 9, 3, 7, 2};

class LinearTwins : public ::testing::TestWithParam<const char*> {
 protected:
  Input input() const {
    Input out{kWords, {}};
    if (opened_.model->config().encoder()) out.source = {4, 8, 6, 3};
    return out;
  }
  const OpenedModel opened_ = must_open(model_path(GetParam()));
};

TEST_P(LinearTwins, Close) {
  const auto run = must_run(*opened_.model, input());
  for (const LogitMeasure& measure : {LogitMeasure{LogitMeasure::Kind::logit, 7, -1, -1, {}},
                                      LogitMeasure{LogitMeasure::Kind::logit_diff, 7, 11, 3, {}}})
    for (const AttributeBy by :
         {AttributeBy::part, AttributeBy::head, AttributeBy::token, AttributeBy::neuron}) {
      const auto twin = linear_twin(*run, measure, by);
      ASSERT_TRUE(twin) << twin.error().text();
      double largest = std::fabs(twin->total), sum = 0;
      for (const LogitPart& part : twin->parts)
        largest = std::max(largest, std::fabs(part.value)), sum += part.value;
      EXPECT_LT(std::fabs(twin->total - sum), 1e-10 * largest);
      EXPECT_NEAR(twin->total, twin->run, 1e-4 * largest);
      EXPECT_NEAR(twin->run, *measured(measure, *run), 1e-6);
      if (by != AttributeBy::token) {  // the same addends as those of the run in float
        const auto plain = attribute(*run, measure, by == AttributeBy::neuron ? AttributeBy::neuron : by);
        ASSERT_TRUE(plain);
        std::map<std::string, double> wanted;
        for (const LogitPart& part : plain->parts) wanted[part.step + to_text(part.at)] += part.value;
        for (const LogitPart& part : twin->parts) {
          if (part.step.find("bias") != std::string::npos || part.step.ends_with("embed")) continue;
          EXPECT_NEAR(part.value, wanted[part.step + to_text(part.at)], 1e-4 * largest)
              << part.step << to_text(part.at);
        }
        continue;
      }
      std::size_t rows = 0;
      for (const LogitPart& part : twin->parts) rows += part.step.ends_with("embed") ? 1 : 0;
      EXPECT_GE(rows, kWords.size());
      EXPECT_EQ(twin->parts.back().step, "bias");
      EXPECT_EQ(twin->parts.size(), rows + 1);
    }
}

// The matrix of a token by its directions: their sum is the token's addend, they are largest first, and what
// lies along them is written as long as they say.
TEST_P(LinearTwins, TheDirectionsOfATokenAddUpToIt) {
  const auto run = must_run(*opened_.model, input());
  const LogitMeasure measure{LogitMeasure::Kind::logit_diff, 7, 11, 3, {}};
  const auto twin = linear_twin(*run, measure, AttributeBy::token);
  ASSERT_TRUE(twin);
  const std::string entry = std::string(stack_prefix(opened_.model->config().stack)) + "embed";
  for (const std::int64_t pos : {0, 3}) {
    const auto found = twin_directions(*run, measure, pos);
    ASSERT_TRUE(found) << found.error().text();
    double addend = 0, sum = 0, largest = 0;
    for (const LogitPart& part : twin->parts)
      if (part.step == entry && part.at.front().begin == pos) addend = part.value;
    for (std::size_t i = 0; i < found->directions.size(); ++i) {
      const TwinDirection& one = found->directions[i];
      sum += one.value, largest = std::max(largest, std::fabs(one.value));
      EXPECT_NEAR(one.value, one.singular * one.input * one.measure, 1e-12);
      EXPECT_GE(one.input, 0);
      double length = 0;
      for (const double x : one.writes) length += x * x;
      EXPECT_NEAR(length, 1, 1e-9);
      if (i > 0) {
        EXPECT_LE(one.singular, found->directions[i - 1].singular);
      }
    }
    EXPECT_NEAR(found->total, addend, 1e-10 * std::max(1.0, std::fabs(addend)));
    EXPECT_NEAR(sum, addend, 1e-9 * std::max(1.0, largest)) << pos;
  }
  EXPECT_FALSE(twin_directions(*run, measure, run->rows(opened_.model->config().stack)));
}

// What a direction does to a token's logit is what it adds to the measure of that logit.
TEST_P(LinearTwins, TheTokensOfADirectionAreThoseWhoseLogitsItMoves) {
  if (opened_.model->config().head.cap > 0) GTEST_SKIP() << "its measure is that of capped logits";
  const auto run = must_run(*opened_.model, input());
  const auto found = twin_directions(*run, {LogitMeasure::Kind::logit, 7, -1, 3, {}}, 3);
  ASSERT_TRUE(found) << found.error().text();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, found->directions.size()); ++i)
    for (const float sign : {1.f, -1.f})
      for (const NeuronToken& word : twin_tokens(*run, found->directions[i], 2, sign)) {
        const auto of_word = twin_directions(*run, {LogitMeasure::Kind::logit, word.token, -1, 3, {}}, 3);
        ASSERT_TRUE(of_word) << of_word.error().text();
        EXPECT_NEAR(of_word->directions[i].measure, static_cast<double>(word.value),
                    1e-5 * std::max(1.0, std::fabs(of_word->directions[i].measure)))
            << i << " token " << word.token;
      }
}

// Edits of steps are part of the sum: it is that of the edited run, and still closes.
TEST_P(LinearTwins, CloseUnderEdits) {
  for (const char* text :
       {"blocks.0.attn.z[head=1]*=0.5", "blocks.1.attn.z[head=0]=0", "blocks.0.attn.v+=0.3",
        "blocks.1.attn.split_v[head=0]=mean", "blocks.0.attn.concat[pos=1]=@pos:2", "blocks.0.attn.out*=2",
        "blocks.0.mlp.post[d_mlp=3]=1.5", "blocks.1.mlp.pre[d_mlp=2]=0.7", "blocks.1.mlp.up*=0.5",
        "blocks.0.mlp.out[pos=1]=mean", "blocks.0.resid_post*=0.6", "blocks.1.resid_pre[pos=4]+=mean",
        "blocks.1.ln1.out*=mean", "ln_final.out*=1.3", "blocks.1.ln2.scale*=2"}) {
    RunOptions options;
    const auto edits = parse_edits(text, opened_.model->config());
    if (!edits) continue;
    options.edits = *edits;
    const auto run = opened_.model->run(input(), options);
    if (!run || !(*run)->unreached.empty()) continue;  // a step that this family does not have
    const LogitMeasure measure{LogitMeasure::Kind::logit_diff, 7, 11, -1, {}};
    for (const AttributeBy by :
         {AttributeBy::part, AttributeBy::head, AttributeBy::token, AttributeBy::neuron}) {
      const auto twin = linear_twin(**run, measure, by);
      ASSERT_TRUE(twin) << text << twin.error().text();
      double largest = std::fabs(twin->total), sum = 0;
      for (const LogitPart& part : twin->parts)
        largest = std::max(largest, std::fabs(part.value)), sum += part.value;
      EXPECT_LT(std::fabs(twin->total - sum), 1e-10 * largest) << text;
      EXPECT_NEAR(twin->total, twin->run, 1e-4 * largest) << text;
    }
  }
}

TEST(LinearTwinEdits, ThatItCannotHoldAreNamed) {
  const OpenedModel opened = must_open(model_path("gpt2"));
  const LogitMeasure measure{LogitMeasure::Kind::logit, 7, -1, -1, {}};
  const auto twin = [&](const char* text) {
    RunOptions options;
    options.edits = *parse_edits(text, opened.model->config());
    return linear_twin(*must_run(*opened.model, {kWords, {}}, options), measure, AttributeBy::token);
  };
  for (const char* text : {"logits*=0.5", "blocks.0.attn.z[head=1]->blocks.1.attn.v[head=0]=0",
                           "blocks.0.attn.z[head=1]->logits=0"}) {
    const auto refused = twin(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_NE(refused.error().text().find("linear twin"), std::string::npos);
  }
  EXPECT_TRUE(twin("blocks.0.attn.z[head=1]->blocks.1.attn.q[head=0]=0"));
}

INSTANTIATE_TEST_SUITE_P(Families, LinearTwins,
                         ::testing::Values("gpt2", "llama", "mistral", "qwen2", "gemma", "gemma2", "qwen3",
                                           "gpt_neox", "bloom", "bert", "roberta", "bart", "t5", "marian"),
                         [](const auto& one) { return std::string(one.param); });

// One token at a time through a plain pass whose patterns, scales and gates are those of another plain pass.
class HeldPasses : public ::testing::TestWithParam<const char*> {};

TEST_P(HeldPasses, GiveEveryTokensAddend) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Model& model = *opened.model;
  const auto run = must_run(model, {kWords, {}});
  const LogitMeasure measure{LogitMeasure::Kind::logit_diff, 7, 11, -1, {}};
  const auto twin = linear_twin(*run, measure, AttributeBy::token);
  ASSERT_TRUE(twin) << twin.error().text();
  NaiveStack clean(model);
  clean.run(kWords);
  const auto answer = [&](const std::function<Matrix(Matrix)>& embed) {
    NaiveStack held(model);
    held.hold(clean);
    held.changes["embed"] = embed;
    const Matrix logits = held.run(kWords);
    return logits.back()[7] - logits.back()[11];
  };
  const double nothing = answer([](Matrix x) { return NaiveStack::sum(x, x, -1); });
  double largest = 0;
  for (const LogitPart& part : twin->parts) largest = std::max(largest, std::fabs(part.value));
  for (const LogitPart& part : twin->parts) {
    if (part.step == "bias") {
      EXPECT_NEAR(part.value, nothing, 1e-4 * largest);
      continue;
    }
    const auto only = static_cast<std::size_t>(part.at.front().begin);
    const double one = answer([only](Matrix x) {
      for (std::size_t row = 0; row < x.size(); ++row)
        if (row != only) std::fill(x[row].begin(), x[row].end(), 0.0);
      return x;
    });
    EXPECT_NEAR(part.value, one - nothing, 1e-4 * largest) << only;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, HeldPasses,
                         ::testing::Values("gpt2", "llama", "mistral", "gemma2", "qwen3", "gpt_neox",
                                           "bloom"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace attnscope
