// The easy window: few controls, the answer beside the picture, and what the mouse does in a figure.
#include "app/shell/easy_window.h"

#include "app/shell/dialogs.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "core/lens/attention_row.h"
#include "core/model/measure.h"
#include "core/sample/sampler.h"
#include "core/session/mask_edits.h"
#include "core/session/try_this.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class EasyWindowTest : public testing::FrameTest {
 protected:
  ImVec2 middle_of(const std::string& item, std::int64_t row, std::int64_t col) {
    const ItemRect rect = noted_items().at(item);
    return {rect.p0.x +
                (rect.p1.x - rect.p0.x) * (static_cast<float>(col) + 0.5f) / static_cast<float>(rect.cols),
            rect.p0.y +
                (rect.p1.y - rect.p0.y) * (static_cast<float>(row) + 0.5f) / static_cast<float>(rect.rows)};
  }
  // Of the five rows of the masks: that of "The", which "on" looks at most.
  std::int64_t first_of_piece() {
    EXPECT_EQ(workspace().cursor.query, 4);
    EXPECT_EQ(noted_items().at("figure.allowed").rows, 5);
    return 1;
  }
  void press(ImVec2 at) {
    point_at(at.x, at.y);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames();
  }
  void let_go() {
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    frames();
    settle();
  }
  // The likeliest output of the row that predicts.
  int next_token() {
    const Trace& trace = run().trace(0);
    return next_tokens(trace.logits_row(prediction_row(trace)), Sampling{}).front().id;
  }
  // The first word of the answer on the screen; empty where there is none.
  std::string answer_shown() {
    const char* const card = shows("figure.answer") ? "figure.answer" : "figure.at2";  // that of the output
    if (!shows(card)) return {};
    const ItemRect rect = noted_items().at(card);
    const DisplayList list = drawn();
    std::vector<std::pair<ImVec2, std::string>> texts;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text && item.p0.x >= rect.p0.x - 1 && item.p0.x < rect.p1.x &&
          item.p0.y >= rect.p0.y - 1 && item.p0.y < rect.p1.y)
        texts.emplace_back(item.p0, std::string(list.text(item)));
    // The title, then names at the left end of their rows.
    float left = 1e9f;
    for (const auto& [at, text] : texts) left = std::min(left, at.x);
    std::erase_if(texts, [&](const auto& one) { return one.first.x > left + 4; });
    std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) { return a.first.y < b.first.y; });
    return texts.size() > 1 ? texts[1].second : std::string();
  }
  // Each thing to try of what is open: the answer beside the picture is the one that the sentence claims.
  int claims_shown(const std::string& what) {
    const auto things = things_to_try(*document().opened);
    int seen = 0;
    if (!things) return 0;
    for (const TryThis& thing : *things) {
      const std::string before = answer_shown();
      if (before.empty()) break;  // nothing is predicted
      EXPECT_TRUE(before.starts_with(thing.sentence.arguments()[0].str()))
          << before << " of " << what << ", " << thing.id;
      click("try_show");
      settle();
      EXPECT_TRUE(answer_shown().starts_with(thing.sentence.arguments()[1].str()))
          << answer_shown() << " of " << what << ", " << thing.id;
      click("try_next");
      settle();
      ++seen;
    }
    return seen;
  }
  float weight(std::int64_t query, std::int64_t key) {
    const Cursor& cursor = workspace().cursor;
    return run().trace(0).cell(*parse_site("blocks." + std::to_string(cursor.layer) + ".attn.pattern"),
                               {cursor.head, query, key});
  }
};

