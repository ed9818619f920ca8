// Things to try: every shipped model and scene has three, each is played, and its claim is what the runs
// give.
#include "core/session/try_this.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/model/gradients.h"
#include "core/session/backward_run.h"
#include "core/session/request.h"
#include "core/session/session.h"
#include "core/step/place.h"

namespace attnscope {
namespace {

std::shared_ptr<const OpenedModel> shipped(const std::string& name) {
  auto opened = open_shipped(name);
  EXPECT_TRUE(opened) << name;
  return opened ? std::make_shared<const OpenedModel>(*std::move(opened)) : nullptr;
}

// All that can be chosen: models and scenes, as they are named.
std::vector<std::string> all_shipped() {
  std::vector<std::string> out = shipped_models();
  for (const std::string_view path : assets_under("assets/scenes/"))
    out.push_back("scene:" + std::string(path.substr(14, path.size() - 14 - 5)));
  return out;
}

TEST(TryThis, EverythingThatShipsHasThreeAndTheyAreTrue) {
  const std::vector<std::string> names = all_shipped();
  EXPECT_EQ(names.size(), 20u);
  for (const std::string& name : names) {
    const auto opened = shipped(name);
    ASSERT_TRUE(opened);
    const auto things = things_to_try(*opened);
    ASSERT_TRUE(things) << name << ": " << things.error().text();
    EXPECT_GE(things->size(), 3u) << name;
    for (const TryThis& thing : *things) {
      const auto outcome = play_try(opened, thing);
      ASSERT_TRUE(outcome) << name << " " << thing.id << ": " << outcome.error().text();
      EXPECT_TRUE(outcome->true_claim) << name << " " << thing.id << ": " << outcome->sentence.str();
      EXPECT_TRUE(thing.sentence.has_words()) << name << " " << thing.sentence.key();
      EXPECT_TRUE(has_string("view." + thing.view)) << thing.view;
    }
  }
}

// What is tried in Position is about the order: two words that change places, or no numbers for the places.
TEST(TryThis, EveryModelHasOneThatIsAboutTheOrder) {
  for (const std::string& name : all_shipped()) {
    if (!name.starts_with("model:")) continue;
    const auto opened = shipped(name);
    ASSERT_TRUE(opened);
    const auto things = things_to_try(*opened);
    ASSERT_TRUE(things) << name;
    int found = 0;
    for (const TryThis& thing : *things) {
      if (thing.view != "position") continue;
      ++found;
      const bool swaps = thing.tokens.size() == 2 && thing.tokens[0].from == thing.tokens[1].word &&
                         thing.tokens[0].word == thing.tokens[1].from;
      const bool without = thing.edits.size() == 1 && thing.edits[0].ends_with("pos_embed=0");
      EXPECT_TRUE(swaps || without) << name << " " << thing.id;
    }
    EXPECT_GE(found, 1) << name;
  }
}

// What a sentence says of query and key is what the edit reaches.
TEST(TryThis, CellsAreCalledByTheirTokens) {
  const auto opened = shipped("model:storyteller");
  int cells = 0;
  const auto things = things_to_try(*opened);
  ASSERT_TRUE(things);
  for (const TryThis& thing : *things) {
    if (thing.edits.empty() || thing.sentence.arguments().size() < 8) continue;
    const std::string edit = thing.edits.front();
    const auto cell = parse_cell(edit.substr(0, edit.find(']') + 1));
    ASSERT_TRUE(cell) << edit;
    const Document begin = new_document(opened);
    const auto label = [&](const char* axis) {
      return position_label(*opened, begin.sequences.front(), range_on(cell->at, axis)->begin);
    };
    EXPECT_EQ(label("query"), thing.sentence.arguments()[5].str());
    EXPECT_EQ(label("key"), thing.sentence.arguments()[6].str());
    ++cells;
  }
  EXPECT_EQ(cells, 2);
}

// It may be read in another language than the one that was spoken while it was played.
TEST(TryThis, TheOutcomeIsWrittenInTheLanguageOfTheMoment) {
  const auto opened = shipped("model:storyteller");
  ASSERT_TRUE(set_language("en"));
  const auto outcome = play_try(opened, things_to_try(*opened)->front());
  ASSERT_TRUE(outcome);
  EXPECT_NE(outcome->sentence.str().find("98.4 %"), std::string::npos) << outcome->sentence.str();
  ASSERT_TRUE(set_language("ko"));
  EXPECT_NE(outcome->sentence.str().find("98.4%"), std::string::npos) << outcome->sentence.str();
  EXPECT_TRUE(set_language("en"));
}

TEST(TryThis, AClaimThatIsFalseIsFound) {
  const auto opened = shipped("model:storyteller");
  const auto things = things_to_try(*opened);
  ASSERT_TRUE(things);
  const auto holds = [&](const TryThis& thing) { return play_try(opened, thing)->true_claim; };
  TryThis cell = things->front();
  ASSERT_TRUE(holds(cell));
  TryThis wrong = cell;
  wrong.before = "dog";
  EXPECT_FALSE(holds(wrong)) << "the answer before";
  wrong = cell;
  std::swap(wrong.after[1], wrong.after[2]);
  EXPECT_FALSE(holds(wrong)) << "the order after";
  wrong = cell;
  wrong.share_after += 0.01;
  EXPECT_FALSE(holds(wrong)) << "the share after";
  wrong = cell;
  wrong.move = TryMove::rises;
  EXPECT_FALSE(holds(wrong)) << "it falls";
  wrong = cell;
  wrong.edits = {"blocks.1.attn.pattern[head=3,query=13,key=2]*=1"};
  EXPECT_FALSE(holds(wrong)) << "nothing moves";
}

std::shared_ptr<const Trace> run_of(const Document& document) {
  const auto runs = run_all(document, {}, {});
  EXPECT_TRUE(runs);
  return runs ? runs->front() : nullptr;
}

// What a drag shows on its way: the number half way down, and all of it at the end.
TEST(TryThis, AShareOfTheWayIsBetween) {
  const auto opened = shipped("model:storyteller");
  const auto things = *things_to_try(*opened);
  const Document before = new_document(opened);
  const auto run = run_of(before);
  const Site pattern = *parse_site("blocks.1.attn.pattern");
  const auto weight = [&](const Document& document) { return run_of(document)->cell(pattern, {3, 13, 2}); };
  const Document cell = *try_changed(opened, things[0]);
  EXPECT_NEAR(weight(try_partly(before, cell, 0.5, *run)), weight(before) / 2, 1e-5);
  EXPECT_NEAR(weight(try_partly(before, cell, 1, *run)), 0, 1e-6);
  EXPECT_EQ(weight(try_partly(before, cell, 0, *run)), weight(before));
  // What has no number between is done at once.
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) {
    const Document whole = *try_changed(opened, things[at]);
    EXPECT_TRUE(same_computation(try_partly(before, whole, 0.5, *run), whole)) << things[at].id;
  }
  // One number that is set to another one than 0.
  const auto scene = shipped("scene:nine_steps");
  const auto tries = *things_to_try(*scene);
  const auto input =
      std::find_if(tries.begin(), tries.end(), [](const auto& one) { return one.id == "input"; });
  ASSERT_TRUE(input != tries.end());
  const Document first = new_document(scene), set = *try_changed(scene, *input);
  const auto ran = run_of(first);
  const Site embed = site_of(StepRole::embedding);
  const float was = ran->cell(embed, {3, 0});
  EXPECT_NEAR(run_of(try_partly(first, set, 0.5, *ran))->cell(embed, {3, 0}), (was + 5) / 2, 1e-5);
}

Document edited_by(const std::shared_ptr<const OpenedModel>& opened, const std::string& edit) {
  Document out = new_document(opened);
  Request request;
  request.edits = {edit};
  const Status done = apply_request(out, request);
  EXPECT_TRUE(done) << edit;
  return out;
}

// A hidden key has the score -inf and no weight at all, and the text of the edit reads back.
TEST(TryThis, AHiddenKeyHasNoWeight) {
  const auto opened = shipped("model:storyteller");
  const auto things = *things_to_try(*opened);
  EXPECT_EQ(things[1].edits, std::vector<std::string>{"blocks.1.attn.masked[head=3,query=13,key=2]=-inf"});
  const Document document = *try_changed(opened, things[1]);
  const auto run = run_of(document);
  EXPECT_EQ(to_text(*document.edits.back()), things[1].edits.front());
  EXPECT_EQ(run->cell(*parse_site("blocks.1.attn.masked"), {3, 13, 2}),
            -std::numeric_limits<float>::infinity());
  const Site pattern = *parse_site("blocks.1.attn.pattern");
  EXPECT_EQ(run->cell(pattern, {3, 13, 2}), 0.f);
  double sum = 0;
  for (std::int64_t key = 0; key < 14; ++key) sum += static_cast<double>(run->cell(pattern, {3, 13, key}));
  EXPECT_NEAR(sum, 1, 1e-5);
  // What older sessions hold still reads, and does the same.
  const auto old = run_of(edited_by(opened, "blocks.1.attn.scaled[head=3,query=13,key=2]=-1000"));
  const Tensor now = run->logits_row(13), then = old->logits_row(13);
  for (std::int64_t id = 0; id < now.size(0); ++id) ASSERT_NEAR(now.at(id), then.at(id), 1e-5) << id;
  // Gradients pass it by.
  const auto gradients = backward(run, *default_objective(*run, {}));
  ASSERT_TRUE(gradients) << gradients.error().text();
  for (const auto& [name, weight] : (*gradients)->weights())
    for (const float value : weight.values()) ASSERT_TRUE(std::isfinite(value)) << name;
}

TEST(TryThis, ARowThatIsHiddenAsAWholeLooksAtNothing) {
  const auto opened = shipped("model:storyteller");
  const auto run = run_of(edited_by(opened, "blocks.1.attn.masked[head=3,query=13]=-inf"));
  for (std::int64_t key = 0; key < 14; ++key)
    EXPECT_EQ(run->cell(*parse_site("blocks.1.attn.pattern"), {3, 13, key}), 0.f);
  const Tensor logits = run->logits_row(13);
  for (std::int64_t id = 0; id < logits.size(0); ++id) ASSERT_TRUE(std::isfinite(logits.at(id)));
}

TEST(TryThis, NothingButAScoreIsSetToMinusInfinity) {
  const auto opened = shipped("model:storyteller");
  const ModelConfig& config = opened->model->config();
  for (const char* edit : {"blocks.1.mlp.out=-inf", "blocks.1.attn.pattern[head=3]=-inf", "logits=-inf",
                           "blocks.1.attn.masked[head=3]+=-inf", "blocks.1.attn.masked[head=3]*=-inf",
                           "blocks.1.attn.masked[head=3]=inf"})
    EXPECT_FALSE(parse_edits(edit, config, {}, {})) << edit;
  for (const char* step : {"scores", "scaled", "masked"})
    EXPECT_TRUE(parse_edits("blocks.1.attn." + std::string(step) + "[head=3,query=1]=-inf", config, {}, {}));
}

TEST(TryThis, WhatDoesNotFitIsRefused) {
  const auto opened = shipped("model:storyteller");
  const std::vector<TryThis> things = *things_to_try(*opened);
  const TryThis good =
      *std::find_if(things.begin(), things.end(), [](const TryThis& one) { return !one.tokens.empty(); });
  const auto key = [&](const TryThis& thing) {
    const auto played = play_try(opened, thing);
    return played ? std::string() : played.error().what().key();
  };
  EXPECT_EQ(key(good), "");
  TryThis bad = good;
  bad.tokens.front().word = "zebra";
  EXPECT_EQ(key(bad), "error.session.measure.no_token");
  bad = good;
  bad.tokens.front().from = "dog";
  EXPECT_EQ(key(bad), "error.session.try.token");
  bad = good;
  bad.tokens.front().pos = 1000;
  EXPECT_EQ(key(bad), "error.session.try.token");
  bad = good;
  bad.edits = {"blocks.9.attn.z[head=0]=0"};
  EXPECT_NE(key(bad), "");
}

TEST(TryThis, TablesAreReadStrictly) {
  const std::string good = R"({"things":[{"id":"a","kind":"head","say":["0.0"],"view":"attention",
    "edits":["blocks.0.attn.z[head=0]=0"],"at":"blocks.0.attn.pattern[head=0,query=1]","before":"x",
    "after":["y"],"shares":[0.5,0.25],"move":"turns"}]})";
  ASSERT_TRUE(read_tries(good, "t"));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return !read_tries(text, "t");
  };
  EXPECT_TRUE(refused("\"things\"", "\"thing\""));
  EXPECT_TRUE(refused("\"turns\"", "\"jumps\""));
  EXPECT_TRUE(refused("\"shares\"", "\"share\""));
  EXPECT_TRUE(refused("[\"y\"]", "[]"));
  EXPECT_TRUE(refused("\"edits\"", "\"edit\"")) << "nothing changes";
  EXPECT_TRUE(refused("\"x\"", "7"));
  EXPECT_TRUE(refused("query=1]", "query=1"));
  EXPECT_TRUE(refused("}]}", "}]"));
}

TEST(TryThis, WhatIsNotShippedHasNone) {
  OpenedModel foreign = *shipped("scene:tiny_gpt");
  foreign.path = "/somewhere/tiny_gpt.json";
  EXPECT_TRUE(things_to_try(foreign)->empty());
}

}  // namespace
}  // namespace attnscope
