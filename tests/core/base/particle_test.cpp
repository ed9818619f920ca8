// Which form of a Korean particle follows a word, as it is read aloud.
#include "core/base/particle.h"

#include <gtest/gtest.h>

#include "core/base/words.h"

namespace attnscope {
namespace {

struct Case {
  const char *word, *pair, *said;
};

TEST(Particle, FollowsTheSoundThatTheWordEndsIn) {
  const Case cases[] = {
      {"모델", "이/가", "이"},
      {"헤드", "이/가", "가"},
      {"토큰", "은/는", "은"},
      {"파일", "으로/로", "로"},
      {"블록", "으로/로", "으로"},
      {"어텐션", "과/와", "과"},
      {"0", "이/가", "이"},
      {"1", "을/를", "을"},
      {"2", "을/를", "를"},
      {"3", "은/는", "은"},
      {"4", "은/는", "는"},
      {"5", "과/와", "와"},
      {"6", "으로/로", "으로"},
      {"7", "으로/로", "로"},
      {"8", "으로/로", "로"},
      {"9", "으로/로", "로"},
      {"10", "으로/로", "으로"},
      {"6·10⁻⁸", "은/는", "은"},
      {"GPT-2", "이/가", "가"},
      {"L", "이/가", "이"},
      {"L", "으로/로", "로"},
      {"R", "으로/로", "로"},
      {"attn.n", "을/를", "을"},
      {"M", "으로/로", "으로"},
      {"MLP", "을/를", "를"},
      {"W_Q", "은/는", "는"},
      {"model", "으로/로", "로"},
      {"scale", "으로/로", "로"},
      {"token", "이/가", "이"},
      {"name", "이/가", "이"},
      {"embedding", "을/를", "을"},
      {"resid_pre", "을/를", "를"},
      {"layer", "으로/로", "로"},
      {"mask", "은/는", "는"},
      {"step", "은/는", "은"},
      {"block", "과/와", "과"},
      {"head", "과/와", "와"},
      {"logit", "이/가", "이"},
      {"weight", "이/가", "가"},
      {"text", "이/가", "가"},
      {"rms", "이/가", "가"},
      {"\"model\"", "이/가", "이"},
      {"모델(\"머리\")", "을/를", "를"},
      {"[head=3] ", "이/가", "이"},
      {"『말』", "으로/로", "로"},
      {"Model", "이/가", "이"},
      {"猫", "이/가", "이(가)"},
      {"", "을/를", "을(를)"},
      {"...", "으로/로", "(으)로"},
      {"\xff", "은/는", "은(는)"},
      {"이야기", "이라는/라는", "라는"},
      {"말", "이라는/라는", "이라는"},
  };
  for (const Case& row : cases)
    EXPECT_EQ(particle(row.word, row.pair), row.said) << row.word << " " << row.pair;
}

std::string fill(std::string_view pattern, std::initializer_list<std::string_view> arguments) {
  return filled(pattern, {arguments.begin(), arguments.size()});
}

TEST(Particle, StandsInAPlaceholder) {
  EXPECT_EQ(fill("{0:이/가} {1:을/를} 읽습니다.", {"헤드 3", "\"토큰\""}), "헤드 3이 \"토큰\"을 읽습니다.");
  EXPECT_EQ(fill("“{0}”{0:~이/가} “{1}”{1:~을/를}", {"head", "token"}), "“head”가 “token”을");
  EXPECT_EQ(fill("{0:으로/로} {0}{0:과/와}", {"서울"}), "서울로 서울서울과");
  EXPECT_EQ(fill("{0} {0:~token/tokens}, {1} {1:~question/questions} {1:~works/work}", {"1", "12"}),
            "1 token, 12 questions work");
  EXPECT_EQ(fill("{0} {0:~token/tokens}, {1} {1:~question/questions} {1:~works/work}", {"0", "1"}),
            "0 tokens, 1 question works");
  EXPECT_EQ(fill("{{0:이/가} {0:x} {0 {0: {:이/가} {1:이/가}", {"a"}),
            "{0:이/가} {0:x} {0 {0: {:이/가} {1:이/가}");
}

}  // namespace
}  // namespace attnscope