TEST_F(EasyWindowTest, ShowsOnePictureTheAnswerAndAtMostTwelveControls) {
  for (const ShippedModel& model : std::vector<ShippedModel>(state().models())) {
    open_easy(model.name);
    EXPECT_FALSE(shows("two_views")) << model.name;
    int controls = 0;
    for (const auto& [name, rect] : noted_items())
      if (!name.starts_with("figure") && !name.starts_with("chip") && !name.starts_with("source_chip") &&
          !name.starts_with("station_") && name != "try_sentence" && name != "try_done" &&
          name != "full")  // easy | full is one
        ++controls;
    EXPECT_LE(controls, 12) << model.name;
    EXPECT_TRUE(shows("figure.sentence")) << model.name;
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(EasyWindowTest, DraggingACellDownChangesTheAnswerAndUndoBringsItBack) {
  open_easy("storyteller");
  workspace().view = "attention";
  frames();
  ASSERT_TRUE(shows("figure.row") && shows("figure.answer"));
  const std::int64_t query = workspace().cursor.query;
  const auto& row = noted_items().at("figure.row");
  std::int64_t key = 0;
  for (std::int64_t at = 0; at < row.cols; ++at)
    if (weight(query, at) > weight(query, key)) key = at;
  const float before = weight(query, key);
  ASSERT_GT(before, 0.3f);
  const ImVec2 cell = middle_of("figure.row", 0, key);
  press(cell);
  for (int step = 1; step <= 10; ++step) {
    point_at(cell.x, cell.y + 40.f * static_cast<float>(step));
    frames();
  }
  EXPECT_LT(weight(query, key), before);
  let_go();
  EXPECT_EQ(weight(query, key), 0.f);
  EXPECT_EQ(document().edits.size(), 1u);
  key_pointer() = {};
  FrameTest::key(compat::Key::z, true);
  settle();
  EXPECT_EQ(weight(query, key), before);
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(EasyWindowTest, AClickLooksAtTheCellAndTheSentenceFollows) {
  open_easy("storyteller");
  workspace().view = "attention";
  frames();
  ASSERT_TRUE(shows("figure.pattern"));
  press(middle_of("figure.pattern", 3, 1));
  let_go();
  EXPECT_EQ(workspace().cursor.query, 3);
  EXPECT_EQ(workspace().cursor.key, 1);
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(EasyWindowTest, TheSwitchGoesToTheSameViewInFullAndBack) {
  open_easy("storyteller");
  workspace().view = "mask";
  frames();
  click("full");
  EXPECT_EQ(workspace().level, Level::full);
  EXPECT_EQ(workspace().view, "mask");
  settle();
  EXPECT_TRUE(shows("level") && shows("two_views"));
  click("level");
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_TRUE(shows("figure.allowed"));
}

TEST_F(EasyWindowTest, BeginsWhereItsFirstThingToTryIsWhichIsNoChangeOfTheUser) {
  open_easy("storyteller");
  const auto things = things_to_try(*document().opened);
  ASSERT_TRUE(things && things->size() >= 3);
  EXPECT_EQ(document().sequences.front().input.ids.size(), run().trace(0).input.ids.size());
  EXPECT_EQ(output_name(*document().opened, next_token()), things->front().before);
  EXPECT_FALSE(session_->worth_keeping());
  EXPECT_EQ(workspace().cursor.head, 3);
  EXPECT_EQ(workspace().cursor.query, run().trace(0).length - 1);
}

TEST_F(EasyWindowTest, ShowMeDoesEachThingAndBackTakesItAway) {
  open_easy("storyteller");
  const auto things = things_to_try(*document().opened);
  ASSERT_TRUE(things);
  for (const TryThis& thing : *things) {
    click("try_show");
    settle();
    EXPECT_EQ(output_name(*document().opened, next_token()), thing.after.front()) << thing.id;
    click("try_show");  // back
    settle();
    EXPECT_EQ(output_name(*document().opened, next_token()), thing.before) << thing.id;
    click("try_next");
  }
}

// What the card asks for is done when the hand did it, too.
TEST_F(EasyWindowTest, TheCardSeesWhatWasDoneByHand) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("try_done"));
  const Status done = session_->edit(Text("hand"), {}, [](Document& changed) -> Status {
    Request request;
    request.edits = {"blocks.1.attn.pattern[head=3,query=13,key=2]=0"};
    return apply_request(changed, request);
  });
  ASSERT_TRUE(done);
  settle();
  EXPECT_TRUE(shows("try_done"));
  session_->undo();
  settle();
  EXPECT_FALSE(shows("try_done"));
}

// Every view of the storyteller that has a thing of its own offers it.
TEST_F(EasyWindowTest, AViewOffersWhatIsToBeDoneThere) {
  open_easy("storyteller");
  const auto things = things_to_try(*document().opened);
  ASSERT_TRUE(things);
  int offered = 0;
  for (const TryThis& thing : *things) {
    workspace().view = thing.view == "attention" ? "mlp" : "attention";
    settle();
    workspace().view = thing.view;
    settle();
    std::string first;
    for (const TryThis& one : *things)
      if (first.empty() && one.view == thing.view) first = one.after.front();
    click("try_show");
    settle();
    EXPECT_EQ(workspace().view, thing.view) << thing.id;
    EXPECT_EQ(output_name(*document().opened, next_token()), first) << thing.id;
    click("try_show");  // back
    settle();
    ++offered;
  }
  EXPECT_GE(offered, 10);
}

// From the loss back to a weight: the strip of "How does it learn?" has stations of its own.
TEST_F(EasyWindowTest, TheWayBackIsAFilm) {
  open_easy("storyteller");
  workspace().view = "training";
  settle();
  EXPECT_FALSE(shows("station_loss"));
  key(compat::Key::right);
  settle();
  EXPECT_EQ(workspace().station, "loss");
  ASSERT_TRUE(shows("station_loss"));
  EXPECT_FALSE(shows("heads"));
  std::vector<std::string> seen;
  for (const char* id : {"logits", "unembed", "stream", "pattern", "weight"}) {
    key(compat::Key::right);
    settle();
    EXPECT_EQ(workspace().view, "training");
    EXPECT_EQ(workspace().station, id);
    EXPECT_TRUE(shows(std::string(id) == "unembed" ? "figure.weights" : "figure.row")) << id;
    EXPECT_EQ(shows("heads"), workspace().station == "pattern" || workspace().station == "weight") << id;
  }
  click("station_loss");
  settle();
  EXPECT_TRUE(shows("figure.losses"));
  workspace().view = "attention";
  settle();
  EXPECT_TRUE(shows("station_softmax")) << "the film of the way forward";
}

TEST_F(EasyWindowTest, TheQuestionsEndWithTheViewsOfTheFullWindow) {
  open_easy("storyteller");
  click("question");
  frames();
  EXPECT_TRUE(shows("question_mask"));
  ASSERT_TRUE(shows("question_calculator") && shows("question_check"));
  click("question_calculator");
  settle();
  EXPECT_EQ(workspace().level, Level::full);
  EXPECT_EQ(workspace().view, "calculator");
}

// What easy has no picture of is opened in full; what the model has none of is said.
TEST_F(EasyWindowTest, AViewOfTheFullWindowOpensThere) {
  for (const char* view : {"calculator", "check", "circuits"}) {
    workspace().view = "attention";
    open_easy("storyteller");
    workspace().view = view;
    settle();
    EXPECT_EQ(workspace().level, Level::full) << view;
    EXPECT_EQ(workspace().view, view);
    ASSERT_FALSE(state().notices.empty()) << view;
    EXPECT_EQ(state().notices.back().text.key(), "easy.in_full") << view;
  }
  workspace().view = "attention";
  open_easy("gap-filler");
  workspace().view = "kv";
  settle();
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_EQ(workspace().view, "steps");
  ASSERT_FALSE(state().notices.empty());
  EXPECT_EQ(state().notices.back().text.key(), "kv.none.both_sides");
}

// A decoder that looks at another text as well keeps the keys and values of its own.
TEST_F(EasyWindowTest, TheCacheOfADecoderOpensAtItsOwnText) {
  open_easy("translator");
  ASSERT_EQ(workspace().cursor.part, Part::cross);
  workspace().view = "kv";
  settle();
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_EQ(workspace().view, "kv");
  EXPECT_EQ(workspace().cursor.part, Part::attn);
  ASSERT_TRUE(state().easy_spec);
  EXPECT_EQ(state().easy_spec->id, "kv");
}

// One lab, whose one or two numbers move the picture; it says nothing of the text that is open.
TEST_F(EasyWindowTest, OneLabOfTheDayHasItsOwnPictureAlone) {
  open_easy("storyteller");
  EXPECT_TRUE(shows("type_text"));
  click("try_show");
  settle();
  EXPECT_TRUE(shows("compare"));
  workspace().lab.clear();
  workspace().view = "labs";
  settle();
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_FALSE(shows("type_text")) << "the strip of the text stands above a lab that does not read it";
  EXPECT_FALSE(shows("figure.answer"));
  EXPECT_TRUE(shows("figure.sentence"));
  EXPECT_TRUE(shows("try_sentence"));
  for (const Lab& lab : labs()) {
    workspace().lab = lab.id();
    settle();
    EXPECT_EQ(workspace().level, Level::easy) << lab.id();
    EXPECT_EQ(workspace().lab, lab.id());
    EXPECT_TRUE(shows("figure.sentence")) << lab.id();
    EXPECT_FALSE(shows("compare")) << lab.id() << ": a lab shows no run";
    int controls = 0;
    for (const LabControl& control : lab.controls) controls += shows("lab_" + control.id()) ? 1 : 0;
    EXPECT_GE(controls, 1) << lab.id();
    EXPECT_LE(controls, 2) << lab.id();
  }
}

// "Show me" moves the number to what the line says, and "Back" to where it began.
TEST_F(EasyWindowTest, ALabShowsWhatThereIsToTry) {
  open_easy("storyteller");
  workspace().animate = false;
  workspace().view = "labs", workspace().lab = "sqrt";
  settle();
  click("try_show");
  settle();
  EXPECT_EQ(workspace().lab_values["sqrt"].number("d_k"), 512);
  click("try_show");
  settle();
  EXPECT_EQ(workspace().lab_values["sqrt"].number("d_k"), 64);
}

TEST_F(EasyWindowTest, APlayedTryLeavesNothingToKeep) {
  open_easy("storyteller");
  workspace().animate = false;
  click("try_show");
  settle();
  EXPECT_TRUE(session_->history().can_undo());
  EXPECT_FALSE(session_->worth_keeping());
  click("try_show");  // back
  settle();
  EXPECT_FALSE(session_->worth_keeping());
  click("try_show");
  settle();
  ASSERT_TRUE(
      session_->edit(Text("by hand"), "", [](Document& changed) { return insert_token(changed, 0, 3, 13); }));
  settle();
  EXPECT_TRUE(session_->worth_keeping()) << "what one did oneself is kept";
}

TEST_F(EasyWindowTest, OneButtonHasAllThatALectureNeeds) {
  open_easy("storyteller");
  click("present");
  frames();
  for (const char* item : {"view.present", "view.theme", "file.export"}) EXPECT_TRUE(shows(item)) << item;
  int lectures = 0;
  for (const auto& [name, rect] : noted_items()) lectures += name.starts_with("lecture.open.") ? 1 : 0;
  EXPECT_EQ(lectures, 8);
  click("view.present");
  frames(3);
  EXPECT_TRUE(state().presenter.on);
}

// What looks like it can be clicked can be: the name of a row, a word beside the looked-at one.
TEST_F(EasyWindowTest, NamesOfRowsAndWordsNearByAreClicked) {
  for (const char* view : {"attention", "mask"}) {
    open_easy("storyteller");
    workspace().view = view;
    settle();
    const bool piece = std::string(view) == "mask";  // of five rows
    const std::string item = piece ? "figure.scores" : "figure.pattern";
    ASSERT_TRUE(shows(item)) << view;
    const std::int64_t first = piece ? first_of_piece() : 0, row = first + (piece ? 4 : 7);
    ASSERT_NE(workspace().cursor.query, row);
    const ImVec2 cell = middle_of(item, row - first, 0);
    press(ImVec2(noted_items().at(item).p0.x - 10, cell.y));
    let_go();
    EXPECT_EQ(workspace().cursor.query, row) << view;
  }
  open_easy("storyteller");
  workspace().view = "embedding";
  settle();
  ASSERT_TRUE(shows("figure.near"));
  const std::vector<int> before = run().trace(0).ids;
  const auto row = static_cast<std::size_t>(workspace().cursor.query);
  const ItemRect near = noted_items().at("figure.near");
  press(ImVec2(near.p0.x + 30, (near.p0.y + near.p1.y) / 2));
  let_go();
  std::vector<int> after = run().trace(0).ids;
  EXPECT_NE(after, before);
  after[row] = before[row];
  EXPECT_EQ(after, before) << "the looked-at word alone";
}

// The photograph stands beside the attention of a robot policy, its row's weights over the patches.
TEST_F(EasyWindowTest, AttentionOnAPhotographIsSeenOnIt) {
  open_easy("storyteller");
  workspace().view = "attention";
  settle();
  EXPECT_FALSE(shows("easy.sight"));
  open_easy("pilot");
  workspace().view = "attention";
  settle();
  ASSERT_TRUE(shows("easy.sight"));
  const ItemRect photo = noted_items().at("easy.sight");
  EXPECT_GE(photo.p1.x - photo.p0.x, 160.f);
  EXPECT_LE(photo.p1.x, noted_items().at("figure").p0.x + 1);
  EXPECT_EQ(tr("easy.sight.framed", {"cup", "96.9 %", "r2 c3", "2", "3"}).find("{"), std::string::npos);
}

TEST_F(EasyWindowTest, KeysAndTheStripWalkTheStations) {
  open_easy("storyteller");
  workspace().view = "attention";
  key(compat::Key::right);
  EXPECT_EQ(workspace().view, "steps");
  const std::string first = workspace().station;
  ASSERT_TRUE(shows("station_" + first));
  std::vector<std::string> seen{first};
  for (int i = 0; i < 12; ++i) {
    key(compat::Key::right);
    if (workspace().station != seen.back()) seen.push_back(workspace().station);
  }
  EXPECT_EQ(seen.size(), 8u) << join(seen, " ");
  for (const std::string& station : seen) {
    click("station_" + station);
    EXPECT_EQ(workspace().station, station);
    EXPECT_TRUE(shows("figure.sentence"));
  }
  key(compat::Key::left);
  EXPECT_EQ(workspace().station, seen[seen.size() - 2]);
  click("station_" + first);
  key(compat::Key::space);
  frames(60 * 3);
  EXPECT_EQ(workspace().station, seen[0]) << "there is time to read";
  frames(60 * 3);
  EXPECT_EQ(workspace().station, seen[1]);
  key(compat::Key::space);
  workspace().view = "attention";
  frames();
  key(compat::Key::space);
  EXPECT_EQ(workspace().view, "steps") << "playing begins at once";
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(EasyWindowTest, PresentsTheFigureAloneAndKeysTurnItsStations) {
  open_easy("storyteller");
  key(compat::Key::f5);
  EXPECT_TRUE(shows("figure.question"));
  EXPECT_FALSE(shows("try_show") || shows("film_play"));
  key(compat::Key::right);
  const std::string first = workspace().station;
  key(compat::Key::right);
  EXPECT_NE(workspace().station, first);
  key(compat::Key::page_up);  // of a clicker
  EXPECT_EQ(workspace().station, first);
  key(compat::Key::page_down);
  EXPECT_NE(workspace().station, first);
  key(compat::Key::end);
  EXPECT_EQ(workspace().station, "word");
  key(compat::Key::home);
  EXPECT_EQ(workspace().station, "words");
}

TEST_F(EasyWindowTest, PresentedFiguresFitEveryProjectorInEveryView) {
  open_easy("storyteller");
  key(compat::Key::f5);
  for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1024, 768), ImVec2(1920, 1080), ImVec2(800, 600)}) {
    ImGui::GetIO().DisplaySize = size;
    for (const ViewSpec* view : view_specs()) {
      if (!view->model) continue;
      workspace().level = Level::easy, workspace().view = view->id;
      frames(3);
      if (workspace().level == Level::full) continue;  // easy has no picture of it
      ASSERT_TRUE(shows("figure.question")) << view->id << " at " << size.x;
      for (const auto& [name, rect] : noted_items()) {
        if (!name.starts_with("figure.")) continue;
        EXPECT_TRUE(rect.p0.x >= 0 && rect.p0.y >= 0 && rect.p1.x <= size.x && rect.p1.y <= size.y)
            << name << " of " << view->id << " at " << size.x;
      }
    }
  }
}

