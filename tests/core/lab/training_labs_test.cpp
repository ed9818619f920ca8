// Labs about losses, optimisers, norms and sizes against closed forms and plain double loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/lab/pieces.h"
#include "core/lab/power_fit.h"
#include "core/train/trainer.h"
#include "tests/core/lab/lab_pictures.h"

namespace attnscope {
namespace {

using namespace testing;

// ---- loss ------------------------------------------------------------------------------------------

TEST(LossLab, TheLeastLossIsTheEntropyOfTheTarget) {
  const LabTable row = table_of(picture_of("loss"), "lab.loss.row");
  EXPECT_NEAR(number_of(cell_of(row, "lab.loss.least", 2)), 1.356, 5e-4);
  EXPECT_NEAR(number_of(cell_of(row, "lab.loss.right", 2)), 0.9000033, 1e-7);
  EXPECT_NEAR(number_of(cell_of(row, "lab.loss.other", 2)), 3.333e-6, 1e-8);
  // The core's cross-entropy is that least plus KL; at p = the target's own share nothing is left of it.
  EXPECT_NEAR(number_of(cell_of(row, "lab.loss.ce", 2)), 1.356 + number_of(cell_of(row, "lab.loss.kl", 2)),
              2e-3);
  const LabTable even = table_of(picture_of("loss", {"p=0.9000033"}), "lab.loss.row");
  EXPECT_NEAR(number_of(cell_of(even, "lab.loss.kl", 2)), 0, 1e-9);
  EXPECT_NEAR(number_of(cell_of(even, "lab.loss.ce", 2)), 1.356, 5e-4);
}

TEST(LossLab, TheCurvesAreThoseOfTheFormulas) {
  const LabPicture picture = picture_of("loss", {"vocab=43", "smoothing=0.1"});
  for (const auto& [p, loss] : series_of(picture, "lab.loss.plain")) EXPECT_NEAR(loss, -std::log(p), 1e-4);
  for (const auto& [p, loss] : series_of(picture, "lab.loss.smoothed")) {
    const double other = 0.1 / 43, right = 0.9 + other;
    EXPECT_NEAR(loss, -right * std::log(p) - 42 * other * std::log((1 - p) / 42), 1e-4) << p;
  }
  EXPECT_EQ(picture_of("loss", {"p=0.99"}).notice.key(), "lab.loss.notice.sure");
}

TEST(LossLab, ThePilotLooksBadWhenTextCounts) {
  const LabPicture picture = picture_of("loss", {"counted=all"});
  const std::vector<Text>& arguments = picture.notice.arguments();
  EXPECT_NEAR(number_of(arguments[3].str()), 3.3098, 1e-3);
  EXPECT_NEAR(number_of(arguments[4].str()), 5.47e-5, 1e-6);
}

// ---- optimiser -------------------------------------------------------------------------------------

TEST(OptimiserLab, PlainDescentShrinksByItsFactorEveryStep) {
  const auto path = series_of(picture_of("optimiser", {"rate=0.05", "stretch=10", "tilt=0", "steps=30"}),
                              "lab.optimiser.sgd");
  ASSERT_EQ(path.size(), 31U);
  for (std::size_t step = 0; step < path.size(); ++step) {
    EXPECT_NEAR(path[step].first, -3.2 * std::pow(1 - 0.05, step), 1e-9);
    EXPECT_NEAR(path[step].second, 1.6 * std::pow(1 - 0.05 * 10, step), 1e-9);
  }
}

TEST(OptimiserLab, AdamTakesTheStepsOfTheFormula) {
  const auto path =
      series_of(picture_of("optimiser", {"rate=0.1", "beta=0.9", "stretch=20", "tilt=30", "steps=40"}),
                "lab.optimiser.adam");
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  std::array<double, 2> w{-3.2, 1.6}, m{0, 0}, v{0, 0};
  for (std::size_t step = 1; step <= 40; ++step) {
    const double u0 = c * w[0] + s * w[1], u1 = 20 * (c * w[1] - s * w[0]);
    const std::array<double, 2> g{c * u0 - s * u1, s * u0 + c * u1};
    for (std::size_t i = 0; i < 2; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.98 * v[i] + 0.02 * g[i] * g[i];
      w[i] -= 0.1 * m[i] / (1 - std::pow(0.9, step)) / (std::sqrt(v[i] / (1 - std::pow(0.98, step))) + 1e-9);
    }
    EXPECT_NEAR(path[step].first, w[0], 1e-3) << step;
    EXPECT_NEAR(path[step].second, w[1], 1e-3) << step;
  }
}

TEST(OptimiserLab, TooLargeARateDiverges) {
  const LabPicture picture = picture_of("optimiser", {"rate=0.2", "stretch=20", "steps=100"});
  EXPECT_EQ(picture.notice.key(), "lab.optimiser.notice.diverges");
  const auto loss = series_of(picture, "lab.optimiser.sgd", "lab.optimiser.loss");
  EXPECT_GT(loss.back().second, 1e4);
}

// ---- norms -----------------------------------------------------------------------------------------

TEST(NormsLab, BothBringVectorsToTheSphereAndOnlyOneToThePlane) {
  for (const char* kind : {"kind=layer", "kind=rms"}) {
    const LabPicture picture = picture_of("norms", {kind, "stretch=0.8", "shift=1.5"});
    const auto along = series_of(picture, "lab.norms.after", "lab.norms.along"),
               side = series_of(picture, "lab.norms.after", "lab.norms.side");
    ASSERT_EQ(along.size(), 64U);
    double highest = 0;
    for (std::size_t i = 0; i < along.size(); ++i) {
      const double length = std::hypot(along[i].first, along[i].second, side[i].second);
      EXPECT_NEAR(length, std::sqrt(3.0), 0.02) << kind;
      highest = std::max(highest, std::fabs(side[i].second));
    }
    EXPECT_EQ(highest < 1e-4, std::string(kind) == "kind=layer");
  }
}

TEST(NormsLab, ShiftingTheInputChangesNothingForLayerNorm) {
  const auto here = series_of(picture_of("norms", {"shift=0"}), "lab.norms.after"),
             there = series_of(picture_of("norms", {"shift=2"}), "lab.norms.after");
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i].first, there[i].first, 1e-4);
}

