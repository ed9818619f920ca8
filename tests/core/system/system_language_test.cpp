// Which variable decides about the language, and what counts as Korean.
#include "core/system/system_language.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>

namespace attnscope {
namespace {

constexpr const char* kNames[] = {"LC_ALL", "LC_MESSAGES", "LANG"};

class SystemLanguageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      before_[name] = value ? std::optional<std::string>(value) : std::nullopt;
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_)
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
  }

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(SystemLanguageTest, NothingSetIsEnglish) { EXPECT_EQ(system_language(), "en"); }

TEST_F(SystemLanguageTest, KoreanIsKoreanInEverySpelling) {
  for (const char* value : {"ko", "ko_KR", "ko_KR.UTF-8", "ko.UTF-8", "ko@hanja"}) {
    setenv("LANG", value, 1);
    EXPECT_EQ(system_language(), "ko") << value;
  }
  for (const char* value : {"kok_IN", "C", "C.UTF-8", "en_US.UTF-8", "POSIX", "de_DE"}) {
    setenv("LANG", value, 1);
    EXPECT_EQ(system_language(), "en") << value;
  }
}

TEST_F(SystemLanguageTest, TheStrongerVariableDecides) {
  setenv("LANG", "ko_KR.UTF-8", 1);
  setenv("LC_MESSAGES", "en_US.UTF-8", 1);
  EXPECT_EQ(system_language(), "en");
  setenv("LC_ALL", "ko_KR.UTF-8", 1);
  EXPECT_EQ(system_language(), "ko");
  setenv("LC_ALL", "", 1);  // set to nothing is not set
  EXPECT_EQ(system_language(), "en");
}

}  // namespace
}  // namespace attnscope
