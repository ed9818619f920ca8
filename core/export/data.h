// What a figure shows as data: its matrices, tables and curves with their names, in order of reading. Words
// are left out. The numbers are those of the marks, not the digits that are drawn.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/figure.h"
#include "core/io/writers.h"

namespace attnscope {

/// A matrix, a table or a plot, its words in the language of this moment.
struct FigureData {
  enum class Kind : std::uint8_t { matrix, table, plot } kind = Kind::matrix;
  std::string id, title;
  std::vector<std::string> of;             ///< matrix: the place whose numbers it shows; one, or one per row
  std::vector<std::string> rows, columns;  ///< names; of a table without a header empty
  Tensor values;                           ///< matrix, as the run holds it: 0 or -inf where masked
  std::vector<bool> masked;                ///< matrix: by cell
  int digits = 2;                          ///< that the figure shows
  std::vector<int> row_digits;             ///< matrix: by row, where they have their own
  std::vector<std::vector<std::string>> cells;                 ///< table: as shown, names first
  std::vector<std::optional<double>> numbers;                  ///< table: the number of each row's bar
  std::vector<std::vector<std::pair<double, double>>> curves;  ///< plot: one per name in `rows`
  std::string x_title;
  int priority = 1;
};
std::vector<FigureData> data_of(const figure::Figure& figure);

/// A number that reads back as it is: "0.25", "1e-05", "-inf", "nan".
std::string exact_text(float value);
std::string exact_text(double value);

/// Arrays by id of their part: matrices; of tables "ID.numbers" (the bars) and "ID.cells" (the cells that are
/// numbers, behind the column of names); "ID.N" of curves as [points, 2].
std::vector<NamedTensor> arrays_of(const std::vector<FigureData>& data);
/// Names of rows and columns, as a JSON text that stands beside the arrays.
std::string names_json(const std::vector<FigureData>& data);

/// Tables for people, with the digits of the figure; `markdown` else LaTeX (booktabs).
std::string table_text(const std::vector<FigureData>& data, bool markdown);
/// For a spreadsheet: tables one below the other, columns separated by tabs, numbers exact.
std::string tab_separated(const std::vector<FigureData>& data);

}  // namespace attnscope
