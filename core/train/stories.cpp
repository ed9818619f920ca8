#include "core/train/stories.h"

#include <array>
#include <set>

#include "core/base/text.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr double kHeldOutStories = 0.1, kNamedInReason = 0.3;
constexpr std::uint64_t kPairs = 0x7061697273;  // a stream of its own

/// Who or what takes part; the pronoun follows from it.
struct StoryKind {
  const char* nouns;
  const char* pronoun;
};
constexpr StoryKind kAnimals{"cat dog bird horse mouse rabbit cow duck fox bear frog sheep", "it"};
constexpr StoryKind kSeats{"mat sofa bed chair rug pillow blanket bench table box", "it"};
constexpr StoryKind kToys{"ball bone stick shoe hat apple cake bell", "it"};
constexpr StoryKind kWomen{"girl woman queen mother nurse sister", "she"};
constexpr StoryKind kMen{"boy man king father baker brother", "he"};
constexpr StoryKind kStoryGroups{"children farmers sailors teachers", "they"};

/// What may happen between two of them. Reasons are written "tired:slept" with what follows from them; those
/// of the first noun and those of the second share no word where both have the same pronoun.
struct Frame {
  int share;  ///< how often, among all
  const char* verbs;
  std::array<const StoryKind*, 2> kinds;
  std::array<const char*, 2> reasons;
};
constexpr const char* kMoods =
    "tired:slept|sleepy:slept|scared:hid|cold:shivered|lazy:rested|happy:sang|sick:coughed|bored:played";
constexpr const char* kPlaceIs =
    "soft:felt nice|cozy:felt nice|warm:felt good|clean:shone|flat:stayed still|strong:held|big:had room";
constexpr const char* kAnimalWants =
    "hungry:ate|thirsty:drank|lost:came home|sick:coughed|small:grew|cold:shivered|scared:hid";
constexpr const char* kPersonIs =
    "sad:cried|happy:sang|kind:smiled|lonely:talked|tired:slept|late:hurried|busy:worked|proud:danced";
constexpr const char* kCaring =
    "lonely:talked|kind:smiled|worried:cried|happy:sang|bored:played|busy:worked|proud:danced";
constexpr const char* kGroupIs =
    "hungry:ate|tired:slept|happy:sang|curious:looked|late:hurried|kind:smiled|bored:played";
constexpr const char* kThingIs =
    "dirty:was washed|old:creaked|broken:fell apart|wet:dripped|heavy:fell|new:looked pretty";
constexpr const char* kToyTaker = "hungry:ate|happy:sang|bored:played|greedy:ate|clever:won|angry:growled";
constexpr const char* kToyIs =
    "shiny:glowed|heavy:fell|round:rolled|new:looked pretty|tasty:smelled good|light:flew";
constexpr const char* kPlaceVerbs =
    "sat on|lay on|stood on|jumped on|climbed on|hid under|waited near|sat near|slept behind";
constexpr const char* kToyVerbs = "took|dropped|carried|found|hid|stole";
constexpr const char* kUseVerbs = "washed|painted|moved|fixed|bought|sold";
constexpr const char* kCareVerbs = "fed|called|held|helped|found|loved";
constexpr const char* kMeetVerbs = "hugged|helped|thanked|called|met|followed";
constexpr const char* kChaser = "angry:growled|curious:looked|bored:played|hungry:ate";
constexpr const char* kChased = "noisy:stopped|slow:ran|funny:danced|strange:left|small:hid";
constexpr std::array<Frame, 12> kFrames{{
    {30, kPlaceVerbs, {&kAnimals, &kSeats}, {kMoods, kPlaceIs}},
    {14, kToyVerbs, {&kAnimals, &kToys}, {kToyTaker, kToyIs}},
    {14, "chased|followed|watched|pushed", {&kAnimals, &kAnimals}, {kChaser, kChased}},
    {4, kUseVerbs, {&kWomen, &kSeats}, {kPersonIs, kThingIs}},
    {4, kUseVerbs, {&kMen, &kSeats}, {kPersonIs, kThingIs}},
    {6, kCareVerbs, {&kWomen, &kAnimals}, {kCaring, kAnimalWants}},
    {6, kCareVerbs, {&kMen, &kAnimals}, {kCaring, kAnimalWants}},
    {6, kMeetVerbs, {&kWomen, &kMen}, {kPersonIs, kPersonIs}},
    {6, kMeetVerbs, {&kMen, &kWomen}, {kPersonIs, kPersonIs}},
    {4, "watched|helped|fed|found", {&kStoryGroups, &kAnimals}, {kGroupIs, kAnimalWants}},
    {3, kMeetVerbs, {&kStoryGroups, &kWomen}, {kGroupIs, kPersonIs}},
    {3, kMeetVerbs, {&kMen, &kStoryGroups}, {kPersonIs, kGroupIs}},
}};
constexpr const char* kOpenings = "Today|One day|Last night|This morning";
constexpr const char* kFillers = "The sun was bright|The day was long|The wind was loud|The night was dark";
constexpr const char* kCues = "Then|That is why";
constexpr const char* kCommonWords = ". The the a an because was were very So";

