// Names of the rows and columns of a figure's matrices: how wide they are. A layout asks for the same widths
// at every cell size that it tries.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_figure.h"
#include "app/views/steps_plot.h"
#include "app/views/steps_words.h"
#include "app/widgets/patch_picture.h"
#include "core/base/keep_first.h"

namespace attnscope {

namespace {

constexpr int kMostLikelyTokens = 20;
constexpr float kStepsRow = 21.f, kHeads = 96.f;  // height of a readable row; of titles and column labels
constexpr std::int64_t kMostMeasured = 64;        // names of an axis

}  // namespace

// Begins a layout: widths stay known while figure, run, windows, fonts and scale do.
void FigurePlot::measure_names(const ViewContext& context, const Figure& figure) {
  static std::uint64_t unnamed = 0;  // a figure without an id is measured anew
  const std::uint64_t id = figure.id > 0 ? figure.id : --unnamed;
  widths_ = &names_.get({id, context.run.version, spans_version_,
                         static_cast<std::uint64_t>(context.workspace.cursor.sequence + 1),
                         std::bit_cast<std::uint32_t>(ui_scale())},
                        [] { return std::map<std::string, float>(); });
}

// Widest of every `step`-th name of the range, pixels.
float FigurePlot::names_width(const ViewContext& context, const Operand& operand, bool rows, Range at,
                              std::int64_t step) {
  const auto [known, fresh] = widths_->emplace((rows ? "rows " : "cols ") + operand.id, 0.f);
  if (!fresh) return known->second;
  for (std::int64_t entry = at.begin; entry < at.end; entry += step) {
    const std::string text = axis_entry(context.run, context.workspace.cursor.sequence, operand, rows, entry);
    known->second = std::max(known->second, text_size(fonts().mono_small, text).x);
  }
  return known->second;
}

float FigurePlot::label_width(const ViewContext& context, const Operand& operand) {
  if (operand.row.names == FigureAxis::Names::none) return 0;
  const Span& s = span(operand.row);
  const auto first = static_cast<std::int64_t>(s.lo), last = static_cast<std::int64_t>(std::ceil(s.hi));
  const std::int64_t step = std::max<std::int64_t>(1, (last - first) / kMostMeasured);
  const float widest = names_width(context, operand, true, {first, last}, step);
  const float pictures = has_pictures(context, operand, true) ? kStepsPicture * ui_scale() : 0;
  return std::min(widest, 104 * ui_scale()) + 12 * ui_scale() + pictures;
}

// Widest name of the columns beside an image, pixels: those of its patches are pictures.
float FigurePlot::width_beside_pictures(const ViewContext& context, const Operand& operand, Range at) {
  const auto [known, fresh] = widths_->emplace("beside " + operand.id, 0.f);
  if (!fresh) return known->second;
  const int sequence = context.workspace.cursor.sequence;
  const auto pictures = axis_pictures(context.painter, context.run, sequence, operand.col.stack);
  for (std::int64_t entry = at.begin; entry < at.end; ++entry)
    if (!pictures || pictures->patch(operand.col.first + entry) < 0) {
      const std::string text = axis_entry(context.run, sequence, operand, false, entry);
      known->second = std::max(known->second, text_size(fonts().mono_small, text).x);
    }
  return known->second;
}

// Height of the column labels for columns of this width, pixels.
float FigurePlot::column_labels(const ViewContext& context, const Operand& operand, float cell) {
  const float line = text_size(fonts().mono_small, "X").y, unit = ui_scale();
  if (operand.col.names == FigureAxis::Names::none) return 0;
  if (operand.col.names == FigureAxis::Names::index && operand.picked_cols.empty()) return line + 4 * unit;
  const bool numbers = operand.col.names == FigureAxis::Names::token && cell < 58 * unit;
  if (numbers && !context.run.trace(context.workspace.cursor.sequence).input.vectors.empty())
    return line + 4 * unit;
  const Span& s = span(operand.col);
  const auto first = static_cast<std::int64_t>(s.lo), last = static_cast<std::int64_t>(std::ceil(s.hi));
  const Range measured{first, std::min(last, first + kMostMeasured)};
  const bool pictured = has_pictures(context, operand, false);
  const float widest = pictured ? width_beside_pictures(context, operand, measured)
                                : names_width(context, operand, false, measured, 1);
  const float upright = std::max(line, pictured ? kStepsPicture * unit : 0.f) + 4 * unit;
  if (widest + 4 * unit <= cell || cell >= 58 * unit) return upright;
  return std::max(pictured ? upright : 0.f, std::min(widest, kLongestSlanted * unit) * kSlantSine + line);
}

float FigurePlot::last_label_overhang(const ViewContext& context, const Operand& operand, float cell) {
  const auto last = static_cast<std::int64_t>(std::ceil(span(operand.col).hi)) - 1;
  const std::string text = axis_entry(context.run, context.workspace.cursor.sequence, operand, false, last);
  const float line = text_size(fonts().mono_small, "X").y;
  const float length = std::min(text_size(fonts().mono_small, text).x, kLongestSlanted * ui_scale());
  return std::max(0.f, length * kSlantCosine + (line - cell) / 2);
}

std::string weight_letter(const Trace& trace, const Site& site, const std::string& weight) {
  const std::vector<std::string> letters =
      weight.ends_with(".bias") ? std::vector<std::string>{"b", "β"} : std::vector<std::string>{"W", "γ"};
  const std::vector<Piece> pieces = formula_pieces(trace, site);
  for (std::size_t at = 0; at < pieces.size(); ++at)
    for (const std::string& letter : letters) {
      const std::string& word = pieces[at].text;
      const bool below = at + 1 < pieces.size() && pieces[at + 1].small;
      if (word == letter) return below ? word + "_" + pieces[at + 1].text : word;
      if (word.size() == 4 && word.starts_with(letter)) return word;  // "W₂" has four bytes
    }
  return weight;
}

std::vector<std::int64_t> most_likely(const Trace& trace, std::int64_t row) {
  Tensor logits = trace.logits_row(row);
  if (logits.empty() && trace.find(trace.main(StepRole::probs)))  // recorded alone, and in the same order
    logits = trace.slice(trace.main(StepRole::probs), 0, {row, row + 1}, {0, trace.config().outputs()})
                 .select(0, 0);
  if (logits.empty()) return {};
  std::vector<std::int64_t> ids(static_cast<std::size_t>(logits.size(0)));
  std::iota(ids.begin(), ids.end(), 0);
  const auto likelier = [&](std::int64_t a, std::int64_t b) {
    return logits.at(a) > logits.at(b) || (!(logits.at(b) > logits.at(a)) && a < b);
  };
  keep_first(ids, kMostLikelyTokens, likelier);
  return ids;
}

float figure_height(const Figure& figure) {
  std::int64_t rows = 0, above = 0;
  for (const Operand& operand : figure.operands) {
    if (figure.layout == Figure::Layout::product && operand.id == "top")
      above = operand.row.size;
    else
      rows = std::max(rows, operand.row.size);
  }
  return kHeads + kStepsRow * static_cast<float>(rows + above);
}

}  // namespace attnscope
