#include "core/train/translator_grammar.h"

#include <map>
#include <string_view>

#include "core/base/result.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

// ---- English -------------------------------------------------------------------------------------

// Collects the English sentence and records at which word each content word stands.
class English {
 public:
  explicit English(const Statement& statement) : said_(statement) {}

  std::vector<std::string> sentence() {
    if (said_.pronoun)
      say(said_.pronoun->english);
    else
      say_phrase(said_.subject);
    say_verb();
    say_phrase(said_.object);
    say_after("to", said_.receiver);
    say_after("with", said_.company);
    const bool goal = said_.verb->frame == Verb::Frame::goal;
    if (said_.place.noun) say_after(goal ? "to" : said_.place.noun->at, said_.place);
    if (said_.time) say_content(said_.time, said_.time->english);
    say(".");
    return words_;
  }

  /// Place of a content word; its entry of the lexicon stands for it, of a phrase the phrase's own.
  int place(const void* what) const { return places_.at(what); }

 private:
  void say(const char* word) { words_.emplace_back(word); }
  void say_content(const void* what, const char* word) {
    places_[what] = static_cast<int>(words_.size());
    say(word);
  }

  void say_phrase(const NounPhrase& phrase) {
    if (!phrase.noun) return;
    const char* first = phrase.adjective ? phrase.adjective->english : phrase.noun->english;
    const bool vowel = std::string_view("aeiou").find(*first) != std::string_view::npos;
    say(phrase.known ? "the" : vowel ? "an" : "a");
    if (phrase.adjective) say_content(&phrase.adjective, phrase.adjective->english);
    say_content(&phrase.noun, phrase.noun->english);
  }

  void say_after(const char* preposition, const NounPhrase& phrase) {
    if (!phrase.noun) return;
    say(preposition);
    say_phrase(phrase);
  }

  void say_verb() {
    const Verb& verb = *said_.verb;
    const bool third = said_.pronoun ? said_.pronoun->third : true;
    if (said_.tense == Tense::future) say("will");
    if (said_.negated && said_.tense != Tense::future)
      say(said_.tense == Tense::past ? "did" : third ? "does" : "do");
    if (said_.negated) say("not");
    const bool bare = said_.negated || said_.tense == Tense::future;
    const char* finite = said_.tense == Tense::past ? verb.past : third ? verb.third : verb.english;
    say_content(&verb, bare ? verb.english : finite);
  }

  const Statement& said_;
  std::vector<std::string> words_;
  std::map<const void*, int> places_;
};

// ---- Korean --------------------------------------------------------------------------------------

// A particle in both forms: after a consonant, after a vowel.
struct Particle {
  const char *closed, *open;
};
constexpr Particle kTopic{"##은", "##는"}, kSubject{"##이", "##가"}, kObject{"##을", "##를"},
    kWith{"##과", "##와"}, kAt{"##에서", "##에서"}, kGoal{"##에", "##에"}, kReceiver{"##에게", "##에게"};

class Korean {
 public:
  Korean(const Statement& statement, const English& english, Translation& out)
      : said_(statement), english_(english), out_(out) {}

  void sentence() {
    if (said_.time) say(said_.time->korean, english_.place(said_.time));
    if (said_.pronoun) {
      say(said_.pronoun->korean);
      say(form(kTopic, said_.pronoun->korean));
    } else {
      say_phrase(said_.subject, said_.subject.known ? kTopic : kSubject);
    }
    const bool goal = said_.verb->frame == Verb::Frame::goal;
    say_phrase(said_.place, goal ? kGoal : kAt);
    say_phrase(said_.company, kWith);
    say_phrase(said_.receiver, kReceiver);
    say_phrase(said_.object, kObject);
    say_verb();
    say(".");
  }

 private:
  void say(std::string_view piece, int aligned = -1) {
    out_.korean.emplace_back(piece);
    out_.aligned.push_back(aligned);
  }
  static const char* form(const Particle& particle, const char* word) {
    return ends_in_consonant(word) ? particle.closed : particle.open;
  }

  void say_phrase(const NounPhrase& phrase, const Particle& particle) {
    if (!phrase.noun) return;
    if (phrase.adjective) say(phrase.adjective->korean, english_.place(&phrase.adjective));
    say(phrase.noun->korean, english_.place(&phrase.noun));
    say(form(particle, phrase.noun->korean));
  }

