#include "core/arch/model_card.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/io/json_number.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

int card_number(const Json& object, const char* key) {
  return static_cast<int>(whole_at(object, key, 0, 4095).value_or(-1));
}

double value_of(const Json& measure) {
  const auto at = measure.find("value");
  return at != measure.end() && at->is_number() ? at->get<double>() : 0;
}

// The last measure of a head that does what it was looked for in at least half of its weight (later ones
// build on earlier ones: an induction head on a previous-token head), else the first about a head.
void model_card_read_head(const Json& object, ModelCard& out) {
  const auto measures = object.find("measures");
  if (measures == object.end() || !measures->is_array()) return;
  for (const Json& measure : *measures) {
    if (!measure.is_object() || card_number(measure, "head") < 0) continue;
    if (out.head >= 0 && value_of(measure) < 0.5) continue;
    out.layer = card_number(measure, "layer");
    out.head = card_number(measure, "head");
  }
}

// Of a measure called "accuracy", and on how many examples it was measured.
void model_card_read_accuracy(const Json& object, ModelCard& out) {
  const auto measures = object.find("measures"), measured = object.find("measured");
  if (measures == object.end() || !measures->is_array() || measured == object.end() || !measured->is_object())
    return;
  const auto found = std::find_if(measures->begin(), measures->end(), [](const Json& measure) {
    return measure.is_object() && member_text(measure, "name") == "accuracy";
  });
  const auto count = measured->find("count");
  if (found == measures->end() || count == measured->end() || !count->is_number_unsigned()) return;
  const double value = value_of(*found);
  const auto examples = count->get<std::uint64_t>();
  if (!(value >= 0 && value <= 1) || examples == 0 || examples > 1u << 30) return;
  out.accuracy = value, out.measured = static_cast<int>(examples);
}

}  // namespace

Result<ModelCard> model_card_from_json(const Json& object, const std::string& what) {
  if (!object.is_object()) return fail(Code::bad_format, "error.arch.card", {what});
  ModelCard out;
  out.title = member_text(object, "title");
  out.sentence = member_text(object, "sentence");
  if (object.contains("inputs")) {
    TRY(out.inputs, inputs_from_json(object, what));
  }
  out.task = member_text(object, "task");
  if (const std::string counted = member_text(object, "counted_rows"); !counted.empty()) {
    auto rows = CountedRows::parse(counted);
    if (!rows) return within(what, rows.error());
    out.counted = *rows;
  }
  model_card_read_head(object, out);
  model_card_read_accuracy(object, out);
  return out;
}

}  // namespace attnscope
