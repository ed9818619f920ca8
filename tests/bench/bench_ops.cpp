// Speed of the operations at the sizes of GPT-2 small, beside this machine's own limits measured in the same
// process: fused products in registers, sgemm at 1024^3 (GFLOP/s) and streaming reads (GB/s).
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/ops/ops.h"
#include "core/tensor/encoded.h"
#include "tests/bench/inputs.h"

namespace attnscope {
namespace {

void count_bytes(benchmark::State& state, double bytes_each) {
  state.counters["GB/s"] =
      benchmark::Counter(bytes_each * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void sgemm_square(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const Tensor a = wave({{Axis::pos, n}, {Axis::in, n}}, 0.37),
               b = wave({{Axis::in, n}, {Axis::out, n}}, 0.21);
  std::vector<float> c(static_cast<std::size_t>(n * n));
  for (auto _ : state) sgemm(a.data(), b.data(), c.data(), n, n, n);
  count_flops(state, 2.0 * static_cast<double>(n * n * n));
  state.SetLabel(kernel_name());
}
BENCHMARK(sgemm_square)->Arg(1024)->UseRealTime();

void stream_reads(benchmark::State& state) {
  const std::int64_t count = std::int64_t{1} << 26;  // 256 MB
  const Tensor values = Tensor::filled({{Axis::dim, count}}, 1.f);
  for (auto _ : state) benchmark::DoNotOptimize(stream_read(values.data(), count));
  count_bytes(state, 4.0 * static_cast<double>(count));
}
BENCHMARK(stream_reads)->UseRealTime();

void fma_burst(benchmark::State& state) {
  double operations = 0;
  for (auto _ : state) operations = fused_burst(1 << 20);
  count_flops(state, operations);
}
BENCHMARK(fma_burst)->UseRealTime();

// Copies of one weight: so many that no cache holds them, or one. Products know them as weights, as a model
// does, and have made their packed copies; or they do not.
std::vector<Tensor> weights(std::int64_t in, std::int64_t out, bool transposed, bool cold, bool known) {
  std::vector<Tensor> all;
  const Tensor one = wave({{Axis::pos, 1}, {Axis::in, in}}, 0.3);
  for (std::int64_t bytes = 0; bytes < (cold ? 150'000'000 : 1); bytes += in * out * 4) {
    const Tensor w = transposed ? wave({{Axis::out, out}, {Axis::in, in}}, 0.21).transpose()
                                : wave({{Axis::in, in}, {Axis::out, out}}, 0.21);
    all.push_back(known ? w.as_weight() : w);
    for (int product = 0; product < 2; ++product) linear(one, all.back(), {}, Axis::out);
  }
  return all;
}

// Arguments: rows, in, out, whether the weight is stored [out, in], cold, known as a weight.
void linear_rows(benchmark::State& state) {
  const std::int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const Tensor x = wave({{Axis::pos, rows}, {Axis::in, in}}, 0.37), bias = wave({{Axis::out, out}}, 0.1);
  const auto all = weights(in, out, state.range(3) != 0, state.range(4) != 0, state.range(5) != 0);
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(linear(x, all[next++ % all.size()], bias, Axis::out));
  count_flops(state, 2.0 * static_cast<double>(rows * in * out));
  count_bytes(state, 4.0 * static_cast<double>(in * out));
}
BENCHMARK(linear_rows)
    ->ArgsProduct({{1, 4, 8, 16, 64, 256, 1024}, {768}, {3072, 768}, {0, 1}, {0, 1}, {1}})
    ->ArgsProduct({{1, 4, 8, 16, 64, 256, 1024}, {3072}, {768}, {0, 1}, {0, 1}, {1}})
    ->ArgsProduct({{1, 4, 64, 256}, {768}, {3072}, {0, 1}, {1}, {0}})
    ->ArgsProduct({{1, 4, 16}, {768}, {50257}, {1}, {1}, {0, 1}})
    ->UseRealTime();

// Copies of one encoded weight [out, in], cold. Arguments: rows, in, out, number of the format.
void encoded_rows(benchmark::State& state) {
  const std::int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const auto type = static_cast<DType>(state.range(3));
  const std::int64_t bytes = storage_bytes(type, in * out);
  const auto memory =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(150'000'000), std::byte{37});
  std::vector<Tensor> all;
  for (std::int64_t at = 0; at + bytes <= std::ssize(*memory); at += bytes)
    all.push_back(Tensor::encoded(std::make_shared<Encoded>(memory, memory->data() + at, type, out, in),
                                  {{Axis::out, out}, {Axis::in, in}})
                      .transpose());
  const Tensor x = wave({{Axis::pos, rows}, {Axis::in, in}}, 0.37);
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(linear(x, all[next++ % all.size()], {}, Axis::out));
  count_flops(state, 2.0 * static_cast<double>(rows * in * out));
  count_bytes(state, static_cast<double>(bytes));
  state.SetLabel(std::string(dtype_name(type)));
}
BENCHMARK(encoded_rows)
    ->ArgsProduct({{1, 4, 16, 64},
                   {768},
                   {3072},
                   {static_cast<std::int64_t>(DType::q8_0), static_cast<std::int64_t>(DType::q4_k),
                    static_cast<std::int64_t>(DType::q6_k), static_cast<std::int64_t>(DType::f16)}})
    ->UseRealTime();

// One number of an embedding moved by the mouse, and the logits of a row with it.
void edit_a_cell(benchmark::State& state) {
  const Tensor table = wave({{Axis::vocab, 50257}, {Axis::d_model, 768}}, 0.21).as_weight();
  const Tensor head = table.transpose().as_weight(), x = wave({{Axis::pos, 1}, {Axis::d_model, 768}}, 0.37);
  for (int product = 0; product < 2; ++product) linear(x, head, {}, Axis::vocab);
  float value = 0;
  for (auto _ : state) {
    const Tensor edited = table.with_value({1234, 7}, value += 0.01f).transpose().as_weight(head);
    if (state.range(0) != 0) benchmark::DoNotOptimize(linear(x, edited, {}, Axis::vocab));
  }
}
BENCHMARK(edit_a_cell)->Arg(0)->Arg(1)->UseRealTime();

// Causal, 12 heads of 64.
AttentionInputs causal_heads(std::int64_t queries, std::int64_t keys) {
  const std::int64_t heads = 12, d_head = 64;
  const auto heads_of = [&](std::int64_t rows, double step) {
    return wave({{Axis::pos, rows}, {Axis::concat, heads * d_head}}, step)
        .split(1, Axis::head, heads, Axis::d_head)
        .permute({1, 0, 2});
  };
  AttentionInputs in;
  in.q = heads_of(queries, 0.37);
  in.k = heads_of(keys, 0.21);
  in.v = heads_of(keys, 0.11);
  in.scale = 0.125f;
  in.first_query = keys - queries;
  return in;
}

// Flops count the cells below the diagonal only.
void measure_attend(benchmark::State& state, const AttentionInputs& in) {
  for (auto _ : state) benchmark::DoNotOptimize(attend(in));
  const auto queries = static_cast<double>(in.q.size(1)), keys = static_cast<double>(in.k.size(1));
  const double cells = queries * (keys - 0.5 * (queries - 1));
  count_flops(state, 4.0 * cells * static_cast<double>(in.q.size(0) * in.q.size(2)));
}

// Arguments: query rows, keys.
void attend_heads(benchmark::State& state) {
  measure_attend(state, causal_heads(state.range(0), state.range(1)));
}
BENCHMARK(attend_heads)->Args({256, 256})->Args({1024, 1024})->Args({1, 1024})->UseRealTime();

// Arguments: query rows, keys; then soft cap, bias (0 none, 1 ALiBi, 2 buckets), padding.
void attend_parts(benchmark::State& state) {
  AttentionInputs in = causal_heads(state.range(0), state.range(1));
  if (state.range(2) != 0) in.cap = 50.f;
  in.bias.kind = static_cast<ScoreBias::Kind>(state.range(3));
  in.bias.slopes = alibi_slopes(12);
  in.bias.table = wave({{Axis::none, 32}, {Axis::head, 12}}, 0.3);
  std::vector<std::uint8_t> attention_mask(static_cast<std::size_t>(in.k.size(1)), 1);
  attention_mask[0] = 0;
  if (state.range(4) != 0)
    in.mask.attention_mask = std::make_shared<std::vector<std::uint8_t>>(attention_mask);
  measure_attend(state, in);
}
BENCHMARK(attend_parts)
    ->Args({1024, 1024, 1, 0, 0})
    ->Args({1024, 1024, 0, 1, 0})
    ->Args({1024, 1024, 0, 2, 0})
    ->Args({1024, 1024, 0, 0, 1})
    ->Args({1, 1024, 1, 2, 1})
    ->UseRealTime();

void rectangle(benchmark::State& state) {
  const std::int64_t n = state.range(0), d_head = 64;
  AttentionInputs in;
  in.q = wave({{Axis::head, 1}, {Axis::query, n}, {Axis::d_head, d_head}}, 0.37);
  in.k = wave({{Axis::head, 1}, {Axis::key, n}, {Axis::d_head, d_head}}, 0.21);
  in.v = in.k;
  in.scale = 0.125f;
  const Tensor lse = attend(in).lse;
  for (auto _ : state)
    benchmark::DoNotOptimize(attention_rectangle(in, lse, ScoreStage::pattern, 0, 0, n, 0, n));
  count_flops(state, 2.0 * static_cast<double>(n * n * d_head));
}
BENCHMARK(rectangle)->Arg(256)->Arg(1024)->UseRealTime();

void activation(benchmark::State& state) {
  const Tensor x = wave({{Axis::pos, 256}, {Axis::d_mlp, 3072}}, 0.37);
  const auto kind = static_cast<Activation>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(activate(kind, x));
}
BENCHMARK(activation)->DenseRange(0, 4)->UseRealTime();

void norm(benchmark::State& state) {
  const Tensor x = wave({{Axis::pos, 256}, {Axis::d_model, 768}}, 0.37);
  const Tensor weight = wave({{Axis::d_model, 768}}, 0.1);
  for (auto _ : state) benchmark::DoNotOptimize(layer_norm(x, weight, weight, 1e-5f));
}
BENCHMARK(norm)->UseRealTime();

void rotation(benchmark::State& state) {
  const Tensor x = wave({{Axis::head, 12}, {Axis::pos, 256}, {Axis::d_head, 64}}, 0.37);
  const auto frequencies = rope_frequencies({}, 64);
  for (auto _ : state) benchmark::DoNotOptimize(rotate(x, frequencies, {0, {}}));
}
BENCHMARK(rotation)->UseRealTime();

}  // namespace
}  // namespace attnscope
