// Cache, FLOPs, bytes, training: the numbers of the course's exercises and closed forms written out here.
#include <gtest/gtest.h>

#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/calc/calculation.h"
#include "core/calc/machine.h"
#include "core/calc/sizes.h"
#include "core/calc/training.h"

namespace attnscope {
namespace {

constexpr std::int64_t kKiB = 1024, kMiB = kKiB * 1024, kGiB = kMiB * 1024;

Workload of(std::int64_t seq, const char* dtype = "bf16", std::int64_t batch = 1) {
  Workload work;
  work.seq = seq;
  work.batch = batch;
  work.dtype = work.cache = *format_named(dtype);
  return work;
}

Described costs_preset(const char* name) { return *describe_preset(name); }

std::int64_t cache(const char* name, std::int64_t seq) {
  return kv_cache(costs_preset(name), of(seq)).total().value();
}

TEST(Cache, is_what_the_course_computes) {
  EXPECT_EQ(cache("llama-2-7b", 1), 32 * 16 * kKiB);  // 16 KiB per token and layer
  EXPECT_EQ(cache("llama-2-7b", 2048), kGiB);
  EXPECT_EQ(cache("llama-3-8b", 2048), 256 * kMiB);  // 8 of 32 heads: a quarter
  EXPECT_EQ(cache("llama-2-70b", 2048), 640 * kMiB);
  EXPECT_EQ(cache("gpt2", 1024), 36 * kMiB);
  EXPECT_EQ(cache("gpt3-175b", 2048), 9 * kGiB);
  EXPECT_EQ(cache("gemma-2b", 2048), 2 * 18 * 256 * 2048 * 2);  // MQA
  EXPECT_EQ(cache("mixtral-8x7b", 2048), cache("mistral-7b", 2048));
  EXPECT_EQ(cache("bert-base", 2048), 0);
  EXPECT_EQ(cache("vit-b-16", 2048), 0);
}

// Practice 2 of the course: d_model 2048, 16 heads, 24 layers, 1024 tokens, float16.
TEST(Cache, of_the_exercise_is_192_MiB) {
  Described it = costs_preset("llama-2-7b");
  Sizes sizes = sizes_of(it);
  for (const char* size : {"d_model=2048", "heads=16", "layers=24"}) ASSERT_TRUE(set_size(sizes, size));
  EXPECT_EQ(sizes.d_head, 128);
  EXPECT_EQ(sizes.kv_heads, 16);
  EXPECT_EQ(kv_cache(*resized(it, sizes), of(1024, "f16")).total().value(), 192 * kMiB);
  EXPECT_EQ(kv_cache(*resized(it, sizes), of(1024, "f16")).per_position.value(), 196608);
  ASSERT_TRUE(set_size(sizes, "kv_heads=4"));
  EXPECT_EQ(kv_cache(*resized(it, sizes), of(1024, "f16")).total().value(), 48 * kMiB);
}

// What the sentence on the cache says, as bytes of the matrices counted one by one in a loop.
TEST(Cache, of_the_sentence_is_the_whole_cache) {
  for (const char* name : {"t5-base", "bart-base", "transformer-big", "transformer-base", "gpt2"}) {
    const Described it = costs_preset(name);
    std::int64_t self = 0, cross = 0;
    for (const BlockSpec& block : it.config.blocks)
      for (int matrix = 0; matrix < 2; ++matrix) {
        self += 512LL * block.attention.n_kv_heads * block.attention.d_head * 2;
        if (block.cross) cross += 300LL * block.cross->n_kv_heads * block.cross->d_head * 2;
      }
    Workload work = of(512);
    work.source = 300;
    EXPECT_EQ(kv_cache(it, work).total().value(), self + cross) << name;
    const Text* said = nullptr;
    const std::vector<Text> slips = slips_of(it, work);
    for (const Text& slip : slips)
      if (starts_with(slip.key(), "slip.cache")) said = &slip;
    ASSERT_TRUE(said) << name;
    EXPECT_EQ(said->key(), cross > 0 ? "slip.cache.cross" : "slip.cache") << name;
    EXPECT_EQ(said->arguments()[1].str(), binary_bytes(self + cross)) << name;
  }
}

TEST(Cache, of_blocks_with_and_without_windows_is_said_with_both_sizes) {
  Described mixed = costs_preset("mistral-7b");  // g 8, d_k 128
  for (std::size_t i = 0; i < mixed.config.blocks.size(); i += 2) mixed.config.blocks[i].attention.window = 0;
  const std::vector<Text> slips = slips_of(mixed, of(8192));
  for (const Text& slip : slips)
    if (slip.key() == "slip.cache.windows") {
      EXPECT_EQ(slip.arguments()[2].str(), binary_bytes(std::int64_t{4096} * 8 * 128 * 2));
      EXPECT_EQ(slip.arguments()[3].str(), binary_bytes(std::int64_t{8192} * 8 * 128 * 2));
      return;
    }
  ADD_FAILURE() << "the sentence on the cache with windows is missing";
}

TEST(Cache, stops_growing_at_the_window) {
  EXPECT_EQ(cache("mistral-7b", 8192), cache("mistral-7b", 4096));
  const CacheForms forms = cache_forms(costs_preset("mistral-7b"), of(8192));
  EXPECT_EQ(forms.no_windows.value(), 2 * forms.own.value());
  EXPECT_EQ(forms.mha.value(), 4 * forms.own.value());
  EXPECT_EQ(forms.own.value(), 8 * forms.mqa.value());
  EXPECT_EQ(forms.gqa, forms.own);
  const CacheForms seven = cache_forms(costs_preset("llama-2-7b"), of(2048));
  EXPECT_EQ(seven.mha, seven.own);
  EXPECT_EQ(seven.groups, 8);
  EXPECT_EQ(seven.own.value(), 4 * seven.gqa.value());
}

TEST(Cache, of_an_encoder_decoder_has_two_parts) {
  Workload work = of(10);
  work.source = 7;
  const CacheSize size = kv_cache(costs_preset("t5-base"), work);
  EXPECT_EQ(size.self.value(), 2 * 12 * 768 * 10 * 2);
  EXPECT_EQ(size.cross.value(), 2 * 12 * 768 * 7 * 2);
}

TEST(Flops, of_llama_2_7b_follow_the_closed_form) {
  const std::int64_t n = 2048, matrices = 6738415616 - 131072000 - 266240;
  const ForwardCost cost = forward_cost(costs_preset("llama-2-7b"), of(n));
  EXPECT_EQ(cost.decode_per_token().value(), 2 * matrices + 4LL * 32 * 4096 * n);
  EXPECT_EQ(cost.prefill_per_token().value(), 2 * matrices + 2LL * 32 * 4096 * (n + 1));
  EXPECT_EQ(cost.passes_without_cache.value(), n * (n + 1) / 2);
  EXPECT_EQ(forward_cost(costs_preset("llama-2-7b"), of(1000)).passes_without_cache.value(), 500500);
}

TEST(Flops, of_gpt_2_follow_the_closed_form) {
  const std::int64_t d = 768, n = 1024, blocks = 12LL * 12 * d * d, head = 50257LL * d;
  const ForwardCost cost = forward_cost(costs_preset("gpt2"), of(n));
  EXPECT_EQ(cost.decode.matrices.value(), 2 * blocks);
  EXPECT_EQ(cost.decode.unembedding.value(), 2 * head);
  EXPECT_EQ(cost.decode.attention.value(), 4 * 12 * d * n);
  EXPECT_EQ(cost.prefill.attention.value(), 4 * 12 * d * n * (n + 1) / 2);
}

TEST(Flops, pairs_within_a_window_are_those_that_are_seen) {
  Described it = costs_preset("mistral-7b");
  for (BlockSpec& block : it.config.blocks) block.attention.window = 3;
  // 1 + 2 + 3 + 3 + 3 keys for five queries
  EXPECT_EQ(forward_cost(it, of(5)).prefill.attention.value(), 32LL * 4 * 4096 * 12);
  EXPECT_EQ(forward_cost(it, of(2)).prefill.attention.value(), 32LL * 4 * 4096 * 3);
  EXPECT_EQ(forward_cost(it, of(5)).decode.attention.value(), 32LL * 4 * 4096 * 3);
}

TEST(Flops, of_encoders_see_in_both_directions) {
  const std::int64_t d = 768, n = 128;
  const ForwardCost bert = forward_cost(costs_preset("bert-base"), of(n));
  EXPECT_EQ(bert.prefill.attention.value(), 12LL * 4 * d * n * n);
  EXPECT_EQ(bert.prefill.matrices.value(), 2 * (12 * 12 * d * d * n + d * d));  // and the pooler, once
  EXPECT_EQ(bert.decode.total().value(), 0);
  const ForwardCost vit = forward_cost(costs_preset("vit-b-16"), of(n));
  EXPECT_EQ(vit.prefill_rows.value(), 197);
  EXPECT_EQ(vit.prefill.matrices.value(), 2 * (12 * 12 * d * d * 197 + 196 * d * d));
  EXPECT_EQ(vit.prefill.unembedding.value(), 2 * d * 1000);
}

TEST(Flops, of_an_encoder_decoder_are_shared_between_its_stacks) {
  Workload work = of(10);
  work.source = 7;
  const std::int64_t d = 512, f = 2048, enc = 4 * d * d + 2 * d * f, dec = 6 * d * d + 2 * d * f;
  const ForwardCost cost = forward_cost(costs_preset("transformer-base"), work);
  EXPECT_EQ(cost.prefill.matrices.value(), 2 * 7 * 6 * (enc + 2 * d * d));  // and K, V of cross-attention
  EXPECT_EQ(cost.prefill.attention.value(), 6 * 4 * d * 49);
  EXPECT_EQ(cost.decode.matrices.value(), 2 * 6 * dec);
  EXPECT_EQ(cost.decode.attention.value(), 6 * 4 * d * (10 + 7));
  EXPECT_EQ(cost.decode.unembedding.value(), 2 * d * 37000);
}

TEST(Flops, of_experts_are_those_that_a_token_passes) {
  const std::int64_t d = 4096, attention = 2 * d * d + 2 * d * 1024, mlp = 3 * d * 14336;
  const ForwardCost cost = forward_cost(costs_preset("mixtral-8x7b"), of(1));
  EXPECT_EQ(cost.decode.matrices.value(), 2 * 32 * (attention + 2 * mlp + d * 8));
}

TEST(Traffic, of_decoding_reads_weights_and_cache_once) {
  const MemoryTraffic traffic = memory_traffic(costs_preset("llama-2-7b"), of(2048));
  EXPECT_EQ(traffic.weights.value(), 2 * 6738415616);
  EXPECT_EQ(traffic.decode.value(), 2 * (6738415616 - 131072000) + kGiB);
  const MemoryTraffic many = memory_traffic(costs_preset("llama-2-7b"), of(2048, "bf16", 4));
  EXPECT_EQ(many.decode.value(), 2 * (6738415616 - 131072000) + 4 * kGiB);
  EXPECT_EQ(many.decode_per_token.value(), many.decode.value() / 4);
  EXPECT_EQ(memory_traffic(costs_preset("gpt2"), of(1, "q8_0")).weights.value(), 124439808LL * 34 / 32);
}

TEST(Traffic, of_an_encoder_decoder_reads_each_matrix_where_it_is_multiplied) {
  Workload work = of(10);
  work.source = 7;
  const Described it = costs_preset("t5-base");
  const std::int64_t d = 768, f = 3072, tables = 32 * 12, across = 12 * 2 * d * d,
                     encoder = 12 * (4 * d * d + 2 * d * f + 2 * d) + d + tables,
                     decoder = 12 * (6 * d * d + 2 * d * f + 3 * d) + d + tables + 32128 * d;
  const MemoryTraffic traffic = memory_traffic(it, work);
  EXPECT_EQ(traffic.prefill.value(), 2 * (encoder + across) + 2 * 7 * 12 * 2 * d);
  EXPECT_EQ(traffic.decode.value(), 2 * decoder + 2 * (7 + 10) * 12 * 2 * d);
  EXPECT_EQ(traffic.weights.value(), 2 * (encoder + across + decoder));
}

TEST(Traffic, of_a_prompt_reaches_every_expert_and_of_one_token_its_own) {
  const Described it = costs_preset("mixtral-8x7b");
  const std::int64_t d = 4096, expert = 3 * d * 14336 * 32, table = 32000 * d;
  const MemoryTraffic traffic = memory_traffic(it, of(3));
  EXPECT_EQ(traffic.decode.value(), 2 * (46702792704 - table - 6 * expert) + 3 * 131072);
  EXPECT_EQ(traffic.prefill.value(), 2 * (46702792704 - table - 2 * expert) + 3 * 131072) << "three tokens";
  EXPECT_EQ(memory_traffic(it, of(500)).prefill.value(), 2 * (46702792704 - table) + 500 * 131072);
}

// Practice 3: prefill of 500 tokens and 100 decoded ones on a machine of 312 TFLOP/s and 2.04 TB/s.
TEST(Roofline, prefill_is_bound_by_arithmetic_and_decoding_by_memory) {
  const auto machine = machine_named("312e12,2.04e12");
  ASSERT_TRUE(machine);
  const Described llama = costs_preset("llama-2-7b");
  const ForwardCost cost = forward_cost(llama, of(500));
  const MemoryTraffic traffic = memory_traffic(llama, of(500));
  const Roof prefill = under_roof(*machine, cost.prefill.total().real(), traffic.prefill.real());
  const Roof decode = under_roof(*machine, cost.decode.total().real(), traffic.decode.real());
  EXPECT_FALSE(prefill.memory_bound());
  EXPECT_TRUE(decode.memory_bound());
  EXPECT_NEAR(prefill.seconds(), 21.6e-3, 0.6e-3);
  EXPECT_NEAR(100 * decode.seconds(), 0.661, 0.01);
  EXPECT_NEAR(machine->ridge(), 152.9, 0.1);
  EXPECT_FALSE(machine_named("z80"));
  EXPECT_FALSE(machine_named("1e12,fast"));
  EXPECT_TRUE(machine_named("a100"));
}

TEST(Training, follows_chinchilla) {
  const TrainingCost seven = training_cost(7e9, 0, 0);
  EXPECT_DOUBLE_EQ(seven.tokens, 1.4e11);
  EXPECT_DOUBLE_EQ(seven.training_flops, 6 * 7e9 * 1.4e11);
  EXPECT_NEAR(seven.equal_parameters / 7e9, 1, 1e-6);  // it is its own compute-optimal model
  EXPECT_EQ(seven.breaks_even, 0);
  const TrainingCost llama = training_cost(6738415616, 2e12, 1e12);
  EXPECT_NEAR(llama.per_parameter, 297, 0.5);
  EXPECT_DOUBLE_EQ(llama.serving_flops, 2 * 6738415616.0 * 1e12);
  EXPECT_GT(llama.equal_parameters, llama.parameters);
  EXPECT_NEAR(chinchilla_loss(llama.equal_parameters, llama.equal_tokens), llama.loss, 1e-9);
  // At the break-even point both models have cost the same in all.
  EXPECT_NEAR((llama.training_flops + 2 * llama.parameters * llama.breaks_even) /
                  (llama.equal_flops + 2 * llama.equal_parameters * llama.breaks_even),
              1, 1e-9);
}

TEST(Machine, this_one_is_measured) {
  const auto machine = measure_machine();
  ASSERT_TRUE(machine);
  EXPECT_GT(machine->flops_per_s, 1e9);
  EXPECT_GT(machine->bytes_per_s, 1e8);
  const std::atomic<bool> cancelled{true};
  EXPECT_FALSE(measure_machine(&cancelled));
}

}  // namespace
}  // namespace attnscope
