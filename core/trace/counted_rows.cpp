#include "core/trace/counted_rows.h"

#include <algorithm>
#include <set>

#include "core/base/read_all.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using CountedRowsKind = CountedRows::Kind;

constexpr std::pair<CountedRowsKind, std::string_view> kNames[] = {{CountedRowsKind::all, "all"},
                                                                   {CountedRowsKind::from, "from"},
                                                                   {CountedRowsKind::saying, "saying"},
                                                                   {CountedRowsKind::repeated, "repeated"},
                                                                   {CountedRowsKind::masked, "masked"}};

// Tokens that a rule names.
int numbers_of(CountedRowsKind kind) {
  if (kind == CountedRowsKind::saying) return 2;
  return kind == CountedRowsKind::from || kind == CountedRowsKind::masked ? 1 : 0;
}

bool read_token(std::string_view text, int& token) { return read_all(text, token) && token >= 0; }

}  // namespace

Result<CountedRows> CountedRows::parse(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  for (const auto& [kind, name] : kNames) {
    if (text.substr(0, colon) != name) continue;
    CountedRows out;
    out.kind = kind;
    const std::size_t dash = std::min(rest.find('-'), rest.size());
    const int wanted = numbers_of(kind);
    const bool one = wanted < 1 || read_token(rest.substr(0, wanted > 1 ? dash : rest.size()), out.first);
    const bool two = wanted < 2 || (dash < rest.size() && read_token(rest.substr(dash + 1), out.last));
    if (one && two && (wanted > 0 || colon == text.size()) && (wanted < 2 || out.first <= out.last))
      return out;
  }
  return fail(Code::bad_format, "error.trace.counted_rows", {valid_utf8(text.substr(0, 40))});
}

std::string CountedRows::text() const {
  std::string out;
  for (const auto& [known, name] : kNames)
    if (known == kind) out = name;
  if (numbers_of(kind) > 0) out += ":" + std::to_string(first);
  if (numbers_of(kind) > 1) out += "-" + std::to_string(last);
  return out;
}

std::vector<bool> CountedRows::of(const Trace& trace, std::int64_t rows) const {
  std::vector<bool> out;
  std::set<int> seen;
  bool begun = false;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto token_at = [&](std::int64_t at) {
      return at < static_cast<std::int64_t>(trace.ids.size()) ? trace.ids[static_cast<std::size_t>(at)] : -1;
    };
    const int here = token_at(row), next = token_at(row + 1);
    const bool again = !seen.insert(here).second;
    begun = begun || here == first;
    switch (kind) {
      case CountedRowsKind::all: out.push_back(true); break;
      case CountedRowsKind::from: out.push_back(begun); break;
      case CountedRowsKind::saying: out.push_back(next >= first && next <= last); break;
      case CountedRowsKind::repeated: out.push_back(again); break;
      case CountedRowsKind::masked: out.push_back(here == first); break;
    }
  }
  return out;
}

}  // namespace attnscope
