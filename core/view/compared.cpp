// What changed? A, B and B - A of the picture of any view that shows a matrix, with the row that is looked at
// of all three and both answers.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/step/place.h"
#include "core/view/trained_apart.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::MatrixMark;
using figure::PartBox;

constexpr double kLeastScale = 0.1;  // of the scale of A and B: smaller numbers are pale, and no largest one

// The matrix of a picture that matters most; of equals the last, which is the result of the others.
const MatrixMark* plane_of(const figure::Figure& picture) {
  const figure::Part* out = nullptr;
  for (const figure::Part* part : parts_of(picture)) {
    const auto* matrix = std::get_if<MatrixMark>(&part->mark);
    if (matrix && matrix->order.empty() && matrix->values.size(0) > 1 &&
        (!out || part->priority >= out->priority))
      out = part;
  }
  return out ? &std::get<MatrixMark>(out->mark) : nullptr;
}

struct Changed {
  std::int64_t row = 0, col = 0;
  double by = 0;  ///< magnitude
};
// The cell of largest magnitude among the rows begin .. end - 1.
Changed largest(const Tensor& values, std::int64_t begin, std::int64_t end) {
  Changed out{begin, 0, 0};
  for (std::int64_t row = begin; row < end; ++row)
    for (std::int64_t col = 0; col < values.size(1); ++col)
      if (const auto by = std::abs(static_cast<double>(values.at(row, col)));
          std::isfinite(by) && by > out.by)
        out = {row, col, by};
  return out;
}
std::int64_t largest_at(const MatrixMark& matrix, std::int64_t row) {
  std::int64_t out = 0;
  for (std::int64_t col = 1; col < matrix.values.size(1); ++col)
    if (matrix.values.at(row, col) > matrix.values.at(row, out)) out = col;
  return out;
}

// "cat" where both runs call it so, else "tired/soft".
Text name_of(const MatrixMark& a, const MatrixMark& b, const figure::Names MatrixMark::*side,
             std::int64_t at) {
  const auto index = static_cast<std::size_t>(at);
  const auto one = [&](const MatrixMark& matrix) {
    const std::vector<Text>& labels = (matrix.*side).labels;
    return index < labels.size() ? labels[index] : Text(at);
  };
  const Text now = one(b), then = one(a);
  return then.str() == now.str() ? now : Text::of("figure.compare.both", {then, now});
}

