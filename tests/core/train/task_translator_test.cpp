// The Translator: English and Korean of the grammar, gold alignment, the tokenizer's round trip, the split.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"
#include "core/text/tokenizer.h"
#include "core/train/trainer.h"
#include "core/train/translator_grammar.h"
#include "tests/core/train/tiny_task.h"

namespace attnscope {
namespace {

using testing::sized;

std::shared_ptr<const Task> translator() { return *find_task("translator"); }

std::shared_ptr<const Tokenizer> tokenizer() {
  auto made = tokenizer_from_json(translator()->tokenizer().dump(), "tokenizer.json");
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

const Noun& noun(std::string_view english) {
  for (const Noun& each : nouns())
    if (english == each.english) return each;
  ADD_FAILURE() << english;
  return nouns().front();
}
const Verb& verb(std::string_view english) {
  for (const Verb& each : verbs())
    if (english == each.english) return each;
  ADD_FAILURE() << english;
  return verbs().front();
}
const Adjective& adjective(std::string_view english) {
  for (const Adjective& each : adjectives())
    if (english == each.english) return each;
  ADD_FAILURE() << english;
  return adjectives().front();
}

// Both languages as people read them.
std::pair<std::string, std::string> texts(const Statement& statement) {
  const Translation said = translate(statement);
  const auto spoken = tokenizer();
  const auto text = [&](const std::vector<std::string>& pieces) {
    std::vector<int> ids;
    for (const std::string& piece : pieces) ids.push_back(*spoken->find(piece));
    return spoken->decode(ids);
  };
  return {text(said.english), text(said.korean)};
}

using Texts = std::pair<std::string, std::string>;

TEST(TranslatorGrammarTest, SentencesReadWell) {
  EXPECT_EQ(texts(shown_statement()), Texts("the small cat saw a ball in the park yesterday.",
                                            "어제 작은 고양이는 공원에서 공을 보았다."));
  Statement gift;
  gift.subject = {&noun("student"), nullptr, false};
  gift.verb = &verb("give");
  gift.tense = Tense::future;
  gift.object = {&noun("apple"), &adjective("good"), false};
  gift.receiver = {&noun("bear"), nullptr, true};
  EXPECT_EQ(texts(gift),
            Texts("a student will give a good apple to the bear.", "학생이 곰에게 좋은 사과를 줄 것이다."));
  Statement play;
  play.pronoun = &pronouns().front();
  play.verb = &verb("play");
  play.tense = Tense::present;
  play.negated = true;
  play.company = {&noun("king"), nullptr, true};
  EXPECT_EQ(texts(play), Texts("i do not play with the king.", "나는 왕과 놀지 않는다."));
  Statement buy;
  buy.pronoun = &pronouns().front();
  buy.verb = &verb("buy");
  buy.tense = Tense::future;
  buy.negated = true;
  buy.object = {&noun("hat"), &adjective("old"), false};
  EXPECT_EQ(texts(buy), Texts("i will not buy an old hat.", "나는 오래된 모자를 사지 않을 것이다."));
}

TEST(TranslatorGrammarTest, VerbsAgreeAndGoalsAreGoals) {
  Statement go;
  go.pronoun = &pronouns()[2];  // he
  go.verb = &verb("go");
  go.tense = Tense::present;
  go.place = {&noun("market"), nullptr, true};
  EXPECT_EQ(texts(go), Texts("he goes to the market.", "그는 시장에 간다."));
  go.verb = &verb("sleep");
  go.negated = true;
  EXPECT_EQ(texts(go), Texts("he does not sleep at the market.", "그는 시장에서 자지 않는다."));
  go.tense = Tense::past;
  go.negated = false;
  EXPECT_EQ(texts(go), Texts("he slept at the market.", "그는 시장에서 잤다."));
}

TEST(TranslatorGrammarTest, ParticlesFollowTheFinalConsonant) {
  EXPECT_TRUE(ends_in_consonant("공"));
  EXPECT_TRUE(ends_in_consonant("선생님"));
  EXPECT_FALSE(ends_in_consonant("고양이"));
  EXPECT_FALSE(ends_in_consonant("사과"));
  EXPECT_FALSE(ends_in_consonant("cat"));
  EXPECT_FALSE(ends_in_consonant(""));
  SplitMix64 random(11);
  const std::set<std::string> closed{"##은", "##이", "##을", "##과"}, open{"##는", "##가", "##를", "##와"};
  for (int i = 0; i < 3000; ++i) {
    const Translation said = translate(random_statement(random));
    for (std::size_t at = 1; at < said.korean.size(); ++at) {
      const std::string& piece = said.korean[at];
      const bool verb_ending = said.korean[at - 1] == "않" || said.aligned[at - 1] < 0;
      if (closed.contains(piece) && !verb_ending) {
        EXPECT_TRUE(ends_in_consonant(said.korean[at - 1])) << piece;
      }
      if (open.contains(piece)) {
        EXPECT_FALSE(ends_in_consonant(said.korean[at - 1])) << said.korean[at - 1];
      }
    }
  }
}

TEST(TranslatorGrammarTest, AlignedWordsAreTranslationsOfEachOther) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Noun& each : nouns()) pairs.emplace(each.korean, each.english);
  for (const Adjective& each : adjectives()) pairs.emplace(each.korean, each.english);
  for (const TimeWord& each : time_words()) pairs.emplace(each.korean, each.english);
  for (const Verb& each : verbs())
    for (const char* english : {each.english, each.third, each.past})
      for (const char* korean : {each.stem, each.korean_present, each.korean_past, each.korean_future})
        pairs.emplace(split(korean, ' ').front(), english);
  SplitMix64 random(5);
  for (int i = 0; i < 3000; ++i) {
    const Translation said = translate(random_statement(random));
    ASSERT_EQ(said.aligned.size(), said.korean.size());
    int content = 0;
    for (std::size_t at = 0; at < said.aligned.size(); ++at) {
      if (said.aligned[at] < 0) continue;
      const std::string& english = said.english[static_cast<std::size_t>(said.aligned[at])];
      EXPECT_TRUE(pairs.contains({said.korean[at], english})) << said.korean[at] << " " << english;
      ++content;
    }
    EXPECT_GE(content, 1);
  }
}

TEST(TranslatorGrammarTest, OneEnglishSentenceHasOneTranslation) {
  std::map<std::vector<std::string>, std::vector<std::string>> known;
  SplitMix64 random(21);
  for (int i = 0; i < 60000; ++i) {
    const Translation said = translate(random_statement(random));
    const auto [at, fresh] = known.emplace(said.english, said.korean);
    if (!fresh) {
      EXPECT_EQ(at->second, said.korean) << join(said.english, " ");
    }
  }
}

TEST(TaskTranslatorTest, TextsAndIdsAreTheSameThing) {
  const auto spoken = tokenizer();
  EXPECT_EQ(spoken->vocab_size(), translator()->config({})->vocab_size);
  for (int number = 0; number < 3000; ++number) {
    const Example example = translator()->example(4, Split::train, number);
    const auto english = spoken->encode(spoken->decode(example.input.source));
    ASSERT_TRUE(english);
    EXPECT_EQ(english->ids(), example.input.source);  // the end included
    const auto korean = spoken->encode(spoken->decode(example.targets));
    ASSERT_TRUE(korean);
    EXPECT_EQ(korean->ids(), example.targets) << spoken->decode(example.targets, false);
  }
  EXPECT_EQ(spoken->encode("The cat ate an apple.")->ids(), spoken->encode("the cat ate an apple .")->ids());
}

TEST(TaskTranslatorTest, TheDecoderReadsWhatItHasSaid) {
  const ModelConfig config = *translator()->config({});
  for (int number = 0; number < 500; ++number) {
    const Example example = translator()->example(4, Split::held_out, number);
    ASSERT_EQ(example.targets.size(), example.input.ids.size());
    EXPECT_EQ(example.input.ids.front(), config.decoder_start);
    EXPECT_EQ(example.targets.back(), config.eos);
    for (std::size_t row = 0; row + 1 < example.targets.size(); ++row) {
      EXPECT_EQ(example.targets[row], example.input.ids[row + 1]);
      EXPECT_LT(example.targets[row], config.vocab_size);
    }
    EXPECT_EQ(example.notes.size() + 1, example.targets.size());
    EXPECT_LE(static_cast<std::int64_t>(example.input.source.size()),
              config.encoder()->position.max_positions);
  }
}

TEST(TaskTranslatorTest, HeldOutSentencesAreNeverTrainedOn) {
  EXPECT_EQ(translator()->example(1, Split::train, 9).input.source,
            translator()->example(1, Split::train, 9).input.source);
  std::set<std::vector<int>> trained;
  for (int number = 0; number < 20000; ++number)
    trained.insert(translator()->example(1, Split::train, number).input.source);
  int of_these = 0;
  for (int number = 0; number < 3000; ++number)
    of_these += trained.contains(translator()->example(2, Split::held_out, number).input.source) ? 1 : 0;
  EXPECT_EQ(of_these, 0);
}

TEST(TaskTranslatorTest, TheConfigIsTheOriginalTransformer) {
  const ModelConfig config = *translator()->config({});
  ASSERT_NE(config.encoder(), nullptr);
  EXPECT_EQ(config.stack, Stack::dec);
  EXPECT_TRUE(config.encoder()->shares_embedding);
  EXPECT_FLOAT_EQ(config.embed_scale * config.embed_scale, static_cast<float>(config.d_model));
  for (const ModelConfig* stack : {&config, config.encoder()}) {
    EXPECT_EQ(stack->position.kind, PositionSpec::Kind::sinusoidal);
    EXPECT_EQ(stack->blocks.front().order, NormOrder::post);
    EXPECT_EQ(stack->blocks.front().mlp.activation, Activation::relu);
    EXPECT_EQ(stack->final_norm.kind, NormSpec::Kind::none);
  }
  EXPECT_FALSE(config.encoder()->blocks.front().attention.causal);
  EXPECT_FALSE(config.blocks.front().cross->causal);
  EXPECT_EQ(translator()->recipe().smoothing, 0.1);
  EXPECT_EQ(translator()->recipe().schedule, "inverse_sqrt");
  EXPECT_EQ(translator()->config(sized(0, 0, 0, "pre"))->final_norm.kind, NormSpec::Kind::layer);
  EXPECT_FALSE(translator()->config(sized(0, 7, 64)));
}

TEST(TaskTranslatorTest, AModelThatKnowsNothingTranslatesNothing) {
  const Trainer fresh = *Trainer::make(translator(), sized(1, 4, 32), translator()->recipe(), 5);
  const std::vector<Measure> measures = translator()->measure(*fresh.state().model, 5, 20);
  EXPECT_EQ(measures[0].name, "accuracy");
  EXPECT_EQ(measures[0].value, 0.0);
  EXPECT_EQ(measures[1].name, "aligned_head.share");
  EXPECT_LT(measures[1].value, 0.6);
  EXPECT_EQ(measures[1].layer, 0);
}

}  // namespace
}  // namespace attnscope
