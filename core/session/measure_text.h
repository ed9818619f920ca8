// A measure as people write it: "logit_diff:A,B", "logit:A", "prob:A", "kl"; A and B are the text of a token
// (quoted as in JSON where it holds a comma) or #id. Behind it the position where it is read, as places have
// it (core/step/place.h): "logit:A[pos=-1]", "logit:A[token=is]". Errors offer the pieces of a text that is
// no single token.
#pragma once

#include <string>

#include "core/arch/open.h"
#include "core/model/measure.h"

namespace attnscope {

/// `row` as in LogitMeasure, where the text has no position of its own; `run` is where that is looked up. The
/// reference of kl is left empty: whoever has the run gives its logits.
Result<LogitMeasure> parse_measure(const OpenedModel& opened, const std::string& text, std::int64_t row = -1,
                                   const Trace* run = nullptr);
/// The position of its own that a measure has: "[pos=-1]"; empty where it has none.
std::string_view measure_position(std::string_view text);
/// The same text again: tokens by their spelling where that is one token, else as #id.
std::string to_text(const OpenedModel& opened, const LogitMeasure& measure);
/// The output that a text names: a token, a word of a scene, a class, or #id.
Result<int> parse_output(const OpenedModel& opened, const std::string& text);

}  // namespace attnscope
