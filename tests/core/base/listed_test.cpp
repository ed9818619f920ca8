// Lists in sentences have an end.
#include "core/base/listed.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(Listed, WhatIsTooManyIsCounted) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  EXPECT_EQ(some_of({}, 3).str(), "");
  EXPECT_EQ(some_of(names, 4).str(), "a, b, c, d");
  const Text cut = some_of(names, 3);
  EXPECT_EQ(cut.key(), "note.list.more");
  EXPECT_EQ(cut.arguments()[0].str(), "a, b, c");
  EXPECT_EQ(cut.arguments()[1].str(), "1");
}

}  // namespace
}  // namespace attnscope
