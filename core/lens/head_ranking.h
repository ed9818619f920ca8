// Every head of a run with the numbers that heads are sorted by: its role scores, its attention to
// the earlier occurrences of the target, entropy and distance, the change against another run, and
// the effect of ablating it on a measure. Numbers that are not known are NaN and sort
// last.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "core/lens/head_roles.h"
#include "core/lens/head_stats.h"
#include "core/lens/sweep.h"

namespace attnscope {

enum class HeadScore : std::uint8_t {
  previous,  ///< the six of Role, in its order
  first,
  self,
  duplicate,
  induction,
  positional,
  antecedent,  ///< weight of the prediction row on earlier occurrences of its target, 0..1
  entropy,     ///< nats, mean of the rows
  distance,    ///< tokens, mean of the rows
  change,      ///< half the sum of |new - old| of a row (total variation), mean of the rows, 0..1
  effect       ///< the measure without the head minus the measure
};
inline constexpr int kHeadScoreCount = 11;
/// "previous", ..., "effect": the key of the words.
std::string_view head_score_name(HeadScore score);
/// Errors: no such score; the sentence lists them.
Result<HeadScore> parse_head_score(std::string_view name);

struct RankedHead {
  Site pattern;
  int head = 0;
  HeadRoles roles;
  RowStats stats;                                ///< means over the rows
  std::array<double, kHeadScoreCount> scores{};  ///< NaN where nothing is known
  double of(HeadScore score) const { return scores[static_cast<std::size_t>(score)]; }
  double& of(HeadScore score) { return scores[static_cast<std::size_t>(score)]; }
};

/// Inputs of the scores that need more than the pattern.
struct HeadQuestion {
  std::shared_ptr<const Trace> before = nullptr;  ///< change: new minus this run, rows matched by tokens
  std::int64_t query = -1;                        ///< antecedent: the prediction row, of the main stack
  std::vector<std::int64_t> keys;                 ///< antecedent: main stack's rows with the target token
};
/// The row that a measure reads, and the rows before it (any row under bidirectional attention) that hold its
/// target: no keys where the text does not contain it.
HeadQuestion antecedent_of(const Trace& trace, const LogitMeasure& measure);

/// All heads in order of execution. Of more than 2048 queries every k-th band of 64 is read. `go_on` gets
/// the share that is done between bands; when it returns false, there are no heads.
std::vector<RankedHead> head_scores(const Trace& trace, const HeadQuestion& question = {},
                                    const std::function<bool(float)>& go_on = {});
/// Fills in effects from the cells of a sweep over the heads of z; `values` NaN where not computed yet.
void take_effects(std::vector<RankedHead>& heads, const std::vector<SweepCell>& cells,
                  const std::vector<double>& values, double base);
/// Sorts by a score: the largest first (effects by magnitude), or the smallest; unknown ones last, equal ones
/// in order of execution.
void rank_heads(std::vector<RankedHead>& heads, HeadScore by, bool largest_first = true);

}  // namespace attnscope
