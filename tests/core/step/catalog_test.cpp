// The columns of the catalog that other files go by: kind, role, rule and hue of each step.
#include "core/step/catalog.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace attnscope {
namespace {

TEST(CatalogColumns, kinds_never_go_back_in_the_order_of_execution) {
  std::set<StepKind> seen;
  for (const Step& step : catalog()) {
    if (!seen.empty()) {
      EXPECT_GE(step.kind, *seen.rbegin()) << step.text;
    }
    seen.insert(step.kind);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(StepKind::probs) + 1);  // and each has a step
}

TEST(CatalogColumns, a_kind_is_named_by_its_last_step) {
  std::map<StepKind, Slot> last;
  for (const Step& step : catalog()) last[step.kind] = step.slot;
  for (const auto& [kind, slot] : last) EXPECT_EQ(slot_of(kind), slot) << step_kind_name(kind);
  EXPECT_EQ(slot_of(StepKind::norm1), Slot::ln1_out);
  EXPECT_EQ(slot_of(StepKind::mask), Slot::masked);
  EXPECT_EQ(slot_of(StepKind::mlp_act), Slot::mlp_post);
  EXPECT_EQ(slot_of(StepKind::head), Slot::ln_head_out);
}

// The first row with the same columns is the one that is found.
TEST(CatalogColumns, a_role_is_named_by_its_first_step) {
  std::map<StepRole, Slot> first;
  std::map<std::pair<StepRole, Hue>, Slot> by_hue;
  std::map<std::pair<StepRole, Rule>, Slot> by_rule;
  for (const Step& step : catalog()) {
    first.try_emplace(step.role, step.slot);
    by_hue.try_emplace({step.role, step.hue}, step.slot);
    by_rule.try_emplace({step.role, step.rule}, step.slot);
  }
  for (const Step& step : catalog()) {
    EXPECT_EQ(slot_of(step.role), first[step.role]) << step.text;
    EXPECT_EQ(slot_of(step.role, step.hue), (by_hue[{step.role, step.hue}])) << step.text;
    EXPECT_EQ(slot_of(step.role, step.rule), (by_rule[{step.role, step.rule}])) << step.text;
  }
}

// Kind, role, rule and hue say which step it is, but for the tables that are added to the embedding (each
// has its role) and the projections of the MLP, whose names differ by what they are multiplied with.
TEST(CatalogColumns, all_four_together_are_one_step) {
  std::map<std::tuple<StepKind, StepRole, Rule, Hue>, std::set<Slot>> steps;
  for (const Step& step : catalog()) steps[{step.kind, step.role, step.rule, step.hue}].insert(step.slot);
  for (const auto& [columns, slots] : steps) {
    const std::set<Slot> up{Slot::mlp_pre, Slot::mlp_gate, Slot::mlp_up};
    EXPECT_TRUE(slots.size() == 1 || slots == up) << step_of(*slots.begin()).text;
  }
}

TEST(CatalogColumns, a_site_goes_to_a_step_beside_it) {
  const Site scores = cross_site(Slot::scores, 3, Stack::dec);
  EXPECT_EQ(scores.near(StepRole::pattern), cross_site(Slot::pattern, 3, Stack::dec));
  EXPECT_EQ(scores.near(StepRole::split, Hue::key), cross_site(Slot::split_k, 3, Stack::dec));
  EXPECT_EQ(site_of(StepKind::residual_post, 2), site_of(Slot::resid_post, 2));
  EXPECT_EQ(site_of(StepKind::output, 2).part, Part::attn);
  EXPECT_TRUE(scores.is(StepKind::scores) && !scores.is(StepKind::scale));
  EXPECT_TRUE(site_of(Slot::rot_k, 0).is(StepRole::rotated, Hue::key));
  EXPECT_FALSE(site_of(Slot::rot_k, 0).is(StepRole::rotated, Hue::query));
}

}  // namespace
}  // namespace attnscope
