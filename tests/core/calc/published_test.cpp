// Presets against the counts that their publishers, papers and the transformers library give, and against
// closed forms; configs without weights against the checkpoints that they belong to.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/calc/calculation.h"
#include "core/calc/sizes.h"
#include "core/calc/slips.h"
#include "core/io/json_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

Described published_preset(const std::string& name) {
  auto described = describe_preset(name);
  EXPECT_TRUE(described) << (described ? "" : described.error().text());
  return described ? *described : Described{};
}

std::int64_t total(const Described& described) { return parameters(described).total.value(); }

std::int64_t with(const std::string& name, const std::string& assignment) {
  const Described own = published_preset(name);
  Sizes sizes = sizes_of(own);
  EXPECT_TRUE(set_size(sizes, assignment));
  const auto other = resized(own, sizes);
  EXPECT_TRUE(other) << (other ? "" : other.error().text());
  return other ? total(*other) : 0;
}

struct Published {
  const char* name;
  std::int64_t parameters;
};
class Presets : public testing::TestWithParam<Published> {};

TEST_P(Presets, have_the_published_number_of_parameters) {
  EXPECT_EQ(total(published_preset(GetParam().name)), GetParam().parameters) << GetParam().name;
}
INSTANTIATE_TEST_SUITE_P(
    All, Presets,
    testing::Values(Published{"bert-base", 109482240}, Published{"bert-large", 335141888},
                    Published{"gpt2", 124439808}, Published{"gpt2-medium", 354823168},
                    Published{"gpt2-large", 774030080}, Published{"gpt2-xl", 1557611200},
                    Published{"t5-base", 222903552}, Published{"bart-base", 139420416},
                    Published{"llama-2-7b", 6738415616}, Published{"llama-2-70b", 68976648192},
                    Published{"llama-3-8b", 8030261248}, Published{"llama-3-70b", 70553706496},
                    Published{"mistral-7b", 7241732096}, Published{"mixtral-8x7b", 46702792704},
                    Published{"gemma-2b", 2506172416}, Published{"gemma-7b", 8537680896},
                    Published{"vit-b-16", 86567656}, Published{"openvla-7b", 7541237184}),
    [](const auto& one) {
      std::string name;
      for (const char* c = one.param.name; *c; ++c) name += std::isalnum(*c) ? *c : '_';
      return name;
    });

TEST(PresetList, holds_every_model_that_is_asked_for) {
  EXPECT_EQ(preset_names().size(), 21U);
  for (const std::string& name : preset_names()) {
    const auto calc = calculate(published_preset(name), {});
    ASSERT_TRUE(calc) << name;
    EXPECT_GT(calc->forward.prefill_per_token().value(), 0) << name;
    std::int64_t rows = 0, parts = 0;
    for (const ParameterRow& row : calc->parameters.rows) rows += row.count.value();
    for (const Count part : calc->parameters.by_part) parts += part.value();
    EXPECT_EQ(rows, calc->parameters.total.value()) << name;
    EXPECT_EQ(parts, calc->parameters.total.value()) << name;
  }
}

// Six layers, width d, MLP f: encoder 4 d² + 2 d f + f + 5 d, decoder 8 d² + 2 d f + f + 7 d, one table of V.
std::int64_t original(std::int64_t d, std::int64_t f, std::int64_t vocab) {
  const std::int64_t mlp = 2 * d * f + f + d;
  return 6 * ((4 * d * d + mlp + 4 * d) + (8 * d * d + mlp + 6 * d)) + vocab * d;
}

TEST(PresetList, the_original_transformer_is_counted_as_its_formulas_say) {
  EXPECT_EQ(original(512, 2048, 0), 44101632);
  EXPECT_EQ(total(published_preset("transformer-base")), original(512, 2048, 37000));
  EXPECT_EQ(total(published_preset("transformer-big")), original(1024, 4096, 37000));
}

TEST(PresetList, notes_of_the_original_transformer_count_what_its_formulas_count) {
  for (const char* name : {"transformer-base", "transformer-big"}) {
    const Described described = published_preset(name);
    const std::vector<Text> notes = counting_notes(described, {});
    ASSERT_FALSE(notes.empty());
    ASSERT_EQ(notes[0].key(), std::string("calc.note.preset.") + name);
    EXPECT_EQ(notes[0].arguments().at(0).str(), format_count(total(described)));
  }
}

TEST(PresetList, gpt_3_follows_the_closed_form_of_gpt_2) {
  const std::int64_t d = 12288, layers = 96;
  EXPECT_EQ(total(published_preset("gpt3-175b")),
            layers * (12 * d * d + 13 * d) + 2 * d + (50257 + 2048) * d);
}

TEST(PresetList, an_unknown_name_is_told_the_nearest_ones) {
  const auto wrong = describe_preset("lama-2-7b");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().sentence().find("llama-2-7b"), std::string::npos) << wrong.error().text();
  EXPECT_NE(wrong.error().hint().find("transformer-base"), std::string::npos);
}

