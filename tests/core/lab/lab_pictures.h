// Reads a lab's picture as a test wants it: a series, a row of a table, a matrix by the keys of their texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/lab/lab.h"

namespace attnscope::testing {

/// The picture of a lab with some values set: {"d_k=64", "scaling=on"}.
inline LabPicture picture_of(const std::string& id, const std::vector<std::string>& set = {}) {
  const auto lab = find_lab(id);
  EXPECT_TRUE(lab) << id;
  if (!lab) return {};
  LabValues values = initial_values(**lab);
  for (const std::string& one : set) {
    const Status status = set_value(**lab, values, one);
    EXPECT_TRUE(status) << one << ": " << (status ? "" : status.error().text());
  }
  auto picture = compute(**lab, values);
  EXPECT_TRUE(picture) << (picture ? "" : picture.error().text());
  return picture ? *std::move(picture) : LabPicture{};
}

/// The points of the first series with that key, of the plot with that key where one is given.
inline std::vector<std::pair<double, double>> series_of(const LabPicture& picture, const std::string& key,
                                                        const std::string& plot = "") {
  for (const LabPiece& piece : picture.pieces)
    if (const auto* one = std::get_if<LabPlot>(&piece.what);
        one && (plot.empty() || one->title.key() == plot))
      for (const LabSeries& series : one->series)
        if (series.name.key() == key) return series.points;
  ADD_FAILURE() << "no series " << key;
  return {{0, 0}};
}

inline const LabMatrix* matrix_of(const LabPicture& picture, const std::string& key) {
  for (const LabPiece& piece : picture.pieces)
    if (const auto* one = std::get_if<LabMatrix>(&piece.what); one && one->title.key() == key) return one;
  ADD_FAILURE() << "no matrix " << key;
  return nullptr;
}

inline LabBars bars_of(const LabPicture& picture, const std::string& key) {
  for (const LabPiece& piece : picture.pieces)
    if (const auto* one = std::get_if<LabBars>(&piece.what); one && one->title.key() == key) return *one;
  ADD_FAILURE() << "no bars " << key;
  return {};
}

inline LabTable table_of(const LabPicture& picture, const std::string& key) {
  for (const LabPiece& piece : picture.pieces)
    if (const auto* one = std::get_if<LabTable>(&piece.what); one && one->title.key() == key) return *one;
  ADD_FAILURE() << "no table " << key;
  return {};
}

/// A cell of a table: the row whose first text has that key (or those words), column `col` (0: the name).
inline std::string cell_of(const LabTable& table, const std::string& key, std::size_t col = 1) {
  for (const auto& row : table.rows)
    if (!row.empty() && (row[0].key() == key || row[0].str() == key) && row.size() > col)
      return row[col].str();
  ADD_FAILURE() << "no row " << key;
  return {};
}

/// The number that a text begins with, as shown() writes it.
inline double number_of(std::string text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "−") == 0)
      plain += '-', i += 2;
    else if (text[i] != ',')
      plain += text[i];
  }
  const std::size_t ten = plain.find("·10");
  if (ten == std::string::npos) return std::stod(plain);
  static const std::string digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string exponent;
  for (std::size_t at = ten + 4; at < plain.size();) {
    if (plain.compare(at, 3, "⁻") == 0) {
      exponent += '-', at += 3;
      continue;
    }
    bool found = false;
    for (int digit = 0; digit < 10 && !found; ++digit)
      if (plain.compare(at, digits[digit].size(), digits[digit]) == 0)
        exponent += static_cast<char>('0' + digit), at += digits[digit].size(), found = true;
    if (!found) break;
  }
  return std::stod(plain.substr(0, ten) + "e" + exponent);
}

}  // namespace attnscope::testing
