// Scenes: reading, writing back, resizing, random weights; and what is refused.
#include "core/arch/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/arch/open.h"
#include "core/model/derive.h"
#include "tests/edits.h"

namespace attnscope {
namespace {

using nlohmann::json;

std::string shipped_text(const std::string& name = "nine_steps") {
  std::ifstream file(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A language model of two blocks, every number from the seed.
json language_model() {
  return json::parse(R"({"format": "attnscope-scene", "version": 1, "title": "toy", "seed": 5,
    "words": ["the", "cat", "sat", "mat"],
    "config": {"d_model": 8, "vocab_size": 4, "n_layers": 2, "norm": {"kind": "rms"}, "final_norm": {"kind": "rms"},
      "attention": {"n_heads": 4, "n_kv_heads": 2, "d_head": 4}, "mlp": {"kind": "gated", "activation": "silu", "d_mlp": 12},
      "positions": {"kind": "rope", "rope_theta": 100, "max_positions": 32}, "head": {"present": true, "tied": true}},
    "inputs": [{"ids": [0, 1, 2]}, {"ids": [3]}]})");
}

Scene must(const json& object) {
  auto scene = scene_from_json(object, "test");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
  return scene ? *scene : Scene{};
}

void expect_equal(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.title.en, b.title.en);
  EXPECT_EQ(a.title.ko, b.title.ko);
  EXPECT_EQ(a.walk, b.walk);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.words, b.words);
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    EXPECT_EQ(a.inputs[i].ids, b.inputs[i].ids);
    EXPECT_EQ(a.inputs[i].vectors.values(), b.inputs[i].vectors.values());
  }
  ASSERT_EQ(a.model->weights().all().size(), b.model->weights().all().size());
  for (const auto& [name, tensor] : a.model->weights().all())
    EXPECT_EQ(tensor.values(), b.model->weights().get(name).values()) << name;
}

TEST(Scene, the_shipped_one_reads_and_writes_back) {
  const auto scene = scene_from_text(shipped_text(), "nine_steps");
  ASSERT_TRUE(scene) << scene.error().text();
  EXPECT_EQ(scene->walk, "nine_steps");
  EXPECT_FALSE(scene->from_seed);
  const auto again = scene_from_text(scene_to_text(*scene), "again");
  ASSERT_TRUE(again) << again.error().text();
  expect_equal(*scene, *again);
}

TEST(Scene, a_language_model_from_a_seed_runs_and_writes_back) {
  const Scene scene = must(language_model());
  EXPECT_TRUE(scene.from_seed);
  const auto trace = scene.model->run(scene.inputs[0]);
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_EQ((*trace)->logits_row(2).size(0), 4);
  const auto again = scene_from_text(scene_to_text(scene), "again");
  ASSERT_TRUE(again) << again.error().text();
  expect_equal(scene, *again);
  const auto same = (*again).model->run(scene.inputs[0]);
  EXPECT_EQ(max_abs_difference((*same)->logits_row(2), (*trace)->logits_row(2)), 0);
}

// A scale of 1, as T5 has it, is no sign that none was given.
TEST(Scene, blocks_and_cross_attention_keep_the_scale_that_all_have) {
  json object = language_model();
  for (const double scale : {1.0, 0.25}) {
    object["config"]["attention"]["scale"] = scale;
    object["config"]["blocks"] = json::parse(R"([{}, {"attention": {"window": 2}, "cross": {}}])");
    object["config"]["encoder"] = json::parse(
        R"({"d_model": 8, "vocab_size": 4, "attention": {"n_heads": 4, "d_head": 4, "causal": false}})");
    object["inputs"] = json::parse(R"([{"ids": [0, 1], "source": [2, 3]}])");
    const Scene scene = must(object);
    for (const BlockSpec& block : scene.model->config().blocks)
      EXPECT_EQ(static_cast<double>(block.attention.scale), scale);
    EXPECT_EQ(static_cast<double>(scene.model->config().blocks[1].cross->scale), scale);
    EXPECT_EQ(static_cast<double>(scene.model->config().encoder()->blocks[0].attention.scale), 0.5);
  }
  object["config"]["blocks"] =
      json::parse(R"([{}, {"attention": {"n_heads": 2, "n_kv_heads": 2, "d_head": 16}}])");
  EXPECT_EQ(must(object).model->config().blocks[1].attention.scale, 0.25f) << "heads of another width";
}

