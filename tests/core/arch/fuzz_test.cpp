// Thousands of mutated scenes and configs: whatever comes in, a value or a sentence comes out, and what opens
// runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "core/arch/family.h"
#include "core/arch/open.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using nlohmann::json;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // Bytes changed, dropped, doubled.
  std::string text(std::string value) {
    for (std::size_t changes = 1 + below(4); changes > 0 && !value.empty(); --changes) {
      const std::size_t at = below(value.size()), length = std::min(below(12), value.size() - at);
      switch (below(4)) {
        case 0: value[at] = static_cast<char>(below(256)); break;
        case 1: value.erase(at, length); break;
        case 2: value.insert(at, value.substr(at, length)); break;
        default: value[at] = "0123456789-.,:[]{}\"en"[below(21)];
      }
    }
    return value;
  }
  // One or more values of the tree replaced by something unsuitable.
  json tree(json value) {
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const json flat = value.flatten();
      auto leaf = flat.begin();
      std::advance(leaf, static_cast<std::ptrdiff_t>(below(flat.size())));
      json::json_pointer at(leaf.key());
      for (std::size_t up = below(3); up > 0 && !at.parent_pointer().empty(); --up) at = at.parent_pointer();
      json changed = value;
      changed[at] = strange();
      value = std::move(changed);
    }
    return value;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  json strange() {
    static const std::vector<json> kStrange{nullptr,
                                            true,
                                            false,
                                            0,
                                            1,
                                            2,
                                            3,
                                            7,
                                            -1,
                                            1e9,
                                            1e300,
                                            -1e300,
                                            0.5,
                                            4096,
                                            65536,
                                            2147483647,
                                            18446744073709551615ull,
                                            "",
                                            "x",
                                            "rope",
                                            "linear",
                                            json::array(),
                                            json::object(),
                                            json::array({1, 2}),
                                            json::array({json::array({1e30, 2})})};
    return kStrange[below(kStrange.size())];
  }
  std::mt19937_64 random_;
};

// A sentence for a person, or something that runs.
void expect_answer(const Result<Scene>& scene) {
  if (!scene) {
    EXPECT_FALSE(scene.error().sentence.empty());
    return;
  }
  for (const Input& input : scene->inputs) {
    if (input.length() > 64) continue;
    const auto trace = scene->model->run(input);
    EXPECT_TRUE(trace || !trace.error().sentence.empty());
  }
}

TEST(Fuzz, scenes_as_text) {
  const std::string shipped = text_of("assets/scenes/nine_steps.json");
  ASSERT_FALSE(shipped.empty());
  Mutator mutate(1);
  for (int i = 0; i < 4000; ++i) expect_answer(scene_from_text(mutate.text(shipped), "fuzz"));
}

TEST(Fuzz, scenes_as_trees) {
  const json shipped = json::parse(text_of("assets/scenes/nine_steps.json"));
  json toy = shipped;
  toy.erase("weights");
  toy["config"] = json::parse(R"({"d_model": 8, "vocab_size": 5, "n_layers": 2, "norm": {"kind": "layer"},
    "final_norm": {"kind": "rms", "eps": 1e-5}, "attention": {"n_heads": 4, "n_kv_heads": 2, "d_head": 4, "window": 3},
    "mlp": {"kind": "plain", "activation": "gelu", "d_mlp": 12}, "head": {"present": true, "tied": false},
    "positions": {"kind": "rope", "rope_scaling": {"rope_type": "llama3", "factor": 2.0}, "max_positions": 32}})");
  toy["inputs"] = json::parse(R"([{"ids": [0, 1, 2, 4]}])");
  toy["edits"] = json::parse(R"({"masks": [{"of": "main", "spec": "causal", "cells": [[2, 0, 0], [0, 1, 1]]}],
    "steps": [{"where": "blocks.0.attn.z[head=1]", "how": "scale", "value": 2.0, "enabled": true, "note": "twice"}]})");
  ASSERT_TRUE(scene_from_json(toy, "toy"));
  Mutator mutate(2);
  for (int i = 0; i < 4000; ++i) expect_answer(scene_from_json(mutate.tree(i % 2 ? shipped : toy), "fuzz"));
}

