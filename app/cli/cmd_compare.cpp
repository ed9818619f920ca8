// attnscope-cli compare: compares two runs of one input step by step; prints the first step that differs, and
// the steps that cannot be compared. Two models, two file formats of one, a model and its recording, or a
// shipped model and what PyTorch says of it (--reference).
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "app/cli/prompt_runs.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/step_differences.h"
#include "core/session/document.h"
#include "core/session/reference_check.h"

namespace attnscope::cli {
namespace {

struct CompareOptions {
  std::string first, second;
  std::string reference;  // of the program itself, or the path of another
  SequenceOptions sequences;
  DataOptions data;
  std::optional<double> tolerance;
  bool json = false, all = false, different_tokens = false;
};
constexpr double kTolerance = 1e-4;
constexpr const char* kOwnReference = "shipped";

struct Compared {
  std::vector<StepDifference> steps;
  const StepDifference* first = nullptr;
  std::optional<TokenDifference> tokens;
  std::size_t left = 0, right = 0;       // sequences
  std::int64_t differing = 0, rows = 0;  // tokens that the two sides do not share; of how many rows
};

// A row that one side alone has differs.
void count_tokens(const Traces& left, const Traces& right, Compared& out) {
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    for (const auto& [a, b] : {std::pair(&left[i]->ids, &right[i]->ids),
                               std::pair(&left[i]->input.source, &right[i]->input.source)}) {
      const std::size_t rows = std::max(a->size(), b->size());
      out.rows += static_cast<std::int64_t>(rows);
      for (std::size_t at = 0; at < rows; ++at)
        out.differing += at >= a->size() || at >= b->size() || (*a)[at] != (*b)[at] ? 1 : 0;
    }
}

// What a session reads, for the other side: its texts where there is a vocabulary, else their ids.
Request words_of(const Document& session, const OpenedModel& other) {
  Request out;
  const bool encoder = session.model->config().encoder() != nullptr;
  const auto words = [&](const std::string& text, const std::vector<int>& ids) {
    std::vector<std::string> numbers;
    for (const int id : ids) numbers.push_back(std::to_string(id));
    const bool spelled = !text.empty() && (other.tokenizer || other.scene);
    return Request::Words{spelled ? text : join(numbers, ","), !spelled};
  };
  for (const Sequence& one : session.sequences) {
    out.words.push_back(encoder ? words(one.source_text, one.input.source) : words(one.text, one.input.ids));
    if (encoder) out.decoder_words.push_back(words(one.text, one.input.ids));
  }
  return out;
}

// The traces of one side; a recording is used as it is. Where no words are given, a model reads what the
// session of the other side does.
Result<Traces> runs_of(const RunModel& opened, const RunModel& other, const CompareOptions& options) {
  const SequenceOptions& sequences = options.sequences;
  if (!opened.recorded.empty()) return opened.recorded;
  if (options.data.given()) {
    PromptRuns data(options.data.choice(), opened, sequences, sequences);
    TRY_OK(data.prepare());
    Traces out;
    TRY_OK(data.through<PromptRun>([&](const DataLine& line) { return data.run(line, DataSide::clean); },
                                   [&](const DataLine&, const PromptRun& run) {
                                     data.tell(run);
                                     out.push_back(run.trace);
                                     return Status(Done{});
                                   }));
    return out;
  }
  TRY(const Request given, sequences.request());
  std::optional<Document> read;
  if (!opened.session && other.session && given.empty() && !other.session->sequences.empty()) {
    TRY(read, requested_document(opened, words_of(*other.session, opened)));
    TRY_OK(apply_request(*read, given));
  } else {
    TRY(read, sequences.document(opened));
  }
  const Document& document = *read;
  const std::vector<Input> inputs = inputs_of(document);
  Traces out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TRY(out.emplace_back(), run_under(opened, document.edits, inputs[i], i));
  }
  return out;
}

nlohmann::json token_json(const std::optional<TokenDifference>& tokens) {
  if (!tokens) return nullptr;
  const auto id = [](int one) { return one < 0 ? nlohmann::json(nullptr) : nlohmann::json(one); };
  return {{"sequence", tokens->sequence},
          {"stack", stack_prefix(tokens->stack)},
          {"pos", tokens->pos},
          {"first", id(tokens->first)},
          {"second", id(tokens->second)}};
}

nlohmann::json as_json(const Compared& compared, const Edits& edits,
                       const std::vector<std::string>& unknown) {
  nlohmann::json steps = nlohmann::json::array(), left_out = nlohmann::json::array();
  for (const StepDifference& one : compared.steps) {
    if (!one.compared()) {
      left_out.push_back({{"step", one.name()}, {"why", one.why.str()}});
      continue;
    }
    nlohmann::json at = nlohmann::json::object();
    for (const AxisRange& c : one.at) at[c.axis] = c.begin;
    steps.push_back({{"step", one.name()}, {"max_abs", json_number(one.max_abs)}, {"at", std::move(at)}});
    if (one.alone > 0) steps.back()["alone"] = one.alone;
    if (!one.what.empty()) steps.back()["what"] = one.what.str();
    if (one.size != 1) steps.back()["size"] = one.size;
  }
  nlohmann::json out = {{"rows", steps},
                        {"steps", std::move(steps)},
                        {"first", nullptr},
                        {"tokens_differ", token_json(compared.tokens)},
                        {"sequences", {compared.left, compared.right}},
                        {"not_compared", std::move(left_out)}};
  if (compared.first) out["first"] = compared.first->name();
  put_edits(out, edits);
  put_unknown(out, unknown);
  return out;
}

void print_whole(const nlohmann::json& out) {
  say(out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

// Steps that could not be compared: their number, or with `list` each one.
void print_as_lines(const std::vector<StepDifference>& all, double tolerance, bool list) {
  std::vector<const StepDifference*> left_out;
  for (const StepDifference& one : all)
    if (!one.compared()) {
      left_out.push_back(&one);
      if (list)
        std::printf("%-32s %s\n", one.name().c_str(),
                    tr("cli.compare.not_compared", {one.why.str()}).c_str());
    } else {
      std::printf("%-32s %12.4g  %s%s%s\n", one.name().c_str(), unsigned_nan(one.error()),
                  one.place().c_str(), one.error() > tolerance ? "  <" : "",
                  one.alone > 0
                      ? ("  " + std::string(tr("compare.alone", {std::to_string(one.alone)}))).c_str()
                      : "");
    }
  if (!left_out.empty() && !list)
    std::printf("%s\n", tr("cli.compare.left_out", {std::to_string(left_out.size()), left_out.front()->name(),
                                                    left_out.front()->why.str()})
                            .c_str());
}

// Different tokens are reported first: they explain all other differences.
Status judged(const Compared& compared, const OpenedModel& a, const OpenedModel& b,
              const CompareOptions& options, double tolerance) {
  const auto& tokens = compared.tokens;
  if (tokens && options.different_tokens)
    std::fprintf(stderr, "attnscope-cli: %s\n",
                 tr("cli.compare.tokens", {std::to_string(compared.differing), std::to_string(compared.rows)})
                     .c_str());
  if (tokens && !options.different_tokens) {
    const OpenedModel& words = a.tokenizer ? a : b;  // same vocabulary; a recording may lack a tokenizer
    const auto label = [&](int id) {
      return id < 0 ? Text::of("error.cli.tokens_differ.end")
                    : Text(in_quotes(token_label(words, id)) + " (" + std::to_string(id) + ")");
    };
    const std::string where = prefix_of(static_cast<std::size_t>(tokens->sequence)) +
                              std::string(stack_prefix(tokens->stack)) +
                              "tokens[pos=" + std::to_string(tokens->pos) + "]";
    return fail(Code::out_of_range, "error.cli.tokens_differ",
                {where, label(tokens->first), label(tokens->second)});
  }
  if (compared.left != compared.right)
    return fail(Code::out_of_range, "error.cli.sequences_differ", {compared.left, compared.right});
  const StepDifference* first = compared.first;
  if (!first) return Done{};
  return fail(Code::out_of_range,
              std::isfinite(first->max_abs) ? "error.cli.differs" : "error.cli.differs_nan",
              {first->name(), format("%g", tolerance), format("%g", first->max_abs), to_text(first->at)});
}

// An adapter is the second model's, so that a model can be compared with itself.
Result<RunModel> without_lora(const std::string& name) {
  const WithoutLora none;
  return open_to_run(name);
}

Status run_two(const CompareOptions& options) {
  const double tolerance = options.tolerance.value_or(kTolerance);
  TRY(const RunModel a, without_lora(options.first));
  TRY(const RunModel b, open_to_run(options.second));
  TRY(const Traces left, runs_of(a, b, options));
  TRY(const Traces right, runs_of(b, a, options));
  Compared compared{step_differences(left, right), nullptr, first_token_difference(left, right), left.size(),
                    right.size()};
  const std::vector<StepDifference>& all = compared.steps;
  compared.first = first_beyond(all, tolerance);
  const bool any = std::any_of(all.begin(), all.end(), [](const auto& one) { return one.compared(); });
  if (!any) return fail(Code::not_found, "error.cli.nothing_to_compare");
  if (options.json) {
    nlohmann::json out = as_json(compared, a.recorded.empty() ? left.front()->edits : right.front()->edits,
                                 options.sequences.unknown());
    out["run"] = run_json(a, options.first);
    out["run"]["other"] = run_json(b, options.second)["model"];
    for (const auto& run : left) out["run"]["inputs"].push_back(input_json(a, *run));
    print_whole(out);
  } else {
    print_as_lines(all, tolerance, options.all);
  }
  count_tokens(left, right, compared);
  return judged(compared, a, b, options, tolerance);
}

// The run that the reference is of, with what was asked for over it.
Result<Document> reference_document(const std::shared_ptr<const OpenedModel>& opened,
                                    const CompareOptions& options, const TorchReference& reference) {
  TRY(const Request given, options.sequences.request());
  Document out = new_document(opened);
  TRY_OK(take_input(out, 0, reference));
  TRY_OK(apply_request(out, given));
  return out;
}

Status run_reference(const CompareOptions& options) {
  const double tolerance = options.tolerance.value_or(kReferenceTolerance);
  TRY(RunModel read, open_to_run(options.first));
  TRY_OK(check_runs(read));
  const auto opened = std::make_shared<const OpenedModel>(std::move(read));
  TRY(const TorchReference reference, options.reference == kOwnReference
                                          ? reference_of(*opened)
                                          : reference_from(options.reference, *opened));
  TRY(const Document document, reference_document(opened, options, reference));
  TRY(const std::shared_ptr<const Trace> run,
      run_under(*opened, document.edits, inputs_of(document).front()));
  if (document.sequences.size() != 1 || !same_input(reference, *run))
    return fail(Code::out_of_range, "error.cli.reference.input", {reference.file});
  const Compared compared{torch_differences(*run, reference), nullptr, {}, 1, 1};
  const TorchVerdict verdict = torch_verdict(compared.steps, tolerance);
  if (options.json) {
    nlohmann::json out = as_json(compared, run->edits, options.sequences.unknown());
    out["first"] = verdict.first_wrong ? nlohmann::json(verdict.first_wrong->name()) : nlohmann::json();
    out["run"] = run_json(*opened, options.first);
    out["run"]["inputs"].push_back(input_json(*opened, *run));
    out["reference"] = {{"file", reference.file}, {"made_by", reference.made_by}, {"equal", verdict.equal}};
    print_whole(out);
  } else {
    print_as_lines(compared.steps, tolerance, true);
  }
  const std::string border = format("%g", tolerance);
  if (const StepDifference* wrong = verdict.first_wrong) {
    if (!wrong->compared())
      return fail(Code::out_of_range, "error.cli.reference.lacks", {wrong->name(), wrong->why});
    return fail(
        Code::out_of_range, "error.cli.reference.differs",
        {wrong->name(), border, format("%.5g", wrong->first), format("%.5g", wrong->second), wrong->place()});
  }
  if (!options.json)
    std::printf("%s\n", tr("cli.compare.equal",
                           {std::to_string(verdict.steps), border, format("%.2g", verdict.worst->error()),
                            verdict.worst->name(), reference.file, reference.made_by})
                            .c_str());
  return Done{};
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", tr("cli.compare"));
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("MODEL_A", options->first, tr(kModelHelp))->required();
  auto* second = command->add_option("MODEL_B", options->second, tr("cli.compare.other"));
  options->sequences.add_to(*command, true);
  options->data.add_to(*command);
  command
      ->add_flag(std::string("--reference{") + kOwnReference + "}", options->reference,
                 tr("cli.compare.reference"))
      ->excludes(second);
  command->add_option("--tolerance", options->tolerance, tr("cli.compare.tolerance"))
      ->transform(real(0, 1e30));
  command->add_flag("--all", options->all, tr("cli.compare.all"));
  command->add_flag("--allow-different-tokens", options->different_tokens,
                    tr("cli.compare.different_tokens"));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] {
    if (options->second.empty() && options->reference.empty()) throw CLI::RequiredError("MODEL_B");
    action = [options] { return options->reference.empty() ? run_two(*options) : run_reference(*options); };
  });
}

}  // namespace attnscope::cli
