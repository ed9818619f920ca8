#include "app/cli/prompt_runs.h"

#include <nlohmann/json.hpp>

#include "core/session/measure_text.h"

namespace attnscope::cli {

std::vector<std::string> prompt_fields(DataSide side) {
  if (side == DataSide::corrupt) return {"corrupt", "corrupt_ids"};
  return {"text", "ids", "clean", "clean_ids"};
}

PromptRuns::PromptRuns(DataChoice choice, const OpenedModel& opened, const SequenceOptions& clean,
                       const SequenceOptions& corrupt)
    : choice_(std::move(choice)), opened_(opened), clean_(clean), corrupt_(corrupt) {}

Status PromptRuns::prepare() {
  TRY(with_[0], clean_.request());
  TRY(with_[1], corrupt_.request());
  for (const Request& request : with_)
    if (!request.empty() || !request.decoder_words.empty())
      return fail(Code::out_of_range, "error.cli.data_and_text");
  return check_runs(opened_);
}

Status PromptRuns::keep_lines(bool only_of_pipes) {
  TRY(DataReader reader, DataReader::open(choice_));
  if (only_of_pipes && !reader.once()) return Done{};
  std::vector<DataLine> lines;
  for (;;) {
    TRY(std::optional<DataLine> line, reader.next());
    if (!line) break;
    lines.push_back(std::move(*line));
  }
  kept_ = std::move(lines);
  return finished(reader);
}

Status PromptRuns::finished(const DataReader& reader) {
  if (!hash_.empty() && hash_ != reader.fingerprint())
    return fail(Code::io_failed, "error.system.changed", {quoted_path(choice_.path)});
  hash_ = reader.fingerprint(), count_ = reader.count();
  return Done{};
}

Result<PromptRun> PromptRuns::run(const DataLine& line, DataSide side) const {
  const auto at = [&](const Error& error) { return within(line.place(path(), prompt_fields(side)), error); };
  PromptRun out;
  auto request = prompt_request(line, with_[side == DataSide::clean ? 0 : 1], side);
  if (!request) return at(request.error());
  auto document = requested_document(opened_, *request);
  if (!document) return at(document.error());
  out.request = *std::move(request), out.document = *std::move(document);
  auto trace = run_under(opened_, out.document.edits, inputs_of(out.document).front());
  if (!trace) return at(trace.error());
  out.trace = *std::move(trace);
  return out;
}

Result<std::string> PromptRuns::measure_text(const DataLine& line, const std::string& measure) const {
  const auto text = measure_with_answer(measure, line);
  if (!text) return within(line.place(path()), text.error());
  if (*text == measure) return text;
  for (const auto& [field, word] : {std::pair("answer", line.answer), std::pair("wrong", line.wrong)})
    if (!word.empty())
      if (const auto token = parse_output(opened_, word); !token)
        return within(line.place(path(), {field}), token.error());
  return text;
}

}  // namespace attnscope::cli
