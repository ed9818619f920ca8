// What laying out a matrix of cells (mark_matrix.cpp) and drawing it (matrix_drawing.cpp) both ask of it.
#pragma once

#include <string>
#include <variant>

#include "core/figure/marks.h"

namespace attnscope::figure {

inline constexpr float kOtherApart = 8;  ///< pixels between "other n" and the name before it

inline const MatrixMark& matrix_in(const Part& part) { return std::get<MatrixMark>(part.mark); }
inline std::int64_t matrix_rows(const MatrixMark& matrix) { return matrix.values.size(0); }
inline std::int64_t matrix_cols(const MatrixMark& matrix) { return matrix.values.size(1); }
inline float as_float(std::int64_t n) { return static_cast<float>(n); }
/// Only one row (or a few) is shown, with digits that are read from afar.
inline bool drawn_large(const MatrixMark& matrix) { return !matrix.order.empty(); }

/// Letters of the names, pixels: those of rows drawn large and of few cells are read from afar, as their
/// digits are.
float matrix_name_em(const MatrixMark& matrix, const LetterSizes& look);
/// The same in a form: names of a plane with signs are smaller before they are shortened, down to letters
/// that are read at once.
float matrix_name_em(const MatrixMark& matrix, const Form& form, const LetterSizes& look);
/// A cell's number; empty where the mask hides it.
std::string cell_text(double value, int digits, const Form& form);

/// The room of the names around the cells, pixels.
struct MatrixNames {
  float row = 0;              ///< width left of the cells, with its gap
  float top = 0;              ///< height above them
  float right = 0;            ///< what slanted names need right of the last cell
  float column = 0;           ///< widest name of a column
  float apart = 4;            ///< least distance between names of columns
  float longest_allowed = 0;  ///< longer names are shortened
  bool slanted = false;
};
MatrixNames matrix_names(const MatrixMark& matrix, const Form& form, const MarkContext& context);

void draw_matrix(const PlacedPart& placed, Drawing& out, const MarkContext& context);

}  // namespace attnscope::figure