struct Reason {
  std::string word, outcome;
};
/// A frame with its lists taken apart.
struct OpenFrame {
  int share = 0;
  std::vector<std::string> verbs;
  std::array<std::vector<std::string>, 2> nouns;
  std::array<std::string, 2> pronouns;
  std::array<std::vector<Reason>, 2> reasons;
};

std::vector<Reason> reasons_of(const char* list) {
  std::vector<Reason> out;
  for (const std::string& entry : split(list, '|')) {
    const std::vector<std::string> parts = split(entry, ':');
    out.push_back({parts[0], parts[1]});
  }
  return out;
}

const std::vector<OpenFrame>& frames() {
  static const std::vector<OpenFrame> all = [] {
    std::vector<OpenFrame> out;
    for (const Frame& frame : kFrames) {
      OpenFrame open;
      open.share = frame.share;
      open.verbs = split(frame.verbs, '|');
      for (std::size_t i = 0; i < 2; ++i) {
        open.nouns[i] = split(frame.kinds[i]->nouns, ' ');
        open.pronouns[i] = frame.kinds[i]->pronoun;
        open.reasons[i] = reasons_of(frame.reasons[i]);
      }
      out.push_back(std::move(open));
    }
    return out;
  }();
  return all;
}

std::vector<std::string> collect_words() {
  std::vector<std::string> out;
  std::set<std::string> seen;
  const auto add = [&](std::string_view spaced) {
    for (const std::string& word : split(spaced, ' '))
      if (seen.insert(word).second) out.push_back(word);
  };
  add(kCommonWords);
  for (const StoryKind* kind : {&kAnimals, &kSeats, &kToys, &kWomen, &kMen, &kStoryGroups}) {
    add(kind->nouns);
    add(kind->pronoun);
  }
  for (const OpenFrame& frame : frames()) {
    for (const std::string& verb : frame.verbs) add(verb);
    for (const auto& reasons : frame.reasons)
      for (const Reason& reason : reasons) {
        add(reason.word);
        add(reason.outcome);
      }
  }
  for (const char* list : {kOpenings, kFillers, kCues})
    for (const std::string& words : split(list, '|')) add(words);
  return out;
}

const WordIds& ids() {
  static const WordIds table(story_words());
  return table;
}

/// The choices that make a story. The first four decide whether it is held out.
struct Plot {
  std::array<std::string, 2> nouns;
  std::string verb;
  Reason reason;
  int stands_for = 0;  ///< which noun the pronoun means
  std::string pronoun;
  std::string opening, filler, cue = "So";
  bool very = false;
  bool names_in_reason = false;  ///< "because it was a tired cat. So it slept."
  const OpenFrame* frame = nullptr;
};

// The sentence that the program opens with was never seen in training, whatever its reason.
bool is_held_out(const Plot& plot) {
  if (plot.nouns[0] == "cat" && plot.nouns[1] == "mat" && plot.verb == "sat on") return true;
  const std::string content =
      plot.nouns[0] + "|" + plot.verb + "|" + plot.nouns[1] + "|" + plot.pronoun + "|" + plot.reason.word;
  return falls_into(fingerprint(content), kHeldOutStories);
}

const OpenFrame& any_frame(SplitMix64& random) {
  int total = 0;
  for (const OpenFrame& frame : frames()) total += frame.share;
  int left = random.below(total);
  for (const OpenFrame& frame : frames()) {
    left -= frame.share;
    if (left < 0) return frame;
  }
  return frames().front();
}

Plot any_plot(SplitMix64& random) {
  const OpenFrame& frame = any_frame(random);
  Plot out;
  out.frame = &frame;
  out.verb = random.one_of(frame.verbs);
  do {
    out.nouns = {random.one_of(frame.nouns[0]), random.one_of(frame.nouns[1])};
  } while (out.nouns[0] == out.nouns[1]);
  out.stands_for = random.below(2);
  const auto which = static_cast<std::size_t>(out.stands_for);
  out.pronoun = frame.pronouns[which];
  out.reason = random.one_of(frame.reasons[which]);
  out.names_in_reason = random.chance(kNamedInReason) && out.pronoun != "they";
  out.very = random.chance(0.2);
  if (random.chance(0.25)) out.opening = random.one_of(split(kOpenings, '|'));
  if (random.chance(0.2)) out.filler = random.one_of(split(kFillers, '|'));
  if (random.chance(0.3)) out.cue = random.one_of(split(kCues, '|'));
  return out;
}

