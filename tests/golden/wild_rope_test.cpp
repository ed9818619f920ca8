// Rotary settings as configs spell them: scalings of older and newer files, what they leave out, and settings
// that make no frequencies.
#include "tests/golden/wild.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class WildRope : public Wild {
 protected:
  // A Llama whose config has this under "rope_parameters".
  static CheckpointFolder llama(const Json& parameters) {
    CheckpointFolder out("llama");
    out.config["rope_parameters"] = parameters;
    return out;
  }
  RopeSpec spec(const CheckpointFolder& checkpoint) {
    return opened(checkpoint).model->config().blocks[0].attention.position.rope;
  }
  Tensor logits(const CheckpointFolder& checkpoint) { return logits_of(opened(checkpoint)); }
};

TEST_F(WildRope, yarn_of_older_and_newer_configs) {
  CheckpointFolder older("llama_yarn");
  Json scaling = older.config["rope_parameters"];
  older.config["rope_theta"] = scaling["rope_theta"];
  scaling.erase("rope_theta");
  older.config.erase("rope_parameters");
  older.config["rope_scaling"] = scaling;
  expect_same(older, "llama_yarn");
  scaling.erase("rope_type");
  scaling["type"] = "yarn";
  older.config["rope_scaling"] = scaling;
  expect_same(older, "llama_yarn");
  older.config["rope_scaling"]["attention_factor"] = 0.1 * std::log(8.0) + 1;  // what silence means
  expect_same(older, "llama_yarn", 1e-5);
}

TEST_F(WildRope, of_both_spellings_the_older_one_counts) {
  CheckpointFolder both = llama({{"rope_type", "default"}, {"rope_theta", 500.0}});
  both.config["rope_theta"] = 500.0;
  both.config["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
  EXPECT_EQ(spec(both).kind, RopeSpec::Kind::linear);
  EXPECT_EQ(spec(both).factor, 4);
  both.config["rope_scaling"]["factor"] = 0;
  expect_says(refusal(both), {"rope_scaling", "factor"});
  both.config["rope_scaling"] = Json::object();
  EXPECT_EQ(spec(both).kind, RopeSpec::Kind::standard);
}

TEST_F(WildRope, what_yarn_leaves_out) {
  const RopeSpec spare = spec(llama({{"rope_type", "yarn"}, {"factor", 4.0}}));
  EXPECT_EQ(spare.kind, RopeSpec::Kind::yarn);
  EXPECT_EQ(spare.original_max_positions, 64);  // max_position_embeddings
  EXPECT_EQ(spare.beta_fast, 32);
  EXPECT_EQ(spare.beta_slow, 1);
  EXPECT_TRUE(spare.truncate);
  EXPECT_NEAR(rope_magnitude(spare), 0.1 * std::log(4.0) + 1, 1e-12);
  const RopeSpec lengths = spec(llama({{"rope_type", "yarn"},
                                       {"original_max_position_embeddings", 16},
                                       {"truncate", false},
                                       {"beta_fast", 0}}));
  EXPECT_EQ(lengths.factor, 4);  // 64 of 16
  EXPECT_FALSE(lengths.truncate);
  EXPECT_EQ(lengths.beta_fast, 32);  // 0 counts as silence
}

TEST_F(WildRope, magnitudes_of_yarn) {
  Json yarn{{"rope_type", "yarn"}, {"factor", 40.0}, {"mscale", 0.707}, {"mscale_all_dim", 1.0}};
  EXPECT_NEAR(rope_magnitude(spec(llama(yarn))), (0.0707 * std::log(40.0) + 1) / (0.1 * std::log(40.0) + 1),
              1e-12);
  yarn["mscale"] = 1.0;
  EXPECT_NEAR(rope_magnitude(spec(llama(yarn))), 1, 1e-12);
  yarn["attention_factor"] = 1.25;  // said aloud
  EXPECT_EQ(rope_magnitude(spec(llama(yarn))), 1.25);
  yarn.erase("attention_factor");
  yarn.erase("mscale_all_dim");  // one of the two says nothing
  EXPECT_NEAR(rope_magnitude(spec(llama(yarn))), 0.1 * std::log(40.0) + 1, 1e-12);
}

// bloc97's formula: theta times (factor * length / trained - (factor - 1)) ^ (d / (d - 2)).
TEST_F(WildRope, dynamic_scaling_turns_by_a_larger_theta) {
  CheckpointFolder dynamic = llama({{"rope_type", "dynamic"}, {"factor", 3.0}, {"rope_theta", 5000.0}});
  dynamic.config["max_position_embeddings"] = 4;  // kIds are seven
  const double d_head = 8, growth = std::pow(3.0 * 7 / 4 - 2, d_head / (d_head - 2));
  const CheckpointFolder plain = llama({{"rope_type", "default"}, {"rope_theta", 5000.0 * growth}});
  const Tensor a = logits(dynamic), b = logits(plain);
  EXPECT_LE(max_abs_difference(a, b), 1e-5);
  EXPECT_GT(max_abs_difference(a, logits(llama({{"rope_theta", 5000.0}}))), 1e-2);
  dynamic.config["max_position_embeddings"] = 16;  // not beyond the trained length: nothing stretches
  EXPECT_EQ(max_abs_difference(logits(dynamic), logits(llama({{"rope_theta", 5000.0}}))), 0);
}

TEST_F(WildRope, scalings_reach_beyond_the_trained_length) {
  const auto most = [&](const Json& parameters, int positions) {
    CheckpointFolder checkpoint = llama(parameters);
    checkpoint.config["max_position_embeddings"] = positions;
    return opened(checkpoint).model->config().position.max_positions;
  };
  EXPECT_EQ(most({{"rope_type", "default"}}, 64), 64);
  EXPECT_EQ(most({{"rope_type", "linear"}, {"factor", 4.0}}, 64), 256);
  EXPECT_EQ(most({{"rope_type", "dynamic"}, {"factor", 2.0}}, 64), 128);
  const Json yarn{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 64}};
  EXPECT_EQ(most(yarn, 64), 256);
  EXPECT_EQ(most(yarn, 256), 256);
}