TEST(Fuzz, configs_of_every_family) {
  for (const std::string name : {"gpt2", "llama", "llama3", "qwen2"}) {
    const std::string folder = "tests/golden/models/" + name;
    const json config = json::parse(text_of(folder + "/config.json"));
    const auto source =
        open_safetensors(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + folder + "/model.safetensors");
    ASSERT_TRUE(source);
    Mutator mutate(3);
    int opened = 0;
    for (int i = 0; i < 1000; ++i) {
      const json changed = mutate.tree(config);
      for (const Family& family : families()) {
        auto read = family.read_config(changed, **source);
        if (!read) {
          EXPECT_FALSE(read.error().sentence.empty());
          continue;
        }
        auto weights = family.read_weights(*read, **source);
        if (!weights) continue;
        const auto model = Model::make(*read, *weights);
        if (!model) continue;
        ++opened;
        const auto trace = (*model)->run({{1, 2, 3}, {}});
        EXPECT_TRUE(trace || !trace.error().sentence.empty());
      }
    }
    EXPECT_GT(opened, 50)
        << name;  // most fields do not matter: the mutations are not all refused at the door
  }
}

// Inputs that these toys take: words for the encoder, an image where one is looked at.
Input input_for(const ModelConfig& config) {
  Input input;
  input.ids = {1, 2, 3};
  if (config.encoder()) input.source = {4, 5, 6, 7};
  if (!config.sees()) return input;
  const PatchSpec& patch = config.vision() ? config.vision()->patch : config.patch;
  if (patch.count() > 64 || patch.size > 64) return input;
  input.pixels = Tensor::filled({{Axis::in, patch.channels},
                                 {Axis::pos, std::int64_t{patch.rows} * patch.size},
                                 {Axis::dim, std::int64_t{patch.cols} * patch.size}},
                                0.5f);
  if (config.patch.size > 0) input.ids.clear();
  if (config.vision())
    input.ids.insert(input.ids.begin(), static_cast<std::size_t>(patch.count()), config.image_token);
  return input;
}

TEST(Fuzz, configs_of_models_of_several_stacks) {
  for (const std::string name : {"marian", "bart", "t5", "vit", "paligemma_prefix"}) {
    const std::string folder = "tests/golden/models/" + name;
    const json config = json::parse(text_of(folder + "/config.json"));
    const auto source =
        open_safetensors(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + folder + "/model.safetensors");
    ASSERT_TRUE(source);
    Mutator mutate(5);
    int opened = 0;
    for (int i = 0; i < 400; ++i) {
      const json changed = mutate.tree(config);
      for (const Family& family : families()) {
        auto read = family.read_config(changed, **source);
        EXPECT_TRUE(read || (!read.error().sentence.empty() && !read.error().hint.empty()));
        if (!read) continue;
        auto weights = family.read_weights(*read, **source);
        EXPECT_TRUE(weights || !weights.error().sentence.empty());
        if (!weights) continue;
        const auto model = Model::make(*read, *weights);
        if (!model) continue;
        ++opened;
        const auto trace = (*model)->run(input_for(*read));
        EXPECT_TRUE(trace || !trace.error().sentence.empty());
      }
    }
    EXPECT_GT(opened, 40) << name;
  }
}

TEST(Fuzz, whole_folders) {
  const testing::TempFolder folder;
  const std::string config = text_of("tests/golden/models/llama/config.json");
  std::filesystem::copy(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/llama/model.safetensors",
                        folder / "model.safetensors");
  Mutator mutate(4);
  for (int i = 0; i < 500; ++i) {
    std::ofstream(folder / "config.json") << mutate.text(config);
    const auto opened = open_model(folder.path());
    EXPECT_TRUE(opened || (!opened.error().sentence.empty() && !opened.error().hint.empty()));
  }
}

}  // namespace
}  // namespace attnscope
