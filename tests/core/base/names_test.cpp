// The names that lessons may say: read from assets/names.json, with stars.
#include "core/base/names.h"

#include <gtest/gtest.h>

#include <set>

namespace attnscope {
namespace {

TEST(Names, StarsStandForAnyLetters) {
  EXPECT_TRUE(fits_pattern("chip*", "chip12"));
  EXPECT_TRUE(fits_pattern("chip*", "chip"));
  EXPECT_FALSE(fits_pattern("chip", "chip1"));
  EXPECT_TRUE(fits_pattern("*.act", "banner.act"));
  EXPECT_TRUE(fits_pattern("a*b*c", "a--b--bc"));
  EXPECT_FALSE(fits_pattern("a*b*c", "a--c--b"));
  EXPECT_FALSE(fits_pattern("", "x"));
  EXPECT_TRUE(fits_pattern("*", ""));
}

TEST(Names, TheListOfTheProgramIsReadAndHoldsNothingTwice) {
  EXPECT_TRUE(is_view("steps"));
  EXPECT_FALSE(is_view("nothing"));
  EXPECT_TRUE(is_item("tab_steps"));
  EXPECT_FALSE(is_item("no such thing on screen"));
  for (const auto* list : {&names().actions, &names().views, &names().items}) {
    EXPECT_FALSE(list->empty());
    EXPECT_EQ(std::set<std::string>(list->begin(), list->end()).size(), list->size());
    for (const std::string& name : *list) EXPECT_NE(name, "*") << "everything is no name";
  }
}

}  // namespace
}  // namespace attnscope