TEST(Scene, the_seed_is_kept_to_its_last_bit_or_refused) {
  json object = language_model();
  object["seed"] = 18446744073709551613ull;  // no double
  EXPECT_EQ(must(json::parse(scene_to_text(must(object)))).seed, 18446744073709551613ull);
  for (const json& seed : {json(1e300), json(-1), json(0.5), json("5")}) {
    object["seed"] = seed;
    const auto scene = scene_from_json(object, "bad.json");
    ASSERT_FALSE(scene) << seed;
    EXPECT_NE(scene.error().sentence().find("bad.json: \"seed\" must be a whole number"), std::string::npos);
  }
}

TEST(Scene, the_seed_decides_every_number) {
  json other = language_model();
  other["seed"] = 6;
  const Scene a = must(language_model()), b = must(language_model()), c = must(other);
  EXPECT_EQ(a.model->weights().get("blocks.0.attn.q.weight").values(),
            b.model->weights().get("blocks.0.attn.q.weight").values());
  EXPECT_NE(a.model->weights().get("blocks.0.attn.q.weight").values(),
            c.model->weights().get("blocks.0.attn.q.weight").values());
  EXPECT_NE(a.model->weights().get("blocks.0.attn.q.weight").values(),
            a.model->weights().get("blocks.1.attn.q.weight").values());
}

TEST(Scene, normal_numbers_are_normal_and_pinned) {
  const std::vector<float> x = normal_numbers(123, 100000, 2.f);
  double sum = 0, squares = 0;
  for (const float v : x) {
    sum += v;
    squares += static_cast<double>(v) * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 2, 0.03);
  EXPECT_EQ(normal_numbers(123, 5, 2.f), std::vector<float>(x.begin(), x.begin() + 5));
}

TEST(Scene, resized_runs_at_every_size) {
  const Scene scene = *scene_from_text(shipped_text(), "nine_steps");
  for (const SceneSizes& sizes : {SceneSizes{1, 1, 1, 1, 1, 1, true}, SceneSizes{3, 7, 5, 4, 3, 6, false}}) {
    const auto made = resized(scene, sizes, 42);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(sizes_of(*made), sizes);
    EXPECT_TRUE(made->from_seed);
    for (const Input& input : made->inputs) EXPECT_TRUE(made->model->run(input));
    const auto again = scene_from_text(scene_to_text(*made), "again");
    ASSERT_TRUE(again);
    expect_equal(*made, *again);
  }
  const auto words = resized(must(language_model()), {2, 5, 8, 2, 4, 8, true}, 1);
  ASSERT_TRUE(words) << words.error().text();
  EXPECT_TRUE(words->model->run(words->inputs[0]));
  EXPECT_FALSE(resized(scene, {0, 4, 3, 2, 1, 2, true}, 1));
  EXPECT_FALSE(resized(scene, {1, 1 << 30, 3, 2, 1, 2, true}, 1));
}

TEST(Scene, edits_are_written_and_read_back) {
  auto scene = scene_from_text(shipped_text(), "test.json");
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene_to_text(*scene).find("edits"), std::string::npos);
  Edit off = *testing::edit("blocks.0.attn.z[head=1,query=2]=0");
  off.enabled = false, off.note = "off";
  const Tensor row = Tensor::from({1, 2, 3, 4}, {{Axis::pos, 2}, {Axis::d_model, 2}});
  const Edits edits{
      testing::mask("window(2)"),
      testing::cells({{1, 0, false}, {0, 3, true}}),
      testing::mask("causal", AttentionKind::encoder),
      testing::cells({{2, 1, false}}, AttentionKind::cross),
      std::make_shared<const Edit>(off),
      testing::edit("blocks.0.attn.q*=0.1"),
      testing::edit("blocks.*.attn.scaling=off"),
      make_edit(NumberEdit{*parse_target("embed[pos=0-1]"), EditOp::add, Frozen{row, "another run"}}, 1)};
  scene->edits = edits;
  const auto again = scene_from_text(scene_to_text(*scene), "test.json");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(scene_to_text(*again), scene_to_text(*scene));
  ASSERT_EQ(again->edits.size(), edits.size());
  for (std::size_t i = 0; i < edits.size(); ++i) EXPECT_TRUE(same_edit(*again->edits[i], *edits[i])) << i;
  EXPECT_EQ(again->edits[4]->note, "off");
}

