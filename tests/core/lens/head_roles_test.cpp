// Head roles against plain loops over whole patterns, and on patterns made to play one role.
#include "core/lens/head_roles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/arch/open.h"

namespace attnscope {
namespace {

Tensor square(std::int64_t n, const std::function<float(std::int64_t, std::int64_t)>& cell) {
  std::vector<float> cells;
  for (std::int64_t query = 0; query < n; ++query)
    for (std::int64_t key = 0; key < n; ++key) cells.push_back(cell(query, key));
  return Tensor::from(std::move(cells), {{Axis::query, n}, {Axis::key, n}});
}
Tensor causal_mask(std::int64_t n) {
  return square(n, [](std::int64_t query, std::int64_t key) { return key <= query ? 1.f : 0.f; });
}
HeadRoles roles_of(const Tensor& pattern, const std::vector<int>& ids) {
  RoleMeter meter(ids);
  meter.add(pattern, causal_mask(pattern.size(0)), 0);
  return meter.roles();
}
Role strongest(const HeadRoles& roles) {
  Role role = Role::self;
  EXPECT_TRUE(roles.strongest(role));
  return role;
}

const std::vector<int> kRepeated{5, 17, 9, 33, 5, 17, 9, 33, 5, 17};

/// The definition, spelled out: per role a list of keys for each query.
struct Naive {
  double score = 0, chance = 0;
  int rows = 0;
};
Naive naive(const Tensor& pattern, const std::vector<int>& ids, Role role) {
  Naive out;
  const auto n = pattern.size(0);
  if (role == Role::positional) {  // the distance of the largest mean, keys that do not exist counted as 0
    for (std::int64_t back = 0; back < n; ++back) {
      Naive one;
      one.rows = static_cast<int>(n - 1);
      for (std::int64_t query = 1; query < n; ++query)
        if (query >= back) {
          one.score += static_cast<double>(pattern.at(query, query - back)) / static_cast<double>(n - 1);
          one.chance += 1.0 / static_cast<double>(query + 1) / static_cast<double>(n - 1);
        }
      if (one.score > out.score) out = one;
    }
    return out;
  }
  for (std::int64_t query = 1; query < n; ++query) {
    double score = 0, keys = 0;
    for (std::int64_t key = 0; key < n; ++key) {
      const auto same = [&](std::int64_t a, std::int64_t b) { return ids[size_t(a)] == ids[size_t(b)]; };
      bool counts = false;
      if (role == Role::previous) counts = key == query - 1;
      if (role == Role::first) counts = key == 0;
      if (role == Role::self) counts = key == query;
      if (role == Role::duplicate) counts = key < query && same(key, query);
      if (role == Role::induction) counts = key >= 1 && key < query && same(key - 1, query);
      if (!counts) continue;
      score += static_cast<double>(pattern.at(query, key));
      keys += key <= query;
    }
    if (keys == 0) continue;
    out.score += score, out.chance += keys / static_cast<double>(query + 1), ++out.rows;
  }
  if (out.rows > 0) out.score /= out.rows, out.chance /= out.rows;
  return out;
}

TEST(HeadRoles, AgreeWithPlainLoopsOnModels) {
  for (const char* name : {"gpt2", "llama"}) {
    const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    ASSERT_TRUE(opened) << opened.error().text();
    const auto trace = opened->model->run(Input{kRepeated, {}});
    ASSERT_TRUE(trace);
    const auto all = (*trace)->tensor(site_of(Slot::pattern, 1));
    ASSERT_TRUE(all);
    for (std::int64_t head = 0; head < all->size(0); ++head) {
      const Tensor pattern = all->select(0, head);
      const HeadRoles roles = roles_of(pattern, kRepeated);
      for (int r = 0; r < kRoleCount; ++r) {
        const Naive want = naive(pattern, kRepeated, static_cast<Role>(r));
        const RoleScore& got = roles.of(static_cast<Role>(r));
        EXPECT_EQ(got.rows, want.rows) << role_name(static_cast<Role>(r));
        EXPECT_NEAR(got.score, want.score, 1e-6) << name << " " << role_name(static_cast<Role>(r));
        EXPECT_NEAR(got.chance, want.chance, 1e-9) << name << " " << role_name(static_cast<Role>(r));
      }
    }
  }
}

TEST(HeadRoles, BandsMakeNoDifference) {
  const Tensor pattern = square(
      10, [](std::int64_t q, std::int64_t k) { return k <= q ? 1.f / static_cast<float>(q + 1) : 0.f; });
  const Tensor mask = causal_mask(10);
  RoleMeter meter(kRepeated);
  for (std::int64_t row = 0; row < 10; row += 3) {
    const std::int64_t end = std::min<std::int64_t>(10, row + 3);
    meter.add(pattern.slice(0, row, end), mask.slice(0, row, end), row);
  }
  const HeadRoles parts = meter.roles(), whole = roles_of(pattern, kRepeated);
  for (int r = 0; r < kRoleCount; ++r)
    EXPECT_NEAR(parts.scores[size_t(r)].score, whole.scores[size_t(r)].score, 1e-12);
}

TEST(HeadRoles, EvenHeadPlaysNoRole) {
  const HeadRoles roles = roles_of(
      square(10,
             [](std::int64_t q, std::int64_t k) { return k <= q ? 1.f / static_cast<float>(q + 1) : 0.f; }),
      kRepeated);
  for (const RoleScore& score : roles.scores) EXPECT_NEAR(score.score, score.chance, 1e-6);
  Role role = Role::self;
  EXPECT_FALSE(roles.strongest(role));
}

TEST(HeadRoles, EachRoleIsRecognised) {
  const auto one_key = [](const std::function<std::int64_t(std::int64_t)>& key_of) {
    return square(10, [=](std::int64_t q, std::int64_t k) { return k == key_of(q) ? 1.f : 0.f; });
  };
  const auto before = [](std::int64_t q) { return std::max<std::int64_t>(0, q - 1); };
  EXPECT_EQ(strongest(roles_of(one_key(before), kRepeated)), Role::previous);
  EXPECT_EQ(strongest(roles_of(one_key([](std::int64_t) { return 0; }), kRepeated)), Role::first);
  EXPECT_EQ(strongest(roles_of(one_key([](std::int64_t q) { return q; }), kRepeated)), Role::self);
  // The pattern repeats every four tokens: four back stands a copy, three back what followed it.
  const auto copy = [](std::int64_t q) { return std::max<std::int64_t>(0, q - 4); };
  const auto follower = [](std::int64_t q) { return std::max<std::int64_t>(0, q - 3); };
  EXPECT_EQ(strongest(roles_of(one_key(copy), kRepeated)), Role::duplicate);
  EXPECT_EQ(strongest(roles_of(one_key(follower), kRepeated)), Role::induction);
}

TEST(HeadRoles, WithoutTokensNoCopiesAreTold) {
  const HeadRoles roles =
      roles_of(square(4, [](std::int64_t q, std::int64_t k) { return k == q ? 1.f : 0.f; }), {});
  EXPECT_EQ(roles.of(Role::duplicate).rows, 0);
  EXPECT_EQ(roles.of(Role::induction).rows, 0);
  EXPECT_EQ(roles.of(Role::self).rows, 3);
}

TEST(HeadRoles, FullyMaskedRowsAreLeftOut) {
  RoleMeter meter({});
  const Tensor nothing = square(3, [](std::int64_t, std::int64_t) { return 0.f; });
  meter.add(nothing, nothing, 0);
  EXPECT_EQ(meter.roles().of(Role::previous).rows, 0);
}

}  // namespace
}  // namespace attnscope