TEST(Sizes, of_llama_2_7b_give_the_numbers_of_the_usual_slips) {
  const Described llama = published_preset("llama-2-7b");
  EXPECT_EQ(sizes_of(llama).kv_heads, 32);
  EXPECT_EQ(with("llama-2-7b", "kv_heads=8"), 6738415616 - 32LL * 2 * 4096 * 24 * 128);
  const Parameters all = parameters(llama);
  EXPECT_EQ(all.by_part[static_cast<std::size_t>(ParameterPart::attention)].value(), 32LL * 67108864);
  EXPECT_EQ(all.by_part[static_cast<std::size_t>(ParameterPart::mlp)].value(), 32LL * 135266304);
  EXPECT_EQ(all.by_part[static_cast<std::size_t>(ParameterPart::embedding)].value(), 131072000);
  EXPECT_EQ(all.by_part[static_cast<std::size_t>(ParameterPart::unembedding)].value(), 131072000);
  EXPECT_EQ(rule_of_thumb(llama.config).value(), 6442450944);
  EXPECT_EQ(rule_of_thumb(published_preset("gpt3-175b").config).value(), 173946175488);
}

// Encoder-decoders: every matrix of attention and MLP counted one by one, f = 4 d.
TEST(RuleOfThumb, counts_both_stacks_and_cross_attention) {
  for (const char* name : {"transformer-base", "transformer-big", "t5-base", "bart-base"}) {
    const Described it = published_preset(name);
    std::int64_t matrices = 0;
    for (const ParameterRow& row : parameters(it).rows)
      if ((row.part == ParameterPart::attention || row.part == ParameterPart::mlp) &&
          row.name.find("blocks.") != std::string::npos && row.name.find(".bias") == std::string::npos)
        matrices += row.count.value();
    EXPECT_EQ(rule_of_thumb(it.config).value(), matrices) << name;
  }
  EXPECT_EQ(rule_of_thumb(published_preset("transformer-base").config).value(), 44040192);
}

TEST(Sizes, heads_share_the_width_past_those_that_do_not_divide) {
  Sizes sizes = sizes_of(published_preset("gpt2"));
  for (const int typed : {5, 51, 512}) set_size(sizes, "d_model", typed);
  EXPECT_EQ(sizes.d_head, 512 / 12);
  for (const int dragged : {599, 600}) set_size(sizes, "d_model", dragged);
  EXPECT_EQ(sizes.d_head, 50);
  set_size(sizes, "d_head", 64);
  set_size(sizes, "d_model", 768);
  set_size(sizes, "heads", 6);
  EXPECT_EQ(sizes.d_head, 128) << "64 is the twelfth part of 768 again";
  set_size(sizes, "d_head", 64);
  set_size(sizes, "d_model", 1024);
  EXPECT_EQ(sizes.d_head, 64) << "a size of its own stays";
}

TEST(Sizes, that_do_not_fit_are_refused) {
  Sizes sizes = sizes_of(published_preset("gpt2"));
  EXPECT_FALSE(set_size(sizes, "kv_head=8"));
  EXPECT_FALSE(set_size(sizes, "kv_heads=0"));
  EXPECT_FALSE(set_size(sizes, "kv_heads"));
  sizes.kv_heads = 5;
  EXPECT_FALSE(resized(published_preset("gpt2"), sizes));
  set_size(sizes, "d_model", 1024);
  EXPECT_EQ(sizes.d_head, 1024 / 12);
  Workload work;
  work.seq = 0;
  EXPECT_FALSE(calculate(published_preset("gpt2"), work));
  EXPECT_FALSE(format_named("bf17"));
  EXPECT_EQ(format_named("Float16")->name, "f16");
}

TEST(Sizes, numbers_beyond_64_bits_are_refused) {
  Workload work;
  work.seq = work.batch = std::int64_t{1} << 40;
  const auto calc = calculate(published_preset("gpt3-175b"), work);
  ASSERT_FALSE(calc);
  EXPECT_EQ(calc.error().code(), Code::out_of_range);
}

