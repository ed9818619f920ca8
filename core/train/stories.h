// Short English stories from a grammar: people, animals and things, two of them in the first sentence, a
// pronoun in its reason, and a second sentence that names again what the pronoun stands for ("The cat sat on
// the mat because it was tired. So the cat slept."), or a reason that names it ("because it was a tired cat.
// So it slept."). Held-out stories are chosen by their content: the two nouns, what happens between
// them, and the reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/train/random.h"
#include "core/train/task.h"

namespace attnscope {

/// One story as numbers of story_words(), and where its parts stand.
struct Story {
  std::vector<int> words;
  int antecedent = 0;  ///< the noun that the pronoun stands for, in the first sentence
  int other = 0;       ///< the other noun
  int subject = 0;     ///< the first noun; its verb follows
  int object = 0;      ///< the second noun
  int pronoun = 0;     ///< "it"; "was" or "were" follows
  int reason = 0;      ///< what gives the reason: "tired"
  int answer = 0;      ///< the word before the noun comes again: "the", or the reason
  int outcome = 0;     ///< the first word of what follows from the reason: "slept"
  bool names_in_reason = false;
  bool held_out = false;
};

/// Every word of the stories, each once; the full stop is one of them.
const std::vector<std::string>& story_words();
/// Which words of a story belong together, each from the later word to the earlier one; `before`: rows in
/// front of it. subject: a verb and who does it; verb: the second noun and the verb that it belongs to;
/// predicate: what is said of the pronoun, and the pronoun; pronoun: it and the noun that it stands for;
/// adjective: the reason and the noun that it describes; again: the article of the noun that comes again, and
/// where that noun stood first.
std::vector<WordRelation> story_relations(const Story& story, int before);
/// The longest story has this many words.
inline constexpr int kLongestStory = 30;

/// Story `number` of a split, the same for the same seed everywhere.
Story story_of(std::uint64_t seed, Split split, std::int64_t number);
/// Story `number` of a split, and the same with a reason of the other noun, so that the pronoun stands for
/// that: they differ in the reason, the pronoun and what follows from them, and have the same length up to
/// the answer.
struct StoryPair {
  Story clean, corrupt;
};
StoryPair story_pair(std::uint64_t seed, Split split, std::int64_t number);
/// "The cat sat on the mat because it was tired. So the cat slept.", which is held out.
Story first_story();

}  // namespace attnscope
