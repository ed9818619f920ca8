// Things to try that are made for a text: what each sentence claims is what the runs give.
#include "core/session/made_try.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/arch/shipped.h"
#include "core/base/words.h"
#include "core/model/measure.h"
#include "core/session/request.h"
#include "core/session/session.h"

namespace attnscope {
namespace {

struct Written {
  Document document;
  std::shared_ptr<const Trace> run;
};
Written written(const std::string& model, const std::string& text, const std::string& edit = {}) {
  auto opened = open_shipped("model:" + model);
  EXPECT_TRUE(opened) << model;
  Written out;
  out.document = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
  const bool source = out.document.model->config().encoder() != nullptr;
  EXPECT_TRUE(set_text(out.document, 0, text, source ? Stack::enc : Stack::single)) << text;
  Request request;
  if (!edit.empty()) request.edits = {edit};
  EXPECT_TRUE(apply_request(out.document, request));
  const auto runs = run_all(out.document, {}, {});
  EXPECT_TRUE(runs) << text;
  if (runs) out.run = runs->front();
  return out;
}

struct OwnText {
  const char* model;
  const char* text;
  const char* edit;
};
constexpr OwnText kTexts[] = {
    {"storyteller", "The dog saw the bird", ""},
    {"storyteller", "The dog saw the bird", "blocks.1.attn.z[head=1]=0"},
    {"storyteller", "The girl was happy because the", ""},
    {"storyteller-llama", "The dog ran because it was", ""},
    {"storyteller-deep", "The dog ran because it was", ""},
    {"gap-filler", "The dog sat on the [MASK].", ""},
    {"translator", "the dog saw the cat", ""},
    {"sorter", "e b d", ""},
    {"pilot", "pick the blue ball", ""},
};

TEST(MadeTry, SaysOfAnyTextWhatItsRunsGive) {
  for (const OwnText& own : kTexts) {
    const Written of = written(own.model, own.text, own.edit);
    ASSERT_TRUE(of.run);
    int made = 0;
    for (const TryKind kind : try_kinds()) {
      const std::string where =
          std::string(own.model) + " " + own.text + " " + std::string(view_of_try(kind));
      const auto thing = made_try(of.document, of.run, prediction_row(*of.run), kind);
      ASSERT_TRUE(thing) << where << thing.error().text();
      if (!*thing) continue;
      ++made;
      const auto outcome = play_try(of.document, **thing);
      ASSERT_TRUE(outcome) << where;
      EXPECT_TRUE(outcome->true_claim) << where << ": " << outcome->sentence.str();
      for (const char* language : {"en", "ko"}) {
        ASSERT_TRUE(set_language(language));
        const std::string said = (*thing)->sentence.str();
        EXPECT_TRUE((*thing)->sentence.has_words()) << where << " " << (*thing)->sentence.key();
        EXPECT_NE(said.find(outcome->sentence.arguments()[0].str()), std::string::npos) << said;
        EXPECT_NE(said.find(outcome->sentence.arguments()[1].str()), std::string::npos) << said;
      }
      EXPECT_TRUE(set_language("en"));
      const auto changed = try_changed(of.document, **thing);
      ASSERT_TRUE(changed) << where;
      std::vector<int> now = changed->sequences.front().input.ids,
                       own_ids = of.document.sequences.front().input.ids;
      if (kind == TryKind::swap) std::sort(now.begin(), now.end()), std::sort(own_ids.begin(), own_ids.end());
      EXPECT_EQ(now, own_ids) << where << ": the words are those of the text";
    }
    EXPECT_GE(made, 5) << own.model;
  }
}

TEST(MadeTry, HidesTheWordThatAHeadLooksAtMost) {
  const Written of = written("storyteller", "The dog saw the bird");
  const std::int64_t row = prediction_row(*of.run);
  const auto thing = made_try(of.document, of.run, row, TryKind::hide);
  ASSERT_TRUE(thing && *thing);
  const auto changed = try_changed(of.document, **thing);
  ASSERT_TRUE(changed);
  const Target& where = changed->edits.back()->number()->where;
  const std::int64_t key = range_on(where.at, "key")->begin, head = range_on(where.at, "head")->begin;
  const Site pattern = where.site.near(StepRole::pattern);
  for (std::int64_t other = 1; other < row; ++other)  // <bos> and itself are no other word
    EXPECT_LE(of.run->cell(pattern, {head, row, other}), of.run->cell(pattern, {head, row, key}));
  EXPECT_NE(key, row);
  EXPECT_EQ((*thing)->sentence.arguments()[6].str(),
            of.run ? row_label(*of.document.opened, *of.run, Stack::single, key) : "");
}

// In Position the order is what is tried: of neighbours, those whose exchange moves the answer most.
TEST(MadeTry, NeighboursChangePlaces) {
  const Written of = written("storyteller", "The dog saw the bird. So the");
  ASSERT_TRUE(of.run);
  EXPECT_EQ(try_kind_in("position"), TryKind::swap);
  const std::int64_t row = of.run->length - 1;
  const auto thing = made_try(of.document, of.run, row, TryKind::swap);
  ASSERT_TRUE(thing && *thing) << (thing ? "none" : thing.error().text());
  ASSERT_EQ((*thing)->tokens.size(), 2u);
  const TryThis::NewToken &a = (*thing)->tokens[0], &b = (*thing)->tokens[1];
  EXPECT_EQ(a.pos + 1, b.pos);
  EXPECT_EQ(a.from, b.word);
  EXPECT_EQ(a.word, b.from);
  EXPECT_LT(static_cast<std::int64_t>(b.pos), row) << "what the row sees";
  EXPECT_EQ((*thing)->view, "position");
  const auto outcome = play_try(of.document, **thing);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->true_claim) << outcome->sentence.str();
}

TEST(MadeTry, ATextOfOneWordHidesNothing) {
  const Written of = written("storyteller", "The");
  const auto thing = made_try(of.document, of.run, prediction_row(*of.run), TryKind::hide);
  ASSERT_TRUE(thing);
  EXPECT_FALSE(*thing);
  const auto mlp = made_try(of.document, of.run, prediction_row(*of.run), TryKind::mlp);
  ASSERT_TRUE(mlp);
  EXPECT_TRUE(*mlp);
}

TEST(MadeTry, EndsWhenItIsCancelled) {
  const Written of = written("storyteller", "The dog saw the bird");
  const std::atomic<bool> cancel{true};
  const auto thing = made_try(of.document, of.run, prediction_row(*of.run), TryKind::hide, &cancel);
  ASSERT_FALSE(thing);
  EXPECT_EQ(thing.error().code(), Code::cancelled);
}

}  // namespace
}  // namespace attnscope