  // The first piece is the stem.
  void say_pieces(const char* spaced, int aligned) {
    for (const std::string& piece : split(spaced, ' ')) {
      say(piece, aligned);
      aligned = -1;
    }
  }

  void say_verb() {
    const Verb& verb = *said_.verb;
    const int aligned = english_.place(&verb);
    const auto of_tense = [&](const char* past, const char* present, const char* future) {
      return said_.tense == Tense::past ? past : said_.tense == Tense::present ? present : future;
    };
    if (said_.negated) {
      say(verb.stem, aligned);
      say("##지");
      say_pieces(of_tense("않 ##았다", "않 ##는다", "않 ##을"), -1);
    } else {
      say_pieces(of_tense(verb.korean_past, verb.korean_present, verb.korean_future), aligned);
    }
    if (said_.tense == Tense::future) say("것이다");
  }

  const Statement& said_;
  const English& english_;
  Translation& out_;
};

// ---- chance --------------------------------------------------------------------------------------

const Noun& noun_of(int kinds, SplitMix64& random) {
  while (true) {
    const Noun& noun = random.one_of(nouns());
    if (noun.kind & kinds) return noun;
  }
}

NounPhrase phrase_of(int kinds, SplitMix64& random) {
  NounPhrase out;
  out.noun = &noun_of(kinds, random);
  out.known = !out.noun->counted || random.chance(0.6);
  if (!random.chance(0.35)) return out;
  do out.adjective = &random.one_of(adjectives());
  while (!(out.adjective->of & out.noun->kind));
  return out;
}

NounPhrase place_of(SplitMix64& random) { return {&noun_of(kPlace, random), nullptr, true}; }

Tense tense_of(const TimeWord* time, SplitMix64& random) {
  while (true) {
    const auto tense = static_cast<Tense>(random.below(3));
    if (!time || (tense == Tense::past && time->past) || (tense == Tense::present && time->present) ||
        (tense == Tense::future && time->future))
      return tense;
  }
}

// "I read the book" may be present or past: such sentences are put into the past tense.
bool leaves_tense_open(const Statement& said) {
  const bool plain = !said.negated && said.pronoun && !said.pronoun->third;
  return said.tense == Tense::present && plain &&
         std::string_view(said.verb->english) == std::string_view(said.verb->past);
}

const Noun& noun_called(std::string_view english) {
  for (const Noun& noun : nouns())
    if (english == noun.english) return noun;
  CHECK(false);
  return nouns().front();
}

}  // namespace

Translation translate(const Statement& statement) {
  Translation out;
  English english(statement);
  out.english = english.sentence();
  out.subject = statement.pronoun ? 0 : english.place(&statement.subject.noun);
  out.verb = english.place(statement.verb);
  if (statement.object.noun) out.object = english.place(&statement.object.noun);
  Korean(statement, english, out).sentence();
  return out;
}

Statement random_statement(SplitMix64& random) {
  Statement out;
  const Verb& verb = random.one_of(verbs());
  out.verb = &verb;
  if (random.chance(0.25))
    out.pronoun = &random.one_of(pronouns());
  else
    out.subject = phrase_of(verb.subjects, random);
  using Frame = Verb::Frame;
  if (verb.frame == Frame::object || verb.frame == Frame::gift) out.object = phrase_of(verb.objects, random);
  if (verb.frame == Frame::gift) out.receiver = phrase_of(kBeing, random);
  if (verb.frame == Frame::alone && random.chance(0.4)) out.company = phrase_of(kBeing, random);
  if (verb.frame == Frame::goal || random.chance(0.4)) out.place = place_of(random);
  if (random.chance(0.45)) out.time = &random.one_of(time_words());
  out.negated = random.chance(0.25);
  do out.tense = tense_of(out.time, random);
  while (leaves_tense_open(out) && !(out.time && out.time->present && !out.time->past));
  return out;
}

Statement shown_statement() {
  Statement out;
  out.subject = {&noun_called("cat"), &adjectives().front(), true};
  out.object = {&noun_called("ball"), nullptr, false};
  out.place = {&noun_called("park"), nullptr, true};
  out.verb = &verbs().front();
  out.time = &time_words().front();
  return out;
}

}  // namespace attnscope
