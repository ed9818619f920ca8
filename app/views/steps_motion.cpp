#include "app/views/steps_motion.h"

#include <algorithm>
#include <cmath>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/keep_first.h"
#include "core/trace/provenance.h"

namespace attnscope {
namespace {

constexpr std::int64_t kStepsMotionMostCells = 700;  // larger results animate a sample of their cells
constexpr std::int64_t kMostLeads = 3;               // rows for which the computation of one value is shown
constexpr std::size_t kMostTerms = 64;               // largest terms shown for it
constexpr float kAir = 0.55f;                        // share of a row's time during which its values move

float eased(float t) {
  t = std::clamp(t, 0.f, 1.f);
  return t * t * (3 - 2 * t);
}
ImVec2 between(ImVec2 a, ImVec2 b, float t) { return ImVec2(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t); }

/// True if values move unchanged from input cells to result cells.
bool moves_cells(Rule rule) {
  switch (rule) {
    case Rule::dot:
    case Rule::softmax:
    case Rule::norm:
    case Rule::norm_scale: return false;
    default: return true;
  }
}

bool of_result(const Figure& figure, const Operand& operand) {
  return operand.is_step() && operand.site == figure.site;
}
bool of_gradients(const Figure& figure) {
  const int result = figure.result();
  return result >= 0 && figure.operands[static_cast<std::size_t>(result)].gradient;
}
/// True for matrices that this step produces: the result, or intermediate values.
bool is_made(const Figure& figure, std::size_t at) {
  const Operand& operand = figure.operands[at];
  if (of_gradients(figure)) return operand.is_result;
  if (of_result(figure, operand)) return true;
  if (!operand.part || figure.layout != Figure::Layout::row || figure.blocks.empty()) return false;
  const auto& first = figure.blocks[0].operands;
  return std::find(first.begin(), first.end(), static_cast<int>(at)) == first.end();
}

class Planner {
 public:
  Planner(const Trace& trace, const Figure& figure) : trace_(trace), figure_(figure) {}

  MotionPlan plan() {
    const int result = figure_.result();
    if (result < 0) return {};
    const Operand& out = figure_.operands[static_cast<std::size_t>(result)];
    plan_.rows = std::max<std::int64_t>(out.row.size, 1);
    plan_.by_rows = !moves_cells(figure_.rule);
    if (plan_.by_rows)
      lead_numbers(result, out);
    else
      all_numbers();
    return std::move(plan_);
  }

 private:
  /// The cell of the figure that shows a source.
  FigureCell place_of(const Source& source) const {
    for (std::size_t i = 0; i < figure_.operands.size(); ++i) {
      if (of_result(figure_, figure_.operands[i])) continue;
      if (const auto spot = spot_of(trace_, figure_.operands[i], source))
        return {static_cast<int>(i), spot->row, spot->col};
    }
    return {};
  }
  std::optional<Explanation> why(const Operand& operand, std::int64_t row, std::int64_t col) const {
    auto found = explain(trace_, operand.site, source_index(trace_, operand, row, col));
    return found ? std::optional(*std::move(found)) : std::nullopt;
  }

  // One cell in each of a few rows: its terms move together.
  void lead_numbers(int result, const Operand& out) {
    const std::int64_t leads = std::min(kMostLeads, plan_.rows);
    for (std::int64_t lead = 0; lead < leads; ++lead) {
      const std::int64_t row = ((lead + 1) * plan_.rows + leads - 1) / leads - 1,
                         col = std::min<std::int64_t>(row, out.col.size - 1);
      const auto e = why(out, row, col);
      if (!e || e->edited) continue;
      std::vector<const Term*> terms;
      for (const Term& term : e->terms) terms.push_back(&term);
      if (terms.size() > kMostTerms)
        keep_first(terms, kMostTerms,
                   [](const Term* a, const Term* b) { return std::fabs(a->value) > std::fabs(b->value); });
      const float begin = static_cast<float>(lead) / static_cast<float>(leads),
                  end = static_cast<float>(row + 1) / static_cast<float>(plan_.rows);
      for (const Term* term : terms) add(*term, {result, row, col}, begin, end);
    }
  }
  void add(const Term& term, const FigureCell& to, float begin, float end) {
    MotionFlight flight;
    flight.to = to, flight.begin = begin, flight.end = end;
    flight.value = static_cast<float>(term.value);
    for (const Source& factor : term.factors) {
      const FigureCell at = place_of(factor);
      if (!at.valid()) continue;
      if (!flight.from.valid())
        flight.from = at, flight.before = static_cast<float>(factor.value);
      else if (!flight.other.valid())
        flight.other = at;
    }
    flight.joins = flight.other.valid();
    if (flight.from.valid()) plan_.flights.push_back(flight);
  }

