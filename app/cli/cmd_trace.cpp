// attnscope-cli trace: runs sequences and writes or summarises every selected step, or those of a recording.
// Tensors are float32, named by their site, without a batch axis; `tokens` holds the ids (`enc.tokens` those
// of the encoder), `attention_mask` is 0 for padding; names of the second sequence begin with "seq1.", and
// so on. With --gradients also the gradients of the loss: "blocks.0.attn.q.grad",
// "blocks.0.attn.q.weight.grad".
#include <limits>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "app/cli/prompt_runs.h"
#include "core/base/file_formats.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/writers.h"
#include "core/session/backward_run.h"
#include "core/trace/place_cells.h"

namespace attnscope::cli {
namespace {

struct TraceOptions {
  std::string model, steps = "*", out;
  bool summary = false, gradients = false;
  LossChoice loss;
  SequenceOptions sequences;
  DataOptions data;
};

// Output to write and print; both are delayed until all sequences have succeeded.
struct Output {
  bool writes = false, sums_up = false, headed = false;
  std::vector<NamedTensor> tensors;
  std::vector<NamedInts> ints;
  std::string table;
  nlohmann::json inputs = nlohmann::json::array(), data;  // what was run

  void take(const std::string& name, const Tensor& value, const Record& record) {
    if (sums_up) add_row(name, value, record);
    if (writes) tensors.push_back({name, value});
  }
  void add_header() {
    table += format("%-28s %-16s %12s %12s %12s %8s %8s %9s\n", "step", "shape", "min", "max", "mean", "NaN",
                    "inf", "ms");
  }

