#include "core/export/data.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/read_all.h"
#include "core/base/shortest.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

std::vector<std::string> names_in(const figure::Names& names, std::int64_t count) {
  std::vector<std::string> out;
  for (std::int64_t at = 0; at < count; ++at) {
    const auto index = static_cast<std::size_t>(at);
    out.push_back(index < names.labels.size() ? names.labels[index].str() : std::to_string(at));
  }
  return out;
}

// A mark has -inf wherever a cell is masked.
void take_values(FigureData& out, const figure::MatrixMark& matrix) {
  std::vector<float> values = matrix.values.values();
  const std::int64_t cols = matrix.values.size(1);
  for (std::size_t at = 0; at < values.size(); ++at) {
    const bool masked = std::isinf(values[at]) && values[at] < 0;
    out.masked.push_back(masked);
    const auto row = static_cast<std::int64_t>(at) / std::max<std::int64_t>(1, cols);
    const bool weight = matrix.masked_is_zero ||
                        (!matrix.own_rows.empty() && matrix.row(row).scale != figure::Scale::diverging);
    if (masked && weight) values[at] = 0;
  }
  out.values = Tensor::from(std::move(values),
                            {{Axis::query, matrix.values.size(0)}, {Axis::key, matrix.values.size(1)}});
}

void fill(FigureData& out, const figure::MatrixMark& matrix) {
  out.kind = FigureData::Kind::matrix;
  if (matrix.own_rows.empty())
    out.of = {matrix.of};
  else
    for (std::int64_t row = 0; row < matrix.values.size(0); ++row) out.of.push_back(matrix.row(row).of);
  out.rows = names_in(matrix.rows, matrix.values.size(0));
  out.columns = names_in(matrix.cols, matrix.values.size(1));
  take_values(out, matrix);
  out.digits = matrix.digits;
  for (const auto& row : matrix.own_rows) out.row_digits.push_back(row.digits);
}
void fill(FigureData& out, const figure::TableMark& table) {
  out.kind = FigureData::Kind::table;
  out.columns = in_words(table.header);
  for (const figure::TableMark::Row& row : table.rows) {
    out.rows.push_back(row.cells.empty() ? std::string() : row.cells.front().str());
    out.cells.push_back(in_words(row.cells));
    out.numbers.push_back(row.bar);
  }
}
void fill(FigureData& out, const figure::TriangleMark& triangle) {
  out.kind = FigureData::Kind::table;
  for (std::size_t at = 0; at < 3; ++at) {
    out.rows.push_back(triangle.corners[at].str());
    out.cells.push_back({out.rows.back(), figure::number_text(triangle.shares[at], 4)});
    out.numbers.emplace_back(triangle.shares[at]);
  }
}
void fill(FigureData& out, const figure::StairsMark& stairs) {
  out.kind = FigureData::Kind::table;
  for (const figure::StairsMark::Row& row : stairs.rows) {
    out.rows.push_back(row.name.str());
    std::vector<std::string>& cells = out.cells.emplace_back();
    cells.push_back(out.rows.back());
    for (const figure::StairsMark::Piece& piece : row.pieces) cells.push_back(piece.text.str());
    out.numbers.emplace_back(std::nullopt);
  }
}
void fill(FigureData&, const figure::TrackMark&) {}
void fill(FigureData& out, const figure::PlotMark& plot) {
  out.kind = FigureData::Kind::plot;
  for (const figure::PlotMark::Series& one : plot.series) {
    out.rows.push_back(one.name.str());
    out.curves.push_back(one.points);
  }
  out.x_title = plot.x_title.str();
}
void fill(FigureData&, const figure::WordsMark&) {}

template <class Number>
std::string shortest(Number value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return shortest_text(value);
}

// A text that is a number from its first sign to its last.
std::optional<double> cell_number(const std::string& text) {
  double out = 0;
  return read_all(text, out) ? std::optional(out) : std::nullopt;
}

// The cells of a table behind the names, NaN where a cell is no number; nothing where none is.
std::optional<NamedTensor> cells_array(const FigureData& table) {
  if (table.kind != FigureData::Kind::table) return std::nullopt;
  std::size_t columns = 1;
  for (const auto& row : table.cells) columns = std::max(columns, row.size());
  std::vector<float> values;
  bool any = false;
  for (const auto& row : table.cells)
    for (std::size_t column = 1; column < columns; ++column) {
      const auto number = cell_number(column < row.size() ? row[column] : "");
      any = any || number;
      values.push_back(static_cast<float>(number.value_or(NAN)));
    }
  if (!any) return std::nullopt;
  const auto rows = std::ssize(table.cells), wide = static_cast<std::int64_t>(columns) - 1;
  return NamedTensor{table.id + ".cells",
                     Tensor::from(std::move(values), {{Axis::none, rows}, {Axis::none, wide}})};
}

}  // namespace

std::vector<FigureData> data_of(const figure::Figure& figure) {
  std::vector<FigureData> out;
  for (const figure::Part* part : parts_of(figure)) {
    if (std::holds_alternative<figure::WordsMark>(part->mark) ||
        std::holds_alternative<figure::TrackMark>(part->mark))
      continue;  // names alone
    FigureData& one = out.emplace_back();
    one.id = part->id, one.priority = part->priority;
    if (!part->title.empty()) one.title = part->title.front().str();
    std::visit([&](const auto& mark) { fill(one, mark); }, part->mark);
  }
  return out;
}

std::string exact_text(float value) { return shortest(value); }
std::string exact_text(double value) { return shortest(value); }

std::vector<NamedTensor> arrays_of(const std::vector<FigureData>& data) {
  std::vector<NamedTensor> out;
  for (const FigureData& one : data) {
    if (one.kind == FigureData::Kind::matrix) out.push_back({one.id, one.values});
    if (one.kind == FigureData::Kind::table && !one.numbers.empty()) {
      std::vector<float> numbers;
      for (const auto& number : one.numbers) numbers.push_back(static_cast<float>(number.value_or(NAN)));
      const auto count = std::ssize(numbers);
      out.push_back({one.id + ".numbers", Tensor::from(std::move(numbers), {{Axis::none, count}})});
    }
    if (auto cells = cells_array(one)) out.push_back(*std::move(cells));
    for (std::size_t curve = 0; curve < one.curves.size(); ++curve) {
      if (one.curves[curve].empty()) continue;
      std::vector<float> points;
      for (const auto& [x, y] : one.curves[curve])
        points.push_back(static_cast<float>(x)), points.push_back(static_cast<float>(y));
      const auto count = std::ssize(one.curves[curve]);
      out.push_back({one.id + "." + std::to_string(curve),
                     Tensor::from(std::move(points), {{Axis::none, count}, {Axis::none, 2}})});
    }
  }
  return out;
}

std::string names_json(const std::vector<FigureData>& data) {
  nlohmann::json out = nlohmann::json::object();
  for (const FigureData& one : data) out[one.id] = {{"rows", one.rows}, {"columns", one.columns}};
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace attnscope
