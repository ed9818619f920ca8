// "Why this gradient?" checked for random cells of every gradient of every family: the products that are
// named add up to the number, each factor is the number of the cell that it names, and the shares of several
// readers are the gradient. The same for weights, whose uses add up to what training takes.
#include <random>

#include "core/session/weight_gradients.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

#if defined(__SANITIZE_ADDRESS__)
constexpr int kGradientCells = 2;
#else
constexpr int kGradientCells = 12;
#endif

class GradientsExplained : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path(GetParam()));
    const Fixture given = fixture(GetParam());
    const TracePointer trace = must_run(*opened_.model, given.inputs.back(), given.options);
    const Record* logits = trace->find(trace->main(Slot::logits));
    if (!logits) GTEST_SKIP() << "predicts nothing";
    Objective objective;
    objective.smoothing = 0.1;
    for (std::int64_t row = 0; row < logits->shape[0]; ++row)
      objective.targets.push_back(row % 5 == 3 ? kNotCounted
                                               : static_cast<int>((row * 7 + 3) % logits->shape[1]));
    auto made = backward(trace, std::move(objective));
    ASSERT_TRUE(made) << made.error().text();
    gradients_ = *made;
    readers_ = gradient_readers(*gradients_);
  }

  std::vector<std::int64_t> some_cell(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out;
    for (const std::int64_t size : shape)
      out.push_back(std::uniform_int_distribution<std::int64_t>(0, size - 1)(random_));
    return out;
  }
  double largest(const Record& record) const {
    const Tensor plane =
        record.derived ? gradients_->slice(record.site, 0, {0, 1 << 20}, {0, 1 << 20}) : record.value();
    const Stats all = stats(plane);
    return std::max(std::fabs(static_cast<double>(all.min)), std::fabs(static_cast<double>(all.max)));
  }
  /// What the cell holds that a factor names.
  double held(const GradientFactor& factor) const {
    const Trace& trace = gradients_->trace();
    switch (factor.kind) {
      case GradientFactor::Kind::gradient: return gradients_->cell(factor.site, factor.index);
      case GradientFactor::Kind::step: return trace.cell(factor.site, factor.index);
      case GradientFactor::Kind::weight: return trace.weights().get(factor.name).at(factor.index);
      case GradientFactor::Kind::number: break;
    }
    return factor.value;
  }
  /// The sum of what the terms name; `size` grows by the sum of their sizes.
  double spelled_sum(const GradientShare& share, const std::string& cell, bool named, double& size) const {
    double sum = 0;
    for (const GradientTerm& term : share.terms) {
      double product = term.minus ? -1 : 1;
      for (const GradientFactor& factor : term.factors) {
        const double own = named ? held(factor) : factor.value;
        EXPECT_NEAR(own, factor.value, 1e-6 * std::max(1.0, std::fabs(own))) << cell << " " << factor.name;
        EXPECT_FALSE(factor.name.empty()) << cell;
        product *= own;
      }
      sum += product, size += std::fabs(product);
    }
    return sum;
  }

  std::mt19937 random_{23};
  OpenedModel opened_;
  std::shared_ptr<const Gradients> gradients_;
  std::map<Site, std::vector<Site>> readers_;
};

TEST_P(GradientsExplained, spelled_terms_of_random_cells_make_the_gradient) {
  int several = 0, norms = 0;
  for (const Record& record : gradients_->records()) {
    const double most = largest(record);
    for (int i = 0; i < kGradientCells; ++i) {
      const auto index = some_cell(record.shape);
      const std::string cell = gradient_name(record.site) + shape_text(index);
      const auto why = explain_gradient(*gradients_, readers_[record.site], record.site, index);
      ASSERT_TRUE(why) << why.error().text();
      double sum = 0, size = 0;
      for (const GradientShare& share : why->shares) {
        sum += spelled_sum(share, cell, true, size);
        norms += share.rule == Rule::norm ? 1 : 0;
      }
      several += why->shares.size() > 1 ? 1 : 0;
      EXPECT_NEAR(sum, why->result, 1e-9 + 1e-6 * size) << cell;
      EXPECT_EQ(why->recorded, static_cast<double>(gradients_->cell(record.site, index)));
      EXPECT_NEAR(sum, why->recorded, 1e-9 + 2e-5 * size + 1e-6 * most) << cell;
    }
  }
  EXPECT_GT(several, 0);
  EXPECT_GT(norms, 0);
}

