// A line of a data set as a run: its input under what else was asked for (edits, masks, segments), and the
// measure with its answer.
#pragma once

#include "core/session/data_set.h"
#include "core/session/document.h"

namespace attnscope {

enum class DataSide : std::uint8_t { clean, corrupt };

/// The request of one line: `with` has no words of its own. Errors: the line has no such side.
Result<Request> prompt_request(const DataLine& line, const Request& with, DataSide side);
/// Lays it over a document, behind the picture of the line. Errors: also a model that sees no such picture.
Status lay_prompt(Document& document, const DataLine& line, const Request& request,
                  const DataNumbers& data = {});
/// "logit_diff" with answer and wrong of the line: "logit_diff:\"cat\",\"mat\""; a measure that names its
/// tokens, or none, is left as it is. Errors: the line lacks one of them.
Result<std::string> measure_with_answer(const std::string& measure, const DataLine& line);
/// "logit_diff", "logit" or "prob" alone: the tokens are each line's own.
bool takes_own_answers(const std::string& measure);
/// Errors: a kind of measure that nobody knows, or one that is not written right.
Status check_data_measure(const std::string& measure);

}  // namespace attnscope
