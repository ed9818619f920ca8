// The rules by which rows count in a loss: as texts, and asked for rows.
#include "core/trace/counted_rows.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(CountedRows, AreReadAndWrittenAsTexts) {
  for (const char* text : {"all", "from:26", "saying:2-17", "repeated", "masked:4"}) {
    const auto rows = CountedRows::parse(text);
    ASSERT_TRUE(rows) << text;
    EXPECT_EQ(rows->text(), text);
  }
  for (const char* text : {"", "none", "all:3", "repeated:", "from", "from:", "from:-2", "from:2x",
                           "saying:3", "saying:9-2", "saying:2-", "masked:99999999999", "from:1\n"}) {
    const auto rows = CountedRows::parse(text);
    ASSERT_FALSE(rows) << text;
    EXPECT_FALSE(rows.error().hint().empty());
  }
}

TEST(CountedRows, AskTheTokensOfARun) {
  Trace trace(std::make_shared<const ModelConfig>(), std::make_shared<const Weights>());
  trace.ids = {1, 1, 20, 3, 5, 3, 7};
  const auto rows = [&](const char* text) {
    std::string out;
    for (const bool counts : CountedRows::parse(text)->of(trace, 7)) out += counts ? '1' : '0';
    return out;
  };
  EXPECT_EQ(rows("all"), "1111111");
  EXPECT_EQ(rows("from:3"), "0001111");
  EXPECT_EQ(rows("from:9"), "0000000");
  EXPECT_EQ(rows("saying:3-7"), "0011110");
  EXPECT_EQ(rows("repeated"), "0100010");
  EXPECT_EQ(rows("masked:3"), "0001010");
}

}  // namespace
}  // namespace attnscope
