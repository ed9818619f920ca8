// The Translator's sentences: who does what (to whom, with whom, where, when), in English and in Korean.
// Korean puts the time first and the verb last, chooses its particles by the final consonant, and marks what
// is known (the, pronouns) with 은/는 and what is new (a) with 이/가. One English sentence has one
// translation.
#pragma once

#include <string>
#include <vector>

#include "core/train/random.h"
#include "core/train/translator_lexicon.h"

namespace attnscope {

/// A noun with what stands before it.
struct NounPhrase {
  const Noun* noun = nullptr;            ///< null: there is none
  const Adjective* adjective = nullptr;  ///< may be null
  bool known = true;                     ///< the; otherwise a or an
};

/// The meaning of a sentence, in no language. Null for absent parts.
struct Statement {
  const Pronoun* pronoun = nullptr;  ///< the subject, or
  NounPhrase subject;
  const Verb* verb = nullptr;
  Tense tense = Tense::past;
  bool negated = false;
  NounPhrase object, receiver, company, place;  ///< place: where, or the goal of a verb that has one
  const TimeWord* time = nullptr;
};

/// A sentence in both languages, as pieces of the vocabulary.
struct Translation {
  std::vector<std::string> english, korean;
  /// For each Korean piece the English word that it stands for: nouns, adjectives, verbs, words of time; -1
  /// for endings, particles, pronouns and signs.
  std::vector<int> aligned;
  /// Words of the English sentence; -1: there is none.
  int subject = -1, verb = -1, object = -1;
};

Translation translate(const Statement& statement);
/// Any statement that the grammar allows.
Statement random_statement(SplitMix64& random);
/// The same words everywhere: "The small cat saw a ball in the park yesterday."
Statement shown_statement();

}  // namespace attnscope
