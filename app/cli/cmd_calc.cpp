// attnscope-cli calc: what a model of given sizes needs: parameters, KV cache, FLOPs, memory, training.
// Input: a preset, a config.json, or a model; no weights needed.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/arch/presets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/counted.h"
#include "core/calc/machine.h"
#include "core/calc/sizes.h"
#include "core/calc/training.h"
#include "core/io/json_file.h"

namespace attnscope::cli {
namespace {

namespace fs = std::filesystem;

struct CalcOptions {
  std::string model, dtype = "bf16", cache_dtype, machine;
  std::int64_t seq = 2048, batch = 1, source = 0;
  double tokens = 0, served = 0;
  std::vector<std::string> sizes;
  bool json = false, presets = false, run = false;
};

// `model` is what was opened; nothing of a preset or a config alone.
Result<Described> described_model(const std::string& name, std::optional<OpenedModel>& model) {
  TRY(model, open_named(name));
  const OpenedModel& opened = *model;
  if (!opened.recorded.empty()) return fail(Code::unsupported, "error.calc.recording", {in_quotes(name)});
  TRY_OK(opened.model->weights().intact());
  return describe_model(opened.title, opened.family, opened.model->config(), opened.model->weights());
}

Result<Described> described_file(const std::string& path, std::optional<OpenedModel>& model) {
  if (const auto config = lonely_config(path)) {
    TRY(const nlohmann::json read, read_json_file(*config));
    const bool scene = read.is_object() && read.value("format", nlohmann::json()) == "attnscope-scene";
    if (!scene) return describe_config_file(*config);
  }
  return described_model(path, model);
}

// A name that is not a path is a preset.
Result<Described> described_by(const std::string& name, std::optional<OpenedModel>& model) {
  if (starts_with(name, "model:") || starts_with(name, "scene:")) return described_model(name, model);
  if (starts_with(name, kRandomPrefix) && is_preset(name.substr(kRandomPrefix.size())))
    return describe_preset(name.substr(kRandomPrefix.size()));
  if (starts_with(name, kRandomPrefix)) return described_model(name, model);
  std::error_code error;
  if (fs::exists(fs::path(name), error)) return described_file(name, model);
  return describe_preset(name);
}

nlohmann::json flops_json(const Flops& flops) {
  return {{"total", flops.total().value()},
          {"matrices", flops.matrices.value()},
          {"attention", flops.attention.value()},
          {"unembedding", flops.unembedding.value()}};
}

nlohmann::json parameters_json(const Parameters& parameters) {
  nlohmann::json parts = nlohmann::json::object(), rows = nlohmann::json::array();
  for (const ParameterPart part : kParameterParts)
    parts[std::string(part_name(part))] = parameters.by_part[static_cast<std::size_t>(part)].value();
  for (const ParameterRow& row : parameters.rows)
    rows.push_back({{"part", part_name(row.part)},
                    {"name", row.name},
                    {"formula", row.symbols},
                    {"numbers", row.numbers},
                    {"count", row.count.value()}});
  return {{"total", parameters.total.value()},
          {"active", parameters.active.value()},
          {"by_part", parts},
          {"rows", rows}};
}

nlohmann::json roof_json(const Machine& machine, double flops, double bytes) {
  const Roof roof = under_roof(machine, flops, bytes);
  return {{"seconds", roof.seconds()},
          {"compute_seconds", roof.compute_s},
          {"memory_seconds", roof.memory_s},
          {"flops_per_byte", roof.intensity},
          {"bound", roof.memory_bound() ? "memory" : "compute"}};
}

nlohmann::json roofline_json(const Machine& machine, const Calculation& calc, std::int64_t batch) {
  const double b = static_cast<double>(batch);
  return {
      {"machine", machine.name},
      {"flops_per_s", machine.flops_per_s},
      {"bytes_per_s", machine.bytes_per_s},
      {"ridge_flops_per_byte", machine.ridge()},
      {"prefill", roof_json(machine, b * calc.forward.prefill.total().real(), calc.traffic.prefill.real())},
      {"decode", roof_json(machine, b * calc.forward.decode.total().real(), calc.traffic.decode.real())}};
}

nlohmann::json training_json(const TrainingCost& cost) {
  return {
      {"parameters", cost.parameters},
      {"tokens", cost.tokens},
      {"flops", cost.training_flops},
      {"chinchilla_tokens", cost.chinchilla_tokens},
      {"tokens_per_parameter", cost.per_parameter},
      {"loss", cost.loss},
      {"same_loss",
       {{"parameters", cost.equal_parameters}, {"tokens", cost.equal_tokens}, {"flops", cost.equal_flops}}},
      {"serving",
       {{"tokens", cost.served},
        {"flops", cost.serving_flops},
        {"flops_per_token", 2 * cost.parameters},
        {"breaks_even_tokens", cost.breaks_even}}},
      {"total_flops", cost.total_flops}};
}

nlohmann::json cache_json(const Calculation& calc, const Workload& work) {
  return {{"self", calc.cache.self.value()},
          {"cross", calc.cache.cross.value()},
          {"per_token", calc.cache.per_position.value()},
          {"dtype", work.cache.name},
          {"mha", calc.forms.mha.value()},
          {"own", calc.forms.own.value()},
          {"gqa", calc.forms.gqa.value()},
          {"gqa_heads", calc.forms.groups},
          {"mqa", calc.forms.mqa.value()},
          {"without_windows", calc.forms.no_windows.value()}};
}

nlohmann::json sizes_json(const Sizes& sizes) {
  Sizes copy = sizes;
  nlohmann::json out = nlohmann::json::object();
  for (const std::string& name : size_names()) out[name] = *size_named(copy, name);
  return out;
}

nlohmann::json to_json(const Described& it, const Workload& work, const Calculation& calc) {
  const ForwardCost& forward = calc.forward;
  return {
      {"model", it.title},
      {"architecture", it.family},
      {"sizes", sizes_json(sizes_of(it))},
      {"max_seq_len", it.config.position.max_positions},
      {"norm_eps", std::stod(format("%.6g", static_cast<double>(it.config.final_norm.eps)))},
      {"seq", work.seq},
      {"batch", work.batch},
      {"source", it.config.encoder() ? work.source_rows() : 0},
      {"dtype", work.dtype.name},
      {"parameters", parameters_json(calc.parameters)},
      {"twelve_l_d2", calc.rule.value()},
      {"weight_bytes", calc.traffic.weights.value()},
      {"kv_cache_bytes", calc.cache.total().value()},
      {"kv_cache", cache_json(calc, work)},
      {"flops_per_token",
       {{"prefill", forward.prefill_per_token().value()}, {"decode", forward.decode_per_token().value()}}},
      {"flops",
       {{"prefill", flops_json(forward.prefill)},
        {"decode", flops_json(forward.decode)},
        {"image", forward.images.value()}}},
      {"bytes_per_token",
       {{"prefill", calc.traffic.prefill_per_token.value()},
        {"decode", calc.traffic.decode_per_token.value()}}},
      {"bytes", {{"prefill", calc.traffic.prefill.value()}, {"decode", calc.traffic.decode.value()}}},
      {"token_passes",
       {{"without_cache", forward.passes_without_cache.value()},
        {"with_cache", forward.passes_with_cache.value()}}},
      {"slips", in_words(calc.slips)},
      {"notes", in_words(calc.notes)}};
}

constexpr std::int64_t kMostCounted = 1024;

// Runs a model of the preset's shape, or the model itself, and counts its operations.
Result<Counted> counted_of(const CalcOptions& options) {
  std::error_code error;
  const bool preset = !fs::exists(fs::path(options.model), error) && is_preset(options.model);
  TRY(const OpenedModel opened,
      open_named(preset ? std::string(kRandomPrefix) + options.model : options.model));
  return count_run(*opened.model, std::min(options.seq, kMostCounted));
}

nlohmann::json counted_json(const Counted& counted) {
  return {{"positions", counted.positions},
          {"dtype", "f32"},
          {"parameters", counted.parameters.value()},
          {"weight_bytes", counted.weight_bytes.value()},
          {"kv_cache_bytes", counted.cache_bytes.value()},
          {"flops", {{"prefill", flops_json(counted.prefill)}, {"decode", flops_json(counted.decode)}}},
          {"seconds", {{"prefill", counted.prefill_seconds}, {"decode", counted.decode_seconds}}}};
}

void cmd_calc_print_line(const char* key, const std::string& text) {
  std::printf("%s  %s\n", tr(key), text.c_str());
}

std::string bytes_text(const nlohmann::json& value) {
  return format_count(value.get<std::int64_t>()) + " (" + format_bytes(value.get<std::uint64_t>()) + ")";
}

void print_parameters(const nlohmann::json& parameters) {
  cmd_calc_print_line("cli.calc.parameters", format_count(parameters["total"].get<std::int64_t>()));
  if (parameters["active"] != parameters["total"])
    cmd_calc_print_line("cli.calc.active", format_count(parameters["active"].get<std::int64_t>()));
  for (const auto& [part, count] : parameters["by_part"].items())
    if (count != 0)
      std::printf("  %-12s %20s\n", part.c_str(), format_count(count.get<std::int64_t>()).c_str());
  for (const nlohmann::json& row : parameters["rows"])
    std::printf("    %-34s %-22s = %-26s = %s\n", row["name"].get<std::string>().c_str(),
                row["formula"].get<std::string>().c_str(), row["numbers"].get<std::string>().c_str(),
                format_count(row["count"].get<std::int64_t>()).c_str());
}

// Cost of serving, if a number of tokens to serve was given.
void print_serving(const nlohmann::json& serving, double total_flops) {
  const auto number = [](const nlohmann::json& value) { return format("%.4g", value.get<double>()); };
  if (serving["tokens"].get<double>() <= 0) return;
  const bool evens = serving["breaks_even_tokens"].get<double>() > 0;
  cmd_calc_print_line("cli.calc.serving",
                      tr(evens ? "cli.calc.serving.even" : "cli.calc.serving.what",
                         {number(serving["tokens"]), number(serving["flops"]), format("%.4g", total_flops),
                          number(serving["breaks_even_tokens"])}));
}

void print_calc(const nlohmann::json& out) {
  std::printf("%s (%s)\n", printable(out["model"].get<std::string>(), 200).c_str(),
              out["architecture"].get<std::string>().c_str());
  const auto longest = out["max_seq_len"].get<std::int64_t>();
  cmd_calc_print_line("cli.calc.max_seq_len", longest > 0 ? format_count(longest) : tr("cli.calc.no_limit"));
  cmd_calc_print_line("cli.calc.norm_eps", format("%.3g", out["norm_eps"].get<double>()));
  print_parameters(out["parameters"]);
  cmd_calc_print_line("cli.calc.weights", bytes_text(out["weight_bytes"]));
  const auto cache = out["kv_cache_bytes"].get<std::int64_t>();
  cmd_calc_print_line("cli.calc.cache", format_count(cache) + " (" + binary_bytes(cache) + ")");
  for (const char* form : {"own", "mha", "gqa", "mqa"})
    std::printf("  %-12s %20s\n", form, format_count(out["kv_cache"][form].get<std::int64_t>()).c_str());
  for (const char* phase : {"prefill", "decode"})
    cmd_calc_print_line(
        std::string_view(phase) == "prefill" ? "cli.calc.prefill" : "cli.calc.decode",
        tr("cli.calc.per_token", {format_count(out["flops_per_token"][phase].get<std::int64_t>()),
                                  format_bytes(out["bytes_per_token"][phase].get<std::uint64_t>())}));
  if (out.contains("roofline"))
    for (const char* phase : {"prefill", "decode"}) {
      const nlohmann::json& roof = out["roofline"][phase];
      cmd_calc_print_line(std::string_view(phase) == "prefill" ? "cli.calc.prefill" : "cli.calc.decode",
                          tr(roof["bound"] == "memory" ? "cli.calc.roof.memory" : "cli.calc.roof.compute",
                             {out["roofline"]["machine"].get<std::string>(),
                              format("%.4g", 1e3 * roof["seconds"].get<double>()),
                              format("%.3g", roof["flops_per_byte"].get<double>()),
                              format("%.3g", out["roofline"]["ridge_flops_per_byte"].get<double>())}));
    }
  if (out.contains("counted")) {
    const nlohmann::json& core = out["counted"];
    const auto number = [](const nlohmann::json& value) { return format_count(value.get<std::int64_t>()); };
    std::printf("%s\n",
                tr("cli.calc.counted",
                   {number(core["positions"]), number(core["parameters"]), bytes_text(core["kv_cache_bytes"]),
                    number(core["flops"]["prefill"]["total"]), number(core["flops"]["decode"]["total"])})
                    .c_str());
  }
  const nlohmann::json& training = out["training"];
  cmd_calc_print_line("cli.calc.training", tr("cli.calc.training.what",
                                              {format("%.4g", training["tokens"].get<double>()),
                                               format("%.4g", training["flops"].get<double>()),
                                               format("%.4g", training["tokens_per_parameter"].get<double>()),
                                               format("%.4g", training["chinchilla_tokens"].get<double>())}));
  print_serving(training["serving"], training["total_flops"].get<double>());
  for (const nlohmann::json& slip : out["slips"]) std::printf("! %s\n", slip.get<std::string>().c_str());
  for (const nlohmann::json& note : out["notes"]) std::printf("- %s\n", note.get<std::string>().c_str());
}

Result<Workload> workload_of(const CalcOptions& options) {
  Workload work;
  work.seq = options.seq;
  work.batch = options.batch;
  work.source = options.source;
  TRY(work.dtype, format_named(options.dtype));
  TRY(work.cache, format_named(options.cache_dtype.empty() ? options.dtype : options.cache_dtype));
  return work;
}

Status run_calc(const CalcOptions& options) {
  if (options.presets) {
    for (const std::string& name : preset_names()) std::printf("%s\n", name.c_str());
    return Done{};
  }
  if (options.model.empty()) return fail(Code::bad_format, "error.calc.no_model");
  TRY(const Workload work, workload_of(options));
  std::optional<OpenedModel> model;
  TRY(Described described, described_by(options.model, model));
  Sizes sizes = sizes_of(described);
  for (const std::string& assignment : options.sizes) TRY_OK(set_size(sizes, assignment));
  TRY(described, resized(described, sizes));
  TRY(const Calculation calc, calculate(described, work));
  nlohmann::json out = to_json(described, work, calc);
  out["training"] =
      training_json(training_cost(calc.parameters.active.real(), options.tokens, options.served));
  if (!options.machine.empty()) {
    const bool own = options.machine == kThisMachine;
    TRY(const Machine machine, own ? Result<Machine>(*measure_machine()) : machine_named(options.machine));
    out["roofline"] = roofline_json(machine, calc, work.batch);
  }
  if (options.run) {
    if (!options.sizes.empty()) return fail(Code::unsupported, "error.calc.run_sizes");
    TRY(const Counted counted, counted_of(options));
    out["counted"] = counted_json(counted);
  }
  if (options.json) {
    out["rows"] = out["parameters"]["rows"];
    out["run"] = model ? run_json(*model, options.model) : run_json();
    if (!model) out["run"]["model"] = {{"name", options.model}, {"title", described.title}};
    print_json(out);
  } else {
    print_calc(out);
  }
  return Done{};
}

}  // namespace

void add_calc(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "calc", tr("cli.calc"), run_calc);
  const std::uint64_t most = std::uint64_t{1} << 40;
  command->add_option("MODEL", options->model, tr("cli.calc.model"));
  command->add_flag("--presets", options->presets, tr("cli.calc.presets"));
  command->add_option("--seq", options->seq, tr("cli.calc.seq"))->transform(whole(1, most));
  command->add_option("--source", options->source, tr("cli.calc.source"))->transform(whole(1, most));
  command->add_option("--batch", options->batch, tr("cli.calc.batch"))->transform(whole(1, most));
  command->add_option("--dtype", options->dtype, tr("cli.calc.dtype"));
  command->add_option("--cache-dtype", options->cache_dtype, tr("cli.calc.cache_dtype"));
  command->add_option("--set", options->sizes, tr("cli.calc.set"))->allow_extra_args(false);
  command->add_option("--machine", options->machine, tr("cli.calc.machine"));
  command->add_option("--tokens", options->tokens, tr("cli.calc.tokens"))->transform(real(1, 1e30));
  command->add_option("--served", options->served, tr("cli.calc.served"))->transform(real(0, 1e30));
  command->add_flag("--run", options->run, tr("cli.calc.run"));
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