  // Every cell of every plane of the result, from each of its input cells.
  void all_numbers() {
    std::int64_t cells = 0;
    for (const Operand& operand : figure_.operands)
      if (of_result(figure_, operand)) cells += operand.row.size * operand.col.size;
    const std::int64_t every =
        std::max<std::int64_t>(1, (cells + kStepsMotionMostCells - 1) / kStepsMotionMostCells);
    for (std::size_t i = 0; i < figure_.operands.size(); ++i) {
      const Operand& operand = figure_.operands[i];
      if (!of_result(figure_, operand)) continue;
      for (std::int64_t row = 0; row < operand.row.size; ++row)
        for (std::int64_t col = row % every; col < operand.col.size; col += every)
          fly(operand, {static_cast<int>(i), row, col});
    }
  }
  void fly(const Operand& operand, const FigureCell& to) {
    const auto e = why(operand, to.row, to.col);
    if (!e || e->edited) return;
    const float begin = (1 - kAir) * static_cast<float>(to.row) /
                        static_cast<float>(std::max<std::int64_t>(operand.row.size, 1));
    for (const Term& term : e->terms)
      for (const Source& factor : term.factors) {
        MotionFlight flight;
        flight.from = place_of(factor), flight.to = to;
        flight.begin = begin, flight.end = begin + kAir;
        flight.value = static_cast<float>(factor.value);
        const bool own = e->rule != Rule::rotate || &term == &e->terms.front();
        if (flight.from.valid() && own) plan_.flights.push_back(flight);
      }
  }

  const Trace& trace_;
  const Figure& figure_;
  MotionPlan plan_;
};

MotionFlight flight_between(const FigureCell& from, const FigureCell& to, float begin, float end) {
  MotionFlight out;
  out.from = from, out.to = to, out.begin = begin, out.end = end;
  return out;
}

class GradientPlanner {
 public:
  GradientPlanner(const Trace& trace, const Figure& figure) : trace_(trace), figure_(figure) {}

  MotionPlan plan() {
    const int result = figure_.result();
    if (result < 0) return {};
    const Operand& out = operand(result);
    plan_.rows = std::max<std::int64_t>(out.row.size, 1);
    plan_.by_rows = figure_.layout == Figure::Layout::product;
    if (out.row.size * out.col.size <= 0) return std::move(plan_);
    if (plan_.by_rows)
      rows_meet_columns(result, out);
    else
      cells_add_up(result, out);
    return std::move(plan_);
  }

 private:
  const Operand& operand(int at) const { return figure_.operands[static_cast<std::size_t>(at)]; }

  // One cell in each of a few rows: products of a row of the left factor and a column of the top one.
  void rows_meet_columns(int result, const Operand& out) {
    const std::int64_t inner = operand(0).col.size, leads = std::min(kMostLeads, plan_.rows);
    for (std::int64_t lead = 0; lead < leads; ++lead) {
      const std::int64_t row = ((lead + 1) * plan_.rows + leads - 1) / leads - 1,
                         col = std::min<std::int64_t>(row, out.col.size - 1);
      const Tensor left = operand_values(trace_, operand(0), {row, row + 1}, {0, inner}),
                   top = operand_values(trace_, operand(1), {0, inner}, {col, col + 1});
      if (left.empty() || top.empty()) continue;
      std::vector<MotionFlight> flights;
      for (std::int64_t k = 0; k < inner; ++k) {
        MotionFlight flight = flight_between({0, row, k}, {result, row, col},
                                             static_cast<float>(lead) / static_cast<float>(leads),
                                             static_cast<float>(row + 1) / static_cast<float>(plan_.rows));
        flight.before = left.at(0, k), flight.value = flight.before * top.at(k, 0);
        flight.joins = true, flight.other = {1, k, col};
        flights.push_back(flight);
      }
      keep_first(flights, kMostTerms,
                 [](const auto& a, const auto& b) { return std::fabs(a.value) > std::fabs(b.value); });
      plan_.flights.insert(plan_.flights.end(), flights.begin(), flights.end());
    }
  }

  // Every cell of the result, from the cell at the same place in each input matrix.
  void cells_add_up(int result, const Operand& out) {
    const std::int64_t cells =
        out.row.size * out.col.size * static_cast<std::int64_t>(figure_.operands.size());
    const std::int64_t every =
        std::max<std::int64_t>(1, (cells + kStepsMotionMostCells - 1) / kStepsMotionMostCells);
    for (int i = 0; i < static_cast<int>(figure_.operands.size()); ++i) {
      const Operand& from = operand(i);
      const bool row_fits = from.row.size == out.row.size || from.row.size == 1,
                 col_fits = from.col.size == out.col.size || from.col.size == 1;
      if (i == result || !row_fits || !col_fits) continue;
      const Tensor values = operand_values(trace_, from, {0, from.row.size}, {0, from.col.size});
      if (values.empty()) continue;
      for (std::int64_t row = 0; row < out.row.size; ++row)
        for (std::int64_t col = row % every; col < out.col.size; col += every) {
          const std::int64_t r = std::min(row, from.row.size - 1), c = std::min(col, from.col.size - 1);
          const float begin = (1 - kAir) * static_cast<float>(row) / static_cast<float>(plan_.rows);
          MotionFlight flight = flight_between({i, r, c}, {result, row, col}, begin, begin + kAir);
          flight.value = values.at(r, c);
          plan_.flights.push_back(flight);
        }
    }
  }