TEST_F(EasyWindowTest, WhatChangedShowsBothRunsAndTheirDifference) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("compare"));
  click("try_show");
  settle();
  ASSERT_TRUE(shows("compare"));
  EXPECT_FALSE(shows("figure.minus"));
  click("compare");
  for (const char* part : {"figure.a", "figure.b", "figure.minus", "figure.row"})
    EXPECT_TRUE(shows(part)) << part;
  click("station_scores");  // which shows rows, no matrix
  frames(2);
  EXPECT_FALSE(shows("compare") || shows("figure.minus"));
  workspace().view = "attention";
  frames(3);
  key(compat::Key::f5);
  EXPECT_TRUE(shows("figure.minus"));
  key(compat::Key::escape);
  key(compat::Key::d);
  EXPECT_FALSE(shows("figure.minus"));
  EXPECT_TRUE(shows("figure.answer"));
  key(compat::Key::d);
  click("try_show");  // takes it back
  settle();
  EXPECT_FALSE(shows("compare") || shows("figure.minus"));
}

TEST_F(EasyWindowTest, AClickInTheMaskOpensAndClosesACell) {
  open_easy("storyteller");
  workspace().view = "mask";
  settle();
  const Site mask = state().run->trace(0).find(*parse_site("blocks.1.attn.mask"))
                        ? *parse_site("blocks.1.attn.mask")
                        : *parse_site("mask");
  ASSERT_TRUE(run().trace(0).find(mask));
  const std::int64_t first = first_of_piece(), query = first + 3, key = first + 1;
  const float before = run().trace(0).cell(mask, {query, key});
  press(middle_of("figure.allowed", 3, 1));
  let_go();
  EXPECT_NE(run().trace(0).cell(mask, {query, key}), before);
  press(middle_of("figure.allowed", 3, 1));
  let_go();
  EXPECT_EQ(run().trace(0).cell(mask, {query, key}), before);
}