// gpt-oss-120b, DeepSeek-V2-Lite: experts, windows, a latent cache; the numbers of their published files.
TEST(Configs, experts_windows_and_latent_caches_are_counted) {
  nlohmann::json oss = {{"model_type", "gpt_oss"},
                        {"hidden_size", 2880},
                        {"num_hidden_layers", 36},
                        {"num_attention_heads", 64},
                        {"num_key_value_heads", 8},
                        {"head_dim", 64},
                        {"intermediate_size", 2880},
                        {"vocab_size", 201088},
                        {"num_local_experts", 128},
                        {"num_experts_per_tok", 4},
                        {"sliding_window", 128},
                        {"tie_word_embeddings", false},
                        {"layer_types", nlohmann::json::array()}};
  for (int i = 0; i < 36; ++i) oss["layer_types"].push_back(i % 2 ? "full_attention" : "sliding_attention");
  const auto big = describe_config(oss, "config.json");
  ASSERT_TRUE(big) << big.error().text();
  EXPECT_EQ(total(*big), 116829156672);
  Workload work;
  work.seq = 1;
  EXPECT_EQ(kv_cache(*big, work).total().value(), 73728);  // bytes per token, as vLLM logs it
  work.seq = 4096;
  EXPECT_EQ(kv_cache(*big, work).total().value(), 2048 * (18LL * 4096 + 18LL * 128));

  const auto lite = describe_config({{"model_type", "deepseek_v2"},
                                     {"hidden_size", 2048},
                                     {"num_hidden_layers", 27},
                                     {"num_attention_heads", 16},
                                     {"num_key_value_heads", 16},
                                     {"intermediate_size", 10944},
                                     {"moe_intermediate_size", 1408},
                                     {"n_routed_experts", 64},
                                     {"n_shared_experts", 2},
                                     {"num_experts_per_tok", 6},
                                     {"first_k_dense_replace", 1},
                                     {"kv_lora_rank", 512},
                                     {"q_lora_rank", nullptr},
                                     {"qk_nope_head_dim", 128},
                                     {"qk_rope_head_dim", 64},
                                     {"v_head_dim", 128},
                                     {"vocab_size", 102400},
                                     {"tie_word_embeddings", false}},
                                    "config.json");
  ASSERT_TRUE(lite) << lite.error().text();
  EXPECT_EQ(total(*lite), 15706484224);
  work.seq = 1;
  EXPECT_EQ(kv_cache(*lite, work).total().value(), 27 * 576 * 2);
}

TEST(Configs, mixtral_passes_two_experts_of_eight) {
  const Parameters all = parameters(published_preset("mixtral-8x7b"));
  EXPECT_EQ(all.active.value(), 12879925248);
}

TEST(Configs, that_lack_a_field_say_which) {
  const auto wrong = describe_config({{"model_type", "llama"}, {"hidden_size", 64}}, "config.json");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("num_attention_heads"), std::string::npos) << wrong.error().text();
  EXPECT_FALSE(describe_config({{"model_type", "mixtral"}}, "config.json"));
  EXPECT_FALSE(describe_config({{"model_type", "no-such-model"}}, "config.json"));
  EXPECT_FALSE(describe_config(nlohmann::json::array(), "config.json"));
  EXPECT_FALSE(describe_config({{"model_type", "mixtral"},
                                {"hidden_size", 64},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"intermediate_size", 128},
                                {"num_local_experts", 4},
                                {"num_experts_per_tok", 5}},
                               "config.json"));
}

// A config.json alone gives the very weights of the checkpoint that lies beside it.
TEST(Configs, alone_describe_the_weights_that_their_files_hold) {
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models")) {
    const fs::path folder = entry.path();
    if (!fs::exists(folder / "config.json")) continue;
    const auto config = read_json_file((folder / "config.json").string());
    ASSERT_TRUE(config) << folder;
    const auto opened = open_model(folder.string());
    ASSERT_TRUE(opened) << folder << opened.error().text();
    const auto described = describe_config(*config, "config.json");
    ASSERT_TRUE(described) << folder << described.error().text();
    const ModelConfig& own = opened->model->config();
    std::map<std::string, std::vector<std::int64_t>> file, alone;
    for (const auto& [name, tensor] : opened->model->weights().all())
      if (part_of_weight(own, name) && name != "dec.logits.bias") file[name] = tensor.sizes();
    for (const WeightShape& weight : weights_of(*described))
      if (part_of_weight(described->config, weight.name)) alone[weight.name] = weight.shape;
    EXPECT_EQ(alone, file) << folder;
    const Described same = describe_model("", "", own, opened->model->weights());
    std::int64_t sum = 0;
    for (const auto& [part, count] : parameters_by_part(own, opened->model->weights())) sum += count;
    EXPECT_EQ(total(same), sum) << folder;
    ++compared;
  }
  EXPECT_GE(compared, 18);
}

TEST(Random, presets_open_where_a_family_runs_them) {
  const auto opened = open_model("random:transformer-base");
  ASSERT_TRUE(opened) << opened.error().text();
  std::int64_t sum = 0;
  for (const auto& [part, count] : parameters_by_part(opened->model->config(), opened->model->weights()))
    sum += count;
  EXPECT_EQ(sum, total(published_preset("transformer-base")));
  EXPECT_EQ(open_model("random:mixtral-8x7b").error().code(), Code::unsupported);
  EXPECT_EQ(open_model("random:gpt3-175b").error().code(), Code::no_memory);
  EXPECT_EQ(open_model("random:gpt5").error().code(), Code::not_found);
}

}  // namespace
}  // namespace attnscope
