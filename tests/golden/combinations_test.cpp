// Transformers that a class builds itself: every pairing of orders, norms, MLPs, positions and masks, written
// as a small JSON config, runs with random weights, is written and read again, and explains its numbers.
#include <nlohmann/json.hpp>

#include "core/arch/scene.h"
#include "core/arch/scene_config.h"
#include "tests/golden/explained.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

Json base() {
  return {{"d_model", 8},
          {"vocab_size", 13},
          {"norm", {{"kind", "layer"}}},
          {"final_norm", {{"kind", "layer"}}},
          {"attention", {{"n_heads", 4}, {"n_kv_heads", 2}, {"d_head", 4}}},
          {"mlp", {{"kind", "plain"}, {"activation", "gelu"}, {"d_mlp", 12}}},
          {"positions", {{"kind", "none"}}},
          {"n_layers", 2},
          {"head", {{"present", true}, {"tied", true}}}};
}

Scene must_scene(const Json& config, const Json& input) {
  const Json scene{
      {"format", "attnscope-scene"}, {"version", 1}, {"config", config}, {"seed", 3}, {"inputs", {input}}};
  auto made = scene_from_json(scene, "test");
  EXPECT_TRUE(made) << (made ? "" : made.error().text()) << config.dump();
  return made ? *made : Scene{};
}

const Json kInput{{"ids", {1, 5, 2, 9, 0, 7}}};

// Runs, explains, and says the same after being written and read again.
void expect_works(const Json& config, const Json& input = kInput) {
  SCOPED_TRACE(config.dump());
  const Scene scene = must_scene(config, input);
  ASSERT_TRUE(scene.model);
  const TracePointer trace = must_run(*scene.model, scene.inputs[0]);
  ASSERT_TRUE(trace);
  for (const Record& record : trace->records()) {
    const Tensor value = must_tensor(*trace, record.site);
    EXPECT_EQ(stats(value).nans, 0) << to_text(record.site);
  }
  expect_explained(*trace, 6);
  const auto again = scene_from_text(scene_to_text(scene), "written");
  ASSERT_TRUE(again) << again.error().text();
  const TracePointer same = must_run(*again->model, again->inputs[0]);
  const Tensor before = must_tensor(*trace, trace->main(Slot::logits));
  EXPECT_LE(max_abs_difference(before, must_tensor(*same, same->main(Slot::logits))), 1e-5);
}

TEST(Combinations, orders_norms_and_mlps) {
  for (const char* order : {"pre", "post", "parallel"})
    for (const char* norm : {"layer", "rms"})
      for (const char* mlp : {"none", "plain", "gated"})
        for (const char* activation : {"relu", "gelu", "gelu_new", "silu"}) {
          if (std::string(mlp) == "none" && std::string(activation) != "relu") continue;
          Json config = base();
          config["order"] = order;
          config["norm"]["kind"] = norm;
          config["mlp"] = {{"kind", mlp}, {"activation", activation}, {"d_mlp", 12}};
          expect_works(config);
        }
}

TEST(Combinations, shared_and_branch_norms) {
  Json config = base();
  config["order"] = "parallel";
  config["shared_norm"] = true;
  expect_works(config);
  config = base();
  config["branch_norms"] = true;
  config["norm"] = {{"kind", "rms"}, {"weight_offset", 1}};
  config["embed_norm"] = {{"kind", "layer"}};
  config["embed_scale"] = 2.5;
  config["type_vocab"] = 2;
  expect_works(config, {{"ids", {1, 5, 2}}, {"types", {0, 0, 1}}});
}

