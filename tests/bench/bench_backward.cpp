// Speed of the way back at the sizes of a model of about a million parameters, to be held against
// sgemm_square.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "core/ops/backward.h"
#include "tests/bench/inputs.h"

namespace attnscope {
namespace {

// Arguments: rows, in, out.
void linear_forward(benchmark::State& state) {
  const std::int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const Tensor x = wave({{Axis::pos, rows}, {Axis::in, in}}, 0.37),
               w = wave({{Axis::in, in}, {Axis::out, out}}, 0.21), bias = wave({{Axis::out, out}}, 0.1);
  for (auto _ : state) benchmark::DoNotOptimize(linear(x, w, bias, Axis::out));
  count_flops(state, 2.0 * static_cast<double>(rows * in * out));
}
BENCHMARK(linear_forward)->ArgsProduct({{32, 256}, {128}, {128, 512}})->UseRealTime();

void linear_back(benchmark::State& state) {
  const std::int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const Tensor x = wave({{Axis::pos, rows}, {Axis::in, in}}, 0.37),
               w = wave({{Axis::in, in}, {Axis::out, out}}, 0.21), bias = wave({{Axis::out, out}}, 0.1),
               dy = wave({{Axis::pos, rows}, {Axis::out, out}}, 0.4);
  for (auto _ : state) benchmark::DoNotOptimize(linear_backward(dy, x, w, bias));
  count_flops(state, 4.0 * static_cast<double>(rows * in * out));
}
BENCHMARK(linear_back)->ArgsProduct({{32, 256}, {128}, {128, 512}})->UseRealTime();

// Arguments: positions. Causal, 4 heads of 32; flops count the cells below the diagonal only.
void attend_back(benchmark::State& state) {
  const std::int64_t count = state.range(0), heads = 4, d_head = 32;
  const auto heads_of = [&](Axis axis, double step) {
    return wave({{axis, count}, {Axis::concat, heads * d_head}}, step)
        .split(1, Axis::head, heads, Axis::d_head)
        .permute({1, 0, 2});
  };
  AttentionInputs in;
  in.q = heads_of(Axis::query, 0.37);
  in.k = heads_of(Axis::key, 0.21);
  in.v = heads_of(Axis::key, 0.11);
  in.scale = 0.1767767f;
  const AttentionResult out = attend(in);
  for (auto _ : state) benchmark::DoNotOptimize(attend_backward(out.z, in, out));
  count_flops(state, 10.0 * 0.5 * static_cast<double>(count * (count + 1) * heads * d_head));
}
BENCHMARK(attend_back)->Arg(32)->Arg(256)->Arg(1024)->UseRealTime();

void activation_back(benchmark::State& state) {
  const Tensor x = wave({{Axis::pos, 256}, {Axis::d_mlp, 512}}, 0.37);
  const auto kind = static_cast<Activation>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(activate_backward(kind, x, x));
}
BENCHMARK(activation_back)->DenseRange(0, 4)->UseRealTime();

void norm_back(benchmark::State& state) {
  const Tensor x = wave({{Axis::pos, 256}, {Axis::d_model, 128}}, 0.37);
  const Tensor weight = wave({{Axis::d_model, 128}}, 0.1);
  const Tensor scale = layer_norm(x, weight, weight, 1e-5f).scale;
  for (auto _ : state) benchmark::DoNotOptimize(layer_norm_backward(x, x, scale, weight, weight));
}
BENCHMARK(norm_back)->UseRealTime();

void loss_back(benchmark::State& state) {
  const Tensor logits = wave({{Axis::pos, 256}, {Axis::vocab, 512}}, 0.37);
  const std::vector<int> targets(256, 3);
  for (auto _ : state) {
    benchmark::DoNotOptimize(cross_entropy(logits, targets, 0.1));
    benchmark::DoNotOptimize(cross_entropy_backward(logits, targets, 0.1, 0.01));
  }
}
BENCHMARK(loss_back)->UseRealTime();

}  // namespace
}  // namespace attnscope
