#include "core/figure/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::figure {
namespace {

constexpr double kLargeNumber = 1e6;  // from here on with an exponent

// "3.4e38": short, for a cell; without the plus and the zeros of printf's "3.4e+08".
std::string with_exponent(double size) {
  std::string out = format("%.1e", size);
  const std::size_t at = out.find('e') + 1;
  out.erase(at, std::min(out.find_first_not_of("+0", at), out.size() - 1) - at);
  return out;
}

void collect(const PartBox& box, std::vector<const Part*>& out) {
  if (box.part) out.push_back(&*box.part);
  for (const PartBox& inside : box.inside) collect(inside, out);
}

// B - A of two cells: see minus().
float difference(float b, float a) {
  const bool b_masked = std::isinf(b) && b < 0, a_masked = std::isinf(a) && a < 0;
  if (b_masked && a_masked) return b;
  return (b_masked ? 0.f : b) - (a_masked ? 0.f : a);
}

void subtract(PartBox& box, const Figure& a) {
  for (PartBox& inside : box.inside) subtract(inside, a);
  if (!box.part) return;
  auto* matrix = std::get_if<MatrixMark>(&box.part->mark);
  const Part* other = find_part(a, box.part->id);
  const MatrixMark* older = other ? std::get_if<MatrixMark>(&other->mark) : nullptr;
  if (!matrix || !older || matrix->values.size(0) != older->values.size(0) ||
      matrix->values.size(1) != older->values.size(1))
    return;
  std::vector<float> values;
  double most = 0;
  for (std::int64_t row = 0; row < matrix->values.size(0); ++row) {
    for (std::int64_t col = 0; col < matrix->values.size(1); ++col) {
      values.push_back(difference(matrix->values.at(row, col), older->values.at(row, col)));
      if (std::isfinite(values.back())) most = std::max(most, std::abs(static_cast<double>(values.back())));
    }
  }
  matrix->values = Tensor::from(std::move(values),
                                {{Axis::query, matrix->values.size(0)}, {Axis::key, matrix->values.size(1)}});
  matrix->scale = Scale::diverging, matrix->most = most > 0 ? most : 1;
}

std::string label(const Names& names, std::int64_t at) {
  if (static_cast<std::size_t>(at) < names.labels.size())
    return names.labels[static_cast<std::size_t>(at)].str();
  return std::to_string(at);
}

void print(const WordsMark& words, std::string& out) {
  if (!words.forms.empty()) out += words.forms.front().str() + "\n";
}
void print(const MatrixMark& matrix, std::string& out, std::int64_t most_rows) {
  const std::int64_t rows = matrix.values.size(0), cols = matrix.values.size(1);
  const bool all = rows <= most_rows || matrix.rows.looked < 0;
  for (std::int64_t col = 0; col < cols; ++col) out += "\t" + label(matrix.cols, col);
  out += "\n";
  for (std::int64_t row = all ? 0 : matrix.rows.looked; row < (all ? rows : matrix.rows.looked + 1); ++row) {
    out += label(matrix.rows, row);
    for (std::int64_t col = 0; col < cols; ++col) {
      const auto value = static_cast<double>(matrix.values.at(row, col));
      out += "\t" + (std::isinf(value) && value < 0 ? "-" : number_text(value, std::max(matrix.digits, 4)));
    }
    out += "\n";
  }
}
void print(const TableMark& table, std::string& out) {
  if (!table.header.empty()) out += join(in_words(table.header), "\t") + "\n";
  for (const TableMark::Row& row : table.rows) out += join(in_words(row.cells), "\t") + "\n";
  if (table.others > 0 && table.rest)
    out += tr("figure.others", {std::to_string(table.others)}) + "\t" +
           (table.shares ? percent_text(*table.rest) : number_text(*table.rest, 4)) + "\n";
}
void print(const TrackMark& track, std::string& out) {
  for (std::size_t at = 0; at < track.stops.size(); ++at) {
    const std::string name = track.stops[at].str();
    out += (at > 0 ? " > " : "") + (static_cast<int>(at) == track.here ? "[" + name + "]" : name);
  }
  out += "\n";
}
void print(const TriangleMark& triangle, std::string& out) {
  for (std::size_t at = 0; at < 3; ++at)
    out += triangle.corners[at].str() + "\t" + number_text(triangle.shares[at], 4) + "\n";
}
void print(const StairsMark& stairs, std::string& out) {
  for (const StairsMark::Row& row : stairs.rows) {
    out += row.name.str();
    for (const StairsMark::Piece& piece : row.pieces) out += "\t" + piece.text.str();
    out += "\n";
  }
}
void print(const PlotMark& plot, std::string& out) {
  for (const PlotMark::Series& one : plot.series) {
    out += one.name.str();
    for (const auto& [x, y] : one.points) out += format("\t(%.6g, %.6g)", x, y);
    out += "\n";
  }
}

}  // namespace

