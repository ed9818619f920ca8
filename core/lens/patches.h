// Which rows of a stack are patches of the image, and a query's weights as a map over the image.
// A stack without an image has no patches.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct PatchRows {
  int rows = 0, cols = 0;              ///< patches down and across
  std::vector<std::int64_t> row_of;    ///< row of the stack of each patch, row by row of the image
  std::vector<std::int64_t> patch_of;  ///< patch of each row of the stack, -1: none
  bool empty() const { return row_of.empty(); }
  /// -1 for rows that are no patches.
  std::int64_t patch(std::int64_t row) const {
    return row >= 0 && row < static_cast<std::int64_t>(patch_of.size())
               ? patch_of[static_cast<std::size_t>(row)]
               : -1;
  }
};

/// For a stack that reads the image itself, or whose tokens include places for it.
PatchRows patch_rows(const Trace& trace, Stack stack);

/// One query's weights of `pattern` on the patches among its keys -> [rows, cols]; empty where there are none
/// or the run has no such attention.
Tensor weights_on_patches(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query,
                          const PatchRows& keys);
/// Their sum: the share of the query's attention on the image.
float weight_on_image(const Tensor& weights);

}  // namespace attnscope
