// A learner who plays every lesson: the answers stand here, known from the texts that the lessons teach or
// read off the trace by attnscope-cli, and so do wrong ones. Every page, in both languages; nothing is taken
// from the check.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/audit.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

/// What a learner does on a page: types or chooses `right` ("cell 4": that key, "head 1.0", "bars 0.5 0.5",
/// steps in an order, "edit ...", "mask ...", "text ..."), after `wrong`.
struct Move {
  const char *page, *right, *wrong;
};

const std::map<std::string, std::vector<Move>>& script() {
  static const std::map<std::string, std::vector<Move>> moves{
      {"ten_minutes",
       {{"bet", "bars 0 0 0.96 0.01 0.01 0 0 0 0.01 0 0.01", "bars 0 0 0 0 0 0 0.5 0 0.5 0 0"},
        {"word", "text The cat sat on the mat because it was soft",
         "text The cat sat on the mat because it was hungry"},
        {"cut", "edit blocks.1.attn.pattern[head=3,query=13,key=2]=0",
         "edit blocks.1.attn.pattern[head=3,query=13,key=6]=0"},
        {"mix", "inside", "outside"},
        {"how", "embed > blocks.1.attn.scores > blocks.1.attn.pattern > blocks.1.attn.z > blocks.1.resid_mid",
         "blocks.1.attn.scores > embed > blocks.1.attn.pattern > blocks.1.attn.z > blocks.1.resid_mid"}}},
      {"nine_steps",
       {{"shape", "(2, 4, 2)", "(2, 4, 3)"},
        {"query", "0.1871", "0.0346"},
        {"split", "counted", "mixed"},
        {"scores", "(2, 2, 4, 4)", "(2, 4, 4)x9"},
        {"weights", "bars 0.33 0.34 0.33 0", "bars 0.25 0.25 0.25 0.25"},
        {"mix", "0.1427", "0.05"},
        {"concat", "beside", "sum"},
        {"output", "-0.5140", "0.1542"},
        {"change", "edit input[pos=0,d_model=1]=2", "edit input[pos=3,d_model=1]=2"}}},
      {"query_key_value",
       {{"score", "1", "2"},
        {"weight", "bars 0 0.5 0.5", "bars 0 0.73 0.27"},
        {"move", "edit input[pos=1,d_model=6]=1", "edit input[pos=2,d_model=4]=1"},
        {"after", "less", "twice"},
        {"value", "edit blocks.0.attn.v[pos=2,head*d_head=3]=4",
         "edit blocks.0.attn.v[pos=0,head*d_head=3]=4"},
        {"fetch", "0.5", "1"}}},
      {"why_sqrt",
       {{"spread", "bars 0.1 0.4 0.57 0.69 0.8", "bars 0.01 0.2 0.4 0.6 0.8"},
        {"factor", "4", "16"},
        {"off", "edit blocks.1.attn.scaling=off", "edit blocks.*.attn.scaling=off"},
        {"gradient", "none", "quarter"}}},
      {"softmax",
       {{"row", "0.3296", "0.3330"},
        {"shift", "same", "sharper"},
        {"win", "edit blocks.0.attn.scores[head=0,query=2,key=0]=6",
         "edit blocks.0.attn.scores[head=0,query=2,key=0]=3"},
        {"overflow", "edit blocks.0.attn.scores[head=0,query=2,key=1]=89",
         "edit blocks.0.attn.scores[head=0,query=2,key=1]=88"}}},
      {"masks",
       {{"causal", "10", "15"},
        {"zero", "bars 0.5 0.5 0 0", "bars 0 1 0 0"},
        {"draw", "mask matrix([[1,0,0,0],[1,1,0,0],[0,1,1,0],[0,0,1,1]])", "mask causal"},
        {"padding", "column", "row"},
        {"pad_rows", "zero", "one"},
        {"training", "cheat", "better"}}},
      {"order",
       {{"exchange", "same", "much"},
        {"which", "two", "all"},
        {"break", "mask causal", "edit blocks.0.attn.scaling=off"}}},
      {"sines",
       {{"first", "0.8415", "0.5403"},
        {"fast", "bars 0.84 0.15 0.03 0.01 0", "bars 0.84 0.63 0.42 0.21 0"},
        {"length", "5.657", "32"},
        {"distance", "same", "larger"},
        {"scale", "place", "alike"}}},
      {"rope_alibi", {{"shift", "same", "smaller"}, {"values", "qk", "all"}, {"alibi", "0.125", "0.0625"}}},
      {"head_roles",
       {{"predict", "cell 6", "cell 2"},
        {"change", "text The dog slept on the rug because it was tired",
         "text The dog slept on the rug because it was soft"},
        {"reason", "head 1.0", "head 1.3"},
        {"wide", "several", "cost"},
        {"off", "edit blocks.1.attn.z[head=3]=0", "edit blocks.1.attn.z[head=0]=0"}}},
      {"inside_block",
       {{"stations",
         "blocks.0.ln1.out > blocks.0.attn.pattern > blocks.0.attn.out > blocks.0.resid_mid > "
         "blocks.0.ln2.out > blocks.0.mlp.out",
         "blocks.0.attn.pattern > blocks.0.attn.out > blocks.0.ln1.out > blocks.0.resid_mid > "
         "blocks.0.mlp.out > blocks.0.ln2.out"},
        {"sigma", "same", "twice"},
        {"sum", "-0.1256", "0.0341"},
        {"skip", "edit blocks.0.attn.skip=off", "edit blocks.1.attn.skip=off"},
        {"most", "m1", "a1"},
        {"relu", "edit blocks.*.mlp.activation=relu", "edit blocks.*.mlp.activation=silu"},
        {"lens", "b2", "b1"}}},
      {"encoder_decoder",
       {{"shape", "(1, 4, 9, 8)", "(1, 4, 8, 9)"},
        {"align", "cell 8", "cell 4"},
        {"gap", "cell 2", "cell 6"},
        {"cache", "no", "yes"},
        {"classifier", "text [CLS] The cat is cold .", "text [CLS] The dog is happy ."}}},
      {"scores_to_words",
       {{"greedy", "sat", "on"},
        {"cold", "bars 0.25 0.12 0.08 0.08 0.47", "bars 0.13 0.09 0.07 0.07 0.64"},
        {"hot", "bars 0.08 0.06 0.06 0.06 0.74", "bars 0.25 0.25 0.24 0.24 0.02"},
        {"curve", "bars 0.95 0.6 0.25 0.13 0.08 0.03", "bars 0.13 0.13 0.13 0.13 0.13 0.13"},
        {"kept", "14", "15"}}},
      {"loss",
       {{"one", "2.0233", "0.1322"},
        {"mean", "smaller", "larger"},
        {"sign", "rise", "fall"},
        {"forcing", "right", "own"},
        {"floor", "no", "yes"}}},
      {"counting",
       {{"attention", "four", "heads"},
        {"share", "bars 0.3 0.55 0.1 0.05", "bars 0.33 0.33 0.33 0.01"},
        {"all", "116,864", "129,536"},
        {"budget", "layers", "vocab"}}},
      {"gqa_cache",
       {{"groups", "(1, 2, 11, 16)", "(1, 4, 11, 16)"},
        {"stale", "later", "one"},
        {"token", "128", "256"},
        {"large", "192", "96"},
        {"price", "fewer", "lost"}}},
      {"vla",
       {{"draw", "mask causal | image>image", "mask causal | image>text"},
        {"peek", "patches", "nobody"},
        {"text_loss", "words", "actions"},
        {"loss", "actions", "both"}}},
      {"induction_head",
       {{"previous", "head 0.0", "head 0.1"},
        {"induction", "head 1.0", "head 0.0"},
        {"where", "cell 13", "cell 12"},
        {"need", "edit blocks.0.attn.z[head=0]=0", "edit blocks.1.attn.z[head=1]=0"}}},
      {"knock_out",
       {{"ask", "10.4786", "7.1185"},
        {"find", "head 1.3", "head 1.0"},
        {"bet", "other", "looks"},
        {"surprise", "edit blocks.0.attn.z[head=2]=0", "edit blocks.1.attn.z[head=3]=0"},
        {"other", "cat", "mat"}}},
      {"robot_policy",
       {{"patches", "16", "256"},
        {"look", "red_cup", "blue_cup"},
        {"action", "red", "blue"},
        {"command", "text push the blue star", "text pick the red cup"},
        {"loop", "edit vision.patches[pos=15]=@pos:6;vision.patches[pos=6]=@pos:5",
         "edit vision.patches[pos=6]=@pos:5"}}},
      {"build_head",
       {{"empty", "third", "none"},
        {"build",
         "edit blocks.0.attn.q.weight[in=2,out=0]=-3;blocks.0.attn.k.weight[in=0,out=0]=-2.5;"
         "blocks.0.attn.q.weight[in=3,out=1]=2.5;blocks.0.attn.k.weight[in=1,out=1]=3",
         "edit blocks.0.attn.q.weight[in=2,out=0]=3;blocks.0.attn.k.weight[in=0,out=0]=3"},
        {"one", "edit blocks.0.attn.q.weight[in=2,out=0]=4;blocks.0.attn.q.weight[in=3,out=0]=-4",
         "edit blocks.0.attn.q.weight[in=2,out=0]=4;blocks.0.attn.q.weight[in=3,out=0]=4"},
        {"fetch", "v", "k"}}},
      {"detective",
       {{"first", "head", "scale"},
        {"second", "leak", "head"},
        {"third", "scale", "skip"},
        {"exchanged", "swap", "scale"},
        {"fourth", "skip", "ffn_skip"}}},
  };
  return moves;
}

