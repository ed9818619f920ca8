// What a lab says at a moment is true of what it shows at that moment. A row of the table: a lab, its values,
// the key of the sentence that is to stand there, and what the picture has to hold for it to be true.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/core/lab/lab_pictures.h"

namespace attnscope {
namespace {

using testing::bars_of;
using testing::cell_of;
using testing::number_of;
using testing::picture_of;
using testing::series_of;
using testing::table_of;

struct Claim {
  const char* lab;
  std::vector<std::string> set;
  const char* key;  ///< of the notice
  std::function<bool(const LabPicture&)> holds;
};

double argument(const LabPicture& picture, std::size_t number) {
  return number_of(picture.notice.arguments().at(number).str());
}
std::string word(const LabPicture& picture, std::size_t number) {
  return picture.notice.arguments().at(number).str();
}

// As many rows of the table of words changed as the sentence says.
bool counts_changed_rows(const LabPicture& picture) {
  const auto rows = table_of(picture, "lab.order.rows").rows;
  const auto changed = std::count_if(rows.begin(), rows.end(),
                                     [](const auto& row) { return number_of(row[3].str()) >= 1e-5; });
  return argument(picture, 3) == static_cast<double>(changed) &&
         argument(picture, 4) == static_cast<double>(rows.size());
}

// The word of the key with the largest weight of a row of the matrix; empty where two keys share the largest.
std::string strongest_word(const LabMatrix& looks, std::int64_t row) {
  std::vector<std::pair<float, std::int64_t>> keys;
  for (std::int64_t key = 0; key < looks.values.size(1); ++key)
    if (!std::isnan(looks.values.at(row, key))) keys.emplace_back(looks.values.at(row, key), key);
  std::sort(keys.rbegin(), keys.rend());
  if (keys.size() > 1 && keys[0].first - keys[1].first < 1e-6f) return {};
  return looks.col_labels.at(static_cast<std::size_t>(keys[0].second)).str();
}

// The head and the wide head look most at the keys that the sentence names, which are the same or differ as
// it says.
bool names_the_strongest_keys(const LabPicture& picture) {
  const auto& looks = std::get<LabMatrix>(picture.pieces.at(0).what);
  const std::string sharp = strongest_word(looks, static_cast<std::int64_t>(argument(picture, 1))),
                    wide = strongest_word(looks, looks.values.size(0) - 1);
  return sharp == word(picture, 2) && wide == word(picture, 3) &&
         (sharp == wide) == (picture.notice.key() == std::string("lab.heads.notice.same"));
}

double rise(const std::vector<std::pair<double, double>>& curve) {
  double most = 0;
  for (const auto& point : curve) most = std::max(most, point.second);
  return most - curve[curve.size() / 2].second;
}

bool flattest_of_the_curves(const LabPicture& picture) {
  const char* keys[] = {"lab.surface.norms.pre", "lab.surface.norms.post", "lab.surface.norms.none"};
  std::size_t flattest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double own = rise(series_of(picture, keys[i], "lab.surface.cut"));
    if (std::fabs(own - argument(picture, 1 + i)) > 0.01 * own + 0.005) return false;
    if (own < rise(series_of(picture, keys[flattest], "lab.surface.cut"))) flattest = i;
  }
  return picture.notice.arguments().at(4).key() == keys[flattest];
}

// As many of the other six tokens are right as the sentence says.
bool counts_right_tokens(const LabPicture& picture) {
  const LabTable actions = table_of(picture, "lab.robot.actions");
  int right = 0;
  for (std::size_t row = 0; row < actions.rows.size(); ++row)
    right += static_cast<int>(row) != actions.lit && actions.rows[row][1].str() == actions.rows[row][3].str();
  return argument(picture, 7) == right && argument(picture, 8) == 6;
}

bool moves_the_hand_so_far(const LabPicture& picture) {
  const auto own = series_of(picture, "lab.robot.own").back(),
             moved = series_of(picture, "lab.robot.changed").back();
  const double apart = std::hypot(own.first - moved.first, own.second - moved.second);
  return counts_right_tokens(picture) && std::fabs(apart - argument(picture, 6)) < 1e-3 && apart > 0;
}

bool keeps_the_way_of_the_hand(const LabPicture& picture) {
  return counts_right_tokens(picture) &&
         series_of(picture, "lab.robot.own") == series_of(picture, "lab.robot.changed");
}

// How far a training comes differs by machine (the order of sums): what is said follows the losses shown.
bool losses_are_as_said(const LabPicture& picture) {
  const double a = argument(picture, 4), b = argument(picture, 5);
  const bool differ = std::max(a, b) >= 1.25 * std::min(a, b);
  return picture.notice.key() == (differ ? "lab.pair.notice.as_many" : "lab.pair.notice.alike");
}

// What is said of both models at the end follows the shares in the table.
bool length_is_as_said(const LabPicture& picture) {
  const double one_within = argument(picture, 1), one_last = argument(picture, 2),
               two_within = argument(picture, 4), two_last = argument(picture, 5);
  return one_last > one_within - 10 && two_last <= two_within - 10;  // percent
}

// A head is one for a relation from ten points over the best distance on; over a distance that is nearly
// always right there is none.
bool grammar_is_as_said(const LabPicture& picture) {
  const std::string key = picture.notice.key();
  const double head = argument(picture, 1), distance = argument(picture, 3);
  if (key == "lab.grammar.notice.fixed") return distance > 90;
  return (head >= distance + 10) == (key == "lab.grammar.notice.found");
}

TEST(LabNotice, IsTrueOfWhatIsShown) {
  const std::vector<Claim> claims{
      {"order", {"positions=on"}, "lab.order.notice.positions", counts_changed_rows},
      {"order",
       {"positions=on", "causal=on", "first=3", "second=4"},
       "lab.order.notice.positions",
       counts_changed_rows},
      {"order", {"causal=on", "first=0", "second=1"}, "lab.order.notice.causal", counts_changed_rows},
      {"heads", {"n=32"}, "lab.heads.notice.lost", names_the_strongest_keys},
      {"heads", {"n=32", "query=1"}, "lab.heads.notice.same", names_the_strongest_keys},
      {"surface", {"steps=60"}, "lab.surface.notice.little", flattest_of_the_curves},
      {"surface", {"steps=0"}, "lab.surface.notice", flattest_of_the_curves},
      {"robot", {"action=dx", "bin=3"}, "lab.robot.notice.moved", moves_the_hand_so_far},
      {"robot", {"action=roll", "bin=3"}, "lab.robot.notice.turned", keeps_the_way_of_the_hand},
      {"robot", {"action=dz", "bin=12"}, "lab.robot.notice.height", keeps_the_way_of_the_hand},
      {"robot", {"action=gripper", "bin=15"}, "lab.robot.notice.grip", keeps_the_way_of_the_hand},
      {"length", {}, "lab.length.notice.one", length_is_as_said},
      {"length", {"a=sinusoidal", "b=alibi"}, "lab.length.notice.one", length_is_as_said},
      {"grammar", {}, "lab.grammar.notice.found", grammar_is_as_said},
      {"grammar", {"relation=subject"}, "lab.grammar.notice.fixed", grammar_is_as_said},
      {"grammar", {"relation=predicate"}, "lab.grammar.notice.none", grammar_is_as_said},
      {"grammar",
       {"model=translator-reads", "relation=subject"},
       "lab.grammar.notice.none",
       grammar_is_as_said},
      {"pair", {"data=copying", "a=usual", "b=post"}, "", losses_are_as_said}};
  for (const Claim& claim : claims) {
    const LabPicture picture = picture_of(claim.lab, claim.set);
    if (!std::string(claim.key).empty()) {
      EXPECT_EQ(picture.notice.key(), claim.key) << claim.lab << ": " << picture.notice.str();
    }
    EXPECT_TRUE(claim.holds(picture)) << claim.lab << ": " << picture.notice.str();
  }
}

TEST(LabNotice, TheTokenThatIsRightIsCalledRight) {
  const LabTable actions = table_of(picture_of("robot"), "lab.robot.actions");
  const std::string right = actions.rows[0][3].str();  // <act_10>
  const LabPicture picture = picture_of("robot", {"bin=" + right.substr(5, right.size() - 6)});
  const bool own = picture.notice.key() == "lab.robot.notice.own";
  EXPECT_TRUE(own || picture.notice.key() == "lab.robot.notice.corrected") << picture.notice.str();
}

TEST(LabNotice, PatchesThatLeaveAMarginSaySo) {
  EXPECT_EQ(picture_of("robot", {"side=336", "patch=32"}).formula.key(), "lab.robot.formula.cut");
  EXPECT_EQ(picture_of("robot", {"side=336", "patch=16"}).formula.key(), "lab.robot.formula");
}

TEST(LabNotice, TheFirstSentenceIsOneThatAllThreeModelsKnow) {
  const LabPicture picture = picture_of("sentence");
  EXPECT_EQ(picture.notice.key(), "lab.sentence.notice");
  const auto& rows = std::get<LabTable>(picture.pieces[3].what).rows;
  EXPECT_EQ(rows[0][3].arguments()[0].str(), word(picture, 2)) << "the word that was covered";
  EXPECT_EQ(rows[0][4].arguments()[0].str(), word(picture, 2)) << "is what the encoder says";
  EXPECT_EQ(rows[1][4].arguments()[0].str(), "because");
  EXPECT_EQ(rows[2][4].str(), "소녀는 말을 도왔다.");
  for (const auto& row : rows) EXPECT_EQ(row[5].str(), "–") << "no unknown words";
}

}  // namespace
}  // namespace attnscope
