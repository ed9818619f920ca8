// attnscope-cli calc: the shape of its answer, the same numbers as info, and what it refuses.
#include <fstream>

#include "tests/cli/program.h"

namespace attnscope::testing {
namespace {

TEST(Calc, answers_with_the_shape_that_was_promised) {
  const Json out = cli("calc llama-2-7b --json").json();
  EXPECT_EQ(out["parameters"]["total"], 6738415616);
  std::int64_t parts = 0, rows = 0;
  for (const char* part : {"embedding", "attention", "mlp", "norms", "unembedding", "other"}) {
    ASSERT_TRUE(out["parameters"]["by_part"].contains(part)) << part;
    parts += out["parameters"]["by_part"][part].get<std::int64_t>();
  }
  for (const Json& row : out["parameters"]["rows"]) rows += row["count"].get<std::int64_t>();
  EXPECT_EQ(parts, 6738415616);
  EXPECT_EQ(rows, 6738415616);
  EXPECT_EQ(out["seq"], 2048);
  EXPECT_EQ(out["batch"], 1);
  EXPECT_EQ(out["dtype"], "bf16");
  EXPECT_EQ(out["kv_cache_bytes"], 1073741824);
  EXPECT_TRUE(out["flops_per_token"]["prefill"].is_number_integer());
  EXPECT_GT(out["flops_per_token"]["decode"].get<std::int64_t>(), 2 * 6607343616LL - 1000000);
  EXPECT_NE(out["slips"].dump().find("5,933,109,248"), std::string::npos);  // with 8 K/V heads
  EXPECT_NE(out["slips"].dump().find("6,607,343,616"), std::string::npos);  // with one table
  EXPECT_EQ(out["training"]["chinchilla_tokens"], 20.0 * 6738415616);
}

TEST(Calc, options_change_what_they_say) {
  EXPECT_EQ(cli("calc llama-2-7b --seq 1024 --batch 2 --dtype f16 --json").json()["kv_cache_bytes"],
            1073741824);
  EXPECT_EQ(cli("calc llama-2-7b --dtype f32 --json").json()["kv_cache_bytes"], 2147483648);
  EXPECT_EQ(cli("calc llama-2-7b --cache-dtype int8 --json").json()["kv_cache_bytes"], 536870912);
  EXPECT_EQ(cli("calc llama-2-7b --set kv_heads=8 --json").json()["parameters"]["total"], 5933109248);
  const Json roof = cli("calc llama-2-7b --seq 500 --machine 312e12,2.04e12 --json").json()["roofline"];
  EXPECT_EQ(roof["decode"]["bound"], "memory");
  EXPECT_EQ(roof["prefill"]["bound"], "compute");
  EXPECT_GT(cli("calc gpt2 --machine this --json").json()["roofline"]["flops_per_s"].get<double>(), 1e8);
  // 2 N for each of 1e6 tokens served, as text too.
  EXPECT_NE(cli("calc gpt2 --served 1e6").out.find("2.489e+14"), std::string::npos);
  EXPECT_NE(cli("calc gpt2 --served 1e6 --lang ko").out.find("2.489e+14"), std::string::npos);
  EXPECT_NE(cli("calc gpt2 --tokens 1e12 --served 1e6").out.find("tokens per parameter with the same"),
            std::string::npos);
  EXPECT_EQ(cli("calc transformer-base --json").json()["twelve_l_d2"], 44040192);
  EXPECT_NE(cli("calc --presets").out.find("openvla-7b"), std::string::npos);
  EXPECT_NE(cli("calc gpt2").out.find("124,439,808"), std::string::npos);
  EXPECT_NE(cli("calc gpt2 --lang ko").out.find("파라미터"), std::string::npos);
}

TEST(Calc, agrees_with_info_about_what_ships_and_what_lies_in_folders) {
  for (const std::string model :
       {"model:storyteller", "model:storyteller-llama", "model:induction", "model:sorter", "model:translator",
        "model:gap-filler", "model:pilot", "model:storyteller-deep", "scene:tiny_gpt"}) {
    const Json calc = cli("calc " + model + " --json").json(), info = cli("info " + model + " --json").json();
    EXPECT_EQ(calc["parameters"]["total"], info["parameters"]["total"]) << model;
    EXPECT_EQ(calc["parameters"]["by_part"], info["parameters"]["by_part"]) << model;
  }
  for (const std::string name : {"bert", "t5", "paligemma_prefix", "qwen3", "vit"}) {
    const Json calc = cli("calc " + model_path(name) + " --json").json(),
               info = cli("info " + model_path(name) + " --json").json();
    EXPECT_EQ(calc["parameters"]["by_part"], info["parameters"]["by_part"]) << name;
  }
}

TEST(Calc, a_config_alone_is_enough) {
  const TempFolder folder;
  std::ofstream(folder / "config.json") << read_text(model_path("llama3") + "/config.json");
  const Json whole = cli("calc " + model_path("llama3") + " --json").json();
  for (const std::string& path : {folder / "config.json", folder / ""}) {
    const Json alone = cli("calc " + path + " --json").json();
    EXPECT_EQ(alone["parameters"]["by_part"], whole["parameters"]["by_part"]);
    EXPECT_EQ(alone["flops_per_token"], whole["flops_per_token"]);
  }
}

TEST(Calc, what_the_core_counted_stands_beside) {
  const Json out = cli("calc " + model_path("llama") + " --seq 32 --dtype f32 --run --json").json();
  const Json& core = out["counted"];
  EXPECT_EQ(core["positions"], 32);
  EXPECT_EQ(core["parameters"], out["parameters"]["total"]);
  EXPECT_EQ(core["weight_bytes"], out["weight_bytes"]);
  EXPECT_EQ(core["kv_cache_bytes"], out["kv_cache_bytes"]);
  EXPECT_EQ(core["flops"]["prefill"]["matrices"], out["flops"]["prefill"]["matrices"]);
  EXPECT_EQ(core["flops"]["decode"]["matrices"], out["flops"]["decode"]["matrices"]);
  EXPECT_EQ(core["flops"]["decode"]["unembedding"], out["flops"]["decode"]["unembedding"]);
  EXPECT_GE(core["flops"]["prefill"]["attention"], out["flops"]["prefill"]["attention"]);
  const Json both = cli("calc " + model_path("marian") + " --seq 8 --dtype f32 --run --json").json();
  EXPECT_EQ(both["counted"]["kv_cache_bytes"], both["kv_cache_bytes"]);
}

TEST(Calc, refuses_what_it_cannot_count) {
  expect_refused("calc lama-2-7b", 1, "llama-2-7b");
  expect_refused("calc", 1, "Which model");
  expect_refused("calc gpt2 --seq 0", 2, "--seq");
  expect_refused("calc gpt2 --seq -5", 2, "--seq");
  expect_refused("calc gpt2 --batch x", 2, "--batch");
  expect_refused("calc gpt2 --dtype bf17", 1, "bf17");
  expect_refused("calc gpt2 --set kv_heads=5", 1, "K/V heads");
  expect_refused("calc gpt2 --set width=5", 1, "d_model");
  expect_refused("calc gpt2 --machine z80", 1, "a100");
  expect_refused("calc gpt3-175b --seq 1000000000000 --batch 1000000000000", 1, "64 bits");
  expect_refused("calc bert-base --run", 1, "language model");
  expect_refused("calc mixtral-8x7b --run", 1, "experts");
  const TempFolder folder;
  std::ofstream(folder / "config.json") << R"({"model_type": "llama", "hidden_size": 64})";
  expect_refused("calc " + (folder / "config.json"), 1, "num_attention_heads");
}

}  // namespace
}  // namespace attnscope::testing