/// A page and a learner who answers it.
struct Learner {
  const Lesson& lesson;
  const Page& page;
  PageRun run = {};

  ExpressionScope scope() const { return {run.run(), &run.first(), 0, {}}; }
  Result<Verdict> says(const std::string& move) {
    Answer answer;
    if (move.starts_with("cell ")) {
      const auto* ask = std::get_if<CellAsk>(&page.ask);
      TRY(const std::string in, filled_in(ask->in, scope()));
      TRY(Cell cell, parse_cell(in));
      cell.at.push_back({"key", std::stoll(move.substr(5))});
      answer = std::move(cell);
    } else if (move.starts_with("bars ")) {
      DrawnBars bars;
      for (const std::string& share : split(move.substr(5), ' ')) bars.shares.push_back(std::stod(share));
      answer = std::move(bars);
    } else if (move.starts_with("head ")) {
      answer = HeadPlace{move[5] - '0', move[7] - '0'};
    } else if (const std::size_t blank = move.find(' ');
               std::set<std::string>{"edit", "mask", "text"}.contains(move.substr(0, blank))) {
      TRY_OK(run.open(page));
      TRY_OK(run.edit(
          [&](Document& document) { return done(document, move.substr(0, blank), move.substr(blank + 1)); }));
    } else {
      answer = move;
    }
    return check_answer(lesson, page, answer, scope());
  }
  static Status done(Document& document, const std::string& what, const std::string& how) {
    if (what == "mask") return set_mask_text(document, how);
    if (what == "text") return set_text(document, 0, how);
    for (const std::string& one : split(how, ';')) {
      TRY(auto edit, parse_edit(one));
      put_edit(document, std::move(edit));
    }
    return Done{};
  }
};