  const Trace& trace_;
  const Figure& figure_;
  MotionPlan plan_;
};

struct Rect {
  ImVec2 p0, p1;
  ImVec2 middle() const { return between(p0, p1, 0.5f); }
};

void draw_flight(const Canvas& canvas, const MotionFlight& flight, const Figure& figure,
                 const FigurePlot& plot, float time) {
  Rect from, to, other;
  if (time < flight.begin || time >= flight.end) return;
  if (!plot.cell_rect(flight.from, from.p0, from.p1) || !plot.cell_rect(flight.to, to.p0, to.p1)) return;
  const float share = (time - flight.begin) / std::max(flight.end - flight.begin, 1e-3f),
              t = flight.joins ? share : eased(share);
  Rect now{between(from.p0, to.p0, t), between(from.p1, to.p1, t)};
  ImU32 colour = plot.cell_colour(flight.from.operand, flight.value);
  if (flight.joins && plot.cell_rect(flight.other, other.p0, other.p1)) {
    // First half: factors of the row move to the column; second half: the products move to the result.
    constexpr float kMeet = 0.5f;
    const float s = t < kMeet ? eased(t / kMeet) : eased((t - kMeet) / (1 - kMeet));
    if (t < kMeet)
      now = {between(from.p0, other.p0, s), between(from.p1, other.p1, s)};
    else
      now = {between(other.p0, to.p0, s), between(other.p1, to.p1, s)};
    colour = t < kMeet ? plot.cell_colour(flight.from.operand, flight.before)
                       : plot.cell_colour(flight.to.operand, flight.value);
    const float width = 1.5f * ui_scale();
    canvas.rect(from.p0, from.p1, plot.operand_colour(flight.from.operand), 0, 0, width);
    canvas.rect(other.p0, other.p1, plot.operand_colour(flight.other.operand), 0, 0, width);
    canvas.rect(to.p0, to.p1, theme().accent, 2 * ui_scale(), 0, width);
  }
  const float inset = std::min(1.f, (now.p1.x - now.p0.x) / 4);
  now.p0.x += inset, now.p0.y += inset, now.p1.x -= inset, now.p1.y -= inset;
  canvas.fill_rect(now.p0, now.p1, colour, 2 * ui_scale());
  const ImVec2 room(now.p1.x - now.p0.x, now.p1.y - now.p0.y), least = least_number_cell(flight.value < 0);
  if (room.x < least.x - 2 || room.y < least.y - 2) return;
  const bool apart = flight.joins && t < 0.5f;  // before the factors meet: formatted as the input
  const auto like =
      static_cast<std::size_t>(flight.joins && !apart ? flight.to.operand : flight.from.operand);
  const std::string text =
      compact_number((apart ? flight.before : flight.value) / plot.number_unit(like, figure.operands[like]));
  const ImVec2 size = text_size(fonts().mono_tiny, text);
  draw_text(canvas, fonts().mono_tiny,
            ImVec2((now.p0.x + now.p1.x - size.x) / 2, (now.p0.y + now.p1.y - size.y) / 2), ink_on(colour),
            text);
}

// Covers cells whose values have not arrived with the background colour.
void cover(const Canvas& canvas, const FigurePlot& plot, int operand, std::int64_t row, std::int64_t rows,
           std::int64_t cols) {
  ImVec2 p0, p1;
  if (!plot.cells_rect(operand, row, rows, cols, p0, p1)) return;
  canvas.fill_rect(p0, p1, theme().ground);
  canvas.rect(p0, p1, with_alpha(theme().border, 0.6f), 2 * ui_scale());
}

}  // namespace

MotionPlan plan_motion(const Trace& trace, const Figure& figure) { return Planner(trace, figure).plan(); }

MotionPlan plan_gradient_motion(const Trace& trace, const Figure& figure) {
  return GradientPlanner(trace, figure).plan();
}

void draw_motion(const MotionPlan& plan, const Figure& figure, const FigurePlot& plot, float time) {
  if (time >= 1 || plan.flights.empty()) return;
  const Canvas canvas;
  const float now = std::clamp((time - kTravelShare) / (1 - kTravelShare), 0.f, 1.f);
  for (std::size_t i = 0; i < figure.operands.size(); ++i) {
    if (!is_made(figure, i)) continue;
    const Operand& operand = figure.operands[i];
    const std::int64_t rows = operand.row.size;
    // A row is uncovered when its values arrive.
    const float share = plan.by_rows ? now : std::clamp((now - kAir) / (1 - kAir), 0.f, 1.f);
    const bool early = !of_result(figure, operand) && !operand.is_result;  // intermediate values
    const auto there = static_cast<std::int64_t>(share * static_cast<float>(rows) + (early ? 0.5f : 0.f));
    if (there < rows) cover(canvas, plot, static_cast<int>(i), there, rows, operand.col.size);
  }
  for (const MotionFlight& flight : plan.flights) draw_flight(canvas, flight, figure, plot, now);
}

}  // namespace attnscope
