// Which rows of a run a training counts in its loss: a rule that any input can be asked, because the input
// may be another than those the model was trained on. Cards carry it as a text. Refuses texts that are no
// rule.
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
    saying,    ///< "saying:2-17": rows that should say a token of these
    repeated,  ///< "repeated": rows whose token stood in the input before
    masked     ///< "masked:4": rows of this token, which hides the one to say
  };
  Kind kind = Kind::all;
  int first = -1, last = -1;  ///< tokens
  bool operator==(const CountedRows&) const = default;

  static Result<CountedRows> parse(std::string_view text);
  std::string text() const;
  /// For each of the first `rows` rows of the main stack, whether it counts. What it should say, and whether
  /// anything follows, is not asked here, but for `saying`.
  std::vector<bool> of(const Trace& trace, std::int64_t rows) const;
};

}  // namespace attnscope