TEST(Scene, keys_and_values_are_exchanged_where_they_have_one_size) {
  const auto scene = scene_from_text(shipped_text(), "test.json");
  ASSERT_TRUE(scene);
  const auto config = std::make_shared<const ModelConfig>(scene->model->config());
  const Weights& own = scene->model->weights();
  const Edits swap{testing::edit("blocks.0.attn.kv_heads=swapped")};
  const auto made = derived(config, std::make_shared<const Weights>(own), swap);
  ASSERT_TRUE(made) << made.error().text();
  const auto numbers = [](const Weights& weights, const char* name) {
    return weights.get(std::string("blocks.0.attn.") + name + ".weight").values();
  };
  EXPECT_NE(numbers(own, "k"), numbers(own, "v"));
  EXPECT_EQ(numbers(*made->weights, "k"), numbers(own, "v"));
  EXPECT_EQ(numbers(*made->weights, "v"), numbers(own, "k"));
  EXPECT_EQ(numbers(*made->weights, "q"), numbers(own, "q"));
  auto uneven = std::make_shared<Weights>(own);  // keys alone have a bias: half a swap would be another fault
  uneven->set("blocks.0.attn.k.bias", Tensor::from({1, 2}, {{Axis::dim, 2}}));
  EXPECT_FALSE(derived(config, uneven, swap));
}

TEST(Scene, edits_of_the_older_form_are_read) {
  json object = json::parse(shipped_text());
  object["edits"] = json::parse(R"json({"masks": [{"of": "main", "spec": "window(2)", "cells": [[1, 0, 0]]}],
      "steps": [{"where": "blocks.0.attn.z[head=1]", "how": "zero", "enabled": false, "note": "off"},
                {"where": "blocks.0.attn.q", "how": "scale", "value": 0.5}]})json");
  const auto scene = scene_from_json(object, "test.json");
  ASSERT_TRUE(scene) << scene.error().text();
  ASSERT_EQ(scene->edits.size(), 3u);
  EXPECT_EQ(asked_mask(scene->edits, AttentionKind::main).spec->text(), "window(2)");
  EXPECT_EQ(to_text(*scene->edits[1]), "blocks.0.attn.z[head=1]=0");
  EXPECT_FALSE(scene->edits[1]->enabled);
  EXPECT_EQ(to_text(*scene->edits[2]), "blocks.0.attn.q*=0.5");
}

TEST(Scene, a_tower_with_too_few_places_for_its_patches_is_refused) {
  json object = json::parse(shipped_text("tiny_sight"));
  json& places = object["config"]["vision"]["positions"]["max_positions"];
  ASSERT_EQ(places, 16);
  places = 15;
  const auto scene = scene_from_json(object, "test.json");
  ASSERT_FALSE(scene);
  EXPECT_NE(scene.error().text().find("15, and the image has 16 patches"), std::string::npos)
      << scene.error().text();
}