TEST_P(GradientsExplained, shares_of_several_readers_add_up_to_the_gradient) {
  for (const auto& [site, readers] : readers_) {
    const Record& record = *gradients_->find(site);
    if (readers.size() < 2) continue;
    ASSERT_EQ(record.shape.size(), 2u) << to_text(site);
    std::vector<Tensor> shares;
    for (const Site& reader : readers) shares.push_back(gradient_share(*gradients_, site, reader, 0));
    const Tensor sum = added_up(shares);
    ASSERT_EQ(sum.sizes(), record.shape) << to_text(site);
    const double most = largest(record);
    for (int i = 0; i < 4 * kGradientCells; ++i) {
      const auto index = some_cell(record.shape);
      EXPECT_NEAR(sum.at(index), record.rows.at(index), 2e-5 * most) << to_text(site) << shape_text(index);
      for (std::size_t reader = 0; reader < readers.size(); ++reader)
        EXPECT_NEAR(shares[reader].at(index), explain_share(*gradients_, site, readers[reader], index).value,
                    2e-5 * most)
            << to_text(site) << " from " << to_text(readers[reader]);
    }
  }
}

TEST_P(GradientsExplained, uses_of_weights_add_up_to_what_is_learned) {
  const auto grads = gradients_->weights();
  const ModelConfig& config = gradients_->trace().config();
  for (const auto& [name, gradient] : grads) {
    const Stats all = stats(gradient);
    const double most = std::max(std::fabs(all.min), std::fabs(all.max));
    const bool kept = kept_weight(gradients_->trace().config(), name).name == name;
    for (int i = 0; kept && i < kGradientCells; ++i) {
      const auto index = some_cell(gradient.sizes());
      const auto why = explain_weight_gradient(*gradients_, name, index);
      ASSERT_TRUE(why) << why.error().text();
      double sum = 0, size = 0;
      for (const GradientShare& share : why->shares) {
        const bool changed =
            share.from.slot == Slot::logits && (config.head.cap > 0.f || config.head.scale != 1.f);
        sum += spelled_sum(share, name + shape_text(index), !changed, size);
      }
      EXPECT_NEAR(sum, gradient.at(index), 2e-5 * (size + most)) << name << shape_text(index);
      EXPECT_NEAR(why->recorded, gradient.at(index), 2e-5 * (size + most)) << name;
    }
  }
  const std::string base(stack_prefix(config.stack));
  if (config.head.tied) {
    EXPECT_GE(weight_parts(*gradients_, base + "tok_embed.weight").size(), 2u)
        << "a table and the unembedding";
  }
}

TEST(EditedGradients, are_explained_by_what_passes_the_edits) {
  const OpenedModel opened = must_open(model_path("gpt2"));
  RunOptions options;
  for (const char* text :
       {"blocks.0.attn.pattern[head=0,query=3]=@pos:1", "blocks.0.attn.scores[head=0]=mean",
        "blocks.1.attn.masked[head=1,query=2,key=0]=0.3", "blocks.1.mlp.pre[pos=1]*=0.5",
        "blocks.1.resid_mid[pos=2]*=mean", "logits*=@pos:1", "blocks.0.ln2.scale[pos=1]*=0.5",
        "blocks.1.ln1.scale[pos=0]=@pos:3"})
    options.edits.push_back(edit(text));
  const auto made = backward(must_run(*opened.model, {.ids = {5, 3, 8, 1, 9}}, options),
                             {{}, 0, 0, LogitMeasure{LogitMeasure::Kind::logit_diff, 1, 2, -1, {}}});
  ASSERT_TRUE(made) << made.error().text();
  auto readers = gradient_readers(**made);
  for (const Record& record : (*made)->records()) {
    if (record.site.slot == Slot::logits) continue;
    std::mt19937 random(3);
    for (int i = 0; i < 12; ++i) {
      std::vector<std::int64_t> index;
      for (const std::int64_t size : record.shape)
        index.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(size)));
      const auto why = explain_gradient(**made, readers[record.site], record.site, index);
      ASSERT_TRUE(why) << why.error().text();
      EXPECT_NEAR(why->result, why->recorded, 1e-6 + 1e-4 * std::fabs(why->recorded))
          << gradient_name(record.site) << shape_text(index);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GradientsExplained, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

TEST(GradientExplanation, what_is_not_there_is_refused) {
  const OpenedModel opened = must_open(model_path("gpt2"));
  const TracePointer trace = must_run(*opened.model, {.ids = {1, 2, 3}});
  const auto gradients = backward(trace, {{2, 3, 4}, 0, 0});
  ASSERT_TRUE(gradients);
  const Site q = *parse_site("blocks.0.attn.q");
  EXPECT_FALSE(explain_gradient(**gradients, {}, *parse_site("blocks.0.ln1.scale"), {0, 0}));
  EXPECT_NE(explain_gradient(**gradients, {}, q, {3, 0}).error().sentence().find("no such cell"),
            std::string::npos);
  EXPECT_FALSE(explain_gradient(**gradients, {}, q, {0}));
  EXPECT_FALSE(explain_weight_gradient(**gradients, "blocks.0.attn.q.weight", {0}));
  EXPECT_FALSE(explain_weight_gradient(**gradients, "nothing.weight", {0, 0}));
}

}  // namespace
}  // namespace attnscope
