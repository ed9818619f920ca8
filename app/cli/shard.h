// Which rows of a sweep are computed: part i of n ("3/8": rows 3, 11, 19, ... of all, counted from 1), or
// several parts ("1,4-6/8"). Every part can be computed elsewhere; merge joins them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace attnscope::cli {

class Shard {
 public:
  /// The whole sweep for an empty text. Errors: another form, a part that is not among 1 ... n.
  static Result<Shard> parse(const std::string& text);
  /// These rows of so many, counted from 0, in order: each row is a part of its own.
  static std::string of_rows(const std::vector<std::int64_t>& rows, std::int64_t whole);

  bool all() const { return parts_ == 1; }
  /// The indices that it keeps of so many rows, in order.
  std::vector<std::int64_t> rows(std::int64_t whole) const;

 private:
  std::int64_t parts_ = 1;
  std::vector<std::pair<std::int64_t, std::int64_t>> kept_{{0, 1}};  ///< [first, end) of the parts, from 0
};

}  // namespace attnscope::cli
