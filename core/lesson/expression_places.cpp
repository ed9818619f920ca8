// Numbers of a run by the text of their place: of a step, a weight, or an input of vectors.
#include <algorithm>

#include "core/base/text.h"
#include "core/lesson/expression_node.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

// The sequence of the batch that "seq=1" among the coordinates names, which is taken out.
std::int64_t take_sequence(PlaceText& place, int sequence) {
  const auto named = std::find_if(place.at.begin(), place.at.end(),
                                  [](const AxisRange& range) { return range.axis == "seq"; });
  if (named == place.at.end()) return sequence;
  const std::int64_t asked = named->begin;
  place.at.erase(named);
  return asked;
}

void append(ExpressionValue& out, const Tensor& values) {
  for (const float number : values.values()) out.numbers.push_back(static_cast<double>(number));
}

}  // namespace

Result<ExpressionValue> numbers_at(const std::string& text, const ExpressionScope& scope) {
  TRY(PlaceText place, parse_place(text));
  const std::int64_t sequence = take_sequence(place, scope.sequence);
  if (sequence < 0 || sequence >= std::ssize(scope.run.traces))
    return fail(Code::out_of_range, "error.lesson.place.sequence",
                {in_quotes(text), static_cast<std::int64_t>(scope.run.traces.size())});
  const Trace& trace = scope.run.trace(static_cast<int>(sequence));
  TRY(const std::vector<Target> targets, targets_of(trace, place));
  ExpressionValue out;
  for (const Target& where : targets) {
    TRY(const Tensor values, numbers_at(trace, where));
    append(out, values);
    out.shape = values.sizes();
  }
  if (targets.size() > 1)  // one row for each block
    out.shape = {std::ssize(targets), std::ssize(out.numbers) / std::ssize(targets)};
  if (out.numbers.size() == 1) out.shape.clear();
  return out;
}

}  // namespace attnscope
