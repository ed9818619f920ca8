// A learner who plays every lesson: the answers stand here, known from the texts that the lessons teach or
// read off the trace by attnscope-cli, and so do wrong ones. Every page, in both languages; nothing is taken
// from the check.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/words.h"
#include "core/lesson/audit.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

/// What a learner does on a page: types or chooses `right` ("cell 4": that key, "head 1.0", "edit ...", "mask
/// ...", "text ..."), after `wrong`.
struct Move {
  const char *page, *right, *wrong;
};

const std::map<std::string, std::vector<Move>>& script() {
  static const std::map<std::string, std::vector<Move>> moves{
      {"nine_steps",
       {{"shape", "(2, 4, 2)", "(2, 4, 3)"},
        {"query", "0.1871", "0.0346"},
        {"split", "1", "2"},
        {"transpose", "4", "2"},
        {"scores", "(2, 2, 4, 4)", "(2, 4, 4)x9"},
        {"weights", "cell 1", "cell 0"},
        {"output", "-0.5140", "0.1542"},
        {"change", "edit input[pos=0,d_model=1]=2", "edit input[pos=3,d_model=1]=2"}}},
      {"query_key_value",
       {{"score", "1", "2"},
        {"weight", "0.5", "0.73"},
        {"move", "edit input[pos=1,d_model=6]=1", "edit input[pos=2,d_model=4]=1"},
        {"after", "0.6225", "0.7311"}}},
      {"why_sqrt",
       {{"factor", "4", "16"},
        {"off", "edit blocks.*.attn.scaling=off", "edit blocks.0.attn.scaling=off"},
        {"gradient", "0", "0.25"}}},
      {"softmax",
       {{"row", "0.3211", "0.3527"},
        {"shift", "same", "sharper"},
        {"win", "edit blocks.0.attn.scores[head=0,query=2,key=0]=6",
         "edit blocks.0.attn.scores[head=0,query=2,key=0]=3"}}},
      {"masks",
       {{"causal", "10", "15"},
        {"zero", "0.51", "0"},
        {"draw", "mask matrix([[1,0,0,0],[1,1,0,0],[0,1,1,0],[0,0,1,1]])", "mask causal"},
        {"padding", "3", "4"},
        {"pad_rows", "0", "1"}}},
      {"order",
       {{"exchange", "0", "0.5"},
        {"which", "two", "all"},
        {"break", "mask causal", "edit blocks.0.attn.scaling=off"}}},
      {"sines",
       {{"first", "0.8415", "0.5403"},
        {"fast", "left", "right"},
        {"length", "5.657", "32"},
        {"distance", "0", "1"}}},
      {"rope_alibi",
       {{"rotate", "1", "2"}, {"origin", "0", "1"}, {"values", "qk", "all"}, {"alibi", "0.125", "0.0625"}}},
      {"head_roles",
       {{"predict", "cell 2", "cell 6"},
        {"number", "0.969", "0.89"},
        {"change", "text The cat sat on the mat because it was soft",
         "text The cat sat on the mat because it was hungry"},
        {"reason", "head 1.0", "head 1.3"},
        {"off", "edit blocks.1.attn.z[head=3]=0", "edit blocks.1.attn.z[head=0]=0"}}},
      {"inside_block",
       {{"sigma", "0.1299", "0.017"},
        {"sum", "-0.1256", "0.0341"},
        {"most", "m1", "a1"},
        {"relu", "edit blocks.*.mlp.activation=relu", "edit blocks.*.mlp.activation=silu"},
        {"lens", "b2", "b1"}}},
      {"encoder_decoder",
       {{"shape", "(1, 4, 9, 8)", "(1, 4, 8, 9)"},
        {"align", "cell 8", "cell 4"},
        {"gap", "cell 2", "cell 6"},
        {"hidden", "0", "153"},
        {"classifier", "2", "12"}}},
      {"scores_to_words",
       {{"p", "0.1322", "0.2548"},
        {"cold", "0.2548", "0.1322"},
        {"kept", "14", "15"},
        {"greedy", "sat", "on"}}},
      {"loss",
       {{"one", "2.0233", "0.1322"},
        {"mean", "1.796", "2.02"},
        {"sign", "-0.2893", "0.2893"},
        {"smooth", "0.9004", "0.9"},
        {"floor", "0.875", "0"}}},
      {"counting",
       {{"attention", "16,640", "16,384"},
        {"ffn", "33088", "32768"},
        {"share", "2/3", "1/2"},
        {"all", "116,864", "129,536"}}},
      {"gqa_cache",
       {{"groups", "(1, 2, 11, 16)", "(1, 4, 11, 16)"},
        {"saving", "2", "4"},
        {"token", "128", "256"},
        {"large", "192", "96"}}},
      {"vla",
       {{"causal", "45", "55"},
        {"draw", "mask causal | image>image", "mask causal | image>text"},
        {"opened", "39", "45"},
        {"text_loss", "words", "actions"},
        {"loss", "0.0001", "3.5"}}},
      {"induction_head",
       {{"previous", "head 0.0", "head 0.1"},
        {"induction", "head 1.0", "head 0.0"},
        {"where", "cell 12", "cell 11"},
        {"need", "edit blocks.0.attn.z[head=0]=0", "edit blocks.1.attn.z[head=1]=0"}}},
      {"knock_out",
       {{"ask", "10.4786", "7.1185"},
        {"find", "head 1.3", "head 1.0"},
        {"off", "edit blocks.1.attn.z[head=3]=0", "edit blocks.1.attn.z[head=0]=0"},
        {"surprise", "edit blocks.0.attn.z[head=2]=0", "edit blocks.1.attn.z[head=3]=0"},
        {"other", "cat", "mat"}}},
      {"robot_policy",
       {{"patches", "16", "256"},
        {"look", "cell 6", "cell 0"},
        {"action", "1.0", "0.5"},
        {"command", "text push the blue star", "text pick the red cup"},
        {"loop", "edit vision.patches[pos=6]=@pos:5", "edit vision.patches[pos=0]=@pos:5"}}},
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
    } else if (move.starts_with("head ")) {
      answer = HeadPlace{move[5] - '0', move[7] - '0'};
    } else if (const std::size_t blank = move.find(' ');
               std::set<std::string>{"edit", "mask", "text"}.contains(move.substr(0, blank))) {
      TRY_OK(run.open(page.state));
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
    TRY(auto edit, parse_edit(how));
    put_edit(document, std::move(edit));
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
    const Status opened = learner.run.open(page.state);
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
    EXPECT_LE(audit->pages, 8);
  }
}