TEST_F(EasyWindowTest, AnotherTextIsSaidToBeAnotherAndNothingOpenIsAStartPage) {
  workspace().level = Level::easy;
  settle();
  EXPECT_FALSE(shows("two_views"));
  open_easy("storyteller");
  ASSERT_TRUE(session_->edit(
      Text("x"), {}, [](Document& document) { return set_text(document, 0, "The dog sat", Stack::single); }));
  settle();
  EXPECT_TRUE(shows("try_sentence"));
  const std::vector<int> ids = document().sequences.front().input.ids;
  click("try_show");
  settle();
  EXPECT_EQ(document().sequences.front().input.ids, ids) << "what is to be tried is done on this text";
}

TEST_F(EasyWindowTest, WhatIsToBeTriedIsSaidToBeWithoutChangesThatTheRunHas) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("try_of_before"));
  ASSERT_TRUE(session_->edit(
      Text("x"), {}, [](Document& document) { return choose_mask(document, "full", AttentionKind::main); }));
  settle();
  EXPECT_TRUE(shows("try_of_before"));
  click("try_show");
  settle();
  EXPECT_FALSE(shows("try_of_before")) << "what came of it";
  session_->undo();
  session_->undo();
  settle();
  EXPECT_FALSE(shows("try_of_before"));
}