class Played : public ::testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { ASSERT_TRUE(set_language("en")); }
};

TEST_P(Played, FromStartToFinish) {
  const auto lesson = shipped_lesson(GetParam());
  ASSERT_TRUE(lesson) << lesson.error().text();
  const std::vector<Move>& moves = script().at(GetParam());
  std::size_t asked = 0;
  for (const Page& page : lesson->pages) {
    if (page.ask.index() == 0) continue;
    ASSERT_LT(asked, moves.size()) << page.id;
    const Move& move = moves[asked++];
    ASSERT_EQ(page.id, move.page);
    Learner learner{*lesson, page};
    const Status opened = learner.run.open(page);
    ASSERT_TRUE(opened) << page.id << ": " << opened.error().text();
    for (const char* language : {"en", "ko"}) {
      ASSERT_TRUE(set_language(language));
      const auto wrong = learner.says(move.wrong);
      ASSERT_TRUE(wrong) << page.id << ": " << wrong.error().text();
      EXPECT_FALSE(wrong->right) << page.id << ": " << move.wrong << ": " << wrong->words.str();
      EXPECT_TRUE(wrong->words.has_words()) << page.id;
      const auto right = learner.says(move.right);
      ASSERT_TRUE(right) << page.id << ": " << right.error().text();
      EXPECT_TRUE(right->right) << page.id << ": " << move.right << ": " << right->words.str();
      EXPECT_NE(right->words.str(), wrong->words.str()) << page.id;
    }
  }
  EXPECT_EQ(asked, moves.size());
}

TEST_P(Played, IsSoundInBothLanguages) {
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    const auto lesson = shipped_lesson(GetParam());
    ASSERT_TRUE(lesson) << lesson.error().text();
    const auto audit = audit_lesson(*lesson);
    ASSERT_TRUE(audit) << audit.error().text();
    EXPECT_GE(audit->pages, 3);
    EXPECT_LE(audit->pages, 9);
  }
}

std::vector<std::string> ids() {
  std::vector<std::string> out;
  for (const auto& [id, moves] : script()) out.push_back(id);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Lessons, Played, ::testing::ValuesIn(ids()),
                         [](const auto& lesson) { return lesson.param; });

TEST(Lessons, AWrongChoiceIsNamedAndHasAReason) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons);
  for (const Lesson& lesson : *lessons)
    for (const Page& page : lesson.pages) {
      const auto* ask = std::get_if<ChoiceAsk>(&page.ask);
      if (!ask) continue;
      Learner learner{lesson, page};
      ASSERT_TRUE(learner.run.open(page)) << lesson.id << "/" << page.id;
      for (const ChoiceAsk::Choice& choice : ask->choices) {
        const auto verdict = learner.says(choice.id);
        ASSERT_TRUE(verdict) << lesson.id << "/" << page.id;
        const std::string words = answer_text(lesson, page, Answer(choice.id), learner.scope()).str();
        EXPECT_NE(verdict->words.str().find(words), std::string::npos)
            << lesson.id << "/" << page.id << ": " << verdict->words.str();
        EXPECT_NE(verdict->words.key(), "verdict.wrong.choice")
            << lesson.id << "/" << page.id << "/" << choice.id;
      }
    }
}

