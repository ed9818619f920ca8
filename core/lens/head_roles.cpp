#include "core/lens/head_roles.h"

#include <algorithm>
#include <unordered_map>

namespace attnscope {
namespace {

constexpr double kLeastScore = 0.25, kOverChance = 1.5;

/// Weight on some keys of a row, and how many of them are in sight.
struct RoleShare {
  const float* row;
  const float* mask;
  std::int64_t keys, stride, mask_stride;
  double weight = 0;
  std::int64_t in_sight = 0;

  void take(std::int64_t key) {
    if (key < 0 || key >= keys) return;
    weight += static_cast<double>(row[key * stride]);
    in_sight += !mask || mask[key * mask_stride] > 0;
  }
};

// The tokens of a run that can be copies of one another; empty where they are unknown.
std::vector<int> ids_to_compare(const Trace& trace, const AttentionPlace& place) {
  const ModelConfig& config = trace.config();
  if (!looks_at_itself(place) || config.of(place.stack).patch.size > 0) return {};
  std::vector<int> ids = trace.ids_of(place.stack);
  if (!config.vision() || place.stack != config.stack) return ids;
  int own = -1;  // no token has a negative id
  for (int& id : ids)
    if (id == config.image_token) id = --own;
  return ids;
}

}  // namespace

std::string_view role_name(Role role) { return name_of_value(role, kRoleNames); }

bool HeadRoles::strongest(Role& role) const {
  double most = 0;
  for (int r = 0; r < kRoleCount; ++r) {
    const RoleScore& s = scores[static_cast<std::size_t>(r)];
    if (s.rows == 0 || s.score < kLeastScore || s.score < kOverChance * s.chance) continue;
    if (s.score - s.chance <= most) continue;
    most = s.score - s.chance;
    role = static_cast<Role>(r);
  }
  return most > 0;
}

HeadRoles meant_roles(HeadRoles roles, const Trace& trace, const AttentionPlace& place) {
  if (!looks_at_itself(place)) return {};
  const PatchSpec& patch = trace.config().of(place.stack).patch;
  if (patch.size == 0) return roles;
  for (const Role role : {Role::previous, Role::positional})
    roles.scores[static_cast<std::size_t>(role)] = {};
  if (!patch.class_token) roles.scores[static_cast<std::size_t>(Role::first)] = {};
  return roles;
}

RoleMeter::RoleMeter(const std::vector<int>& ids) {
  std::unordered_map<int, std::int64_t> last;
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    const auto seen = last.find(ids[pos]);
    copy_before_.push_back(seen == last.end() ? -1 : seen->second);
    last[ids[pos]] = static_cast<std::int64_t>(pos);
  }
}

RoleMeter::RoleMeter(const Trace& trace, const AttentionPlace& place)
    : RoleMeter(ids_to_compare(trace, place)) {
  const std::int64_t rows = trace.rows(place.stack);
  while (first_ + 1 < rows && !trace.is_real(place.stack, first_)) ++first_;
}

void RoleMeter::note(Role role, double score, double chance) {
  RoleScore& sum = sums_.scores[static_cast<std::size_t>(role)];
  sum.score += score;
  sum.chance += chance;
  ++sum.rows;
}

void RoleMeter::add_row(const float* row, const float* mask, std::int64_t keys, std::int64_t mask_stride,
                        std::int64_t stride, std::int64_t query) {
  RoleShare all{row, mask, keys, stride, mask_stride};
  for (std::int64_t key = 0; key < keys; ++key) all.take(key);
  if (all.in_sight == 0) return;  // a fully masked row has no weights to score
  const auto even = 1.0 / static_cast<double>(all.in_sight);
  const auto one_key = [&](Role role, std::int64_t key) {
    RoleShare share{row, mask, keys, stride, mask_stride};
    share.take(key);
    note(role, share.weight, static_cast<double>(share.in_sight) * even);
  };
  one_key(Role::previous, query - 1);
  one_key(Role::first, first_);
  one_key(Role::self, query);
  ++sums_.scores[static_cast<std::size_t>(Role::positional)].rows;
  for (std::int64_t key = 0; key < keys; ++key) {
    const bool seen = !mask || mask[key * mask_stride] > 0;
    if (!seen && row[key * stride] == 0.f) continue;
    std::vector<RoleScore>& side = key <= query ? back_ : ahead_;
    const auto at = static_cast<std::size_t>(key <= query ? query - key : key - query - 1);
    if (at >= side.size()) side.resize(at + 1);
    RoleScore& sum = side[at];
    sum.score += static_cast<double>(row[key * stride]);
    sum.chance += seen ? even : 0;
  }
  if (query >= static_cast<std::int64_t>(copy_before_.size())) return;
  RoleShare copies{row, mask, keys, stride, mask_stride}, followers = copies;
  bool any_copy = false, any_follower = false;
  for (auto copy = copy_before_[static_cast<std::size_t>(query)]; copy >= 0;
       copy = copy_before_[static_cast<std::size_t>(copy)]) {
    copies.take(copy);
    any_copy = true;
    if (copy + 1 >= query) continue;  // the query itself follows: that is no memory of the past
    followers.take(copy + 1);
    any_follower = true;
  }
  if (any_copy) note(Role::duplicate, copies.weight, static_cast<double>(copies.in_sight) * even);
  if (any_follower) note(Role::induction, followers.weight, static_cast<double>(followers.in_sight) * even);
}

void RoleMeter::add(const Tensor& band, const Tensor& mask, std::int64_t first_query) {
  for (std::int64_t row = 0; row < band.size(0); ++row) {
    if (first_query + row <= first_) continue;
    const float* allowed = mask.empty() ? nullptr : mask.data() + row * mask.stride(0);
    add_row(band.data() + row * band.stride(0), allowed, band.size(1), mask.empty() ? 0 : mask.stride(1),
            band.stride(1), first_query + row);
  }
}

void RoleMeter::add_real(const Trace& trace, Stack stack, const Tensor& band, const Tensor& mask,
                         std::int64_t first_query) {
  std::int64_t begin = 0;
  for (std::int64_t row = 0; row <= band.size(0); ++row) {
    if (row < band.size(0) && trace.is_real(stack, first_query + row)) continue;
    if (row > begin)
      add(band.slice(0, begin, row), mask.empty() ? mask : mask.slice(0, begin, row), first_query + begin);
    begin = row + 1;
  }
}

// The distance whose keys have most weight; of equal ones the nearest.
RoleScore RoleMeter::best_offset(std::int64_t& offset) const {
  RoleScore best = sums_.of(Role::positional);
  const auto ask = [&](const std::vector<RoleScore>& side, std::size_t at, std::int64_t distance) {
    if (at >= side.size() || side[at].score <= best.score) return;
    best.score = side[at].score, best.chance = side[at].chance;
    offset = distance;
  };
  for (std::size_t at = 0; at < std::max(back_.size(), ahead_.size() + 1); ++at) {
    ask(back_, at, -static_cast<std::int64_t>(at));
    if (at > 0) ask(ahead_, at - 1, static_cast<std::int64_t>(at));
  }
  return best;
}

HeadRoles RoleMeter::roles() const {
  HeadRoles out = sums_;
  out.scores[static_cast<std::size_t>(Role::positional)] = best_offset(out.offset);
  for (RoleScore& sum : out.scores) {
    if (sum.rows == 0) continue;
    sum.score /= static_cast<double>(sum.rows);
    sum.chance /= static_cast<double>(sum.rows);
  }
  return out;
}

}  // namespace attnscope