std::vector<std::string> ids() {
  std::vector<std::string> out;
  for (const auto& [id, moves] : script()) out.push_back(id);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Lessons, Played, ::testing::ValuesIn(ids()),
                         [](const auto& lesson) { return lesson.param; });

TEST(Lessons, AWrongChoiceIsNamed) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons);
  for (const Lesson& lesson : *lessons)
    for (const Page& page : lesson.pages) {
      const auto* ask = std::get_if<ChoiceAsk>(&page.ask);
      if (!ask) continue;
      Learner learner{lesson, page};
      ASSERT_TRUE(learner.run.open(page.state)) << lesson.id << "/" << page.id;
      for (const ChoiceAsk::Choice& choice : ask->choices) {
        const auto verdict = learner.says(choice.id);
        ASSERT_TRUE(verdict) << lesson.id << "/" << page.id;
        const std::string words = answer_text(lesson, page, Answer(choice.id), learner.scope()).str();
        EXPECT_NE(verdict->words.str().find(words), std::string::npos)
            << lesson.id << "/" << page.id << ": " << verdict->words.str();
      }
    }
}

TEST(Lessons, EveryOneIsPlayedHere) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  ASSERT_GE(lessons->size(), 19U);
  int before = 0;
  for (const Lesson& lesson : *lessons) {
    EXPECT_TRUE(script().contains(lesson.id)) << lesson.id;
    EXPECT_GT(lesson.number, before) << lesson.id;
    before = lesson.number;
  }
}

}  // namespace
}  // namespace attnscope