// Appends words; the place of the last one.
int say(Story& story, std::string_view spaced) {
  const std::vector<int> more = ids().read(spaced);
  story.words.insert(story.words.end(), more.begin(), more.end());
  return static_cast<int>(story.words.size()) - 1;
}

const char* article(const std::string& next) {
  return std::string_view("aeiou").find(next.front()) == std::string_view::npos ? "a" : "an";
}

// "The cat sat on the mat": the places of its nouns, the one that the pronoun means first.
void say_what_happens(Story& story, const Plot& plot) {
  if (!plot.opening.empty()) say(story, plot.opening);
  say(story, plot.opening.empty() ? "The" : "the");
  std::array<int, 2> places{};
  places[0] = say(story, plot.nouns[0]);
  say(story, plot.verb + " the");
  places[1] = say(story, plot.nouns[1]);
  story.subject = places[0], story.object = places[1];
  story.antecedent = places[static_cast<std::size_t>(plot.stands_for)];
  story.other = places[static_cast<std::size_t>(1 - plot.stands_for)];
}

// "because it was tired" or "because it was a tired cat"; the second is not used with a plural, which has
// no article to distinguish them.
void say_why(Story& story, const Plot& plot) {
  say(story, "because");
  story.pronoun = say(story, plot.pronoun);
  say(story, plot.pronoun == "they" ? "were" : "was");
  const std::string words = (plot.very ? "very " : "") + plot.reason.word;
  if (plot.names_in_reason) say(story, article(words));
  story.reason = say(story, words);
  if (!plot.names_in_reason) return;
  story.answer = story.reason;
  say(story, plot.nouns[static_cast<std::size_t>(plot.stands_for)]);
}

Story told(const Plot& plot) {
  Story out;
  out.held_out = is_held_out(plot);
  out.names_in_reason = plot.names_in_reason;
  say_what_happens(out, plot);
  say_why(out, plot);
  say(out, ".");
  if (!plot.filler.empty()) say(out, plot.filler + " .");
  say(out, plot.cue);
  if (plot.names_in_reason) {
    say(out, plot.pronoun);
  } else {
    out.answer = say(out, "the");
    say(out, plot.nouns[static_cast<std::size_t>(plot.stands_for)]);
  }
  out.outcome = static_cast<int>(out.words.size());
  say(out, plot.reason.outcome + " .");
  return out;
}

}  // namespace

const std::vector<std::string>& story_words() {
  static const std::vector<std::string> words = collect_words();
  return words;
}

Story story_of(std::uint64_t seed, Split split, std::int64_t number) {
  SplitMix64 random = random_of(seed, split, number);
  for (;;) {
    Story story = told(any_plot(random));
    if (story.held_out == (split == Split::held_out)) return story;
  }
}

std::vector<WordRelation> story_relations(const Story& story, int before) {
  std::vector<WordRelation> out;
  const auto add = [&](const char* name, int from, int to) {
    out.push_back({name, Stack::single, before + from, before + to});
  };
  const bool named = story.names_in_reason;  // "it was a tired cat": the noun is what is said of "it"
  add("subject", story.subject + 1, story.subject);
  add("verb", story.object, story.subject + 1);
  add("predicate", named ? story.reason + 1 : story.reason, story.pronoun);
  add("pronoun", story.pronoun, story.antecedent);
  add("adjective", story.reason, story.antecedent);
  if (!named) add("again", story.answer, story.antecedent);
  return out;
}

StoryPair story_pair(std::uint64_t seed, Split split, std::int64_t number) {
  SplitMix64 random = random_of(seed, split, number, kPairs);
  for (;;) {
    const Plot plot = any_plot(random);
    Plot other = plot;
    other.stands_for = 1 - plot.stands_for;
    const auto which = static_cast<std::size_t>(other.stands_for);
    other.pronoun = plot.frame->pronouns[which];
    other.reason = random.one_of(plot.frame->reasons[which]);
    if (plot.names_in_reason && other.pronoun == "they") continue;
    StoryPair out{told(plot), told(other)};
    if (out.clean.held_out == (split == Split::held_out)) return out;
  }
}

Story first_story() {
  Plot plot;
  plot.nouns = {"cat", "mat"};
  plot.verb = "sat on";
  plot.reason = {"tired", "slept"};
  plot.pronoun = "it";
  return told(plot);
}

}  // namespace attnscope