// ---- pre and post ----------------------------------------------------------------------------------

TEST(PrePostLab, PostLnBeginsWithLargerGradientsAtTheOutput) {
  const LabPicture picture = picture_of("prepost", {"blocks=10"});
  const auto pre = series_of(picture, "lab.prepost.pre"), post = series_of(picture, "lab.prepost.post");
  ASSERT_EQ(pre.size(), 10U);
  EXPECT_GT(post.back().second / post.front().second, pre.back().second / pre.front().second);
  for (const auto& [block, norm] : pre) EXPECT_GT(norm, 0) << block;
}

// Pre-LN's sum grows, so that each block turns it less; behind Post-LN's norms it does not grow.
TEST(PrePostLab, LaterBlocksOfPreLnTurnARowLess) {
  const LabPicture picture = picture_of("prepost", {"blocks=12"});
  const auto& turns = std::get<LabPlot>(picture.pieces[2].what);
  ASSERT_EQ(turns.title.key(), "lab.prepost.turns");
  const auto &pre = turns.series[0].points, &post = turns.series[1].points;
  ASSERT_EQ(pre.size(), 12U);
  EXPECT_LT(pre.back().second, 0.4 * pre.front().second);
  EXPECT_GT(post.back().second, 0.6 * post.front().second);
  for (const auto& points : {pre, post})
    for (const auto& [block, degrees] : points) EXPECT_TRUE(degrees > 0 && degrees < 180) << block;
}

TEST(PrePostLab, WarmUpIsTheScheduleOfThePaper) {
  const auto rates = series_of(picture_of("prepost", {"warmup=1000", "rate=0.001"}), "lab.prepost.with");
  for (const auto& [step, rate] : rates)
    EXPECT_NEAR(rate, 0.001 * std::min(step / 1000, std::sqrt(1000 / step)), 1e-9) << step;
}

// ---- tying -----------------------------------------------------------------------------------------

TEST(TyingLab, UntiedOnlyItsOwnLogitIsMultiplied) {
  const LabPicture own = picture_of("tying", {"tied=off", "factor=2"});
  const std::vector<Text>& words = own.formula.arguments();
  EXPECT_NEAR(number_of(words[3].str()), 2 * number_of(words[1].str()),
              2e-3 * std::fabs(number_of(words[3].str())));
  EXPECT_EQ(own.notice.key(), "lab.tying.notice.own");
  EXPECT_EQ(own.notice.arguments()[2].str(), "0");
  EXPECT_EQ(own.notice.arguments()[3].str(), "0");
  const LabPicture tied = picture_of("tying", {"factor=2"});
  EXPECT_EQ(tied.notice.key(), "lab.tying.notice.tied");
  EXPECT_GT(number_of(tied.notice.arguments()[2].str()), 0.01);
}

