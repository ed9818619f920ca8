// Where does it look? One head's pattern, the row that is looked at drawn large, and the answer.
#include <algorithm>
#include <cmath>

#include "core/lens/attention_row.h"
#include "core/lens/simplex.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::PartBox;

constexpr std::string_view kTrianglePage = "triangle";
constexpr double kColdest = 0.1, kHottest = 10;  // temperatures of the dashed line
constexpr int kTrianglePoints = 60;
constexpr double kAddsUp = 0.01;  // how far from 1 the weights of a row may add up

// Where the row has its largest weight; or that there is none, that several are alike, or that an edit left
// weights that do not add up to 1.
std::vector<Text> attention_sentence(const ViewState& state, const figure::MatrixMark& row) {
  const auto weight_of = [&](int key) { return static_cast<double>(row.values.at(0, key)); };
  const int key = row.order.front();
  const double weight = weight_of(key);
  const Text query = row.rows.labels.front();
  const auto name_of = [&](int at) { return row.cols.labels[static_cast<std::size_t>(at)]; };
  if (std::isnan(weight)) {
    const auto numbers =
        std::find_if(row.order.begin(), row.order.end(), [&](int at) { return !std::isnan(weight_of(at)); });
    return {Text::of("figure.attention.nan",
                     {query, numbers - row.order.begin(), name_of(key), state.layer, state.head})};
  }
  if (!(weight > 0)) return {Text::of("figure.attention.nowhere", {query})};
  const std::string number = figure::number_text(weight, weight < 0.01 ? 4 : 2);
  double sum = 0;
  std::int64_t alike = 0;
  for (const int at : row.order) {
    if (const double one = weight_of(at); one > 0) sum += one;
    alike += figure::number_text(weight_of(at), weight < 0.01 ? 4 : 2) == number ? 1 : 0;
  }
  const std::vector<Text> said{query,      name_of(key),
                               number,     state.layer,
                               state.head, name_of(row.order[alike > 1 ? 1 : 0]),
                               alike,      figure::number_text(sum, 2)};
  const std::string start = "figure.attention.";
  const auto terms = attention_row(*state.run, state.place.pattern(state.layer), state.head, state.row);
  if (terms && terms->edited && std::abs(sum - 1) > kAddsUp)
    return {Text::of(start + "edited", said), Text::of(start + "short", said)};
  if (alike == 1) return {Text::of(start + "sentence", said), Text::of(start + "short", said)};
  const std::string kind = start + (alike == 2 ? "two" : "alike");
  return {Text::of(kind, said), Text::of(kind + ".short", said)};
}

// The three strongest keys of the row as corners, the row as a dot between them, and where it lies at other
// temperatures. Without three keys that the row may look at, a sentence alone.
Result<ViewDrawing> draw_triangle_page(const ViewState& state, const figure::MatrixMark& row) {
  TRY(const AttentionRow terms,
      attention_row(*state.run, state.place.pattern(state.layer), state.head, state.row));
  const std::vector<std::int64_t> keys = strongest_keys(terms);
  const Text query = row.rows.labels.front();
  ViewDrawing out{
      {Text::of("figure.attention.question")}, {Text::of("figure.attention.triangle.few", {query})}, {}};
  out.below = figure::leaf({"row", row, 3, {Text::of("figure.row", {query})}, ""});
  if (keys.size() < 3) return out;
  const ThreeKeys three{keys[0], keys[1], keys[2]};
  figure::TriangleMark mark;
  double sum = 0;
  std::vector<Text> said{query};
  for (std::size_t at = 0; at < 3; ++at) {
    mark.corners[at] = row.cols.labels[static_cast<std::size_t>(three[at])];
    sum += terms.terms[static_cast<std::size_t>(three[at])].weight;
    said.push_back(mark.corners[at]);
  }
  said.emplace_back(figure::number_text(sum, 2));
  mark.shares = simplex_point(terms, three);
  for (int at = 0; at <= kTrianglePoints; ++at)
    mark.way.push_back(simplex_point(
        terms, three, kColdest * std::pow(kHottest / kColdest, static_cast<double>(at) / kTrianglePoints)));
  out.sentence = {Text::of("figure.attention.triangle", said),
                  Text::of("figure.attention.triangle.short", said)};
  out.picture = figure::leaf(
      {"triangle",
       std::move(mark),
       2,
       {Text::of("figure.attention.triangle.title"), Text::of("figure.attention.triangle.title.short")},
       ""});
  return out;
}

Result<ViewDrawing> draw_attention(const ViewState& state) {
  const Record* record = state.run->find(state.place.pattern(state.layer));
  if (!record) return fail(Code::not_found, "error.view.no_attention");
  const figure::MatrixMark pattern = attention_matrix(state, slot_of(StepRole::pattern));
  const figure::MatrixMark row = attention_row_matrix(state, pattern);
  if (state.page == kTrianglePage) return draw_triangle_page(state, row);
  std::vector<PartBox> planes;
  if (state.level == Level::full && state.run->find(state.place.site(StepRole::scores, state.layer)))
    planes.push_back(figure::leaf({"scores",
                                   attention_matrix(state, slot_of(StepRole::scores)),
                                   1,
                                   {Text::of("figure.scores"), Text::of("figure.scores.short")},
                                   "planes"}));
  planes.push_back(figure::leaf(
      {"pattern", pattern, 2, {Text::of("figure.pattern"), Text::of("figure.pattern.short")}, "planes"}));
  return ViewDrawing{{Text::of("figure.attention.question")},
                     attention_sentence(state, row),
                     figure::either(std::move(planes)),
                     figure::leaf({"row", row, 3, {Text::of("figure.row", {row.rows.labels.front()})}, ""})};
}

}  // namespace

ViewSpec view_attention() {
  ViewSpec out{"attention", 10, true, true, draw_attention, true, nullptr, false, nullptr, true};
  out.aside = kTrianglePage;
  return out;
}

}  // namespace attnscope