TEST_F(EasyWindowTest, ASentenceIsTypedInPlaceOfTheChips) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("input_text"));
  click("type_text");
  ASSERT_TRUE(shows("input_text"));
  EXPECT_FALSE(shows("type_text") || shows("chip0"));
  key(compat::Key::a, true);
  type("The dog sat on the mat");
  EXPECT_EQ(document().sequences.front().input.ids.size(), 14u) << "nothing runs before Enter";
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(document().sequences.front().text, "The dog sat on the mat");
  EXPECT_EQ(run().trace(0).length, 7);
  EXPECT_FALSE(shows("input_text"));
  EXPECT_TRUE(shows("type_text") && shows("figure.sentence"));
  EXPECT_TRUE(state().notices.empty());
  key(compat::Key::t, true);
  ASSERT_TRUE(shows("input_text"));
  type("hello");
  key(compat::Key::escape);
  settle();
  EXPECT_FALSE(shows("input_text"));
  EXPECT_EQ(document().sequences.front().text, "The dog sat on the mat");
}

TEST_F(EasyWindowTest, UnknownWordsAreNamedAndATextThatDoesNotFitChangesNothing) {
  open_easy("storyteller");
  key(compat::Key::t, true);
  key(compat::Key::a, true);
  type("The wizard sat on a zeppelin");
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(document().sequences.front().text, "The wizard sat on a zeppelin");
  ASSERT_EQ(state().notices.size(), 1u);
  const std::string said = state().notices.front().text.str();
  EXPECT_TRUE(said.find("wizard") != std::string::npos && said.find("zeppelin") != std::string::npos) << said;
  EXPECT_EQ(said.find("sat"), std::string::npos) << said;

  const std::uint64_t point = session_->history().point();
  key(compat::Key::t, true);
  key(compat::Key::a, true);
  std::string many;
  for (int i = 0; i < 80; ++i) many += "cat ";
  ImGui::GetIO().AddInputCharactersUTF8(many.c_str());
  frames();
  key(compat::Key::enter);
  settle();
  EXPECT_TRUE(shows("input_text") && shows("input_error"));
  EXPECT_EQ(session_->history().point(), point);
  EXPECT_FALSE(session_->error());
  EXPECT_TRUE(shows("figure.sentence"));
  click("input_text");
  key(compat::Key::a, true);
  key(compat::Key::backspace);
  key(compat::Key::enter);
  settle();
  EXPECT_TRUE(shows("input_error")) << "an empty text";
  EXPECT_EQ(session_->history().point(), point);
  click("input_text");
  key(compat::Key::escape);
  EXPECT_FALSE(shows("input_text") || shows("input_error"));
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(EasyWindowTest, ATypedSentenceIsTranslatedAnew) {
  open_easy("translator");
  const std::vector<int> before = document().sequences.front().input.ids;
  click("type_text");
  ASSERT_TRUE(shows("source_text")) << noted_items().size();
  key(compat::Key::a, true);
  type("the dog saw the cat");
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(document().sequences.front().source_text, "the dog saw the cat");
  EXPECT_NE(document().sequences.front().input.ids, before);
  EXPECT_GT(document().sequences.front().input.ids.size(), 2u);
}

TEST_F(EasyWindowTest, KeysOfTheFullProgramDoNothing) {
  open_easy("storyteller");
  const auto look = [&] {
    const Cursor& c = workspace().cursor;
    return workspace().view + "|" + workspace().station + "|" + workspace().second_view + "|" +
           std::to_string(static_cast<int>(theme().kind)) + std::to_string(c.query) + "," +
           std::to_string(c.head) + "," + std::to_string(c.layer) + (c.pinned ? "pin" : "") +
           (session_->pinned() ? "A" : "") + (workspace().log_scale ? "log" : "") +
           (workspace().backward ? "back" : "") + (state().presenter.magnifier.on ? "magnifier" : "") +
           std::to_string(session_->history().point()) + std::to_string(open_popups());
  };
  int full = 0, easy = 0;
  for (const Action& action : actions())
    for (const Chord& chord : action.keys) {
      const bool letter = chord.key >= compat::Key::a && chord.key < compat::Key::f1 && !chord.ctrl;
      if (!letter || action.scope == KeyScope::presenter) continue;
      if (action.level == Level::easy) {
        ++easy;
        continue;
      }
      ++full;
      const std::string before = look();
      key(chord.key, false, chord.shift);
      EXPECT_EQ(look(), before) << action.id;
    }
  EXPECT_GE(full, 7);
  EXPECT_GE(easy, 3);  // T, D, G
  key(compat::Key::t);
  EXPECT_EQ(theme().kind, ThemeKind::light);
  key(compat::Key::f10);
  EXPECT_EQ(open_popups(), 0);
  workspace().level = Level::full;
  frames(3);
  EXPECT_EQ(open_popups(), 0) << "what was pressed before waits for nothing";
  key(compat::Key::l);
  EXPECT_TRUE(workspace().log_scale);
}

TEST_F(EasyWindowTest, ThePageOfKeysListsWhatWorks) {
  std::string easy, full;
  for (const Level level : {Level::easy, Level::full})
    for (const KeyGroup& group : key_groups(level))
      for (const auto& [keys, what] : group.lines) (level == Level::easy ? easy : full) += what + "\n";
  for (const char* id : {"walk.pin_number", "view.two", "walk.backward", "help.menus", "view.tokenizer"}) {
    EXPECT_EQ(easy.find(action_name(*find_action(id))), std::string::npos) << id;
    EXPECT_NE(full.find(action_name(*find_action(id))), std::string::npos) << id;
  }
  for (const char* id : {"run.generate", "edit.type", "walk.next", "present.end"})
    EXPECT_NE(easy.find(action_name(*find_action(id))), std::string::npos) << id;
  EXPECT_NE(easy.find(tr("figure.attention.question")), std::string::npos)
      << "views are named by their question";
}

TEST_F(EasyWindowTest, TheAnswerShownIsTheOneThatTheSentenceClaims) {
  int seen = 0;
  for (const ShippedModel& model : std::vector<ShippedModel>(state().models())) {
    workspace().view = "attention";  // other views may open on another row
    open_easy(model.name);
    seen += claims_shown(model.name);
  }
  for (const ShippedScene& scene : std::vector<ShippedScene>(state().scenes())) {
    workspace().view = "attention";
    open_easy(scene.name, true);
    seen += claims_shown(scene.name);
  }
  EXPECT_GT(seen, 40);
}

TEST_F(EasyWindowTest, ShowMeSaysWhatWasDoneAndWhatCameOfIt) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("try_done"));
  click("try_show");
  settle();
  EXPECT_TRUE(shows("try_done") && shows("try_sentence"));
  EXPECT_LT(noted_items().at("try_done").p1.y, noted_items().at("try_sentence").p1.y);
  click("try_next");
  settle();
  EXPECT_FALSE(shows("try_done"));
  EXPECT_TRUE(document().edits.empty()) << "the next one speaks of the text as it was";
}

