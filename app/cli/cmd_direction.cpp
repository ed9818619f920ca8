// attnscope-cli direction: what a step holds over one data set less what it holds over another, on the
// average of all positions: a vector for each step, to be added to the stream by an edit (steering, Turner et
// al. 2023).
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/prompt_runs.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/control_vector.h"
#include "core/io/writers.h"
#include "core/lens/step_means.h"
#include "core/step/catalog.h"

namespace attnscope::cli {
namespace {

struct DirectionOptions {
  std::string model, against, steps = "*blocks.*.resid_post", out;
  double scale = 1;
  bool json = false;
  SequenceOptions sequences;
  DataOptions data;
};

struct MeansOfData {
  StepMeans means{false};
  std::shared_ptr<const Trace> last;
  nlohmann::json data;
};

Result<MeansOfData> means_over(const DirectionOptions& options, const DataChoice& choice,
                               const RunModel& opened, const Selector& steps) {
  PromptRuns data(choice, opened, options.sequences, options.sequences);
  TRY_OK(data.prepare());
  MeansOfData out;
  using One = std::pair<StepMeans, std::shared_ptr<const Trace>>;
  const auto work = [&](const DataLine& line) -> Result<One> {
    TRY(const PromptRun run, data.run(line, DataSide::clean));
    const auto one = out.means.of_run(*run.trace, steps);
    if (!one) return within(line.place(data.path()), one.error());
    return One(*one, run.trace);
  };
  TRY_OK(data.through<One>(work, [&](const DataLine& line, const One& one) {
    out.last = one.second;
    const Status added = out.means.add(one.first);
    return added ? added : Status(within(line.place(data.path()), added.error()));
  }));
  out.data = data.json();
  return out;
}

// One row of the step, in which all rows are the same.
Result<std::vector<float>> vector_of(const StepMeans& means, const Record& record) {
  TRY(const Tensor whole, means.of(record));
  return whole.select(0, 0).values();
}

// "gpt2", "llama": which model a control vector is for. llama.cpp does not read it.
std::string family_hint(const OpenedModel& opened) {
  std::string out;
  for (const char c : lower(opened.family))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  return out;
}

// As llama.cpp reads it: the stream behind each block but the first.
Status write_gguf(const std::string& path, const OpenedModel& opened, const std::vector<NamedTensor>& found,
                  const std::string& run) {
  ControlVector out;
  out.run = run;
  const ModelConfig& config = opened.model->config();
  out.model_hint = family_hint(opened);
  std::vector<std::string> left_out;
  for (const NamedTensor& one : found) {
    const auto where = parse_target(one.name);
    const bool taken = where && where->site.is(StepKind::residual_post) && where->site.layer > 0 &&
                       where->site.stack == config.stack;
    if (taken)
      out.vectors[where->site.layer] = one.value;
    else
      left_out.push_back(one.name);
  }
  if (out.vectors.empty()) return fail(Code::unsupported, "error.cli.direction_gguf", {join(left_out, ", ")});
  if (!left_out.empty())
    std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.direction.left_out", {join(left_out, ", ")}).c_str());
  return write_control_vector(path, out);
}

Status run_direction(const DirectionOptions& options) {
  const bool gguf = options.out.ends_with(".gguf");
  if (!gguf && !options.out.ends_with(".npz") && !options.out.ends_with(".safetensors"))
    return fail(Code::unsupported, "error.cli.direction_extension", {quoted_path(options.out)});
  TRY(const Selector steps, Selector::parse(options.steps));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY_OK(check_runs(opened));
  DataChoice other = options.data.choice();
  if (other.path.empty()) return fail(Code::out_of_range, "error.cli.direction_data");
  TRY(const MeansOfData here, means_over(options, other, opened, steps));
  other.path = options.against;
  TRY(const MeansOfData there, means_over(options, other, opened, steps));
  std::vector<NamedTensor> found;
  nlohmann::json rows = nlohmann::json::array();
  for (const Record* record : here.last->select(steps)) {
    if (record->shape.size() != 2 || !there.last->find(record->site)) continue;
    TRY(std::vector<float> vector, vector_of(here.means, *record));
    TRY(const std::vector<float> against, vector_of(there.means, *record));
    double squares = 0;
    for (std::size_t i = 0; i < vector.size(); ++i) {
      vector[i] = static_cast<float>(options.scale *
                                     (static_cast<double>(vector[i]) - static_cast<double>(against[i])));
      squares += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
    }
    rows.push_back({{"step", to_text(record->site)}, {"norm", std::sqrt(squares)}});
    const std::int64_t width = std::ssize(vector);
    found.push_back({to_text(record->site), Tensor::from(std::move(vector), {{Axis::none, width}})});
  }
  if (found.empty()) return fail(Code::not_found, "error.cli.direction_steps", {in_quotes(options.steps)});
  nlohmann::json run = run_json(opened, options.model);
  run["data"] = here.data, run["against"] = there.data;
  const std::string told = run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::vector<NamedInts> bytes;
  if (options.out.ends_with(".npz")) bytes.push_back(bytes_of("run", told));
  TRY_OK(gguf ? write_gguf(options.out, opened, found, told)
              : write_tensors(options.out, found, bytes, {{"run", told}}));
  if (!options.json) {
    for (const nlohmann::json& row : rows)
      say(format("%-40s %12.6f\n", row["step"].get<std::string>().c_str(), row["norm"].get<double>()));
    return Done{};
  }
  print_json({{"rows", std::move(rows)}, {"scale", options.scale}, {"run", std::move(run)}});
  return Done{};
}

}  // namespace

void add_direction(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "direction", tr("cli.direction"), run_direction);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  options->data.add_to(*command);
  command->add_option("--against", options->against, tr("cli.direction.against"))->required();
  command->add_option("--steps", options->steps, tr("cli.direction.steps"))->capture_default_str();
  command->add_option("--scale", options->scale, tr("cli.direction.scale"))->transform(real(-1e6, 1e6));
  command->add_option("-o,--out", options->out, tr("cli.direction.out"))->required();
  command->add_flag("--json", options->json, tr("cli.json"));
}

}  // namespace attnscope::cli
