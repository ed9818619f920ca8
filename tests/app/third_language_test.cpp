// A language is a folder of strings and nothing else: a copy of the Korean one under another name speaks
// everywhere, and the program lists it by the name that it gives itself.
#include "core/base/assets.h"
#include "core/base/language_names.h"
#include "core/base/text.h"
#include "core/lesson/lesson_file.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class ThirdLanguage : public testing::FrameTest {};

TEST_F(ThirdLanguage, IsOneFolder) {
  for (const std::string_view path : assets_under("assets/strings/ko/"))
    ASSERT_TRUE(add_strings("xx", path, asset(path))) << path;
  const std::vector<std::string> all = languages();
  EXPECT_EQ(all, (std::vector<std::string>{"en", "ko", "xx"}));
  EXPECT_EQ(language_name("xx"), "\ud55c\uad6d\uc5b4");
  EXPECT_EQ(language_name("nobody"), "nobody");
  ASSERT_TRUE(set_language("ko"));
  const std::string korean = all_texts();
  state().set_language("xx");
  EXPECT_EQ(language(), "xx");
  EXPECT_EQ(all_texts(), korean);
  open_default();
  for (const auto& view : state().views) {
    workspace().view = view->id();
    settle();
  }
  for (const char* id : {"nine_steps", "masks"}) {
    ASSERT_TRUE(state().lessons.start(state(), id, 1));
    settle();
    EXPECT_TRUE(state().lessons.ready());
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

}  // namespace
}  // namespace attnscope
