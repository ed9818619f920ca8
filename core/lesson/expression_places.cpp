// Numbers of a run by the text of their place: of a step, a weight, or an input of vectors.
#include <algorithm>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/lesson/expression_node.h"
#include "core/session/document.h"

namespace attnscope {
namespace {

ExpressionValue value_of(const Tensor& tensor) {
  ExpressionValue out;
  for (const float number : tensor.values()) out.numbers.push_back(static_cast<double>(number));
  if (out.numbers.size() != 1) out.shape = tensor.sizes();
  return out;
}

// The part of a tensor that ranges of its axes leave; an axis with one index goes away.
Result<Tensor> cut(Tensor tensor, const std::vector<AxisRange>& at, const std::string& text) {
  for (const AxisRange& range : at) {
    int dim = -1;
    for (int d = 0; d < tensor.rank(); ++d)
      if (axis_name(tensor.axis(d)) == range.axis) dim = d;
    if (dim < 0)
      return fail(Code::not_found, "error.lesson.place.axis", {in_quotes(text), in_quotes(range.axis)});
    if (range.begin < 0 || range.end > tensor.size(dim) || range.begin >= range.end)
      return fail(Code::out_of_range, "error.lesson.place.range",
                  {in_quotes(text), in_quotes(range.axis), tensor.size(dim)});
    const bool last = tensor.rank() == 1;
    tensor = range.end - range.begin == 1 && !last ? tensor.select(dim, range.begin)
                                                   : tensor.slice(dim, range.begin, range.end);
  }
  return tensor;
}

// "seq=1" among the coordinates is a sequence of the batch; it is taken out of the text.
Result<int> take_sequence(std::string& text, int sequence) {
  const std::size_t at = text.find("seq=");
  if (at == std::string::npos) return sequence;
  std::size_t end = text.find_first_of(",]", at);
  if (end == std::string::npos) end = text.size();
  TRY(const std::uint64_t asked, parse_whole(std::string_view(text).substr(at + 4, end - at - 4), 0, 4096));
  std::size_t begin = at;
  if (end < text.size() && text[end] == ',')
    ++end;
  else if (begin > 0 && text[begin - 1] == ',')
    --begin;
  text.erase(begin, end - begin);
  if (ends_with(text, "[]")) text.resize(text.size() - 2);
  return static_cast<int>(asked);
}

Result<Tensor> step_numbers(const Trace& trace, const Target& target, const std::string& text) {
  Cell cell{target.site, {}};
  std::vector<AxisRange> ranges;
  for (const AxisRange& range : target.at)
    if (range.end - range.begin == 1)
      cell.at.push_back({range.axis, range.begin});
    else
      ranges.push_back(range);
  TRY(Tensor found, trace.tensor(cell));
  return cut(std::move(found), ranges, text);
}

}  // namespace

Result<ExpressionValue> numbers_at(const std::string& text, const ExpressionScope& scope) {
  std::string place = text;
  TRY(const int sequence, take_sequence(place, scope.sequence));
  if (sequence >= static_cast<int>(scope.run.traces.size()))
    return fail(Code::out_of_range, "error.lesson.place.sequence",
                {in_quotes(text), static_cast<std::int64_t>(scope.run.traces.size())});
  TRY(const Target target, parse_target(place));
  const Trace& trace = scope.run.trace(sequence);
  Tensor found;
  switch (target.kind) {
    case Target::Kind::step: {
      TRY(found, step_numbers(trace, target, text));
      break;
    }
    case Target::Kind::weight: {
      const Tensor* weight = trace.weights().find(target.weight);
      if (!weight) return fail(Code::not_found, "error.lesson.place.weight", {in_quotes(target.weight)});
      TRY(found, cut(*weight, target.at, text));
      break;
    }
    case Target::Kind::input:
      if (trace.input.vectors.empty())
        return fail(Code::not_found, "error.lesson.place.input", {in_quotes(text)});
      TRY(found, cut(trace.input.vectors, target.at, text));
      break;
  }
  return value_of(found);
}

}  // namespace attnscope