std::int64_t open_cells(const MatrixMark& matrix) {
  const auto values = matrix.values.values();
  return std::count_if(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

// The smallest difference that the digits shown can show.
double seen_in(const MatrixMark& matrix) { return 0.5 * std::pow(10, -matrix.digits); }

class Comparison {
 public:
  /// `run`: of b.
  Comparison(const MatrixMark& a, const MatrixMark& b, const Trace& run) : a_(a), b_(b), run_(run) {
    const figure::PartBox minus =
        figure::minus({Text(), figure::leaf({"", b, 1, {}, ""})}, {Text(), figure::leaf({"", a, 1, {}, ""})})
            .body;
    difference_ = std::get<MatrixMark>(minus.part->mark);
    const double most = largest(difference_.values, 0, difference_.values.size(0)).by;
    difference_.most = std::max(most, kLeastScale * std::max(a.most, b.most));
    difference_.of.clear();
    const std::int64_t looked = b.rows.looked, rows = b.values.size(0);
    const bool inside = looked >= 0 && looked < rows;
    all_ = largest(difference_.values, 0, rows);
    row_ = inside ? looked : all_.row;
  }
  const MatrixMark& difference() const { return difference_; }

  std::vector<Text> sentence() const {
    const Changed here = largest(difference_.values, row_, row_ + 1);
    const Text row = row_name(row_);
    if (all_.by < seen())
      return {Text::of("figure.compare.same", {figure::number_text(seen(), b_.digits + 1)})};
    if (here.by < seen())
      return say("elsewhere", {row, row_name(all_.row), col_name(all_.col), number(a_, all_.row, all_.col),
                               number(b_, all_.row, all_.col)});
    const std::int64_t then = largest_at(a_, row_), now = largest_at(b_, row_);
    if (then != now && static_cast<double>(b_.values.at(row_, now)) >= kLeastScale * b_.most)
      return say("moved",
                 {row, col_name(then), number(a_, row_, then), col_name(now), number(b_, row_, now)});
    return say("changed", {row, col_name(here.col), number(a_, row_, here.col), number(b_, row_, here.col)});
  }

  // A, B and B - A of the looked-at row, one below the other.
  figure::Part row() const {
    MatrixMark out = b_;
    const std::int64_t cols = b_.values.size(1);
    std::vector<float> values;
    for (const MatrixMark* matrix : {&a_, &b_, &difference_})
      for (std::int64_t col = 0; col < cols; ++col) values.push_back(matrix->values.at(row_, col));
    out.order.resize(static_cast<std::size_t>(cols));
    std::iota(out.order.begin(), out.order.end(), 0);
    const auto strength = [&](int col) {
      double most = 0;
      for (std::int64_t line = 0; line < 3; ++line)
        if (const auto value = static_cast<double>(values[static_cast<std::size_t>(line * cols + col)]);
            std::isfinite(value))
          most = std::max(most, std::abs(value));
      return most;
    };
    std::stable_sort(out.order.begin(), out.order.end(),
                     [&](int x, int y) { return strength(x) > strength(y); });
    out.values = Tensor::from(std::move(values), {{Axis::query, 3}, {Axis::key, cols}});
    out.rows = {
        {Text::of("figure.compare.a"), Text::of("figure.compare.b"), Text::of("figure.compare.minus")},
        1,
        figure::Ink::query};
    for (std::int64_t col = 0; col < cols; ++col)
      out.cols.labels.resize(static_cast<std::size_t>(cols)),
          out.cols.labels[static_cast<std::size_t>(col)] = col_name(col);
    out.cols.shown = true;
    for (const MatrixMark* matrix : {&a_, &b_, &difference_})
      out.own_rows.push_back({"", matrix->scale, matrix->most, matrix->digits});
    out.own_rows[1].of = row_place();  // the one that is edited
    out.of.clear(), out.edited.clear();
    return {"row", std::move(out), 3, {Text::of("figure.row", {row_name(row_)})}, ""};
  }

 private:
  double seen() const { return seen_in(b_); }
  // The looked-at row of B as a place; empty where it is none of the run.
  std::string row_place() const {
    const auto place = parse_place(b_.of);
    const auto site = place ? parse_site(place->name) : Result<Site>(place.error());
    const Record* record = site ? run_.find(*site) : nullptr;
    if (!record || !b_.picked_cols.empty()) return {};
    std::vector<std::string> open;
    for (const Axis axis : record->axes)
      if (!range_on(place->at, axis_name(axis))) open.emplace_back(axis_name(axis));
    if (open.size() != 2) return {};
    std::vector<AxisRange> at = place->at;
    at.push_back({open.front(), row_ + b_.first_row});
    return to_text(*site) + to_text(at);
  }
  Text row_name(std::int64_t at) const { return name_of(a_, b_, &MatrixMark::rows, at); }
  Text col_name(std::int64_t at) const { return name_of(a_, b_, &MatrixMark::cols, at); }
  static Text number(const MatrixMark& matrix, std::int64_t row, std::int64_t col) {
    return figure::number_text(static_cast<double>(matrix.values.at(row, col)), matrix.digits);
  }
  static std::vector<Text> say(const std::string& key, const std::vector<Text>& with) {
    return {Text::of("figure.compare." + key, with), Text::of("figure.compare." + key + ".short", with)};
  }

  const MatrixMark &a_, &b_;
  const Trace& run_;
  MatrixMark difference_;
  Changed all_;
  std::int64_t row_ = 0;
};

// "A: cat 98.4 %"; without an answer "A".
PartBox headed(const std::string& id, figure::Ink ink, const ViewState& state, MatrixMark matrix) {
  const std::string key = "figure.compare." + id;
  std::vector<Text> forms{Text::of(key)};
  if (const auto answer = answer_table(state, answer_row(state), 1))
    forms.insert(forms.begin(),
                 Text::of(key + ".answer", {answer->rows.front().cells[0], answer->rows.front().cells[1]}));
  using figure::WordsMark;
  matrix.rows.shown = true;
  matrix.rows.looked = std::min<int>(matrix.rows.looked, static_cast<int>(matrix.values.size(0)) - 1);
  return figure::column(
      {figure::leaf(
           {id + ".answer", WordsMark{WordsMark::As::title, std::move(forms), ink}, 2, {}, "planes"}),
       figure::leaf({id, std::move(matrix), 2, {}, "planes"})});
}

// Nobody has changed who sees whom: what is open is what the model was trained under.
bool has_own_masks(const Trace& run) {
  return std::none_of(run.edits.begin(), run.edits.end(),
                      [](const auto& edit) { return edit->mask() != nullptr; });
}

}  // namespace

bool shows_matrix(const figure::Figure& figure) { return plane_of(figure) != nullptr; }

std::vector<RowChange> largest_changes(const figure::Figure& picture) {
  std::vector<RowChange> out;
  const figure::Part *a = find_part(picture, "a"), *b = find_part(picture, "b"),
                     *difference = find_part(picture, "minus");
  if (!a || !b || !difference) return out;
  const auto &then = std::get<MatrixMark>(a->mark), &now = std::get<MatrixMark>(b->mark);
  const Tensor& values = std::get<MatrixMark>(difference->mark).values;
  for (std::int64_t row = 0; row < values.size(0); ++row)
    if (const Changed one = largest(values, row, row + 1); one.by >= seen_in(now))
      out.push_back({row, one.col, static_cast<double>(then.values.at(row, one.col)),
                     static_cast<double>(now.values.at(row, one.col)), one.by});
  std::stable_sort(out.begin(), out.end(),
                   [](const RowChange& x, const RowChange& y) { return x.by > y.by; });
  return out;
}

std::optional<ViewDrawing> compared(const ViewSpec& view, const ViewState& state) {
  if (!state.before) return std::nullopt;
  ViewState then = state, now = state;
  then.run = state.before, then.before = now.before = nullptr;
  if (state.opened_before) then.opened = state.opened_before;
  then.row =
      std::clamp<std::int64_t>(state.row, 0, std::max<std::int64_t>(0, then.run->rows(then.place.stack) - 1));
  if (!check_state(then)) return std::nullopt;
  const bool apart =
      trained_apart(*then.opened, *now.opened) && has_own_masks(*then.run) && has_own_masks(*now.run);
  then.trained_apart = now.trained_apart = apart;
  auto before = view.draw(then), after = view.draw(now);
  if (!before || !after) return std::nullopt;
  if (!before->picture || !after->picture) return std::nullopt;
  const figure::Figure a_picture{Text(), std::move(*before->picture)},
      b_picture{Text(), std::move(*after->picture)};
  const MatrixMark *a = plane_of(a_picture), *b = plane_of(b_picture);
  if (!a || !b) return std::nullopt;
  MatrixMark a_plane = *a;
  a_plane.of.clear();  // its cells are not those of the run that is edited
  ViewDrawing out{{Text::of("figure.compare.question")}, {}, {}};
  std::vector<PartBox> planes{headed("a", figure::Ink::query, then, std::move(a_plane)),
                              headed("b", figure::Ink::key, now, *b)};
  if (a->values.size(0) != b->values.size(0) || a->values.size(1) != b->values.size(1)) {
    out.sentence = {Text::of("figure.compare.shapes",
                             {a->values.size(0), a->values.size(1), b->values.size(0), b->values.size(1)})};
  } else {
    const Comparison comparison(*a, *b, *now.run);
    out.sentence = comparison.sentence();
    using figure::WordsMark;
    planes.push_back(figure::column(
        {figure::leaf({"minus.title",
                       WordsMark{WordsMark::As::title, {Text::of("figure.compare.minus")}, figure::Ink::text},
                       2,
                       {},
                       "planes"}),
         figure::leaf({"minus", comparison.difference(), 2, {}, "planes"})}));
    out.below = figure::leaf(comparison.row());
  }
  if (apart) {
    out.question = {Text::of("figure.compare.trained.question")};
    out.sentence = trained_apart_sentence(*then.opened, open_cells(*a), *now.opened, open_cells(*b));
    if (auto said = both_movements(then, now); said && view.rules)  // in place of a row of ones
      out.below = figure::leaf(*std::move(said));
  }
  out.picture = figure::either(std::move(planes));
  return out;
}

}  // namespace attnscope
