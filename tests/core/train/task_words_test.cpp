// What the screen says of a task is what its card says, and is there in Korean too.
#include <gtest/gtest.h>

#include "core/base/words.h"
#include "core/train/task.h"

namespace attnscope {
namespace {

TEST(TaskWords, TheEnglishOnesAreThoseOfTheCard) {
  for (const auto& task : tasks()) {
    const std::string key = "task." + std::string(task->name());
    EXPECT_EQ(std::string_view(tr(key + ".title")), task->title());
    EXPECT_EQ(std::string_view(tr(key + ".sentence")), task->sentence());
  }
}

TEST(TaskWords, EveryTaskHasKoreanOnes) {
  for (const auto& task : tasks())
    for (const char* part : {".title", ".sentence"}) {
      const std::string key = "task." + std::string(task->name()) + part;
      const std::string english = tr(key);
      ASSERT_TRUE(set_language("ko").ok());
      EXPECT_NE(std::string_view(tr(key)), english) << key;
      ASSERT_TRUE(set_language("en").ok());
    }
}

}  // namespace
}  // namespace attnscope