TEST_F(EasyWindowTest, TheFramedKeyIsTheStrongestOfTheRow) {
  const auto expect_strongest = [&](const std::string& what) {
    frames();
    const Cursor& c = workspace().cursor;
    const Trace& trace = run().trace(c.sequence);
    const Site pattern{c.stack, c.layer, c.part, slot_of(StepRole::pattern)};
    if (trace.find(pattern)) {
      EXPECT_EQ(c.key, strongest_key(trace, pattern, c.head, c.query)) << what;
    }
  };
  for (const ShippedModel& model : std::vector<ShippedModel>(state().models())) {
    open_easy(model.name);
    expect_strongest(model.name);
    for (const compat::Key which : {compat::Key::up, compat::Key::down}) {
      key(which);
      expect_strongest(model.name + ", another block");
      key(which, false, true);
      expect_strongest(model.name + ", another head");
    }
    if (!shows("chip1")) continue;
    click("chip1");
    expect_strongest(model.name + ", another row");
  }
}

TEST_F(EasyWindowTest, ATokenIsAppendedByKeyOrByItsRowAndLookedAt) {
  open_easy("storyteller");
  workspace().view = "attention";
  const auto length = [&] { return static_cast<int>(document().sequences.front().input.ids.size()); };
  const int before = length();
  const int likeliest = next_token();
  key(compat::Key::g);
  settle();
  ASSERT_EQ(length(), before + 1);
  EXPECT_EQ(document().sequences.front().input.ids.back(), likeliest);
  EXPECT_EQ(workspace().cursor.query, before);
  // The third of the likeliest, by a click on its row.
  const std::vector<NextToken> next = next_tokens(run().trace(0).logits_row(before), Sampling{});
  ASSERT_TRUE(shows("figure.answer"));
  const ItemRect rect = noted_items().at("figure.answer");
  bool appended = false;
  for (float y = rect.p0.y + 4; y < rect.p1.y && !appended; y += 4) {
    press(ImVec2((rect.p0.x + rect.p1.x) / 2, y));
    let_go();
    if (length() == before + 1) continue;
    appended = true;
    EXPECT_EQ(document().sequences.front().input.ids.back(), next[0].id) << "the first row from above";
    key(compat::Key::z, true);
    settle();
    EXPECT_EQ(length(), before + 1);
    for (float below = y + 8; below < rect.p1.y; below += 8) {
      workspace().cursor.query = before;
      frames();
      press(ImVec2((rect.p0.x + rect.p1.x) / 2, below));
      let_go();
      if (length() == before + 1) continue;
      if (document().sequences.front().input.ids.back() == next[0].id) {
        key(compat::Key::z, true);
        settle();
        continue;
      }
      EXPECT_EQ(document().sequences.front().input.ids.back(), next[1].id);
      EXPECT_EQ(workspace().cursor.query, before + 1);
      break;
    }
  }
  EXPECT_TRUE(appended);
  // The answer of another row is no next word of the text.
  workspace().cursor.query = 2;
  frames();
  const int now = length();
  press(ImVec2((rect.p0.x + rect.p1.x) / 2, rect.p0.y + (rect.p1.y - rect.p0.y) * 0.3f));
  let_go();
  EXPECT_EQ(length(), now);
}

