// attnscope-cli bench: prefill with every step recorded and decoding with a KV cache, compared with
// the limits of this machine, measured in the same process: FMA throughput, sgemm and memory
// bandwidth.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/bench_training.h"
#include "app/cli/command.h"
#include "app/cli/memory_use.h"
#include "core/arch/random_model.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"
#include "core/calc/machine.h"
#include "core/session/edit_values.h"
#include "core/tensor/encoded.h"
#include "core/tensor/panels.h"

namespace attnscope::cli {
namespace {

constexpr int kDecodeSteps = 24;
constexpr int kPrefills = 4;

struct BenchOptions {
  std::string model;
  int tokens = 256;
  bool json = false;
  std::vector<std::string> edits;
};

// Cost of one run according to the config: multiply-adds, and the bytes that they are read from: 4 a value,
// or what the file's encoding has for it.
struct Work {
  double matrix_values = 0, matrix_bytes = 0;  // of the blocks' weight matrices
  double head_values = 0, head_bytes = 0;      // of the unembedding
  double other_bytes = 0;                      // of norms and biases
};

double stored_bytes(const Tensor& tensor) {
  const Encoded* const code = tensor.code();
  if (!code || code->plain()) return static_cast<double>(tensor.count()) * sizeof(float);
  return static_cast<double>(storage_bytes(code->dtype(), code->width())) /
         static_cast<double>(code->width()) * static_cast<double>(tensor.count());
}

Work work_of(const Model& model) {
  Work work;
  for (const auto& [name, tensor] : model.weights().all()) {
    const double count = static_cast<double>(tensor.count()), bytes = stored_bytes(tensor);
    if (name == "logits.weight")
      work.head_values += count, work.head_bytes += bytes;
    else if (tensor.rank() == 2 && starts_with(name, "blocks."))
      work.matrix_values += count, work.matrix_bytes += bytes;
    else if (tensor.rank() == 1)
      work.other_bytes += bytes;
  }
  return work;
}

// Values of the weights that make queries, keys and values.
double attention_inputs(const ModelConfig& config, int layer) {
  const AttentionSpec& a = config.blocks[static_cast<std::size_t>(layer)].attention;
  return static_cast<double>(config.d_model) * a.d_head * (a.n_heads + 2.0 * a.n_kv_heads);
}

// Two matmuls (q k and pattern v) over the pairs that the mask allows.
double attention_flops(const ModelConfig& config, double tokens) {
  double total = 0;
  for (const BlockSpec& block : config.blocks) {
    const AttentionSpec& a = block.attention;
    double pairs = a.causal ? tokens * (tokens + 1) / 2 : tokens * tokens;
    if (a.window > 0) pairs = std::min(pairs, tokens * static_cast<double>(a.window));
    total += 4.0 * pairs * a.n_heads * a.d_head;
  }
  return total;
}

double cache_bytes(const ModelConfig& config, double positions) {
  double total = 0;
  for (const BlockSpec& block : config.blocks)
    total += 2.0 * positions * block.attention.n_kv_heads * block.attention.d_head * sizeof(float);
  return total;
}

// Bytes read by one decode step: all weights and the KV cache.
double decode_bytes(const Model& model, int decode_from) {
  const Work work = work_of(model);
  return work.matrix_bytes + work.head_bytes + work.other_bytes +
         cache_bytes(model.config(), decode_from + kDecodeSteps / 2.0);
}

std::vector<int> some_ids(int count, int vocab) {
  std::vector<int> ids;
  for (int i = 0; i < count; ++i) ids.push_back(static_cast<int>((std::int64_t{i} * 7919 + 13) % vocab));
  return ids;
}

// Seconds to run `ids` with everything recorded, including reading the last row's logits.
Result<double> timed_run(const Model& model, const std::vector<int>& ids, const RunOptions& options,
                         std::shared_ptr<const Trace>& keep) {
  Status status = Done{};
  keep.reset();  // free the previous run's memory outside the timed region
  const double time = seconds([&] {
    const auto trace = model.run({ids, {}}, options);
    if (!trace) {
      status = trace.error();
      return;
    }
    (*trace)->logits_row((*trace)->length - 1);
    keep = *trace;
  });
  TRY_OK(std::move(status));
  return time;
}

// Milliseconds of the fastest run by step ("attn.q" summed over all blocks), largest first.
std::vector<std::pair<std::string, double>> by_step(const Trace& trace) {
  std::map<std::string, double> sums;
  for (const Record& record : trace.records())
    sums[std::string(step_of(record.site.slot).text)] +=
        static_cast<double>(record.end_ns - record.begin_ns) / 1e6;
  std::vector<std::pair<std::string, double>> out(sums.begin(), sums.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

struct Measured {
  double best = 1e30, median = 0;  // seconds
  double limit = 0;                // of the machine: sgemm GFLOP/s, or GB/s
  double fma = 0;                  // of the machine: FMA GFLOP/s without memory access
  std::size_t steps = 0;
  std::int64_t growth = 0;  // bytes
  std::vector<std::pair<std::string, double>> by_step;

  void take(double time, const Trace& trace) {
    times_.push_back(time);
    std::sort(times_.begin(), times_.end());
    median = times_[times_.size() / 2];
    steps = trace.records().size();
    if (time >= best) return;
    best = time;
    by_step = attnscope::cli::by_step(trace);
  }

 private:
  std::vector<double> times_;
};

Result<Measured> measure_prefill(const Model& model, const std::vector<int>& ids) {
  Measured out;
  ProductPeak peak;
  peak.measure(4);
  weight_health(model.weights());  // reads every weight, so that mapped files are in memory
  reset_peak_memory();
  const std::int64_t before = memory_now();
  for (int round = 0; round < kPrefills; ++round) {
    std::shared_ptr<const Trace> trace;
    TRY(const double time, timed_run(model, ids, {}, trace));
    if (round == 0) out.growth = memory_peak() - before;
    out.take(time, *trace);
    trace.reset();
    peak.measure(6);
  }
  out.limit = peak.sgemm_gflop_per_s();
  out.fma = peak.fma_gflop_per_s();
  return out;
}

Result<Measured> measure_decode(const Model& model, std::vector<int> ids, int steps, double bytes) {
  Measured out;
  RunOptions options;
  options.keep = Keep::predictions;
  std::shared_ptr<const Trace> trace;
  TRY(const double prefill, timed_run(model, ids, options, trace));
  (void)prefill;
  ReadBandwidth bandwidth(bytes);
  for (int step = 0; step < steps; ++step) {
    ids.push_back(ids.front());
    options.base = std::move(trace);  // its KV cache is extended
    TRY(const double time, timed_run(model, ids, options, trace));
    out.take(time, *trace);
    bandwidth.measure(1);
  }
  out.limit = bandwidth.gb_per_s();
  return out;
}

// Time of an edit computed from the clean run, of a full run with the same edit, and the machine's limit.
struct MeasuredEdit {
  double ms = 1e30, full_ms = 1e30, bound_ms = 0;
  Cone cone;
};

Result<MeasuredEdit> measure_edit(const Model& model, const std::vector<int>& ids, const Edits& edits) {
  MeasuredEdit out;
  RunOptions clean, partial, full;
  partial.edits = full.edits = edits;
  std::shared_ptr<const Trace> base, trace;
  ProductPeak peak;
  const Work work = work_of(model);
  ReadBandwidth bandwidth(work.matrix_bytes);
  TRY(const double first, timed_run(model, ids, clean, base));
  (void)first;
  partial.base = base;
  TRY(out.cone, model.cone({ids, {}}, partial));
  for (int round = 0; round < kPrefills; ++round) {
    peak.measure(2);
    bandwidth.measure(1);
    TRY(const double some, timed_run(model, ids, partial, trace));
    TRY_OK(check_reached(trace->unreached));
    out.ms = std::min(out.ms, some * 1e3);
    TRY(const double all, timed_run(model, ids, full, trace));
    out.full_ms = std::min(out.full_ms, all * 1e3);
  }
  const double blocks = std::max(1, model.config().n_layers());
  const double values = work.matrix_values / blocks, bytes = work.matrix_bytes / blocks;
  const StackCone& cone = out.cone.main;
  for (int layer = 0; layer < model.config().n_layers(); ++layer) {
    const auto rows = static_cast<double>(cone.rows - cone.block(layer));
    if (rows <= 0) continue;
    const double left = cone.attends(layer) ? 0 : attention_inputs(model.config(), layer) / values;
    const double product = 2 * values * rows / peak.sgemm_gflop_per_s(), read = bytes / bandwidth.gb_per_s();
    out.bound_ms += std::max(0.0, 1 - left) * std::max(product, read) / 1e6;
  }
  out.bound_ms += work.head_bytes / bandwidth.gb_per_s() / 1e6;
  return out;
}

nlohmann::json times(const Measured& measured) {
  nlohmann::json steps = nlohmann::json::object();
  for (const auto& [name, ms] : measured.by_step) steps[name] = ms;
  return {{"ms", measured.best * 1e3}, {"median_ms", measured.median * 1e3}, {"ms_by_step", steps}};
}

nlohmann::json cmd_bench_results(const OpenedModel& opened, int tokens, const Measured& prefill,
                                 const Measured& decode, int decode_from) {
  const ModelConfig& config = opened.model->config();
  const Work work = work_of(*opened.model);
  const double flops =
      2 * work.matrix_values * tokens + 2 * work.head_values + attention_flops(config, tokens);
  const double bytes = decode_bytes(*opened.model, decode_from);
  const double gflops = flops / prefill.best / 1e9, read = bytes / decode.best / 1e9;
  nlohmann::json p = times(prefill), d = times(decode);
  p.update({{"gflop", flops / 1e9},
            {"gflop_per_s", gflops},
            {"sgemm_peak_gflop_per_s", prefill.limit},
            {"share_of_sgemm_peak", gflops / prefill.limit},
            {"fma_peak_gflop_per_s", prefill.fma},
            {"share_of_fma_peak", gflops / prefill.fma},
            {"recorded_steps", prefill.steps},
            {"memory_growth_bytes", prefill.growth}});
  d.update({{"tokens_per_s", 1 / decode.best},
            {"positions_before", decode_from},
            {"bytes_read", bytes},
            {"gb_per_s", read},
            {"memory_bandwidth_gb_per_s", decode.limit},
            {"share_of_memory_bandwidth", read / decode.limit}});
  return {{"model", opened.title},
          {"tokens", tokens},
          {"kernels", kernel_name()},
          {"threads", thread_count()},
          {"prefill", p},
          {"decode", d},
          {"packed_weight_bytes", Panels::bytes()}};
}

// A row for each step of each phase.
nlohmann::json rows_by_step(const nlohmann::json& results) {
  nlohmann::json rows = nlohmann::json::array();
  for (const char* phase : {"prefill", "decode"})
    for (const auto& [step, ms] : results[phase]["ms_by_step"].items())
      rows.push_back({{"phase", phase}, {"step", step}, {"ms", ms}});
  return rows;
}

void cmd_bench_print_line(const char* key, std::initializer_list<std::string_view> arguments) {
  std::printf("%s\n", tr(key, arguments).c_str());
}

void print_lines(const nlohmann::json& r) {
  const auto number = [](const nlohmann::json& value, const char* how) {
    return format(how, value.get<double>());
  };
  const auto share = [](const nlohmann::json& value) { return format("%5.1f", 100 * value.get<double>()); };
  const auto whole = [](const nlohmann::json& value) { return std::to_string(value.get<int>()); };
  const auto bytes = [](const nlohmann::json& value) {
    return format_bytes(static_cast<std::uint64_t>(value.get<double>()));
  };
  const nlohmann::json &p = r["prefill"], &d = r["decode"];
  cmd_bench_print_line("cli.bench.head", {printable(r["model"].get<std::string>(), 200), whole(r["tokens"]),
                                          r["kernels"].get<std::string>(), whole(r["threads"])});
  cmd_bench_print_line("cli.bench.prefill",
                       {number(p["ms"], "%8.2f"), number(p["gflop_per_s"], "%7.1f"),
                        share(p["share_of_sgemm_peak"]), number(p["sgemm_peak_gflop_per_s"], "%.1f"),
                        share(p["share_of_fma_peak"]), number(p["fma_peak_gflop_per_s"], "%.1f")});
  cmd_bench_print_line(
      "cli.bench.decode",
      {number(d["ms"], "%8.2f"), number(d["gb_per_s"], "%7.1f"), share(d["share_of_memory_bandwidth"]),
       number(d["memory_bandwidth_gb_per_s"], "%.1f"), bytes(d["bytes_read"])});
  cmd_bench_print_line("cli.bench.memory", {bytes(p["memory_growth_bytes"]), whole(p["recorded_steps"]),
                                            bytes(r["packed_weight_bytes"])});
  if (!r.contains("edit")) return;
  const nlohmann::json& e = r["edit"];
  cmd_bench_print_line("cli.bench.edit", {number(e["ms"], "%8.2f"), number(e["full_ms"], "%7.2f"),
                                          number(e["bound_ms"], "%.2f"), whole(e["rows"]), whole(e["blocks"]),
                                          number(100 * e["share_of_rows"].get<double>(), "%.1f"),
                                          number(100 * e["share_of_time"].get<double>(), "%.1f")});
}

Status run_bench(const BenchOptions& options) {
  if (options.model == kTrainingBench) return bench_training(options.json);
  TRY(const RunModel opened, open_to_run(options.model));
  const ModelConfig& config = opened.model->config();
  if (config.vocab_size == 0 || !config.head.present) {
    return fail(Code::unsupported, "error.cli.no_language_model", {in_quotes(opened.title), kRandomModel});
  }
  const std::vector<int> ids = some_ids(options.tokens, config.vocab_size);
  TRY(const Measured prefill, measure_prefill(*opened.model, ids));
  const std::int64_t limit = config.position.max_positions;
  const int room =
      limit > 0 ? static_cast<int>(std::max<std::int64_t>(1, limit - kDecodeSteps)) : options.tokens;
  const int decode_from = std::min(options.tokens, room);
  const int steps =
      limit > 0 ? static_cast<int>(std::min<std::int64_t>(kDecodeSteps, limit - decode_from)) : kDecodeSteps;
  if (steps < 1) return fail(Code::out_of_range, "error.cli.one_position");
  TRY(const Measured decode, measure_decode(*opened.model, {ids.begin(), ids.begin() + decode_from}, steps,
                                            decode_bytes(*opened.model, decode_from)));
  nlohmann::json out = cmd_bench_results(opened, options.tokens, prefill, decode, decode_from);
  if (!options.edits.empty()) {
    Edits edits;
    for (const std::string& text : options.edits) {
      Input input;
      input.ids = ids;
      const auto run = [&](const std::string&) { return opened.model->run(input); };
      const EditRuns runs = [&]() -> Result<std::vector<std::shared_ptr<const Trace>>> {
        TRY(const auto trace, run(""));
        return std::vector{trace};
      };
      TRY(const Edits made, parse_edits(text, opened.model->config(), named_numbers(opened, run), runs));
      edits.insert(edits.end(), made.begin(), made.end());
    }
    TRY(const MeasuredEdit edit, measure_edit(*opened.model, ids, edits));
    const StackCone& main = edit.cone.main;
    const std::int64_t first = *std::min_element(main.blocks.begin(), main.blocks.end());
    out["edit"] = {{"ms", edit.ms},
                   {"full_ms", edit.full_ms},
                   {"bound_ms", edit.bound_ms},
                   {"rows", main.rows - first},
                   {"share_of_rows", static_cast<double>(edit.cone.block_rows()) /
                                         static_cast<double>(main.rows * std::ssize(main.blocks))},
                   {"share_of_time", edit.ms / edit.full_ms},
                   {"blocks", edit.cone.blocks()}};
  }
  if (options.json) {
    out["rows"] = rows_by_step(out);
    out["run"] = run_json(opened, options.model);
    print_json(out);
  } else {
    print_lines(out);
  }
  return Done{};
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "bench", tr("cli.bench"), run_bench);
  command->add_option("MODEL", options->model, tr("cli.bench.model", {tr(kModelHelp), kTrainingBench}))
      ->required();
  command->add_option("--tokens", options->tokens, tr("cli.bench.tokens"))->transform(whole(1, 1 << 20));
  command->add_option("--edit", options->edits, tr(kEditHelp))->allow_extra_args(false);
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