// What is said of a change waits until it was made; a change that does not do it leaves it unsaid.
TEST(Lessons, NothingIsSaidOfAChangeThatWasNotMade) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons);
  int changes = 0;
  for (const Lesson& lesson : *lessons)
    for (const Page& page : lesson.pages) {
      const auto* change = std::get_if<ChangeAsk>(&page.ask);
      if (!change && !std::holds_alternative<MaskAsk>(page.ask)) continue;
      const std::string where = lesson.id + "/" + page.id;
      ++changes;
      Learner learner{lesson, page};
      ASSERT_TRUE(learner.run.open(page)) << where;
      const auto said = [&] { return because_text(lesson, page, learner.scope()); };
      ASSERT_TRUE(said()) << where;
      EXPECT_TRUE(said()->empty()) << where << " at the beginning: " << said()->str();
      const auto asked = check_answer(lesson, page, {}, learner.scope());
      ASSERT_TRUE(asked) << where;
      EXPECT_FALSE(asked->right) << where;
      if (change) {
        EXPECT_EQ(asked->words.key(), "verdict.wrong.unchanged") << where;
      }
      for (const Move& move : script().at(lesson.id))
        if (page.id == move.page) {
          ASSERT_TRUE(learner.says(move.wrong)) << where;
        }
      ASSERT_TRUE(said()) << where;
      EXPECT_TRUE(said()->empty()) << where << " after another change: " << said()->str();
      const std::string before = live_text(lesson, page, learner.scope())->str();
      ASSERT_TRUE(learner.run.open(page)) << where;
      ASSERT_TRUE(learner.run.edit([&](Document& document) { return show_answer(document, page); })) << where;
      ASSERT_TRUE(said()) << where;
      EXPECT_FALSE(said()->empty()) << where << " in the end";
      if (change && change->live) {
        EXPECT_NE(live_text(lesson, page, learner.scope())->str(), before) << where;
      }
    }
  EXPECT_GE(changes, 15);
}

TEST(Lessons, AChangeMadeByTheUsualMistakeIsToldAsSuch) {
  const auto lesson = shipped_lesson("why_sqrt");
  ASSERT_TRUE(lesson);
  Learner learner{*lesson, lesson->pages[2]};
  ASSERT_TRUE(learner.run.open(learner.page));
  const auto verdict = learner.says("edit blocks.*.attn.scaling=off");
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->slip);
  EXPECT_EQ(verdict->words.key(), "lesson.why_sqrt.off.slip.others");
  EXPECT_TRUE(because_text(*lesson, learner.page, learner.scope())->empty());
}

TEST(Lessons, AShareIsToldAsThePictureHasIt) {
  const auto lesson = shipped_lesson("ten_minutes");
  ASSERT_TRUE(lesson);
  Learner learner{*lesson, lesson->pages[2]};
  ASSERT_TRUE(learner.run.open(learner.page));
  const std::string live = live_text(*lesson, learner.page, learner.scope())->str();
  EXPECT_NE(live.find("98.4\u00a0%"), std::string::npos) << live;
  EXPECT_NE(live.find("below 50\u00a0%"), std::string::npos) << live;
}

TEST(Lessons, AVeryLargeNumberIsToldWithAPowerOfTen) {
  const auto lesson = shipped_lesson("softmax");
  ASSERT_TRUE(lesson);
  Learner learner{*lesson, lesson->pages[3]};
  ASSERT_TRUE(learner.run.open(learner.page));
  std::string live = live_text(*lesson, learner.page, learner.scope())->str();
  EXPECT_NE(live.find("3.403·10³⁸"), std::string::npos) << live;
  ASSERT_TRUE(learner.says("edit blocks.0.attn.scores[head=0,query=2,key=1]=80"));
  live = live_text(*lesson, learner.page, learner.scope())->str();
  EXPECT_NE(live.find("·10³⁴"), std::string::npos) << live;
  EXPECT_EQ(live.find("e+"), std::string::npos) << live;
  EXPECT_EQ(lesson_number(-1.25e-7), "−1.25·10⁻⁷");
  EXPECT_EQ(lesson_number(1000), "1,000");
}

TEST(Lessons, EveryOneIsPlayedHere) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  ASSERT_GE(lessons->size(), 20U);
  int before = -1;
  for (const Lesson& lesson : *lessons) {
    EXPECT_TRUE(script().contains(lesson.id)) << lesson.id;
    EXPECT_GT(lesson.number, before) << lesson.id;
    before = lesson.number;
  }
}

}  // namespace
}  // namespace attnscope