TEST_F(EasyWindowTest, AWeightIsTypedBetweenZeroAndOne) {
  open_easy("storyteller");
  workspace().view = "attention";
  frames();
  ASSERT_TRUE(shows("figure.row"));
  const std::int64_t query = workspace().cursor.query;
  const auto type_weight = [&](const std::string& text) {
    const ImVec2 cell = middle_of("figure.row", 0, 2);
    point_at(cell.x, cell.y);
    frames();
    for (int click = 0; click < 2; ++click) {
      compat::feed_mouse_button(ImGui::GetIO(), 0, true);
      frames(1);
      compat::feed_mouse_button(ImGui::GetIO(), 0, false);
      frames(1);
    }
    frames();
    ASSERT_TRUE(shows("figure_number"));
    key(compat::Key::a, true);
    type(text);
    key(compat::Key::enter);
    settle();
  };
  const float before = weight(query, 2);
  type_weight("50");
  EXPECT_EQ(weight(query, 2), before);
  EXPECT_TRUE(shows("figure_number")) << "the field stays, with the reason";
  key(compat::Key::escape);
  settle();
  type_weight("0.5");
  EXPECT_EQ(weight(query, 2), 0.5f);
}

TEST_F(EasyWindowTest, ASessionKeepsItsOwnText) {
  workspace().level = Level::full;
  state().open_shipped_model("storyteller");
  settle();
  // A history of one point with a text of its own: a slide, or a session without its history.
  ASSERT_TRUE(session_->begin(
      [](Document& document) { return set_text(document, 0, "The dog sat on the mat", Stack::single); }));
  workspace().level = Level::easy;
  settle();
  EXPECT_EQ(document().sequences.front().text, "The dog sat on the mat");
}

TEST_F(EasyWindowTest, AFullModelTakesNoMoreTokens) {
  open_easy("storyteller");
  for (int i = 0; i < 70; ++i) {
    key(compat::Key::g);
    settle();
  }
  EXPECT_EQ(document().sequences.front().input.ids.size(), 64u);
  EXPECT_FALSE(session_->error());
  EXPECT_TRUE(shows("figure.sentence"));
}

TEST_F(EasyWindowTest, ATokenChangedByHandAsksWhatChanged) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("compare"));
  workspace().view = "attention";
  state().commands.edit(Text("x"), {}, [](Document& changed) {  // as the menu of a chip does
    return replace_token(changed, 0, 2, changed.sequences.front().input.ids[6], Stack::single);
  });
  settle();
  ASSERT_TRUE(shows("compare"));
  click("compare");
  for (const char* part : {"figure.a", "figure.b", "figure.minus"}) EXPECT_TRUE(shows(part)) << part;
}

// A weight of attention is not on the screen beside a list of words; a word can be changed everywhere.
TEST_F(EasyWindowTest, WhatThereIsToTryCanBeDoneInTheViewThatIsOpen) {
  open_easy("storyteller");
  workspace().view = "embedding";
  frames(3);
  const std::vector<int> before = document().sequences.front().input.ids;
  click("try_show");
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_NE(document().sequences.front().input.ids, before);
  EXPECT_EQ(workspace().view, "embedding");
  EXPECT_TRUE(shows("figure.answer"));
  click("try_show");  // back
  settle();
  EXPECT_EQ(document().sequences.front().input.ids, before);
}

TEST_F(EasyWindowTest, TheRowsThatChangedAreWalkedLargestFirst) {
  open_easy("storyteller");
  workspace().view = "attention";
  state().commands.edit(Text("x"), {}, [](Document& changed) {
    return replace_token(changed, 0, 2, changed.sequences.front().input.ids[6], Stack::single);
  });
  settle();
  click("compare");
  frames(2);
  ASSERT_TRUE(shows("change_next"));
  std::set<std::int64_t> rows;
  for (int at = 0; at < 40; ++at) {
    const std::int64_t before = workspace().cursor.query;
    click("change_next");
    frames(2);
    if (workspace().cursor.query == before) break;
    EXPECT_TRUE(rows.insert(workspace().cursor.query).second);
  }
  EXPECT_GT(rows.size(), 2U);
  const std::int64_t last = workspace().cursor.query;
  click("change_before");
  frames(2);
  EXPECT_NE(workspace().cursor.query, last);
  click("compare");
  EXPECT_FALSE(shows("change_next"));
}

