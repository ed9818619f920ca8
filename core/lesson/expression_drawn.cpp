// drawn(): a number of what a lab draws, as in drawn('prepost,blocks=12', 2, 1, 11).
#include <cmath>
#include <map>
#include <mutex>

#include "core/lab/lab.h"
#include "core/lesson/expression_node.h"

namespace attnscope {
namespace {

// The pictures that were asked for are kept: a row asks for several numbers of the same.
Result<LabPicture> picture_drawn(const std::string& asked) {
  static std::mutex guard;
  static std::map<std::string, LabPicture> known;
  const std::lock_guard lock(guard);
  if (const auto found = known.find(asked); found != known.end()) return found->second;
  TRY(const LabRequest request, parse_lab_request(asked));
  TRY(LabPicture picture, compute(*request.lab, request.values));
  return known.emplace(asked, std::move(picture)).first->second;
}

const double* height_at(const LabPlot& plot, std::size_t series, double x) {
  if (series >= plot.series.size()) return nullptr;
  const std::pair<double, double>* nearest = nullptr;
  for (const auto& point : plot.series[series].points)
    if (!nearest || std::fabs(point.first - x) < std::fabs(nearest->first - x)) nearest = &point;
  return nearest ? &nearest->second : nullptr;
}

}  // namespace

Result<ExpressionValue> expression_drawn(const std::vector<ExpressionValue>& of,
                                         const ExpressionScope& scope) {
  const auto refused = [] { return fail(Code::bad_format, "error.lesson.expression.takes", {"drawn"}); };
  const double piece = of[1].number(), which = of[2].number();
  if (!scope.waits || !of[0].is_text || piece < 0 || which < 0) return refused();
  TRY(const LabPicture picture, picture_drawn(of[0].text));
  if (piece >= static_cast<double>(picture.pieces.size())) return refused();
  const auto& what = picture.pieces[static_cast<std::size_t>(piece)].what;
  const auto index = static_cast<std::size_t>(which);
  const double* value = nullptr;
  if (const auto* plot = std::get_if<LabPlot>(&what); plot && of.size() == 4)
    value = height_at(*plot, index, of[3].number());
  if (const auto* bars = std::get_if<LabBars>(&what); bars && index < bars->bars.size())
    value = &bars->bars[index].value;
  if (!value) return refused();
  return ExpressionValue::of(*value);
}

}  // namespace attnscope
