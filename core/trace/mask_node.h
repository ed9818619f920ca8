// The syntax tree of a mask text: its "and" and "or" hold any number of parts, so that its depth is
// that of the parentheses alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/trace/mask_spec.h"

namespace attnscope {

struct MaskSpec::Node {
  enum class Kind : std::uint8_t {
    model,
    causal,
    full,
    none,
    window,
    prefix,
    pair,
    matrix,
    conjunction,
    disjunction,
    negation
  };
  Kind kind = Kind::model;
  std::int64_t count = 0;                ///< of window and prefix
  std::string query_span, key_span;      ///< of a pair; empty = any position
  std::int64_t rows = 0, columns = 0;    ///< of a matrix
  std::vector<std::uint8_t> cells;       ///< of a matrix, row-major, 1 = allowed
  std::vector<MaskSpec::Node> children;  ///< of the operators
};

/// Parses a whole text. Errors: see MaskSpec.
Result<MaskSpec::Node> parse_mask(std::string_view text);

}  // namespace attnscope
