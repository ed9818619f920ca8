#include "core/train/translator_lexicon.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

const std::vector<Noun>& nouns() {
  static const std::vector<Noun> list{
      {"boy", "소년", kPerson},
      {"girl", "소녀", kPerson},
      {"teacher", "선생님", kPerson},
      {"student", "학생", kPerson},
      {"friend", "친구", kPerson},
      {"king", "왕", kPerson},
      {"child", "아이", kPerson},
      {"cat", "고양이", kAnimal},
      {"dog", "개", kAnimal},
      {"bird", "새", kAnimal},
      {"horse", "말", kAnimal},
      {"bear", "곰", kAnimal},
      {"apple", "사과", kFood},
      {"bread", "빵", kFood, false},
      {"rice", "밥", kFood, false},
      {"cake", "케이크", kFood},
      {"water", "물", kDrink, false},
      {"milk", "우유", kDrink, false},
      {"tea", "차", kDrink, false},
      {"book", "책", kReadable | kWritten},
      {"letter", "편지", kReadable | kWritten},
      {"newspaper", "신문", kReadable},
      {"ball", "공", kThing},
      {"hat", "모자", kThing},
      {"flower", "꽃", kThing},
      {"box", "상자", kThing | kOpens},
      {"door", "문", kOpens},
      {"window", "창문", kOpens},
      {"garden", "정원", kPlace},
      {"park", "공원", kPlace},
      {"kitchen", "부엌", kPlace},
      {"forest", "숲", kPlace},
      {"house", "집", kPlace},
      {"market", "시장", kPlace, true, "at"},
      {"school", "학교", kPlace, true, "at"},
  };
  return list;
}

const std::vector<Adjective>& adjectives() {
  constexpr int kSolid = kThing | kReadable | kOpens;
  static const std::vector<Adjective> list{
      {"small", "작은", kBeing | kSolid | kFood},
      {"big", "큰", kBeing | kSolid | kFood},
      {"pretty", "예쁜", kBeing | kSolid},
      {"good", "좋은", kBeing | kGoods},
      {"kind", "친절한", kPerson},
      {"hungry", "배고픈", kBeing},
      {"young", "어린", kBeing},
      {"red", "빨간", kSolid},
      {"old", "오래된", kSolid},
  };
  return list;
}

const std::vector<TimeWord>& time_words() {
  static const std::vector<TimeWord> list{
      {"yesterday", "어제", true, false, false}, {"today", "오늘", true, true, true},
      {"now", "지금", false, true, false},       {"tomorrow", "내일", false, false, true},
      {"later", "나중에", false, false, true},
  };
  return list;
}

const std::vector<Verb>& verbs() {
  using F = Verb::Frame;
  constexpr int kAny = kBeing | kGoods | kOpens;
  static const std::vector<Verb> list{
      {"see", "sees", "saw", "보", "본 ##다", "보 ##았다", "볼", F::object, kBeing, kAny},
      {"like", "likes", "liked", "좋아하", "좋아한 ##다", "좋아했 ##다", "좋아할", F::object, kBeing, kAny},
      {"eat", "eats", "ate", "먹", "먹 ##는다", "먹 ##었다", "먹 ##을", F::object, kBeing, kFood},
      {"drink", "drinks", "drank", "마시", "마신 ##다", "마셨 ##다", "마실", F::object, kBeing, kDrink},
      {"read", "reads", "read", "읽", "읽 ##는다", "읽 ##었다", "읽 ##을", F::object, kPerson, kReadable},
      {"write", "writes", "wrote", "쓰", "쓴 ##다", "썼 ##다", "쓸", F::object, kPerson, kWritten},
      {"open", "opens", "opened", "열", "연 ##다", "열 ##었다", "열", F::object, kPerson, kOpens},
      {"buy", "buys", "bought", "사", "산 ##다", "샀 ##다", "살", F::object, kPerson, kGoods},
      {"help", "helps", "helped", "돕", "돕 ##는다", "도왔 ##다", "도울", F::object, kPerson, kBeing},
      {"meet", "meets", "met", "만나", "만난 ##다", "만났 ##다", "만날", F::object, kPerson, kBeing},
      {"give", "gives", "gave", "주", "준 ##다", "주 ##었다", "줄", F::gift, kPerson, kGoods},
      {"sleep", "sleeps", "slept", "자", "잔 ##다", "잤 ##다", "잘", F::alone, kBeing, 0},
      {"run", "runs", "ran", "달리", "달린 ##다", "달렸 ##다", "달릴", F::alone, kBeing, 0},
      {"laugh", "laughs", "laughed", "웃", "웃 ##는다", "웃 ##었다", "웃 ##을", F::alone, kPerson, 0},
      {"sing", "sings", "sang", "노래하", "노래한 ##다", "노래했 ##다", "노래할", F::alone, kPerson, 0},
      {"play", "plays", "played", "놀", "논 ##다", "놀 ##았다", "놀", F::alone, kBeing, 0},
      {"go", "goes", "went", "가", "간 ##다", "갔 ##다", "갈", F::goal, kBeing, kPlace},
      {"come", "comes", "came", "오", "온 ##다", "왔 ##다", "올", F::goal, kBeing, kPlace},
  };
  return list;
}

const std::vector<Pronoun>& pronouns() {
  static const std::vector<Pronoun> list{{"i", "나", false},    {"you", "너", false},
                                         {"he", "그", true},    {"she", "그녀", true},
                                         {"we", "우리", false}, {"they", "그들", false}};
  return list;
}

namespace {

// Adds the words between the blanks that are not yet there.
void add_words(std::vector<std::string>& out, std::string_view spaced) {
  for (const std::string& word : split(spaced, ' '))
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
}

void add_english(std::vector<std::string>& out) {
  add_words(out, ". the a an does do did not will to with in at");
  for (const Pronoun& word : pronouns()) add_words(out, word.english);
  for (const Noun& word : nouns()) add_words(out, word.english);
  for (const Adjective& word : adjectives()) add_words(out, word.english);
  for (const Verb& word : verbs())
    for (const char* form : {word.english, word.third, word.past}) add_words(out, form);
  for (const TimeWord& word : time_words()) add_words(out, word.english);
}

void add_korean(std::vector<std::string>& out) {
  add_words(out, "##은 ##는 ##이 ##가 ##을 ##를 ##에서 ##에 ##에게 ##과 ##와 ##지 않 ##는다 ##았다 것이다");
  for (const Pronoun& word : pronouns()) add_words(out, word.korean);
  for (const Noun& word : nouns()) add_words(out, word.korean);
  for (const Adjective& word : adjectives()) add_words(out, word.korean);
  for (const Verb& word : verbs())
    for (const char* form : {word.stem, word.korean_present, word.korean_past, word.korean_future})
      add_words(out, form);
  for (const TimeWord& word : time_words()) add_words(out, word.korean);
}

}  // namespace

const std::vector<std::string>& translator_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> out{"</s>", "<unk>", "<pad>"};
    add_english(out);
    add_korean(out);
    return out;
  }();
  return words;
}

bool ends_in_consonant(std::string_view korean) {
  char32_t last = 0;
  for (std::size_t at = 0; at < korean.size();) last = next_code_point(korean, at);
  constexpr char32_t kFirst = 0xAC00, kLast = 0xD7A3, kTails = 28;
  return last >= kFirst && last <= kLast && (last - kFirst) % kTails != 0;
}

}  // namespace attnscope
