// save: a model with its edits of weights as a folder, and adapters of peft.
#include <filesystem>
#include <fstream>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "tests/adapter.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class Save : public ::testing::Test {
 protected:
  std::vector<float> logits(const std::string& words) {
    const std::string out = folder_ / "run.npz";
    const Ran ran = cli("trace " + words + " --steps logits --out " + out);
    EXPECT_EQ(ran.exit_code, 0) << words << ran.err;
    const auto file = read_npz(out);
    return file ? (*file)->load("logits")->values() : std::vector<float>();
  }
  std::string golden(const std::string& name) const { return source_path("tests/golden/models/" + name); }
  const TempFolder folder_;
};

TEST_F(Save, what_is_opened_again_has_the_bits_of_the_edited_run) {
  const std::string ids = " --ids 1,2,7,4";
  const std::string head = " --edit 'blocks.0.attn.z[head=1]=0'",
                    rows = " --edit 'blocks.*.mlp.out.weight[in=3]*=-2'",
                    query = " --edit 'blocks.1.attn.q.weight[out=1]+=0.5'",
                    norm = " --edit 'blocks.0.ln1.weight*=0.5'",
                    words = " --edit 'tok_embed.weight[vocab=7]*=3'";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"gpt2", head + rows + query + norm + words},
      {"gpt_neox", head + rows + query + norm + words},
      {"llama", head + rows + query + norm},
      {"gemma2", head + rows + query + norm},
      {"qwen3", head + rows + query + norm},
      {"bloom", head + query + norm + words},
      {"mistral", head + rows},
      {"bert", head + rows + query + words}};
  for (const auto& [name, edits] : cases) {
    const std::string to = folder_ / name;
    const Ran ran = cli("save " + golden(name) + edits + " --json -o " + to);
    ASSERT_EQ(ran.exit_code, 0) << name << ran.err;
    EXPECT_GE(ran.json()["changed_weights"], 2) << name;
    const std::vector<float> before = logits(golden(name) + ids), now = logits(to + ids);
    EXPECT_EQ(now, logits(golden(name) + ids + edits)) << name;
    EXPECT_NE(now, before) << name;
    // The names, shapes and order of the source.
    const auto source = open_safetensors_folder(golden(name)), written = open_safetensors_folder(to);
    ASSERT_TRUE(source && written) << name;
    ASSERT_EQ((*source)->infos().size(), (*written)->infos().size()) << name;
    for (const TensorInfo& info : (*source)->infos()) {
      const TensorInfo* there = (*written)->find(info.name);
      ASSERT_TRUE(there) << name << " " << info.name;
      EXPECT_EQ(there->shape, info.shape) << info.name;
    }
    const Json config = Json::parse(read_text(golden(name) + "/config.json")),
               kept = Json::parse(read_text(to + "/config.json"));
    EXPECT_EQ(kept["model_type"], config["model_type"]);
    EXPECT_EQ(kept["architectures"], config["architectures"]);
  }
}

// Its weights come from a formula and not from a file: their axes have names all the same.
TEST_F(Save, a_random_model_is_edited_and_saved_like_one_of_a_file) {
  const std::string edits =
      " --edit 'blocks.0.attn.z[head=1]=0' --edit 'blocks.*.mlp.out.weight[in=3]*=-2' --edit "
      "'tok_embed.weight[vocab=7]*=3'";
  for (const char* name : {"gpt2", "llama", "bert"}) {
    const std::string model = "random:" + golden(name) + "/config.json", to = folder_ / name,
                      ids = " --ids 1,2,7,4";
    const Ran ran = cli("save " + model + edits + " --json -o " + to);
    ASSERT_EQ(ran.exit_code, 0) << name << ran.err;
    const std::vector<float> own = logits(model + ids + edits);
    EXPECT_FALSE(own.empty());
    EXPECT_EQ(logits(to + ids), own) << name;
    EXPECT_NE(own, logits(model + ids)) << name;
  }
}

TEST_F(Save, shipped_models_and_scenes_and_their_tokenizers) {
  const std::string text = " --text 'The cat sat on the mat because it was tired. So the'",
                    edit = " --edit 'blocks.1.attn.z[head=3]=0' --edit 'blocks.0.mlp.post[d_mlp=5]=0'";
  ASSERT_EQ(cli("save model:storyteller" + edit + " -o " + (folder_ / "s")).exit_code, 0);
  EXPECT_EQ(logits((folder_ / "s") + text), logits("model:storyteller" + text + edit));
  EXPECT_EQ(cli("save scene:nine_steps -o " + (folder_ / "nine")).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "nine/config.json"));
}

