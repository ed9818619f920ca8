// The words of the Translator: English words whole, Korean stems and endings apart ("##" joins what stands
// before). All of Hangul's rules that the grammar needs depend on one test: whether a syllable ends in a
// consonant. Our own lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Kinds of nouns; verbs and adjectives take nouns of some of them.
enum NounKind : std::uint16_t {
  kPerson = 1,
  kAnimal = 2,
  kFood = 4,
  kDrink = 8,
  kReadable = 16,
  kThing = 32,
  kOpens = 64,
  kPlace = 128,
  kWritten = 256,
};
inline constexpr int kBeing = kPerson | kAnimal;
inline constexpr int kGoods = kFood | kDrink | kReadable | kThing;

struct Noun {
  const char *english, *korean;
  int kind;               ///< some NounKinds
  bool counted = true;    ///< takes "a"; "the water" does not
  const char* at = "in";  ///< of places: "in the park", "at the market"
};

struct Adjective {
  const char *english, *korean;
  int of;  ///< nouns it goes with
};

/// When something happens; a word of time may leave several tenses open.
enum class Tense : std::uint8_t { past, present, future };
struct TimeWord {
  const char *english, *korean;
  bool past, present, future;
};

struct Verb {
  /// What stands beside the subject: nothing (perhaps company), an object, a goal, an object and who gets it.
  enum class Frame : std::uint8_t { alone, object, goal, gift };
  const char *english, *third, *past;        ///< see, sees, saw
  const char* stem;                          ///< before "##지": 보
  const char *korean_present, *korean_past;  ///< pieces with blanks between: "본 ##다", "보 ##았다"
  const char* korean_future;                 ///< before 것이다: 볼
  Frame frame;
  int subjects, objects;  ///< NounKinds
};

struct Pronoun {
  const char *english, *korean;
  bool third;  ///< he sees, I see
};

const std::vector<Noun>& nouns();
const std::vector<Adjective>& adjectives();
const std::vector<TimeWord>& time_words();
const std::vector<Verb>& verbs();
const std::vector<Pronoun>& pronouns();

/// "</s>", "<unk>", "<pad>", then every English and every Korean piece once.
const std::vector<std::string>& translator_words();
inline constexpr int kTranslatorEnd = 0, kTranslatorUnknown = 1, kTranslatorPad = 2;

/// True where the last syllable of a Korean word ends in a consonant (Unicode 15, section 3.12: the tail of
/// a precomposed syllable).
bool ends_in_consonant(std::string_view korean);

}  // namespace attnscope
