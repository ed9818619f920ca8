// The motion that explains a step: every flight begins and ends at cells that explain() names, lands in time,
// and nothing of it is left at the end. The clock of it.
#include "app/views/steps_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "app/state/motion.h"
#include "app/widgets/navigation.h"
#include "core/base/assets.h"

namespace attnscope {
namespace {

class StepsMotion : public ::testing::Test {
 protected:
  void SetUp() override {
    session_.open_scene(std::string(asset("assets/scenes/nine_steps.json")), "scene:nine_steps");
    session_.wait();
    run_ = session_.result();
    ASSERT_TRUE(run_);
  }
  Figure figure(const Site& at) { return build_figure(*run_, {0, 0, 1, at, false, {}}); }
  Session session_;
  std::shared_ptr<const RunResult> run_;
};

TEST_F(StepsMotion, FliesBetweenCellsThatExplainNames) {
  const Trace& trace = run_->trace(0);
  int flights = 0;
  for (const TimelineStep& step : run_->steps)
    for (const Site& site : step.sites) {
      const Figure shown = figure(site);
      const MotionPlan plan = plan_motion(trace, shown);
      for (const MotionFlight& flight : plan.flights) {
        const auto at = [&](const FigureCell& cell) -> const Operand& {
          return shown.operands[static_cast<std::size_t>(cell.operand)];
        };
        ASSERT_EQ(at(flight.to).site, site) << "it lands in the step that is explained";
        const auto why =
            explain(trace, site, source_index(trace, at(flight.to), flight.to.row, flight.to.col));
        ASSERT_TRUE(why);
        bool named = false;
        for (const Term& term : why->terms)
          for (const Source& source : term.factors)
            if (const auto spot = spot_of(trace, at(flight.from), source))
              named = named || (spot->row == flight.from.row && spot->col == flight.from.col);
        EXPECT_TRUE(named) << to_text(site);
        EXPECT_GE(flight.begin, 0.f);
        EXPECT_LT(flight.begin, flight.end);
        EXPECT_LE(flight.end, 1.f + 1e-5f);
        ++flights;
      }
    }
  EXPECT_GT(flights, 100);
}

TEST_F(StepsMotion, ProductsOfOneNumberAddUpToIt) {
  const Trace& trace = run_->trace(0);
  const Site scores = site_of(Slot::z, 0);
  const Figure shown = figure(scores);
  const MotionPlan plan = plan_motion(trace, shown);
  ASSERT_FALSE(plan.flights.empty());
  std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
  for (const MotionFlight& flight : plan.flights) {
    EXPECT_TRUE(flight.joins) << "a factor of the row meets one of the column";
    sums[{flight.to.row, flight.to.col}] += static_cast<double>(flight.value);
  }
  for (const auto& [cell, sum] : sums)
    EXPECT_NEAR(sum, static_cast<double>(trace.cell(scores, {0, cell.first, cell.second})), 1e-5);
}

TEST_F(StepsMotion, EveryNumberOfASplitFliesByItself) {
  const Figure shown = figure(site_of(Slot::split_q, 0));
  const MotionPlan plan = plan_motion(run_->trace(0), shown);
  std::set<std::tuple<int, std::int64_t, std::int64_t>> landed;
  for (const MotionFlight& flight : plan.flights)
    landed.insert({flight.to.operand, flight.to.row, flight.to.col});
  std::size_t cells = 0;
  for (const Operand& operand : shown.operands)
    if (operand.is_step() && operand.site == shown.site)
      cells += static_cast<std::size_t>(operand.row.size * operand.col.size);
  EXPECT_EQ(landed.size(), cells) << "all heads";
}

TEST_F(StepsMotion, ClockFollowsTheSpeedAndStandsWhereItIsHeld) {
  EXPECT_FLOAT_EQ(motion_seconds(1, false), 0.8f);
  EXPECT_FLOAT_EQ(motion_seconds(2, false), 0.4f);
  EXPECT_FLOAT_EQ(motion_seconds(8, false), 0.3f);
  EXPECT_FLOAT_EQ(motion_seconds(0.25f, true), 0.8f);
  EXPECT_EQ(motion_seconds(8, true), 0) << "the next step comes before it could be seen";
  Workspace workspace;
  MotionClock clock;
  go_to_step(workspace, *run_, 2);
  clock.follow(workspace, run_.get(), 0.1f);
  EXPECT_EQ(workspace.motion, 1.f) << "nobody came from anywhere";
  go_to_step(workspace, *run_, 3);
  clock.follow(workspace, run_.get(), 0.2f);
  EXPECT_NEAR(workspace.motion, 0.25f, 1e-5f);
  EXPECT_TRUE(workspace.moving);
  workspace.motion_held = true;
  clock.follow(workspace, run_.get(), 0.2f);
  EXPECT_NEAR(workspace.motion, 0.25f, 1e-5f);
  workspace.motion_held = false;
  for (int i = 0; i < 4; ++i) clock.follow(workspace, run_.get(), 0.2f);
  EXPECT_EQ(workspace.motion, 1.f);
  workspace.moving = false;
  clock.follow(workspace, run_.get(), 0.2f);
  EXPECT_FALSE(workspace.moving) << "at rest nothing is redrawn";
  go_to_step(workspace, *run_, 2);
  clock.follow(workspace, run_.get(), 0.1f);
  EXPECT_EQ(workspace.motion, 1.f) << "the way back shows what is there";
  workspace.animate = false;
  go_to_step(workspace, *run_, 4);
  clock.follow(workspace, run_.get(), 0.1f);
  EXPECT_EQ(workspace.motion, 1.f);
}

}  // namespace
}  // namespace attnscope
