// Roles of attention heads, measured on one run: the share of a head's weight on the previous token, on the
// first token, to itself, to earlier copies of its own token, to what followed those copies (induction,
// Olsson et al. 2022), and to one fixed distance (positional, Voita et al. 2019). Each score comes with
// its chance level: the score of uniform attention over the visible keys.
// A role without a row that could show it has no rows and is never the strongest.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/io/named.h"
#include "core/lens/attention_places.h"

namespace attnscope {

enum class Role : std::uint8_t { previous, first, self, duplicate, induction, positional };
inline constexpr int kRoleCount = 6;
/// The keys of their words.
inline constexpr Named<Role> kRoleNames[] = {
    {"previous", Role::previous},   {"first", Role::first},         {"self", Role::self},
    {"duplicate", Role::duplicate}, {"induction", Role::induction}, {"positional", Role::positional}};
std::string_view role_name(Role role);

struct RoleScore {
  double score = 0;       ///< mean weight on the keys of the role, 0..1
  double chance = 0;      ///< the same for uniform attention over the visible keys
  std::int64_t rows = 0;  ///< queries that have such keys
};

struct HeadRoles {
  std::array<RoleScore, kRoleCount> scores;
  std::int64_t offset =
      0;  ///< positional: key minus query, where the mean weight over all queries is largest
  const RoleScore& of(Role role) const { return scores[static_cast<std::size_t>(role)]; }
  /// The role that stands out most over chance; false where none is at least 0.25 and half again its chance.
  bool strongest(Role& role) const;
};

/// The roles that are defined for an attention: none for cross-attention, and among patches none that
/// depends on order. The others have no rows.
HeadRoles meant_roles(HeadRoles roles, const Trace& trace, const AttentionPlace& place);

/// Adds up the scores of one head while its pattern passes by in bands of rows. The first query is left out:
/// it often has one key in sight, so that every role would score 1.
class RoleMeter {
 public:
  /// `ids` of the tokens, one per position; empty: unknown, and duplicate and induction stay
  /// without rows.
  explicit RoleMeter(const std::vector<int>& ids);
  /// Of a run: the rows of an image are copies of no other row, though one id stands for them all, and
  /// padding in front is no first token. Tokens of another stack are unknown in cross-attention and among
  /// patches.
  RoleMeter(const Trace& trace, const AttentionPlace& place);
  /// Rows of the pattern [query, key] from position `first_query` on, with the mask's rows [query, key] (1 =
  /// allowed; empty: every key up to the last is visible).
  void add(const Tensor& band, const Tensor& mask, std::int64_t first_query);
  /// The same, but for rows that are padding in the run.
  void add_real(const Trace& trace, Stack stack, const Tensor& band, const Tensor& mask,
                std::int64_t first_query);
  HeadRoles roles() const;
  /// The same tokens, another head.
  void reset() { sums_ = {}, back_.clear(), ahead_.clear(); }

 private:
  void note(Role role, double score, double chance);
  RoleScore best_offset(std::int64_t& offset) const;
  void add_row(const float* row, const float* mask, std::int64_t keys, std::int64_t mask_stride,
               std::int64_t stride, std::int64_t query);

  std::vector<std::int64_t> copy_before_;  // nearest earlier position with the same id, or -1
  std::int64_t first_ = 0;                 // the first position that is no padding
  HeadRoles sums_;
  std::vector<RoleScore> back_,
      ahead_;  ///< sums over all rows by distance: to the query itself and before; after it
};

}  // namespace attnscope