TEST(TyingLab, CountsWhatASecondTableCosts) {
  const LabTable sizes = table_of(picture_of("tying"), "lab.tying.sizes");
  EXPECT_EQ(cell_of(sizes, "Llama-2-7B", 3), "131,072,000");
  EXPECT_EQ(cell_of(sizes, "GPT-2 small", 3), "38,597,376");
}

// ---- memory ----------------------------------------------------------------------------------------

TEST(MemoryLab, TheValueReadAsWordsIsTheProductOfTwoWeights) {
  const LabPicture picture = picture_of("memory");
  const auto story = shipped_model("storyteller");
  ASSERT_TRUE(story);
  const auto neuron = static_cast<std::int64_t>(number_of(picture.notice.arguments()[0].str()));
  const double activation = number_of(picture.notice.arguments()[2].str());
  const Weights& weights = (*story)->model->weights();
  const Tensor value = weights.get("blocks.1.mlp.out.weight"), table = weights.get("tok_embed.weight");
  double best = -INFINITY;
  for (std::int64_t id = 0; id < table.size(0); ++id) {
    double sum = 0;
    for (std::int64_t d = 0; d < 64; ++d)
      sum += static_cast<double>(value.at(neuron, d)) * static_cast<double>(table.at(id, d));
    best = std::max(best, activation * sum);
  }
  EXPECT_NEAR(bars_of(picture, "lab.memory.words").bars.front().value, best, 0.01 * best);
}

// ---- decode ----------------------------------------------------------------------------------------

TEST(DecodeLab, CountsRowsWithAndWithoutTheCache) {
  const LabPicture one = picture_of("decode", {"prompt=1", "tokens=20"});
  const LabTable counts = table_of(one, "lab.decode.counts");
  EXPECT_EQ(number_of(cell_of(counts, "lab.decode.rows", 1)), 20);
  EXPECT_EQ(number_of(cell_of(counts, "lab.decode.rows", 2)), 20 * 21 / 2);
  const LabTable longer = table_of(picture_of("decode", {"prompt=10", "tokens=4"}), "lab.decode.counts");
  EXPECT_EQ(number_of(cell_of(longer, "lab.decode.rows", 1)), 13);
  EXPECT_EQ(number_of(cell_of(longer, "lab.decode.rows", 2)), 10 + 11 + 12 + 13);
  // The sentence writes a number as the table does.
  const LabPicture many = picture_of("decode", {"prompt=64", "tokens=32"});
  const std::vector<std::string> said = in_words(many.notice.arguments());
  EXPECT_EQ(said[0], cell_of(table_of(many, "lab.decode.counts"), "lab.decode.rows", 2));
  EXPECT_EQ(said[0], "2,544");
}

TEST(DecodeLab, SevenActionsOfASevenBillionModelNeedBandwidth) {
  const LabBars budget = [] {
    const LabPicture picture = picture_of("decode", {"bandwidth=1000", "tokens=2", "prompt=2"});
    EXPECT_EQ(picture.notice.key(), "lab.decode.notice.tight");
    return bars_of(picture, "lab.decode.budget");
  }();
  EXPECT_NEAR(budget.bars.front().value, 7 * 13.476831232 / 1000, 1e-6);
  EXPECT_EQ(picture_of("decode", {"bandwidth=500", "tokens=2", "prompt=2"}).notice.key(),
            "lab.decode.notice.late");
}

TEST(DecodeLab, APassReadsTheWeightsOnceForHoweverManyActions) {
  const auto budget = [](const char* answer) {
    return bars_of(picture_of("decode", {"tokens=2", "prompt=2", answer}), "lab.decode.budget").bars;
  };
  const double pass = 13.476831232 / 1000;
  EXPECT_NEAR(budget("answer=guessed").front().value, 3 * pass, 1e-6) << "seven, three at a time";
  EXPECT_NEAR(budget("answer=together").front().value, pass, 1e-6);
  EXPECT_NEAR(budget("answer=chunk").front().value, pass, 1e-6);
  EXPECT_NEAR(budget("answer=together").back().value, 0.1, 1e-9);
  EXPECT_NEAR(budget("answer=chunk").back().value, 0.8, 1e-9) << "eight movements at 10 Hz";
  EXPECT_EQ(picture_of("decode", {"bandwidth=50", "answer=together", "tokens=2"}).notice.key(),
            "lab.decode.notice.late");
  EXPECT_EQ(picture_of("decode", {"bandwidth=50", "answer=chunk", "tokens=2"}).notice.key(),
            "lab.decode.notice.fits");
}

