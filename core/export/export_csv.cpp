// CSV (RFC 4180), one line per number, so that any program reads it as one table: which part, row and column
// of the figure, their names, and the number with all its digits, as the run holds it: a masked
// weight is 0, a masked score -inf. What was run stands as JSON in the column "run" of the first line.
#include <utility>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

class Lines {
 public:
  Lines(AtomicFile& file, std::string run) : file_(file), run_(std::move(run)), told_(!run_.empty()) {
    file_.write("part,place,row,column,row_name,column_name,value");
    file_.write(told_ ? ",run\n" : "\n");
  }
  void put(const FigureData& part, std::size_t row, std::size_t column, const std::string& column_name,
           const std::string& value) {
    const std::string place = part.of.empty() ? "" : part.of[std::min(row, part.of.size() - 1)];
    const std::string name = row < part.rows.size() ? part.rows[row] : "";
    file_.write(join({csv_field(part.id), csv_field(place), std::to_string(row), std::to_string(column),
                      csv_field(name), csv_field(column_name), csv_field(value)},
                     ",") +
                (told_ ? "," + csv_field(std::exchange(run_, {})) : "") + "\n");
  }

 private:
  AtomicFile& file_;
  std::string run_;  // stands in the first line alone
  bool told_;
};

void put_matrix(const FigureData& part, Lines& out) {
  for (std::int64_t row = 0; row < part.values.size(0); ++row)
    for (std::int64_t col = 0; col < part.values.size(1); ++col)
      out.put(part, static_cast<std::size_t>(row), static_cast<std::size_t>(col),
              part.columns[static_cast<std::size_t>(col)], exact_text(part.values.at(row, col)));
}
// The number behind the bar stands behind the cells, which are written as shown; where it is the same as a
// share in percent, it alone is.
void put_table(const FigureData& part, Lines& out) {
  for (std::size_t row = 0; row < part.cells.size(); ++row) {
    const auto& cells = part.cells[row];
    for (std::size_t col = 1; col < cells.size(); ++col)
      if (!part.numbers[row] || !ends_with(cells[col], "%"))
        out.put(part, row, col, col < part.columns.size() ? part.columns[col] : "", cells[col]);
    if (part.numbers[row]) out.put(part, row, cells.size(), "number", exact_text(*part.numbers[row]));
  }
}
void put_curves(const FigureData& part, Lines& out) {
  for (std::size_t curve = 0; curve < part.curves.size(); ++curve)
    for (std::size_t at = 0; at < part.curves[curve].size(); ++at)
      out.put(part, curve, at, exact_text(part.curves[curve][at].first),
              exact_text(part.curves[curve][at].second));
}

Status write_figure_csv(const FigureToExport& what, AtomicFile& file, const std::string&) {
  Lines out(file, what.run);
  for (const FigureData& part : data_of(*what.figure)) {
    if (part.kind == FigureData::Kind::matrix) put_matrix(part, out);
    if (part.kind == FigureData::Kind::table) put_table(part, out);
    if (part.kind == FigureData::Kind::plot) put_curves(part, out);
  }
  return Done{};
}

}  // namespace

Exporter export_csv() { return {"csv", false, write_figure_csv}; }

}  // namespace attnscope
