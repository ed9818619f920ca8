// attnscope-cli trace: runs sequences and writes or sums up every selected step. Tensors are float32, named
// by their site without a batch axis; `tokens` holds the ids (`enc.tokens` the encoder's); the second
// sequence's names begin with "seq1.", and so on.
#include <map>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/io/writers.h"

namespace attnscope::cli {
namespace {

struct Options {
  std::string model, steps = "*", out;
  bool summary = false;
  SequenceOptions sequences;
};

struct Output {
  std::vector<NamedTensor> tensors;
  std::vector<NamedInts> ints;
};

std::string prefix_of(std::size_t sequence) { return sequence == 0 ? "" : format("seq%zu.", sequence); }

// The sequences of the command line, or the scene's own.
Result<std::vector<Input>> inputs_of(const OpenedModel& opened, const SequenceOptions& sequences) {
  if (sequences.empty()) {
    if (opened.scene) return opened.scene->inputs;
    return fail(Code::out_of_range, "There is no input.",
                opened.model->config().sees() ? "Give --image; only scenes bring their own."
                                              : "Give --text or --ids; only scenes bring their own.");
  }
  return sequences.read(opened);
}

void print_header() {
  std::printf("%-28s %-16s %12s %12s %12s %8s %9s\n", "step", "shape", "min", "max", "mean", "NaN", "ms");
}

void print_row(const std::string& name, const Tensor& value, const Record& record) {
  const Stats s = stats(value);
  std::printf("%-28s %-16s %12.5g %12.5g %12.5g %8lld %9.3f\n", name.c_str(),
              shape_text(record.shape).c_str(), static_cast<double>(s.min), static_cast<double>(s.max),
              s.mean, static_cast<long long>(s.nans),
              static_cast<double>(record.end_ns - record.begin_ns) / 1e6);
}

Status take_sequence(const Trace& trace, std::size_t sequence, const Selector& selector, bool summary,
                     Output* out) {
  const auto records = trace.select(selector);
  if (records.empty()) {
    return fail(Code::not_found, format("No step of this run matches \"%s\".", selector.text().c_str()),
                "attnscope-cli steps lists every name; * stands for any characters: \"*.attn.pattern\".");
  }
  if (summary && sequence == 0) print_header();
  for (const Record* record : records) {
    const std::string name = prefix_of(sequence) + to_text(record->site);
    TRY(const Tensor value, trace.tensor(record->site));
    if (summary) print_row(name, value, *record);
    if (out) out->tensors.push_back({name, value});
  }
  if (!out) return Done{};
  const auto take_ids = [&](const char* name, const std::vector<int>& ids) {
    if (ids.empty()) return;
    out->ints.push_back(
        {prefix_of(sequence) + name, {ids.begin(), ids.end()}, {static_cast<std::int64_t>(ids.size())}});
  };
  take_ids("tokens", trace.ids);
  take_ids("enc.tokens", trace.input.source);
  return Done{};
}

Status run_trace(const Options& options) {
  TRY(const Selector selector, Selector::parse(options.steps));
  TRY(const OpenedModel opened, open_named(options.model));
  TRY(const std::vector<Input> inputs, inputs_of(opened, options.sequences));
  RunOptions run;
  TRY(run.mask, options.sequences.mask());
  const bool writes = !options.out.empty(), summary = options.summary || !writes;
  Output out;
  for (std::size_t sequence = 0; sequence < inputs.size(); ++sequence) {
    TRY(const std::shared_ptr<const Trace> trace, opened.model->run(inputs[sequence], run));
    TRY_OK(take_sequence(*trace, sequence, selector, summary, writes ? &out : nullptr));
  }
  if (!writes) return Done{};
  return write_tensors(options.out, out.tensors, out.ints,
                       {{"format", "attnscope-trace"}, {"model", opened.title}});
}

}  // namespace

void add_trace(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("trace", "Run a model and get every step's tensor");
  const auto options = std::make_shared<Options>();
  command->add_option("MODEL", options->model, kModelHelp)->required();
  options->sequences.add_to(*command, true);
  command->add_option("--steps", options->steps,
                      "which steps, as names with * and layers as 0-3, separated by commas; ! takes away "
                      "(\"blocks.0-2.attn.*,!*.mask,logits\"); default: all");
  command->add_option("--out", options->out, "file to write: *.safetensors, *.npz or *.json");
  command->add_flag("--summary", options->summary,
                    "print shape, range, mean, NaN count and time of each step (default without --out)");
  command->callback([options, &action] { action = [options] { return run_trace(*options); }; });
}

}  // namespace attnscope::cli
