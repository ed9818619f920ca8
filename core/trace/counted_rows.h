// Which rows count in the loss of a training, as a rule that applies to any input, because the input
// shown may be another than those of the training. Cards hold it as a text. Error: a text that is no
// such rule.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

struct CountedRows {
  enum class Kind : std::uint8_t {
    all,       ///< "all": every row that a token follows
    from,      ///< "from:26": from the first row of this token on
    saying,    ///< "saying:2-17": rows whose target is one of these tokens
    repeated,  ///< "repeated": rows whose token stood in the input before
    masked     ///< "masked:4": rows of this token ([MASK]), whose target is the hidden token
  };
  Kind kind = Kind::all;
  int first = -1, last = -1;  ///< tokens
  bool operator==(const CountedRows&) const = default;

  static Result<CountedRows> parse(std::string_view text);
  std::string text() const;
  /// For each of the first `rows` rows of the main stack, whether it counts. Whether a row has a target at
  /// all is not checked here, except for `saying`.
  std::vector<bool> of(const Trace& trace, std::int64_t rows) const;
};

}  // namespace attnscope
