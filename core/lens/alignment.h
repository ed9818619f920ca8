// Which rows of two runs correspond: tokens aligned by their longest common subsequence (Hunt, McIlroy
// 1976), and tokens that only changed, one for one, between aligned ones. Tokens of two vocabularies are the
// same where their texts are the same. Runs without a token in common have an empty alignment.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// to_b[i] is the row of b that row i of a belongs to, or -1.
struct Alignment {
  std::vector<std::int64_t> to_b;

  bool identity() const;
  /// Row `at` of a has a partner in b.
  bool matches(std::int64_t at) const {
    return at >= 0 && at < static_cast<std::int64_t>(to_b.size()) && to_b[static_cast<std::size_t>(at)] >= 0;
  }
  /// Rows of a that have a partner.
  std::int64_t matched() const;
  /// The same from b's side, where b has `rows` rows.
  Alignment reversed(std::int64_t rows) const;
};

/// For two lists of tokens of one vocabulary. Lists of one length give i -> i: tokens were replaced.
Alignment align(const std::vector<int>& a, const std::vector<int>& b);
/// True where both runs have one vocabulary, or the texts of the ids are unknown for one of them.
bool same_vocabulary(const Trace& a, const Trace& b);
/// The rows of one stack of two runs: by tokens, those of two vocabularies by their text (a blank in
/// front aside); rows that are no tokens (vectors, patches) one for one.
Alignment align_rows(const Trace& a, const Trace& b, Stack stack);
/// The output of run b with the same text as each output of run a in `range`; i -> i in one vocabulary.
Alignment align_outputs(const Trace& a, const Trace& b, Range range);

/// A plane of run b in the rows and columns of run a: `read` gives a rectangle of b's own; `none` where b has
/// no partner. No map: the same rows, or columns.
Tensor aligned_plane(const Alignment* rows, Range row_range, const Alignment* cols, Range col_range,
                     float none, const std::function<Tensor(Range rows, Range cols)>& read);

/// A step of run b in the rows (and keys, and outputs) of run a: NaN where b has no partner. Heads and
/// features are the same. Empty where b has no such step or other sizes beside its rows. `head` and ranges as
/// in Trace::slice, of a.
Tensor aligned_slice(const Trace& a, const Trace& b, const Site& site, const Alignment& rows,
                     const Alignment& keys, std::int64_t head, Range row_range, Range col_range);

}  // namespace attnscope
