// attnscope-cli trace: runs sequences and writes or sums up every selected step. Tensors are float32, named
// by their site without a batch axis; `tokens` holds the ids (`enc.tokens` the encoder's); the second
// sequence's names begin with "seq1.", and so on. With --gradients the slopes of the loss stand beside them:
// "blocks.0.attn.q.grad", "blocks.0.attn.q.weight.grad".
#include <map>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/io/writers.h"
#include "core/session/backpass.h"

namespace attnscope::cli {
namespace {

struct TraceOptions {
  std::string model, steps = "*", out;
  bool summary = false, gradients = false;
  int target = -1;
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

// A whole slope, its heads one after the other where they are computed by the rectangle.
Result<Tensor> whole_slope(const Gradients& gradients, const Record& record) {
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  if (!record.derived) return record.value;
  std::int64_t count = 1;
  Shape shape;
  for (std::size_t d = 0; d < record.shape.size(); ++d) {
    count *= record.shape[d];
    shape.emplace_back(record.axes[d], record.shape[d]);
  }
  if (count > kMost)
    return fail(
        Code::out_of_range,
        format("%s has %lld numbers.", gradient_name(record.site).c_str(), static_cast<long long>(count)),
        "Leave it out with --steps, or give a shorter input.");
  Buffer out(shape);
  const std::size_t rank = record.shape.size();
  const std::int64_t heads = rank > 2 ? record.shape[0] : 1, plane = count / heads;
  for (std::int64_t head = 0; head < heads; ++head)
    gradients.slice(record.site, head, {0, record.shape[rank - 2]}, {0, record.shape[rank - 1]})
        .read(out.data() + head * plane);
  return std::move(out).freeze();
}

// Steps that match `selector`, and all weights.
Status take_gradients(const std::shared_ptr<const Trace>& trace, std::size_t sequence,
                      const Selector& selector, int target, const RunOptions& run, bool summary,
                      Output* out) {
  TRY(Objective objective, default_objective(*trace, target));
  TRY(const auto gradients, backward(trace, std::move(objective), run));
  const CrossEntropy& loss = gradients->loss();
  if (summary)
    std::printf("loss %.6f, the mean of %lld rows\n", loss.smoothed / static_cast<double>(loss.counted),
                static_cast<long long>(loss.counted));
  for (const Record& record : gradients->records()) {
    if (!selector.matches(record.site)) continue;
    const std::string name = prefix_of(sequence) + gradient_name(record.site);
    TRY(const Tensor slope, whole_slope(*gradients, record));
    if (summary) print_row(name, slope, record);
    if (out) out->tensors.push_back({name, slope});
  }
  for (auto& [name, slope] : gradients->weights())
    if (out) out->tensors.push_back({prefix_of(sequence) + name + ".grad", slope});
  return Done{};
}

Status run_trace(const TraceOptions& options) {
  TRY(const Selector selector, Selector::parse(options.steps));
  TRY(const OpenedModel opened, open_named(options.model));
  TRY(const std::vector<Input> inputs, inputs_of(opened, options.sequences));
  RunOptions run = opened.scene ? run_options(opened.scene->edits) : RunOptions{};
  TRY_OK(options.sequences.read_masks(run));
  const bool writes = !options.out.empty(), summary = options.summary || !writes;
  Output out;
  for (std::size_t sequence = 0; sequence < inputs.size(); ++sequence) {
    TRY(const std::shared_ptr<const Trace> trace, opened.model->run(inputs[sequence], run));
    TRY_OK(take_sequence(*trace, sequence, selector, summary, writes ? &out : nullptr));
    if (!options.gradients) continue;
    TRY_OK(take_gradients(trace, sequence, selector, options.target, run, summary, writes ? &out : nullptr));
  }
  if (!writes) return Done{};
  return write_tensors(options.out, out.tensors, out.ints,
                       {{"format", "attnscope-trace"}, {"model", opened.title}});
}

}  // namespace

void add_trace(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("trace", "Run a model and get every step's tensor");
  const auto options = std::make_shared<TraceOptions>();
  command->add_option("MODEL", options->model, kModelHelp)->required();
  options->sequences.add_to(*command, true);
  command->add_option("--steps", options->steps,
                      "which steps, as names with * and layers as 0-3, separated by commas; ! takes away "
                      "(\"blocks.0-2.attn.*,!*.mask,logits\"); default: all");
  command->add_option("--out", options->out, "file to write: *.safetensors, *.npz or *.json");
  command->add_flag("--summary", options->summary,
                    "print shape, range, mean, NaN count and time of each step (default without --out)");
  command->add_flag("--gradients", options->gradients,
                    "also the slopes of the loss: NAME.grad of every selected step and of every weight; the "
                    "loss is the mean of -log p(next token)");
  command->add_option(
      "--target", options->target,
      "with --gradients: the token id that the last row should say (default: nobody asks it)");
  command->callback([options, &action] { action = [options] { return run_trace(*options); }; });
}

}  // namespace attnscope::cli