 private:
  void add_row(const std::string& name, const Tensor& value, const Record& record) {
    const Stats s = stats(value);
    const bool none = s.count > 0 && s.nans + s.infs == s.count;  // no number is left to speak of
    const auto number = [&](double one) { return none ? std::string("-") : format("%.5g", one); };
    table += format("%-28s %-16s %12s %12s %12s %8lld %8lld %9.3f\n", name.c_str(), shape_text(value).c_str(),
                    number(static_cast<double>(s.min)).c_str(), number(static_cast<double>(s.max)).c_str(),
                    number(s.mean).c_str(), static_cast<long long>(s.nans), static_cast<long long>(s.infs),
                    static_cast<double>(record.end_ns - record.begin_ns) / 1e6);
  }
};

// One number per token: the ids, and the attention mask if there is padding.
void take_ints(const Trace& trace, const std::string& prefix, Output& out) {
  const auto take = [&](const char* name, const auto& values) {
    if (!values.empty())
      out.ints.push_back(
          {prefix + name, {values.begin(), values.end()}, {static_cast<std::int64_t>(values.size())}});
  };
  take("tokens", trace.ids);
  take("attention_mask", trace.input.attention_mask);
  take("enc.tokens", trace.input.source);
  take("enc.attention_mask", trace.input.source_attention_mask);
}

// Weights and the input that a selector names.
std::vector<Target> values_asked(const Trace& trace, const Selector& selector) {
  std::vector<Target> out;
  const auto blocks = [&](std::string_view name) {
    return trace.config().of(stack_of_name(name).value_or(trace.config().stack)).n_layers();
  };
  for (const auto& [name, weight] : trace.weights().all())
    for (auto& at : selector.value_parts(name, blocks(name)))
      out.push_back(weight_target(name, std::move(at)));
  if (!trace.input.vectors.empty())
    for (auto& at : selector.value_parts(kInputName, 0))
      out.push_back({Target::Kind::input, {}, {}, std::move(at)});
  return out;
}

Status take_sequence(const Trace& trace, std::size_t sequence, const Selector& selector, Output& out) {
  const auto records = trace.select(selector);
  const std::vector<Target> values = values_asked(trace, selector);
  if (records.empty() && values.empty()) {
    return fail(Code::not_found, "error.cli.no_match",
                {in_quotes(selector.text()), join(trace.nearest_steps(selector), ", ")});
  }
  if (out.sums_up && !std::exchange(out.headed, true)) out.add_header();
  for (const Record* record : records) {
    TRY(const auto parts, parts_of_step(trace, selector, record->site));
    for (const std::vector<AxisRange>& part : parts) {
      TRY(const Tensor value, trace.part(record->site, part));
      out.take(prefix_of(sequence) + to_text(record->site) + to_text(part), value, *record);
    }
  }
  for (const Target& where : values) {
    TRY(const std::vector<AxisRange> at, absolute(trace, where));
    TRY(const Tensor numbers, numbers_at(trace, where));
    out.take(prefix_of(sequence) + to_text(Target{where.kind, {}, where.weight, at}), numbers, {});
  }
  if (out.writes) take_ints(trace, prefix_of(sequence), out);
  return Done{};
}

// Gradients of the steps that match `selector`, and of all weights.
Status take_gradients(const std::shared_ptr<const Trace>& trace, std::size_t sequence,
                      const Selector& selector, const LossChoice& choice,
                      const std::optional<CountedRows>& trained, Output& out) {
  TRY(Objective objective, default_objective(*trace, choice, trained));
  TRY(const auto gradients, backward(trace, std::move(objective)));
  const CrossEntropy& loss = gradients->loss();
  if (out.sums_up)
    out.table +=
        tr(choice.rows == LossRows::as_trained && trained ? "cli.trace.loss_trained" : "cli.trace.loss",
           {format("%.6f", unsigned_nan(loss.smoothed / static_cast<double>(loss.counted))),
            std::to_string(loss.counted), std::to_string(gradients->predictions())}) +
        "\n";
  for (const Record& record : gradients->records()) {
    const std::string name = gradient_name(record.site);
    const auto slice = [&](std::int64_t head, Range rows, Range cols) {
      return gradients->slice(record.site, head, rows, cols);
    };
    TRY(const auto parts, parts_of_step(*trace, selector, record.site));
    for (const std::vector<AxisRange>& part : parts) {
      TRY(const Tensor gradient, gathered(record, name, part, slice));
      out.take(prefix_of(sequence) + name + to_text(part), gradient, record);
    }
  }
  if (!out.writes) return Done{};
  for (auto& [name, gradient] : gradients->weights())
    out.tensors.push_back({prefix_of(sequence) + name + ".grad", gradient});
  return Done{};
}

// Writes what was collected, where a file is asked for.
Status write_output(const TraceOptions& options, const OpenedModel& opened, const Edits& edits, Output out) {
  TRY_OK(opened.model->weights().intact());  // logits are computed from the weights when they are read
  if (!out.writes) return Done{};
  Metadata told{{"format", kRecordFormat.name},
                {"version", std::to_string(kRecordFormat.version)},
                {"model", opened.title}};
  if (!edits.empty()) told["edits"] = join(texts_of(edits), "\n");
  if (const auto& unknown = options.sequences.unknown(); !unknown.empty())
    told["unknown"] = join(unknown, "\n");
  // In the metadata of safetensors; npz has arrays alone: there it is one of bytes.
  nlohmann::json run = run_json(opened, options.model);
  run["inputs"] = std::move(out.inputs);
  if (!out.data.is_null()) run["data"] = out.data;
  told["run"] = run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const char* name : {"edits", "unknown", "run"})
    if (told.count(name) > 0 && ends_with(options.out, ".npz"))
      out.ints.push_back(bytes_of(name, told[name]));
  return write_tensors(options.out, out.tensors, out.ints, told);
}

// Each prompt of a data set as a sequence; `data.line` holds their lines.
Status trace_data(const TraceOptions& options, const RunModel& opened, const Selector& selector) {
  PromptRuns data(options.data.choice(), opened, options.sequences, options.sequences);
  TRY_OK(data.prepare());
  Output out;
  out.writes = !options.out.empty();
  out.sums_up = options.summary || !out.writes;
  Edits edits;
  std::size_t sequence = 0;
  NamedInts lines{"data.line", {}, {}};
  const auto take = [&](const DataLine& line, const PromptRun& run) -> Status {
    data.tell(run);
    if (sequence == 0) edits = run.trace->edits;
    TRY_OK(take_sequence(*run.trace, sequence, selector, out));
    if (options.gradients)
      TRY_OK(take_gradients(run.trace, sequence, selector, options.loss, trained_rows(opened), out));
    std::fputs(std::exchange(out.table, {}).c_str(), stdout);
    if (out.writes) out.inputs.push_back(input_json(opened, *run.trace));
    lines.values.push_back(line.line);
    ++sequence;
    return Done{};
  };
  TRY_OK(
      data.through<PromptRun>([&](const DataLine& line) { return data.run(line, DataSide::clean); }, take));
  lines.shape = {static_cast<std::int64_t>(lines.values.size())};
  out.ints.push_back(std::move(lines));
  out.data = data.json();
  return write_output(options, opened, edits, std::move(out));
}

Status run_trace(const TraceOptions& options) {
  TRY(const Selector selector, Selector::parse(options.steps));
  TRY(const RunModel opened, open_to_run(options.model));
  TRY(const Request request, options.sequences.request());
  if (options.data.given()) return trace_data(options, opened, selector);
  const bool recorded = !opened.recorded.empty() && request.unused();
  Edits edits;
  std::vector<Input> inputs;
  if (!recorded) {
    TRY(const Document document, options.sequences.document(opened));
    inputs = inputs_of(document), edits = document.edits;
  }
  Output out;
  out.writes = !options.out.empty();
  out.sums_up = options.summary || !out.writes;
  for (std::size_t sequence = 0; sequence < (recorded ? opened.recorded.size() : inputs.size()); ++sequence) {
    std::shared_ptr<const Trace> trace;
    if (recorded) {
      trace = opened.recorded[sequence];
    } else {
      TRY(trace, run_under(opened, edits, inputs[sequence], sequence));
    }
    const std::size_t number =  // as numbered in the recording
        recorded ? static_cast<std::size_t>(opened.recorded_numbers[sequence]) : sequence;
    TRY_OK(take_sequence(*trace, number, selector, out));
    if (out.writes) out.inputs.push_back(input_json(opened, *trace));
    if (options.gradients)
      TRY_OK(take_gradients(trace, number, selector, options.loss, trained_rows(opened), out));
    std::fputs(std::exchange(out.table, {}).c_str(), stdout);
  }
  return write_output(options, opened, edits, std::move(out));
}

}  // namespace

void add_trace(CLI::App& app, Action& action) {
  const auto [command, options] = new_command(app, action, "trace", tr("cli.trace"), run_trace);
  command->add_option("MODEL", options->model, tr(kModelHelp))->required();
  options->sequences.add_to(*command, true);
  options->data.add_to(*command);
  command->add_option("--steps", options->steps, tr("cli.trace.steps"));
  command->add_option("--out", options->out, tr("cli.trace.out"));
  command->add_flag("--summary", options->summary, tr("cli.trace.summary"));
  CLI::Option* const gradients =
      command->add_flag("--gradients", options->gradients, tr("cli.trace.gradients"));
  const std::map<std::string, LossRows> rows{
      {"trained", LossRows::as_trained}, {"all", LossRows::all}, {"last", LossRows::last}};
  command->add_option("--loss-rows", options->loss.rows, tr("cli.trace.loss_rows"))
      ->transform(CLI::CheckedTransformer(rows).description("trained|all|last"))
      ->needs(gradients);
  command->add_option("--target", options->loss.target, tr("cli.trace.target"))
      ->transform(whole(0, std::numeric_limits<int>::max()))
      ->needs(gradients);
}

}  // namespace attnscope::cli