std::string_view to_text(Give give) {
  constexpr std::array<std::string_view, 9> kNames{"shorter_words", "short_numbers", "short_names",
                                                   "digits",        "fewer_rows",    "shortest_words",
                                                   "fewest_rows",   "names",         "left_out"};
  return kNames[static_cast<std::size_t>(give)];
}

PartBox leaf(Part part) { return {PartBox::Way::leaf, {}, std::move(part)}; }
PartBox row(std::vector<PartBox> inside) { return {PartBox::Way::row, std::move(inside), {}}; }
PartBox column(std::vector<PartBox> inside) { return {PartBox::Way::column, std::move(inside), {}}; }
PartBox either(std::vector<PartBox> inside) { return {PartBox::Way::either, std::move(inside), {}}; }
PartBox words(std::string id, WordsMark::As as, std::vector<Text> forms, int priority) {
  return leaf({std::move(id), WordsMark{as, std::move(forms), Ink::text}, priority, {}, {}});
}

std::vector<const Part*> parts_of(const Figure& figure) {
  std::vector<const Part*> out;
  collect(figure.body, out);
  return out;
}

const Part* find_part(const Figure& figure, std::string_view id) {
  for (const Part* part : parts_of(figure))
    if (part->id == id) return part;
  return nullptr;
}

Figure minus(const Figure& b, const Figure& a) {
  Figure out = b;
  subtract(out.body, a);
  return out;
}

std::string number_text(double value, int digits, bool shorter) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "\xE2\x88\x92\xE2\x88\x9E" : "\xE2\x88\x9E";
  if (std::abs(value) >= kLargeNumber)
    return (value < 0 ? "\xE2\x88\x92" : "") + with_exponent(std::abs(value));
  const int places = std::max(0, digits - (shorter ? 1 : 0));
  std::string out = format("%.*f", places, std::abs(value));
  const bool zero = out.find_first_not_of("0.") == std::string::npos;
  if (shorter && starts_with(out, "0.")) out.erase(0, 1);
  return (value < 0 && !zero ? "\xE2\x88\x92" : "") + out;
}

std::string as_text(const Figure& figure, std::int64_t most_rows) {
  std::string out;
  for (const Part* part : parts_of(figure)) {
    if (!part->title.empty()) out += "\n" + part->title.front().str() + "\n";
    if (const auto* matrix = std::get_if<MatrixMark>(&part->mark)) print(*matrix, out, most_rows);
    if (const auto* table = std::get_if<TableMark>(&part->mark)) print(*table, out);
    if (const auto* plot = std::get_if<PlotMark>(&part->mark)) print(*plot, out);
    if (const auto* track = std::get_if<TrackMark>(&part->mark)) print(*track, out);
    if (const auto* triangle = std::get_if<TriangleMark>(&part->mark)) print(*triangle, out);
    if (const auto* stairs = std::get_if<StairsMark>(&part->mark)) print(*stairs, out);
    if (const auto* words = std::get_if<WordsMark>(&part->mark)) print(*words, out);
  }
  return out;
}

}  // namespace attnscope::figure