TEST(Scene, refusals_name_the_place) {
  const auto says = [](auto change, const std::string& part) {
    json object = json::parse(shipped_text());
    change(object);
    const auto scene = scene_from_json(object, "test.json");
    ASSERT_FALSE(scene) << part;
    EXPECT_NE(scene.error().text().find(part), std::string::npos) << scene.error().text();
    EXPECT_FALSE(scene.error().hint().empty()) << part;
  };
  says([](json& o) { o.erase("format"); }, "not a scene");
  says([](json& o) { o.erase("config"); }, "config");
  says([](json& o) { o["config"]["attention"]["n_heads"] = 3; }, "3 query heads");
  says([](json& o) { o["config"]["attention"]["n_heads"] = 4; },
       "blocks.0.attn.q.weight has the shape (3, 2)");
  says([](json& o) { o["config"]["attention"]["n_heads"] = 0; }, "n_heads");
  says([](json& o) { o["config"]["d_model"] = 1e9; }, "d_model");
  says([](json& o) { o["config"]["norm"]["kind"] = "batch"; }, "batch");
  says([](json& o) { o["weights"].erase("blocks.0.attn.k.weight"); }, "blocks.0.attn.k.weight");
  says([](json& o) { o["weights"]["blocks.0.attn.q.weight"][1] = {1}; }, "blocks.0.attn.q.weight");
  says([](json& o) { o["weights"]["blocks.0.attn.q.weight"][1][0] = "x"; }, "blocks.0.attn.q.weight");
  says([](json& o) { o["inputs"] = json::array(); }, "inputs");
  says([](json& o) { o["inputs"][1] = 3; }, "inputs[1]");
  says([](json& o) { o["inputs"][0]["vectors"][2] = {1, 2}; }, "inputs[0]");
  const auto edit = [](const char* text) { return [text](json& o) { o["edits"] = json::parse(text); }; };
  says(edit("3"), "is no list");
  says(edit("[3]"), "an edit must be a text or an object");
  says(edit(R"(["blocks.0.attn.z"])"), "no = in it");
  says(edit(R"([{"place": "embed", "values": [1, 2], "shape": [3]}])"), "asks for 3");
  says(edit(R"([{"mask": "left"}])"), "\"left\" is none of");
  says(edit(R"({"masks": {}})"), "\"masks\" is no list");
  says(edit(R"({"masks": [3]})"), "a mask must be an object");
  says(edit(R"({"masks": [{"of": "left"}]})"), "\"left\" is none of main, encoder, vision, cross");
  says(edit(R"({"masks": [{"spec": "window("}]})"), "window(");
  says(edit(R"({"masks": [{"cells": [[0, 1]]}]})"), "[query, key, 0 or 1]");
  says(edit(R"({"masks": [{"cells": [[0, -1, 1]]}]})"), "[query, key, 0 or 1]");
  says(edit(R"({"masks": [{"cells": [[0, 1, 2]]}]})"), "[query, key, 0 or 1]");
  says(edit(R"({"masks": [{"cells": [[0, 4000000000, 1]]}]})"), "[query, key, 0 or 1]");
  says(edit(R"({"steps": [{"where": "blocks.0.attn.nose"}]})"), "nose");
  says(edit(R"({"steps": [{"where": "blocks.0.attn.mask"}]})"), "cannot be edited itself");
  says(edit(R"({"steps": [{"where": "blocks.0.attn.q", "how": "sing"}]})"), "\"sing\" is none of");
  says(edit(R"({"steps": [{"where": "blocks.0.attn.q", "value": "x"}]})"), "must be a number");
  says(edit(R"({"steps": [{"where": "blocks.0.attn.q", "value": 1e60}]})"), "must be a number");
  says(
      [](json& o) {
        o["config"] = {{"d_model", 4096}, {"vocab_size", 1 << 20}, {"attention", {{"d_head", 64}}}};
      },
      "weights");
}

TEST(Scene, NothingComesBetweenMaskingAndScaling) {
  std::string text = shipped_text();
  const std::string order = "\"mask_before_scale\": true";
  ASSERT_NE(text.find(order), std::string::npos);
  text.replace(text.find(order), order.size(), order + ", \"cap\": 5");
  const auto opened = open_scene_text(text, "capped");
  ASSERT_FALSE(opened) << "a cap would be shown in an order that nobody computes";
  EXPECT_NE(opened.error().sentence().find("cap"), std::string::npos) << opened.error().sentence();
}

}  // namespace
}  // namespace attnscope