TEST(Combinations, positions) {
  const Json scalings[] = {{{"rope_type", "linear"}, {"factor", 2}},
                           {{"rope_type", "dynamic"}, {"factor", 2}, {"original_max_position_embeddings", 4}},
                           {{"rope_type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 4}}};
  for (const char* kind : {"none", "learned", "sinusoidal", "rope", "alibi", "buckets"}) {
    Json config = base();
    config["positions"] = {{"kind", kind}, {"max_positions", 16}, {"buckets", 8}, {"max_distance", 16}};
    expect_works(config);
  }
  for (const Json& scaling : scalings) {
    Json config = base();
    config["positions"] = {{"kind", "rope"}, {"rope_scaling", scaling}};
    expect_works(config);
    config["positions"]["interleaved"] = true;
    config["positions"]["partial_rotary_factor"] = 0.5;
    expect_works(config);
  }
  Json halves = base();
  halves["positions"] = {{"kind", "sinusoidal"}, {"halves", true}};
  expect_works(halves);
}

TEST(Combinations, attention) {
  for (const char* mask :
       {"", "full", "causal & window(2)", "causal | prefix(2)", "a>a | b>a | b>b & causal"}) {
    Json config = base(), input = kInput;
    config["attention"]["mask"] = mask;
    input["spans"] = {{"a", 0, 3}, {"b", 3, 6}};
    expect_works(config, input);
  }
  Json config = base();
  config["attention"]["cap"] = 5;
  config["attention"]["sinks"] = true;
  config["attention"]["qk_norm"] = {{"kind", "rms"}};
  config["head"] = {{"present", true}, {"tied", false},     {"cap", 3},
                    {"scale", 0.5},    {"transform", true}, {"norm", {{"kind", "layer"}}}};
  config["positions"] = {{"kind", "alibi"}};
  expect_works(config, {{"ids", {1, 5, 2, 3}}, {"real", {0, 1, 1, 1}}});
  config = base();
  config["blocks"] = {Json::object(), {{"attention", {{"window", 2}}}}, {{"mlp", {{"kind", "none"}}}}};
  expect_works(config);
}

TEST(Combinations, encoder_and_decoder) {
  for (const char* order : {"pre", "post"}) {
    Json config = base(), encoder = base();
    config["order"] = encoder["order"] = order;
    config["cross"] = Json::object();
    encoder["attention"]["causal"] = false;
    encoder["d_model"] = 6;
    encoder["head"] = {{"present", false}};
    encoder["positions"] = {{"kind", "buckets"}, {"buckets", 8}, {"max_distance", 16}};
    config["encoder"] = encoder;
    config["decoder_start"] = 0;
    expect_works(
        config,
        {{"ids", {0, 4, 2}}, {"source", {3, 1, 4, 1, 5}}, {"source_attention_mask", {1, 1, 1, 1, 0}}});
  }
}

Json pixels() {
  Json values = Json::array();
  for (int i = 0; i < 3 * 4 * 6; ++i) values.push_back((i * 37 % 11) / 10.0 - 0.5);
  return {{"shape", {3, 4, 6}}, {"values", values}};
}

TEST(Combinations, images) {
  Json sight = base();
  sight.erase("vocab_size");
  sight["patch"] = {{"size", 2}, {"rows", 2}, {"cols", 3}, {"class_token", true}};
  sight["positions"] = {{"kind", "learned"}, {"max_positions", 7}};
  sight["attention"]["causal"] = false;
  sight["head"] = {{"present", true}, {"outputs", 4}, {"first_row_only", true}};
  expect_works(sight, {{"pixels", pixels()}});
  Json config = base(), encoder = sight;
  encoder["patch"]["class_token"] = false;
  encoder["positions"]["max_positions"] = 6;
  encoder["head"] = {{"present", false}};
  encoder["projected"] = 8;
  config["vision"] = encoder;
  config["image_token"] = 12;
  config["embed_scale"] = 2;
  config["attention"]["mask"] = "causal | *>image | *>prompt";
  expect_works(config, {{"ids", {12, 12, 12, 12, 12, 12, 4, 5, 6}},
                        {"pixels", pixels()},
                        {"spans", {{"image", 0, 6}, {"prompt", 6, 8}, {"answer", 8, 9}}}});
}

TEST(Combinations, are_refused_in_words) {
  const auto refusal = [](const Json& config) {
    const auto made = config_from_json(config, "test");
    return made ? std::string("accepted") : made.error().sentence();
  };
  Json config = base();
  config["order"] = "sideways";
  EXPECT_NE(refusal(config).find("sideways"), std::string::npos) << refusal(config);
  config = base();
  config["positions"]["kind"] = "astral";
  EXPECT_NE(refusal(config).find("astral"), std::string::npos) << refusal(config);
  config = base();
  config.erase("vocab_size");
  EXPECT_NE(refusal(config).find("vocabulary"), std::string::npos) << refusal(config);
  config = base();
  config["cross"] = Json::object();
  const auto made = Model::make(*config_from_json(config, "test"), {});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().sentence().find("no encoder"), std::string::npos) << made.error().sentence();
}

}  // namespace
}  // namespace attnscope
