#include "core/session/data_prompt.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/session/measure_text.h"

namespace attnscope {
namespace {

// Texts of a data set are texts, whatever they begin with.
Request::Words as_written(Request::Words words) {
  if (!words.ids && words.text.starts_with('@')) words.text.insert(0, "@");
  return words;
}

std::string json_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<Request> prompt_request(const DataLine& line, const Request& with, DataSide side) {
  const auto& words = side == DataSide::clean ? line.words : line.corrupt;
  if (!words) return fail(Code::not_found, "error.session.data.no_corrupt");
  Request out = with;
  out.words = {as_written(*words)};
  if (line.decoder) out.decoder_words = {as_written(*line.decoder)};
  return out;
}

// What a sequence looks at stays when it gets other words.
Status lay_prompt(Document& document, const DataLine& line, const Request& request, const DataNumbers& data) {
  if (!line.pixels.empty()) {
    document.sequences.resize(1);
    TRY_OK(set_pixels(document, 0, line.pixels));
  }
  return apply_request(document, request, "", data);
}

bool takes_own_answers(const std::string& measure) {
  const std::string name = measure.substr(0, measure.size() - measure_position(measure).size());
  return name == "logit_diff" || name == "logit" || name == "prob";
}

Status check_data_measure(const std::string& measure) {
  const std::string name = measure.substr(0, measure.size() - measure_position(measure).size());
  const std::string kind = name.substr(0, name.find(':'));
  if (kind == "logit" || kind == "logit_diff" || kind == "prob" || name == "kl") return Done{};
  return fail(Code::bad_format, "error.session.data.measure", {in_quotes(measure)});
}

Result<std::string> measure_with_answer(const std::string& measure, const DataLine& line) {
  const std::string position(measure_position(measure));
  const std::string name = measure.substr(0, measure.size() - position.size());
  if (name == "kl" || name.find(':') != std::string::npos) return measure;
  if (line.answer.empty()) return fail(Code::not_found, "error.session.data.no_answer", {"answer"});
  if (name != "logit_diff") return name + ":" + json_quoted(line.answer) + position;
  if (line.wrong.empty()) return fail(Code::not_found, "error.session.data.no_answer", {"wrong"});
  return name + ":" + json_quoted(line.answer) + "," + json_quoted(line.wrong) + position;
}

}  // namespace attnscope
