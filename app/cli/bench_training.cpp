#include "app/cli/bench_training.h"

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/memory_use.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"
#include "core/calc/machine.h"
#include "core/train/packing.h"
#include "core/train/trainer.h"

namespace attnscope::cli {
namespace {

constexpr int kSteps = 20;

// The weight matrices of linear layers, and the matmuls of one optimiser step.
struct Products {
  std::vector<Tensor> weights;        // [in, out]
  std::vector<std::int64_t> lengths;  // number of rows of each run of packed sequences
  double flops = 0;                   // forward, input gradients, weight gradients
};

Products products_of(const Trainer& trainer) {
  Products out;
  for (const auto& [name, value] : trainer.state().model->weights().all())
    if (value.rank() == 2 && name.find("embed") == std::string::npos) out.weights.push_back(value);
  double rows = 0;
  std::vector<Example> batch;
  for (int i = 0; i < trainer.recipe().batch; ++i)
    batch.push_back(trainer.task().example(trainer.seed(), Split::train, i));
  for (const Example& run : packed_examples(std::move(batch))) {
    out.lengths.push_back(run.input.length());
    rows += static_cast<double>(out.lengths.back());
  }
  for (const Tensor& weight : out.weights) out.flops += 6 * rows * static_cast<double>(weight.count());
  return out;
}

Tensor rows_of(std::int64_t rows, std::int64_t width) {
  Buffer out({{Axis::pos, rows}, {Axis::in, width}});
  for (std::int64_t i = 0; i < out.count(); ++i) out.data()[i] = static_cast<float>(i % 17) * 0.01f - 0.08f;
  return std::move(out).freeze();
}

// The matmuls of one optimiser step alone: runs in parallel, then the weight gradients of the batch.
double products_seconds(const Products& products) {
  std::vector<std::pair<Tensor, Tensor>> rows;  // x [row, in] and dy [row, out] of the whole batch
  std::int64_t total = 0;
  for (const std::int64_t length : products.lengths) total += length;
  for (const Tensor& weight : products.weights)
    rows.emplace_back(rows_of(total, weight.size(0)), rows_of(total, weight.size(1)));
  std::vector<std::int64_t> begins;
  for (std::int64_t at = 0; const std::int64_t length : products.lengths)
    begins.push_back(std::exchange(at, at + length));
  return seconds([&] {
    std::atomic<std::size_t> next{0};
    parallel_for(thread_count(), 1, [&](std::int64_t, std::int64_t) {
      for (std::size_t i = next++; i < begins.size(); i = next++)
        for (std::size_t w = 0; w < rows.size(); ++w) {
          const std::int64_t begin = begins[i], end = begin + products.lengths[i];
          linear(rows[w].first.slice(0, begin, end), products.weights[w], {}, Axis::out);
          linear(rows[w].second.slice(0, begin, end), products.weights[w].transpose(), {}, Axis::in);
        }
    });
    for (std::size_t w = 0; w < rows.size(); ++w) {
      const LinearUse use{rows[w].second, rows[w].first};
      linear_backward_weights({&use, 1}, products.weights[w], {});
    }
  });
}

Result<Trainer> million() {
  TRY(const auto task, find_task("storyteller"));
  Recipe recipe = task->recipe();
  recipe.batch = 32;
  return Trainer::make(task, {5, 4, 0, 128, 512, "pre", ""}, recipe, 1);
}

nlohmann::json bench_training_results(const Trainer& trainer, const Products& products, double step,
                                      double alone, double peak) {
  std::int64_t parameters_there = 0, rows = 0;
  const Weights& weights = trainer.state().model->weights();
  for (const std::string& name : parameters(trainer.state().model->config(), weights))
    parameters_there += weights.get(name).count();
  for (const std::int64_t length : products.lengths) rows += length;
  const double whole = products.flops / step / 1e9, matrices = products.flops / alone / 1e9;
  return {{"parameters", parameters_there},
          {"tokens_per_step", rows},
          {"threads", thread_count()},
          {"kernels", kernel_name()},
          {"step_ms", step * 1e3},
          {"tokens_per_s", static_cast<double>(rows) / step},
          {"gflop_per_s", whole},
          {"share_of_sgemm_peak", whole / peak},
          {"matrix_products_gflop_per_s", matrices},
          {"matrix_products_share_of_sgemm_peak", matrices / peak},
          {"sgemm_peak_gflop_per_s", peak}};
}

}  // namespace

Status bench_training(bool json) {
  TRY(Trainer trainer, million());
  ProductPeak peak;
  peak.measure(4);
  double step = 1e30, alone = 1e30;
  const Products products = products_of(trainer);
  for (int round = 0; round < kSteps; ++round) {
    TRY(const StepReport report, trainer.step());
    const double share = static_cast<double>(report.tokens);  // batches differ in length
    double rows = 0;
    for (const std::int64_t length : products.lengths) rows += static_cast<double>(length);
    step = std::min(step, report.seconds * rows / share);
    alone = std::min(alone, products_seconds(products));
    peak.measure(3);
  }
  const nlohmann::json out = bench_training_results(trainer, products, step, alone, peak.sgemm_gflop_per_s());
  if (json) {
    nlohmann::json told = out;
    told["rows"] = {{{"what", "step"},
                     {"ms", out["step_ms"]},
                     {"gflop_per_s", out["gflop_per_s"]},
                     {"share_of_sgemm_peak", out["share_of_sgemm_peak"]}},
                    {{"what", "matrix_products"},
                     {"ms", alone * 1e3},
                     {"gflop_per_s", out["matrix_products_gflop_per_s"]},
                     {"share_of_sgemm_peak", out["matrix_products_share_of_sgemm_peak"]}}};
    told["run"] = run_json();
    print_json(told);
    return Done{};
  }
  const auto number = [&](const char* key, const char* how, double times = 1) {
    return format(how, times * out[key].get<double>());
  };
  const auto print_line = [](const char* key, std::initializer_list<std::string_view> arguments) {
    std::printf("%s\n", tr(key, arguments).c_str());
  };
  print_line("cli.bench.training",
             {format_count(out["parameters"].get<std::int64_t>()), number("tokens_per_step", "%.0f"),
              out["kernels"].get<std::string>(), std::to_string(thread_count())});
  print_line("cli.bench.training.step",
             {number("step_ms", "%8.2f"), number("gflop_per_s", "%7.1f"),
              number("share_of_sgemm_peak", "%5.1f", 100), number("sgemm_peak_gflop_per_s", "%.1f"),
              number("tokens_per_s", "%.0f")});
  print_line("cli.bench.training.products",
             {format("%8.2f", alone * 1e3), number("matrix_products_gflop_per_s", "%7.1f"),
              number("matrix_products_share_of_sgemm_peak", "%5.1f", 100)});
  return Done{};
}

}  // namespace attnscope::cli