TEST_F(WildRope, one_spelling_for_each_kind_of_layer) {
  const Json same{{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 500.0}};
  Json other = same;
  other["rope_theta"] = 10000.0;
  const RopeSpec found = spec(llama({{"full_attention", same}, {"sliding_attention", same}}));
  EXPECT_EQ(found.kind, RopeSpec::Kind::linear);
  EXPECT_EQ(found.theta, 500);
  expect_says(refusal(llama({{"full_attention", same}, {"sliding_attention", other}})), {"layer to layer"});
}

TEST_F(WildRope, settings_that_make_no_frequencies) {
  const std::vector<Json> broken{
      {{"rope_type", "linear"}, {"factor", 0.0}},
      {{"rope_type", "linear"}, {"factor", "four"}},
      {{"rope_type", "default"}, {"rope_theta", -1.0}},
      {{"rope_type", "dynamic"}, {"factor", 2.0}, {"original_max_position_embeddings", 0}},
      {{"rope_type", "yarn"}, {"factor", 2.0}, {"beta_fast", -3.0}},
      {{"rope_type", "yarn"}, {"factor", 2.0}, {"beta_fast", 1.0}, {"beta_slow", 32.0}},
      {{"rope_type", "yarn"}, {"factor", 2.0}, {"rope_theta", 1.0}},
      {{"rope_type", "yarn"}, {"factor", 2.0}, {"truncate", "yes"}},
      {{"rope_type", "llama3"}, {"factor", 2.0}, {"low_freq_factor", 4.0}, {"high_freq_factor", 1.0}},
      {{"rope_type", "default"}, {"partial_rotary_factor", 1.5}},
      {{"rope_type", 7}},
      {{"rope_type", "longrope"}, {"factor", 2.0}}};
  for (const Json& parameters : broken) {
    const Error error = refusal(llama(parameters));
    EXPECT_FALSE(error.sentence().empty()) << parameters;
    EXPECT_FALSE(error.hint().empty()) << parameters;
  }
}

}  // namespace
}  // namespace attnscope