// Exchanged parts are words of the source's config.json, or of its family's, and the file is the edited
// model.
TEST_F(Save, exchanged_parts_are_said_by_the_config) {
  const std::string ids = " --ids 1,2,7,4";
  const struct {
    std::string name, edits, key;
    Json value;
  } cases[] = {{"gpt2", " --edit 'blocks.*.mlp.activation=relu' --edit 'blocks.0.attn.z[head=1]=0'",
                "activation_function", "relu"},
               {"gpt2", " --edit 'blocks.*.attn.scaling=off'", "scale_attn_weights", false},
               {"gemma2", " --edit 'blocks.*.attn.scaling=off'", "query_pre_attn_scalar", 1},
               {"llama", " --edit 'blocks.*.mlp.activation=geglu'", "hidden_act", "gelu"},
               {"llama", " --edit 'blocks.*.attn.kv_heads=1'", "num_key_value_heads", 1},
               {"gpt_neox", " --edit 'blocks.*.order=pre'", "use_parallel_residual", false},
               {"gpt2", " --edit 'blocks.0.mlp.out=0' --edit 'blocks.1.attn.out=0'", "model_type", "gpt2"}};
  int number = 0;
  for (const auto& one : cases) {
    const std::string to = folder_ / ("exchanged" + std::to_string(number++));
    const Ran ran = cli("save " + golden(one.name) + one.edits + " --json -o " + to);
    ASSERT_EQ(ran.exit_code, 0) << one.name << one.edits << ran.err;
    const Json config = Json::parse(read_text(to + "/config.json"));
    EXPECT_EQ(config[one.key], one.value) << one.name << one.edits;
    const std::vector<float> before = logits(golden(one.name) + ids), now = logits(to + ids);
    EXPECT_EQ(now, logits(golden(one.name) + ids + one.edits)) << one.name << one.edits;
    EXPECT_NE(now, before) << one.name << one.edits;
    EXPECT_EQ(config["architectures"],
              Json::parse(read_text(golden(one.name) + "/config.json"))["architectures"]);
  }
  for (const std::string edit : {"blocks.0.mlp.activation=relu", "blocks.0.attn.scaling=off",
                                 "blocks.*.mlp.skip=off", "blocks.*.attn.mask_order=before"}) {
    const std::string to = folder_ / "none";
    expect_refused("save " + golden("gpt2") + " --edit '" + edit + "' -o " + to, 1, "cannot be saved");
    EXPECT_FALSE(std::filesystem::exists(to)) << edit;
    EXPECT_FALSE(std::filesystem::exists(to + ".part")) << edit;
  }
}

TEST_F(Save, what_cannot_be_said_is_refused_by_name_and_nothing_is_written) {
  const std::string to = folder_ / "out", story = "save model:storyteller -o " + to + " --edit ";
  expect_refused(story + "'blocks.1.attn.z[head=3]=mean'", 1, "blocks.1.attn.z[head=3]=mean");
  expect_refused(story + "'blocks.1.attn.z[head=3,pos=2]=0'", 1, "cannot be saved");
  expect_refused(story + "'blocks.*.order=post'", 1, "blocks.*.order=post");
  expect_refused(story + "'blocks.0.mlp.pre=0'", 1, "blocks.0.mlp.pre");
  expect_refused(story + "'blocks.0.mlp.banana.weight=0'", 1, "banana");
  EXPECT_FALSE(std::filesystem::exists(to));
  EXPECT_FALSE(std::filesystem::exists(to + ".part"));
  std::filesystem::create_directory(to);
  std::ofstream(to + "/mine") << "kept";
  expect_refused(story + "'blocks.1.attn.z[head=3]=0'", 1, "is there already");
  EXPECT_EQ(read_text(to + "/mine"), "kept");
}

TEST_F(Save, an_adapter_is_added_to_the_matrices_of_the_file) {
  const Json gpt2 = Json::parse(read_text(golden("gpt2") + "/config.json")),
             llama = Json::parse(read_text(golden("llama") + "/config.json"));
  const std::int64_t width = gpt2["n_embd"], d = llama["hidden_size"], mlp = llama["intermediate_size"];
  struct Case {
    std::string model;
    std::vector<Adapter> modules;
    Json config;
  };
  const std::vector<Case> cases{{"gpt2",  // lies [in, out]; a square matrix too
                                 {{"transformer.h.0.attn.c_proj", "blocks.0.attn.out.weight", width, width},
                                  {"transformer.h.1.mlp.c_fc", "blocks.1.mlp.pre.weight", width, 4 * width}},
                                 {{"fan_in_fan_out", true}}},
                                {"llama",  // lies [out, in]
                                 {{"model.layers.0.self_attn.q_proj", "blocks.0.attn.q.weight", d, d},
                                  {"model.layers.1.mlp.down_proj", "blocks.1.mlp.out.weight", mlp, d}},
                                 {{"fan_in_fan_out", false}, {"bias", "none"}}}};
  for (const Case& one : cases) {
    const std::string adapter = folder_ / (one.model + "-adapter"), added = folder_ / (one.model + ".npz");
    write_adapter(adapter, one.modules, one.config, added);
    std::string edits;
    for (const Adapter& module : one.modules)
      edits += " --edit " + module.weight + "+=@" + added + ":" + module.weight;
    const std::string run = golden(one.model) + " --ids 1,2,7,4";
    const std::vector<float> expected = logits(run + edits), got = logits(run + " --lora " + adapter),
                             base = logits(run);
    float largest = 0, moved = 0, size = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      largest = std::max(largest, std::fabs(got[i] - expected[i]));
      moved = std::max(moved, std::fabs(got[i] - base[i]));
      size = std::max(size, std::fabs(expected[i]));
    }
    EXPECT_LE(largest, 1e-5f * size) << one.model;
    EXPECT_GT(moved, 1e-2f * size) << one.model;
    EXPECT_EQ(logits(run + " --lora " + adapter + ":0"), base);
    EXPECT_NE(logits(run + " --lora " + adapter + ":0.5"), got);
    const std::string to = folder_ / (one.model + "-merged");
    ASSERT_EQ(cli("save " + golden(one.model) + " --lora " + adapter + " -o " + to).exit_code, 0);
    EXPECT_EQ(logits(to + " --ids 1,2,7,4"), got) << one.model;
    const auto merged = open_safetensors(to + "/model.safetensors");
    ASSERT_TRUE(merged);
    EXPECT_EQ((*merged)->metadata().at("lora"), one.model + "-adapter:1") << "the saved model says it";
    const std::string twice =
        "compare " + golden(one.model) + " " + golden(one.model) + " --ids 1,2,7,4 --lora " + adapter;
    EXPECT_EQ(cli(twice).exit_code, 1);
    EXPECT_EQ(cli(twice + ":0").exit_code, 0);
  }
}

