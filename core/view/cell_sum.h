// What a number of a row drawn large is made of, in one line: "2.80 × 3.77 = 10.59".
#pragma once

#include <string>

#include "core/figure/figure.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Of a longer sum its largest terms, and "…", with or without how many there are.
struct SumLength {
  std::size_t most = 3;
  bool counted = true;
};
/// With the digits that the figure shows: from the rows above it where the mark says how, else from what the
/// run computed it from. Empty where there is nothing to say.
std::string cell_sum(const Trace& run, const figure::MatrixMark& matrix, std::int64_t row, std::int64_t col,
                     SumLength length = {});

}  // namespace attnscope
