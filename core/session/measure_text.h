// A measure as people write it: "logit_diff:A,B", "logit:A", "prob:A", "kl"; A and B are the text of a token
// (quoted as in JSON where it holds a comma) or #id. Error: a text that is no single token; the hint has its
// pieces.
#pragma once

#include <string>

#include "core/arch/open.h"
#include "core/model/measure.h"

namespace attnscope {

/// `row` as in LogitMeasure. The reference of kl is left empty: the caller has the run with those logits.
Result<LogitMeasure> parse_measure(const OpenedModel& opened, const std::string& text, std::int64_t row = -1);
/// The same text again: tokens by their spelling where that is one token, else as #id.
std::string to_text(const OpenedModel& opened, const LogitMeasure& measure);
/// The output that a text names: a token, a word of a scene, a class, or #id.
Result<int> parse_output(const OpenedModel& opened, const std::string& text);

}  // namespace attnscope
