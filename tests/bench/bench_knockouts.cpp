// Head knock-outs of a whole model, each a run that starts from the run without edits: the time of a grid of
// heads, and of the blocks that it computes.
#include <benchmark/benchmark.h>

#include "core/arch/open.h"
#include "core/arch/random_model.h"
#include "core/lens/sweep.h"

namespace attnscope {
namespace {

// Argument: tokens. Every head of GPT-2 small's shape once (144 runs), and the logit of one token.
void head_knockouts(benchmark::State& state) {
  static const auto opened = open_model(kRandomModel);
  if (!opened) return state.SkipWithError(opened.error().text().c_str());
  Input input;
  for (int i = 0; i < state.range(0); ++i) input.ids.push_back((i * 7919 + 13) % 50257);
  const auto run = opened->model->run(input);
  const LogitMeasure measure{LogitMeasure::Kind::logit, 11, -1, -1, {}};
  const auto sweep =
      Sweep::ablation(opened->model, *run, measure, *Selector::parse("*blocks.*.attn.z"), {"head"}, {});
  for (auto _ : state) {
    Sweep fresh = *sweep;
    if (const Status filled = fresh.fill(); !filled)
      return state.SkipWithError(filled.error().text().c_str());
    benchmark::DoNotOptimize(fresh.cells().back().value);
  }
  state.counters["runs"] = static_cast<double>(sweep->cells().size());
}
BENCHMARK(head_knockouts)->Arg(16)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace attnscope