TEST_F(Save, an_adapter_that_does_not_fit_says_why) {
  const std::string adapter = folder_ / "a",
                    run = "trace " + golden("llama") + " --ids 1,2 --lora " + adapter;
  const auto with = [&](const std::string& module, const Json& config, const std::string& why) {
    std::filesystem::remove_all(adapter);
    write_adapter(adapter, {{module, "w", 8, 8}}, config, folder_ / "w.npz");
    expect_refused(run, 1, why);
  };
  const std::string query = "model.layers.0.self_attn.q_proj";
  with("model.layers.0.self_attn.banana_proj", Json::object(), "model.layers.0.self_attn.banana_proj");
  with(query, Json::object(), "does not fit");
  with(query, {{"use_dora", true}}, "use_dora");
  with(query, {{"modules_to_save", {"lm_head"}}}, "modules_to_save");
  with(query, {{"bias", "all"}}, "bias");
  expect_refused("trace " + golden("llama") + " --ids 1,2 --lora " + (folder_ / "none"), 1,
                 "adapter_config.json");
  expect_refused("trace " + golden("llama") + " --ids 1,2 --lora " + adapter + ":much", 1, "much");
  expect_refused("trace scene:nine_steps --lora " + adapter, 1, "safetensors");
}

// The mean of one data set less that of another, as NumPy would take it from the arrays of every prompt.
TEST_F(Save, a_direction_is_the_difference_of_two_means_and_steers) {
  const std::vector<std::vector<std::string>> sets{
      {"The cat sat on the mat because it was tired. So the", "The dog sat on the rug because it was soft."},
      {"The cat", "The mat was soft because it was tired."}};
  std::vector<std::vector<double>> means;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::ofstream data(folder_ / (std::to_string(set) + ".txt"));
    std::vector<double> sum;
    double rows = 0;
    for (const std::string& text : sets[set]) {
      data << text << "\n";
      ASSERT_EQ(cli("trace model:storyteller --text '" + text + "' --steps blocks.0.resid_post --out " +
                    (folder_ / "t.npz"))
                    .exit_code,
                0);
      const Tensor stream = *(*read_npz(folder_ / "t.npz"))->load("blocks.0.resid_post");
      const auto width = static_cast<std::size_t>(stream.size(1));
      sum.resize(width, 0);
      const std::vector<float> values = stream.values();
      for (std::size_t i = 0; i < values.size(); ++i) sum[i % width] += static_cast<double>(values[i]);
      rows += static_cast<double>(stream.size(0));
    }
    for (double& value : sum) value /= rows;
    means.push_back(sum);
  }
  const std::string out = folder_ / "v.npz", ask = "direction model:storyteller --data " +
                                                   (folder_ / "0.txt") + " --against " + (folder_ / "1.txt") +
                                                   " -o ";
  const Json answer = cli(ask + out + " --scale 2 --json").json();
  ASSERT_EQ(answer["rows"].size(), 2u);
  const std::vector<float> vector = (*read_npz(out))->load("blocks.0.resid_post")->values();
  ASSERT_EQ(vector.size(), means[0].size());
  for (std::size_t i = 0; i < vector.size(); ++i)
    EXPECT_NEAR(vector[i], 2 * (means[0][i] - means[1][i]), 1e-5);
  const std::string run = "model:storyteller --text 'The cat sat'";
  EXPECT_NE(logits(run + " --edit 'blocks.0.resid_post+=@" + out + "'"), logits(run));
  EXPECT_EQ(cli("trace " + run + " --edit 'blocks.*.resid_post+=@" + out + "'").exit_code, 0);
  expect_refused(ask + (folder_ / "v.csv"), 1, ".npz");
  expect_refused(ask + out + " --steps 'blocks.*.attn.pattern'", 1, "attn.pattern");
  expect_refused("direction model:storyteller --against " + (folder_ / "1.txt") + " -o " + out, 1, "--data");
}

}  // namespace
}  // namespace attnscope
