#include "core/session/data_runs.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/session/data_cells.h"
#include "core/session/data_edits.h"
#include "core/session/measure_text.h"
#include "core/trace/editable.h"

namespace attnscope {

Document start_of_prompts(Document document) {
  document.data = {}, document.circuits.clear(), document.notes.clear();
  if (document.sequences.size() > 1)
    std::erase_if(document.edits, [](const auto& edit) { return edit->sequence >= 0; });
  return document;
}

std::vector<std::string> prompt_fields(DataSide side) {
  if (side == DataSide::corrupt) return {"corrupt", "corrupt_ids"};
  return {"text", "ids", "clean", "clean_ids"};
}

Result<std::shared_ptr<const DataPrompts>> held_prompts(const DataChoice& choice,
                                                        const std::atomic<bool>& cancel) {
  TRY(DataReader reader, DataReader::open(choice));
  auto out = std::make_shared<DataPrompts>();
  out->choice = choice;
  for (;;) {
    if (cancel) return fail(Code::cancelled, "error.model.stopped");
    TRY(std::optional<DataLine> line, reader.next());
    if (!line) break;
    out->more = std::ssize(out->lines) == kMostHeldPrompts;
    if (out->more) break;
    out->lines.push_back(std::move(*line));
  }
  out->hash = reader.fingerprint();
  return std::shared_ptr<const DataPrompts>(std::move(out));
}

DataRuns::DataRuns(DataChoice choice, Document start, std::array<Request, 2> with)
    : with_(std::move(with)), choice_(std::move(choice)), start_(std::move(start)) {}

DataRuns::DataRuns(const DataPrompts& held, Document start)
    : choice_(held.choice),
      start_(std::move(start)),
      held_(&held.lines),
      hash_(held.hash),
      count_(std::ssize(held.lines)) {}

Status DataRuns::keep_lines(bool only_of_pipes) {
  if (held_) return Done{};
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

void DataRuns::keep_only(const std::vector<bool>& stays) {
  std::vector<DataLine> lines;
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (stays[i]) lines.push_back(this->lines()[i]);
  left_out_ += std::ssize(stays) - std::ssize(lines), count_ = std::ssize(lines);
  kept_ = std::move(lines), held_ = nullptr;
}

Status DataRuns::finished(const DataReader& reader) {
  if (!hash_.empty() && hash_ != reader.fingerprint())
    return fail(Code::io_failed, "error.system.changed", {quoted_path(choice_.path)});
  hash_ = reader.fingerprint(), count_ = reader.count();
  return Done{};
}

Error DataRuns::stopped_short() { return fail(Code::cancelled, "error.session.data.stopped"); }

Status DataRuns::take_edit_values(std::uint64_t seed, const std::atomic<bool>* cancel) {
  std::vector<std::string> asked;
  for (const Request& request : with_)
    for (const std::string& edit : request.edits)
      if (data_operand(edit)) asked.push_back(edit);
  edit_values_.reset();
  if (asked.empty()) return Done{};
  TRY(edit_values_, DataEdits::prepare(*this, asked, seed, cancel));
  return Done{};
}

DataRuns DataRuns::without_edits() const {
  DataRuns out = *this;
  out.edit_values_.reset();
  for (Request& request : out.with_) request.edits.clear();
  return out;
}

// Of each prompt's input. The lines are kept.
Result<std::vector<PromptLength>> DataRuns::lengths_of(DataSide side) {
  std::vector<PromptLength> lengths;
  const auto length = [&](const DataLine& line) -> Result<PromptLength> {
    const auto at = [&](const Error& error) {
      return within(line.place(path(), prompt_fields(side)), error);
    };
    auto request = prompt_request(line, with_[side == DataSide::clean ? 0 : 1], side);
    if (!request) return at(request.error());
    request->edits.clear();
    Document document = start_;
    if (const Status laid = lay_prompt(document, line, *request); !laid) return at(laid.error());
    return length_of(inputs_of(document).front());
  };
  TRY_OK(keep_lines(false));
  TRY_OK(through<PromptLength>(length, [&](const DataLine&, const PromptLength& one) {
    lengths.push_back(one);
    return Status(Done{});
  }));
  return lengths;
}

Status DataRuns::keep_one_length(DataSide side) {
  TRY(const std::vector<PromptLength> lengths, lengths_of(side));
  std::map<PromptLength, std::int64_t> count;
  for (const PromptLength& one : lengths) ++count[one];
  if (count.size() < 2) return Done{};
  const auto most = std::max_element(count.begin(), count.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<bool> stays;
  for (const PromptLength& one : lengths) stays.push_back(one == most->first);
  keep_only(stays);
  return Done{};
}

Result<DrawnPartners> DataRuns::draw_partners(std::uint64_t seed) {
  TRY(const std::vector<PromptLength> lengths, lengths_of(DataSide::clean));
  TRY(const std::vector<std::size_t> drawn, resample_partners(lengths, seed));
  DrawnPartners out;
  std::vector<std::size_t> place(drawn.size(), 0);  // of a prompt among those that stay
  std::vector<bool> stays(drawn.size());
  for (std::size_t i = 0, next = 0; i < drawn.size(); ++i)
    if (stays[i] = drawn[i] != kNoPartner; stays[i]) place[i] = next++;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (stays[i]) out.partners.push_back(place[drawn[i]]), out.lengths.push_back(lengths[i]);
  keep_only(stays);
  return out;
}

Result<PromptRun> DataRuns::run(const DataLine& line, DataSide side, const std::atomic<bool>* cancel) const {
  const auto at = [&](const Error& error) {
    return error.code() == Code::cancelled ? error : within(line.place(path(), prompt_fields(side)), error);
  };
  PromptRun out;
  auto request = prompt_request(line, with_[side == DataSide::clean ? 0 : 1], side);
  if (!request) return at(request.error());
  out.request = *std::move(request), out.document = start_;
  const DataNumbers numbers = edit_values_ ? edit_values_->of(&line) : DataNumbers();
  if (const Status laid = lay_prompt(out.document, line, out.request, numbers); !laid)
    return at(laid.error());
  RunOptions options;
  options.edits = edits_for(out.document.edits, 0);
  options.cancel = cancel;
  auto trace = out.document.model->run(inputs_of(out.document).front(), options);
  if (!trace) return at(trace.error());
  if (!(*trace)->unreached.empty()) return at(no_place(*(*trace)->unreached.front()));
  out.trace = *std::move(trace);
  return out;
}

Result<std::string> DataRuns::measure_text(const DataLine& line, const std::string& measure) const {
  const auto text = measure_with_answer(measure, line);
  if (!text) return within(line.place(path()), text.error());
  if (*text == measure) return text;
  for (const auto& [field, word] : {std::pair("answer", line.answer), std::pair("wrong", line.wrong)})
    if (!word.empty())
      if (const auto token = parse_output(opened(), word); !token)
        return within(line.place(path(), {field}), token.error());
  return text;
}

}  // namespace attnscope
