// The input of a run on the command line.
#include <algorithm>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/watch.h"
#include "core/session/document.h"
#include "core/session/steering.h"
#include "core/session/typed_words.h"
#include "core/trace/editable.h"

namespace attnscope::cli {
namespace {

constexpr std::size_t kUnknownNamed = 20;

// Warning for a text that has no token of its own (empty, blank), with the tokens that are used.
std::string told_of_blanks(const OpenedModel& opened, const std::string& text,
                           const std::vector<Token>& tokens, const std::vector<int>& ids) {
  for (const Token& token : tokens)
    if (token.end > token.begin) return {};
  if (tokens.empty()) return {};
  std::vector<std::string> own;
  for (const int id : ids) own.push_back(token_label(opened, id));
  return tr(text.empty() ? "cli.empty_text" : "cli.blank_text", {join(own, " ")});
}

// Warning for --spans where no mask names any of them, so that nothing is computed otherwise.
std::string told_of_spans(const Document& document, const Request& request) {
  if (request.spans.empty()) return {};
  std::vector<std::string> named;
  for (const auto& edit : document.edits)
    if (edit->enabled && edit->mask() && edit->mask()->spec)
      for (const std::string& name : edit->mask()->spec->span_names()) named.push_back(name);
  std::vector<std::string> own;
  for (const Sequence& sequence : document.sequences)
    for (const Span& span : sequence.input.spans) own.push_back(span.name);
  if (std::find_first_of(own.begin(), own.end(), named.begin(), named.end()) != own.end()) return {};
  return tr("cli.spans_unused", {join(own, ", ")});
}

}  // namespace

std::string told_of_doubled(const OpenedModel& opened, const std::vector<int>& ids) {
  return begins_twice(opened, ids) ? tr("cli.doubled_begin", {token_label(opened, ids[0])}) : std::string();
}

std::string told_of_unknown(const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
  if (pieces.empty()) return {};
  std::vector<std::string> some;
  for (const std::string& piece : pieces)
    if (some.size() < kUnknownNamed) some.push_back(in_quotes(piece, 40));
  if (pieces.size() > some.size()) some.emplace_back("...");
  return tr("cli.unknown_pieces",
            {std::to_string(pieces.size()), tokenizer.token_display(*tokenizer.unknown()), join(some, ", ")});
}

std::string prefix_of(std::size_t sequence) { return sequence == 0 ? "" : format("seq%zu.", sequence); }

void SequenceOptions::add_to(CLI::App& command, bool batch, const std::string& prefix) {
  command_ = &command;
  prefix_ = prefix;
  flags_ = request_value_flags(prefix, batch);
  add_value_flags(command, flags_);
}

void SequenceOptions::tell(const std::string& sentence) const {
  if (!sentence.empty() && told_.insert(sentence).second)
    std::fprintf(stderr, "attnscope-cli: %s\n", sentence.c_str());
}

void SequenceOptions::tell_of_text(const OpenedModel& opened, const std::string& text,
                                   const std::vector<Token>& tokens, const std::vector<int>& ids) const {
  const std::vector<std::string> pieces =
      opened.tokenizer ? unknown_pieces(*opened.tokenizer, text, tokens) : std::vector<std::string>{};
  std::vector<std::string> fresh;  // of many prompts, each piece is said once
  for (const std::string& piece : pieces)
    if (std::find(unknown_.begin(), unknown_.end(), piece) == unknown_.end()) fresh.push_back(piece);
  unknown_.insert(unknown_.end(), fresh.begin(), fresh.end());
  if (!fresh.empty()) tell(told_of_unknown(*opened.tokenizer, fresh));
  tell(told_of_blanks(opened, text, tokens, ids));
}

void SequenceOptions::tell_of_texts(const Document& document, const Request& request) const {
  for (const auto* edits : {&request.steers, &request.edits})
    for (const Text& note : other_models(*edits, *document.opened)) tell(note.str());
  tell(told_of_spans(document, request));
  const bool encoder = document.model->config().encoder() != nullptr;
  for (std::size_t i = 0; i < document.sequences.size(); ++i) {
    const Sequence& of = document.sequences[i];
    if (i < request.words.size() || i < request.decoder_words.size())
      for (const auto* ids : {&of.input.ids, &of.input.source}) tell(told_of_doubled(*document.opened, *ids));
    const bool words = i < request.words.size() && !request.words[i].ids;
    if (words && encoder) tell_of_text(*document.opened, of.source_text, of.source_tokens, of.input.source);
    const auto& own = encoder ? request.decoder_words : request.words;
    if (i < own.size() && !own[i].ids) tell_of_text(*document.opened, of.text, of.tokens, of.input.ids);
  }
}

Result<Document> SequenceOptions::document(const OpenedModel& opened) const {
  TRY(const Request given, request());
  TRY(Document out, requested_document(opened, given, prefix_));
  tell_of_texts(out, given);
  return out;
}

Result<Document> SequenceOptions::document(const RunModel& opened) const {
  if (!opened.session) return document(static_cast<const OpenedModel&>(opened));
  TRY(const Request given, request());
  Document out = *opened.session;
  TRY_OK(apply_request(out, given, prefix_));
  tell_of_texts(out, given);
  return out;
}

Status check_reached(const Edits& unreached) {
  return unreached.empty() ? Status(Done{}) : Status(no_place(*unreached.front()));
}

Result<std::shared_ptr<const Trace>> run_under(const OpenedModel& opened, const Edits& edits,
                                               const Input& input, std::size_t sequence) {
  RunOptions run;
  run.edits = edits_for(edits, static_cast<int>(sequence));
  TRY(std::shared_ptr<const Trace> trace, opened.model->run(input, run));
  TRY_OK(check_reached(trace->unreached));
  tell_of_broken(*trace);
  return trace;
}

void tell_of_broken(const Trace& run) {
  if (const auto broken = run.edits.empty() ? std::nullopt : first_broken(run))
    std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.broken", {to_text(*broken)}).c_str());
}

Status check_runs(const OpenedModel& opened) {
  return opened.recorded.empty() ? Status(Done{}) : Status(fail(Code::unsupported, "error.trace.recording"));
}

Result<std::shared_ptr<const Trace>> SequenceOptions::one_of(const OpenedModel& opened,
                                                             const Result<Document>& what) const {
  if (!what) return what.error();
  TRY(const Request given, request());
  if (what->sequences.size() > 1 && !given.empty())
    return fail(Code::out_of_range, "error.cli.one_sequence", {what->sequences.size()});
  return run_under(opened, what->edits, inputs_of(*what).front());
}

Result<std::shared_ptr<const Trace>> SequenceOptions::run_one(const OpenedModel& opened) const {
  TRY(const Request given, request());
  if (!opened.recorded.empty() && given.unused()) return opened.recorded.front();
  TRY_OK(check_runs(opened));
  return one_of(opened, document(opened));
}

Result<std::shared_ptr<const Trace>> SequenceOptions::run_one(const RunModel& opened) const {
  if (!opened.session || !opened.recorded.empty()) return run_one(static_cast<const OpenedModel&>(opened));
  return one_of(opened, document(opened));
}

}  // namespace attnscope::cli