// ---- robot -----------------------------------------------------------------------------------------

TEST(RobotLab, CutsTheImageAndReadsTheTokens) {
  const LabPicture picture = picture_of("robot", {"action=dx", "bin=0"});
  EXPECT_NE(picture.formula.str().find("196"), std::string::npos) << picture.formula.str();
  const LabTable actions = table_of(picture, "lab.robot.actions");
  EXPECT_NEAR(number_of(cell_of(actions, "Δx", 2)), -0.1875, 1e-6);
  EXPECT_NE(picture_of("robot", {"patch=14"}).formula.str().find("256"), std::string::npos);
}

TEST(RobotLab, ThePilotSaysItsMostLikelyTokens) {
  const auto pilot = shipped_model("pilot");
  ASSERT_TRUE(pilot);
  Input input = (*pilot)->card->inputs.front();
  const std::vector<int> right(input.ids.begin() + 20, input.ids.end());
  input.ids.resize(20);
  const LabTable actions = table_of(picture_of("robot", {"bin=6", "action=gripper"}), "lab.robot.actions");
  for (std::size_t action = 0; action < 7; ++action) {
    const auto trace = (*pilot)->model->run(input);
    ASSERT_TRUE(trace);
    const Tensor logits = (*trace)->logits_row((*trace)->length - 1);
    int best = 0;
    for (int id = 1; id < static_cast<int>(logits.count()); ++id)
      if (logits.at(id) > logits.at(best)) best = id;
    const std::string said = token_label(**pilot, action < 6 ? best : 2 + 6);  // the gripper was set
    EXPECT_EQ(actions.rows[action][1].str(), said) << action;
    EXPECT_EQ(actions.rows[action][3].str(), token_label(**pilot, right[action])) << action;
    input.ids.push_back(best);
  }
}

TEST(NormsLab, SaysTheRootOfThreeAndTheRadiusThatEpsilonLeaves) {
  const LabPicture picture = picture_of("norms", {"stretch=0.1"});
  EXPECT_NE(picture.formula.str().find("√3 = 1.732"), std::string::npos) << picture.formula.str();
  EXPECT_NE(picture.notice.str().find("1.727"), std::string::npos) << picture.notice.str();
}

// ---- scaling ---------------------------------------------------------------------------------------

TEST(ScalingLab, APowerLawIsFoundAgain) {
  std::vector<std::pair<double, double>> points;
  for (const double n : {1e3, 3e3, 1e4, 5e4, 2e5}) points.emplace_back(n, 0.83 + 25 / std::pow(n, 0.42));
  const PowerFit fit = fit_power(points);
  EXPECT_NEAR(fit.exponent, 0.42, 2e-3);
  EXPECT_NEAR(fit.floor, 0.83, 2e-3);
  EXPECT_NEAR(fit.factor, 25, 0.5);
  EXPECT_LT(fit.error, 1e-4);
}

TEST(ScalingLab, TheLeastLossIsTheLowestOfTheCurve) {
  const LabPicture picture = picture_of("scaling");
  const auto least = series_of(picture, "lab.scaling.least");
  for (const auto& [n, loss] : series_of(picture, "lab.scaling.same"))
    EXPECT_GE(loss, least[0].second - 1e-9) << n;
  const auto here = series_of(picture, "lab.scaling.here");
  EXPECT_NEAR(here[0].second, 1.69 + 406.4 / std::pow(7e9, 0.34) + 410.7 / std::pow(1.4e11, 0.28), 1e-9);
}

TEST(Labs, SayAtTheirEndsWhatIsTrueThere) {
  const auto notice = [](const char* lab, const std::vector<std::string>& set) {
    return picture_of(lab, set).notice.key();
  };
  EXPECT_EQ(notice("optimiser", {"beta=0"}), "lab.optimiser.notice.same");
  EXPECT_EQ(notice("optimiser", {"steps=1"}), "lab.optimiser.notice.same");
  EXPECT_EQ(notice("optimiser", {"stretch=1"}), "lab.optimiser.notice.round");
  EXPECT_EQ(notice("streaming", {"step=0"}), "lab.streaming.notice.first");
  EXPECT_EQ(notice("scaling", {"n=1e8", "d=5e9"}), "lab.scaling.notice.rule_larger");
  EXPECT_EQ(notice("decode", {"tokens=1"}), "lab.decode.notice.one");
  EXPECT_EQ(picture_of("prepost", {"blocks=2", "warmup=0"}).formula.str().find("/ 0"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