TEST_F(EasyWindowTest, UndoIsDimWhereThereIsNothingToUndo) {
  open_easy("storyteller");
  const auto length = document().sequences.front().input.ids.size();
  EXPECT_FALSE(is_possible(*find_action("edit.undo"), state()));
  click("undo");
  settle();
  EXPECT_EQ(document().sequences.front().input.ids.size(), length);
  key(compat::Key::g);
  settle();
  click("undo");
  settle();
  EXPECT_EQ(document().sequences.front().input.ids.size(), length);
}

TEST(EasyScale, GrowsWithTheWindowBySteps) {
  EXPECT_EQ(easy_scale(1280, 720), 1.f);
  EXPECT_EQ(easy_scale(800, 600), 1.f);
  EXPECT_EQ(easy_scale(1350, 760), 1.f);
  EXPECT_EQ(easy_scale(1440, 900), 1.125f);
  EXPECT_EQ(easy_scale(1920, 1080), 1.5f);
  EXPECT_EQ(easy_scale(1920, 720), 1.f);
  EXPECT_EQ(easy_scale(3840, 2160), 3.f);
  EXPECT_EQ(easy_scale(7680, 4320), 3.f);
}

// The looked-at chip can be seen, and no chip is cut at the left edge, in whatever width.
TEST_F(EasyWindowTest, TheLookedAtChipIsSeenAndNoChipIsCutAtTheLeft) {
  for (const char* model : {"storyteller", "induction", "sorter"}) {
    open_easy(model);
    const auto count = static_cast<std::int64_t>(document().sequences.front().input.ids.size());
    for (const float width : {800.f, 1024.f, 1280.f}) {
      ImGui::GetIO().DisplaySize = ImVec2(width, 720);
      for (std::int64_t row = 0; row < count; row += 3) {
        workspace().cursor.query = row;
        frames(6);
        const std::string name = "chip" + std::to_string(row);
        ASSERT_TRUE(shows(name)) << model << " " << width;
        float first = 1e9f;
        for (const auto& [item, rect] : noted_items())
          if (item.starts_with("chip") && rect.seen1.x > rect.seen0.x) first = std::min(first, rect.p0.x);
        EXPECT_GE(first, 23.f) << model << " " << width << " row " << row;
        const ItemRect rect = noted_items().at(name);
        EXPECT_TRUE(rect.p0.x >= 23 && rect.p1.x <= width - 24) << model << " " << width << " row " << row;
      }
    }
  }
}

// Who may look at whom: a rule is one click below the masks, and the model's own is the lit one.
TEST_F(EasyWindowTest, ChoosesWhoMayLookByOneClick) {
  open_easy("storyteller");
  workspace().view = "mask";
  settle();
  ASSERT_TRUE(shows("rule_all") && shows("rule_past") && shows("rule_last"));
  EXPECT_FALSE(shows("rule_own")) << "that of the past is its own";
  EXPECT_LE(noted_items().at("figure").p1.y, noted_items().at("rule_past").p0.y);
  const int before = next_token();
  click("rule_last");
  settle();
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "causal & window(4)");
  EXPECT_NE(next_token(), before);
  click("rule_past");
  settle();
  EXPECT_TRUE(is_chosen_mask(document(), "model", AttentionKind::main)) << "nothing is left to take back";
  EXPECT_EQ(next_token(), before);
  workspace().view = "attention";
  settle();
  EXPECT_FALSE(shows("rule_all"));
  open_easy("gap-filler");
  workspace().view = "mask";
  settle();
  click("rule_all");
  settle();
  EXPECT_TRUE(is_chosen_mask(document(), "model", AttentionKind::main)) << "it hides nothing";
}

// The Pilot that learned under the other mask reads what is open, and goes on reading it as it changes.
TEST_F(EasyWindowTest, OneClickSetsTheTwinBesideIt) {
  open_easy("pilot");
  workspace().view = "mask";
  settle();
  ASSERT_TRUE(shows("rule_twin"));
  EXPECT_FALSE(is_checked(*find_action("compare.twin"), state()));
  click("rule_twin");
  settle();
  ASSERT_TRUE(session_->pinned());
  EXPECT_EQ(session_->pinned()->document.opened->path, "model:pilot/causal");
  EXPECT_TRUE(shows("figure.a") && shows("figure.b") && shows("figure.minus") && shows("figure.movements"));
  EXPECT_FALSE(shows("rule_twin"));
  ASSERT_TRUE(session_->edit("word", "", [](Document& document) {
    document.sequences.front().input.ids[18] += 1;  // another colour
    return Status(Done{});
  }));
  settle();
  EXPECT_EQ(session_->pinned()->trace(0).input.ids, run().trace(0).input.ids) << "the twin reads it, too";
  EXPECT_TRUE(perform(state(), "compare.twin"));
  settle();
  EXPECT_FALSE(session_->pinned());
  EXPECT_TRUE(shows("rule_twin") && shows("rule_own"));
  open_easy("storyteller");
  workspace().view = "mask";
  settle();
  EXPECT_TRUE(shows("rule_past"));
  EXPECT_FALSE(shows("rule_twin"));
  EXPECT_FALSE(is_possible(*find_action("compare.twin"), state()));
}

}  // namespace
}  // namespace attnscope
