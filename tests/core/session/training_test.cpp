// A training run beside the session: it starts, pauses, steps, shows its model as the open document, keeps
// checkpoints, is found again on disk, and refuses what cannot be trained.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/arch/open.h"
#include "core/session/session.h"
#include "core/session/session_file.h"
#include "core/session/session_model.h"
#include "core/session/training_arm.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

TrainingSettings training_small_sorter(int steps) {
  TrainingSettings settings = *training_settings("sorter");
  settings.sizes.layers = 1;
  settings.sizes.heads = 2;
  settings.sizes.d_model = 16;
  settings.recipe.batch = 4;
  settings.recipe.steps = steps;
  return settings;
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("attnscope-training-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

// Polls as the window does until the condition holds.
template <class Condition>
bool follow(Session& session, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end) {
    session.poll();
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

TEST(TrainingRun, RunsToItsEndAndMeasures) {
  Training training;
  ASSERT_TRUE(training.start(training_small_sorter(30)));
  training.wait();
  ASSERT_EQ(training.state(), TrainingState::finished);
  const auto snapshot = training.snapshot();
  EXPECT_EQ(snapshot->now.step, 30);
  EXPECT_EQ(snapshot->curves->steps(), 30);
  EXPECT_LT(snapshot->curves->loss.back(), snapshot->curves->loss.front());
  EXPECT_FALSE(snapshot->curves->held_out.empty());
  EXPECT_EQ(snapshot->curves->layers, (std::vector<std::string>{"embed", "blocks.0", "head"}));
  ASSERT_FALSE(snapshot->measures.empty());
  EXPECT_EQ(snapshot->measures.front().name, "accuracy");
  EXPECT_EQ(snapshot->checkpoints.front()->step, 0);
  EXPECT_EQ(snapshot->checkpoints.back()->step, 30);
  ASSERT_TRUE(snapshot->now.shown);
  EXPECT_EQ(snapshot->now.shown->length, static_cast<std::int64_t>(snapshot->example.input.ids.size()));
}

TEST(TrainingRun, ItsModelIsSavedInsideASession) {
  const Folder folder;
  const std::string path = (folder.path / "s.attnscope").string();
  Session session;
  ASSERT_TRUE(session.train(training_small_sorter(3), true));
  ASSERT_TRUE(follow(session, [&] {
    return session.shows_training() && session.result() && !session.training().running();
  }));
  session.wait();
  ASSERT_TRUE(session.edit("Silence", {}, [](Document& d) -> Status {
    d.edits.push_back(*parse_edit("blocks.0.attn.z[head=1]=0"));
    return Done{};
  }));
  session.wait();
  const Status saved = session.save(path, nlohmann::json::object());
  ASSERT_TRUE(saved) << saved.error().text();
  fs::rename(folder.path, folder.path.string() + "-moved");  // both travel together
  const fs::path moved = folder.path.string() + "-moved";
  const auto file = read_session(moved / "s.attnscope");
  ASSERT_TRUE(file) << file.error().text();
  auto opened = open_model(file->model);
  ASSERT_TRUE(opened) << opened.error().text();
  const auto document = document_of(*file, *std::move(opened));
  ASSERT_TRUE(document) << document.error().text();
  EXPECT_TRUE(document->opened->warnings.empty()) << in_words(document->opened->warnings).front();
  RunOptions options;
  options.edits = document->edits;
  const auto run = document->model->run(document->sequences[0].input, options);
  ASSERT_TRUE(run);
  EXPECT_EQ((*run)->logits_row(0).values(), session.result()->trace(0).logits_row(0).values());
  fs::remove_all(moved);
}

// A session of the model in training brings the run back.
class SavedRuns : public ::testing::Test {
 protected:
  // A paused run of some steps, shown.
  void train(int steps) {
    ASSERT_TRUE(session_.train(training_small_sorter(100000), false));
    ASSERT_TRUE(follow(session_, [&] { return session_.shows_training() && session_.result(); }));
    for (int i = 0; i < steps; ++i) session_.training().step_once();
    session_.training().wait();
    session_.poll();
    session_.wait();
  }
  // What the window does with a session's file.
  void open_in(Session& session) const {
    const auto file = read_session(path());
    ASSERT_TRUE(file) << file.error().text();
    session.open_document([&](const std::atomic<bool>&) -> Result<Document> {
      TRY(OpenedModel opened, open_model(file->model));
      return document_of(*file, std::move(opened));
    });
    session.wait();
    session.train_from(*file);
    ASSERT_TRUE(follow(session, [&] { return !session.awaits_training(); }));
    session.wait();
  }
  std::string path() const { return (folder_.path / "s.attnscope").string(); }

  Folder folder_;
  Session session_;
};

TEST_F(SavedRuns, GoOnWhereTheyStood) {
  train(6);
  ASSERT_TRUE(session_.edit("Silence", {}, [](Document& d) -> Status {
    d.edits.push_back(*parse_edit("blocks.0.attn.z[head=1]=0"));
    return Done{};
  }));
  session_.wait();
  ASSERT_TRUE(session_.save(path(), nlohmann::json::object()));
  Session other;
  open_in(other);
  ASSERT_TRUE(other.shows_training()) << (other.error() ? other.error()->text() : "");
  EXPECT_EQ(other.document().opened->path, session_.document().opened->path);
  EXPECT_EQ(other.document().edits.size(), 1u);
  const auto was = session_.training().snapshot(), is = other.training().snapshot();
  EXPECT_EQ(other.training().state(), TrainingState::paused);
  EXPECT_EQ(is->now.step, 6);
  EXPECT_EQ(is->curves->loss, was->curves->loss);
  EXPECT_EQ(is->settings.recipe.steps, 100000);
  EXPECT_EQ(other.result()->trace(0).logits_row(0).values(),
            session_.result()->trace(0).logits_row(0).values());
  for (Session* each : {&session_, &other}) each->training().step_once();
  for (Session* each : {&session_, &other}) each->training().wait();
  EXPECT_EQ(session_.training().snapshot()->curves->loss.back(),
            other.training().snapshot()->curves->loss.back());
  ASSERT_TRUE(follow(other, [&] { return other.shown_training_step() == 7; })) << "its model is shown";
}

TEST_F(SavedRuns, ShowTheStepThatWasLookedAt) {
  train(6);
  session_.show_checkpoint(3);
  ASSERT_TRUE(follow(session_, [&] { return session_.shown_training_step() == 3; }));
  session_.wait();
  ASSERT_TRUE(session_.save(path(), nlohmann::json::object()));
  Session other;
  open_in(other);
  EXPECT_EQ(other.shown_training_step(), 3);
  EXPECT_EQ(other.wanted_checkpoint(), 3);
  std::vector<int> steps;
  for (const auto& kept : other.training().snapshot()->checkpoints) steps.push_back(kept->step);
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3, 4, 5, 6})) << "one goes back over the run";
  EXPECT_EQ(other.training().snapshot()->now.step, 6);
  EXPECT_EQ(other.result()->trace(0).logits_row(0).values(),
            session_.result()->trace(0).logits_row(0).values());
  other.show_checkpoint(-1);
  ASSERT_TRUE(follow(other, [&] { return other.shown_training_step() == 6; }));
}

TEST_F(SavedRuns, WithoutTheirCheckpointTheModelStandsAndItIsSaid) {
  train(2);
  session_.training().go();  // it is not stopped by saving
  ASSERT_TRUE(session_.save(path(), nlohmann::json::object()));
  EXPECT_TRUE(session_.training().running());
  session_.training().pause();
  auto whole = nlohmann::json::parse(*read_file(path(), 1u << 28));
  ASSERT_EQ(whole["parts"].erase(kRunEnding), 1u);
  ASSERT_TRUE(write_file(path(), whole.dump()));
  Session other;
  open_in(other);
  EXPECT_FALSE(other.shows_training());
  ASSERT_TRUE(other.result());
  ASSERT_EQ(other.document().opened->warnings.size(), 1u);
  EXPECT_NE(other.document().opened->warnings[0].str().find("cannot go on"), std::string::npos);
}

// Sent to someone, opened, changed and saved again there: the first file is not needed any more.
TEST_F(SavedRuns, AreOneFileAlsoWhenTheyAreSavedAgain) {
  train(4);
  ASSERT_TRUE(session_.save(path(), nlohmann::json::object()));
  const std::string again = (folder_.path / "again.attnscope").string();
  std::vector<float> logits;
  {
    const auto file = read_session(path());
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_FALSE(file->all->contains("parts")) << "put out, not kept twice";
    Session other;
    other.open_document([&](const std::atomic<bool>&) -> Result<Document> {
      TRY(OpenedModel opened, open_model(file->model));
      return document_of(*file, std::move(opened));
    });
    other.wait();
    logits = other.result()->trace(0).logits_row(0).values();
    const Status saved = other.save(again, nlohmann::json::object());
    ASSERT_TRUE(saved) << saved.error().text();
  }
  fs::remove(path());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path), {}), 1) << "nothing but the file";
  const auto file = read_session(again);
  ASSERT_TRUE(file) << file.error().text();
  const auto opened = open_session_model((*file->all)["model"], file->path, file->beside);
  ASSERT_TRUE(opened) << opened.error().text();
  const auto run = document_of(*file, *opened);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ((*run->model->run(run->sequences[0].input))->logits_row(0).values(), logits);
}

// What a stranger's session could name.
TEST_F(SavedRuns, PartsThatNoSessionWritesAreRefused) {
  train(1);
  ASSERT_TRUE(session_.save(path(), nlohmann::json::object()));
  const auto whole = nlohmann::json::parse(*read_file(path(), 1u << 28));
  for (const char* name :
       {"/../outside", ".model/../../outside", ".model/", ".model/.hidden", "x", ".model/a/b"}) {
    auto hostile = whole;
    hostile["parts"][name] = "AAAA";
    ASSERT_TRUE(write_file(path(), hostile.dump()));
    EXPECT_FALSE(read_session(path())) << name;
  }
  for (const nlohmann::json& word : {nlohmann::json("A"), nlohmann::json(3), nlohmann::json("!!!!")}) {
    auto hostile = whole;
    hostile["parts"][kRunEnding] = word;
    ASSERT_TRUE(write_file(path(), hostile.dump()));
    EXPECT_FALSE(read_session(path())) << word;
  }
  EXPECT_FALSE(fs::exists(folder_.path / "outside"));
}

TEST_F(SavedRuns, APinnedStepOfTheRunComesBack) {
  train(3);
  session_.pin();
  const auto logits = session_.pinned()->trace(0).logits_row(0).values();
  session_.training().step_once();
  session_.training().wait();
  ASSERT_TRUE(follow(session_, [&] { return session_.shown_training_step() == 4; }));
  session_.wait();
  const Status saved = session_.save(path(), nlohmann::json::object());
  ASSERT_TRUE(saved) << saved.error().text();
  const std::string to = (folder_.path / "renamed.attnscope").string();
  fs::rename(path(), to);  // one file, whatever it is called
  for (const std::string& beside : beside_session(path())) EXPECT_FALSE(fs::exists(beside)) << beside;
  const auto file = read_session(to);
  ASSERT_TRUE(file) << file.error().text();
  auto opened = open_model(file->model);
  ASSERT_TRUE(opened) << opened.error().text();
  const auto document = document_of(*file, *std::move(opened));
  ASSERT_TRUE(document) << document.error().text();
  const auto pinned = pinned_of(*file, *document);
  ASSERT_TRUE(pinned) << pinned.error().text();
  EXPECT_EQ((*pinned)->opened->training_step, 3) << "A says which step it is";
  EXPECT_EQ((*pinned)->opened->title, session_.pinned()->document.opened->title);
  const auto run = (*pinned)->model->run((*pinned)->sequences[0].input);
  ASSERT_TRUE(run);
  EXPECT_EQ((*run)->logits_row(0).values(), logits);
}

TEST(TrainingRun, StepsOnceAndPauses) {
  Training training;
  ASSERT_TRUE(training.start(training_small_sorter(100000), false));
  training.wait();
  EXPECT_EQ(training.state(), TrainingState::paused);
  EXPECT_EQ(training.snapshot()->now.step, 0);
  training.step_once();
  training.step_once();
  training.wait();
  EXPECT_EQ(training.snapshot()->now.step, 2);
  training.go();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  training.pause();
  training.wait();
  EXPECT_EQ(training.state(), TrainingState::paused);
  EXPECT_GT(training.snapshot()->now.step, 2);
  training.stop();
  training.wait();
  EXPECT_EQ(training.state(), TrainingState::finished);
}

TEST(TrainingRun, TheRateAndTheSmoothingChangeWhileItRuns) {
  Training training;
  TrainingSettings settings = training_small_sorter(100);
  settings.recipe.schedule = "constant";
  settings.recipe.warmup = 0;
  ASSERT_TRUE(training.start(settings, false));
  training.step_once();
  training.set_learning_rate_factor(0.5);
  training.set_smoothing(0.2);
  training.step_once();
  training.wait();
  const auto& curves = *training.snapshot()->curves;
  ASSERT_EQ(curves.steps(), 2);
  EXPECT_DOUBLE_EQ(curves.learning_rate[1], curves.learning_rate[0] * 0.5);
  EXPECT_DOUBLE_EQ(curves.loss[0], curves.plain_loss[0]);
  EXPECT_NE(curves.loss[1], curves.plain_loss[1]);
}

TEST(TrainingRun, StopsWithASentenceWhenTheLossIsNoNumber) {
  Training training;
  TrainingSettings settings = training_small_sorter(400);
  settings.recipe.learning_rate = 900;
  settings.recipe.schedule = "constant";
  settings.recipe.warmup = 0;
  settings.recipe.clip = 0;
  ASSERT_TRUE(training.start(settings, false));
  training.set_learning_rate_factor(1e38);
  training.go();
  training.wait();
  ASSERT_EQ(training.state(), TrainingState::failed);
  ASSERT_TRUE(training.snapshot()->error);
  EXPECT_NE(training.snapshot()->error->sentence().find("Step "), std::string::npos);
}

TEST(TrainingRun, RefusesWhatCannotBeTrained) {
  Training training;
  TrainingSettings settings = training_small_sorter(10);
  settings.sizes.d_model = 17;
  const Status odd = training.start(settings);
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().sentence().find("17"), std::string::npos);
  EXPECT_FALSE(odd.error().hint().empty());
  settings = training_small_sorter(10);
  settings.task = "juggler";
  EXPECT_FALSE(training.start(settings));
  settings = training_small_sorter(0);
  EXPECT_FALSE(training.start(settings));
  settings = training_small_sorter(10);
  settings.recipe.smoothing = 1.5;
  EXPECT_FALSE(training.start(settings));
  EXPECT_EQ(training.state(), TrainingState::none);
  EXPECT_FALSE(training.snapshot());
}

TEST(TrainingRun, IsKeptOnDiskAndGoesOnFromThere) {
  const Folder folder;
  {
    Training training;
    training.keep_in(folder.path.string());
    ASSERT_TRUE(training.start(training_small_sorter(40), false));
    for (int i = 0; i < 5; ++i) training.step_once();
    training.wait();
  }  // the window closes
  const auto runs = kept_runs(folder.path.string(), "sorter");
  ASSERT_EQ(runs.size(), 1u);
  const KeptRun* kept = &runs.front();
  EXPECT_EQ(kept->step, 5);
  EXPECT_EQ(kept->settings.sizes.d_model, 16);
  EXPECT_EQ(kept->saved.size(), std::string("2026-11-20 12:34").size()) << kept->saved;
  EXPECT_TRUE(kept_runs(folder.path.string(), "induction").empty());
  EXPECT_TRUE(kept_runs((folder.path / "nowhere").string(), "sorter").empty());
  Training again, straight;
  ASSERT_TRUE(again.resume(kept->settings, kept->path));
  again.step_once();
  again.wait();
  ASSERT_TRUE(again.outcome());
  EXPECT_EQ(again.outcome()->kind, TrainingOutcome::Kind::resumed);
  ASSERT_TRUE(straight.start(training_small_sorter(40), false));
  for (int i = 0; i < 6; ++i) straight.step_once();
  straight.wait();
  EXPECT_EQ(again.snapshot()->now.step, 6);
  EXPECT_EQ(again.snapshot()->curves->steps(), 6);
  EXPECT_EQ(again.snapshot()->curves->loss, straight.snapshot()->curves->loss);
}

std::vector<int> training_kept_steps(const Folder& folder, const std::string& data = {}) {
  std::vector<int> out;
  for (const KeptRun& run : kept_runs(folder.path.string(), data.empty() ? "sorter" : "file", data))
    out.push_back(run.step);
  std::sort(out.begin(), out.end());
  return out;
}

void training_take(Training& training, int steps) {
  for (int i = 0; i < steps; ++i) training.step_once();
  training.pause();
  training.wait();
}

TEST(TrainingRun, ANewRunLeavesTheKeptOnesAsTheyWere) {
  const Folder folder;
  Training training;
  training.keep_in(folder.path.string());
  for (const int steps : {4, 2, 3}) {
    ASSERT_TRUE(training.start(training_small_sorter(40), false));
    training_take(training, steps);
  }
  EXPECT_EQ(training_kept_steps(folder), (std::vector<int>{2, 3, 4}));
  // Going on with one of them writes its own file.
  const std::string second = (folder.path / "sorter-2.safetensors").string();
  const auto run = read_run(second);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->step, 2);
  ASSERT_TRUE(training.resume(run->settings, run->path));
  training_take(training, 5);
  EXPECT_EQ(training_kept_steps(folder), (std::vector<int>{3, 4, 7}));
  EXPECT_EQ(kept_runs(folder.path.string(), "sorter").front().path, second);
  // A file from elsewhere stays as it is.
  const std::string elsewhere = (folder.path / "mine.safetensors").string();
  fs::copy_file(second, elsewhere);
  training.keep_in((folder.path / "kept").string());
  const auto mine = read_run(elsewhere);
  ASSERT_TRUE(mine);
  ASSERT_TRUE(training.resume(mine->settings, mine->path));
  training_take(training, 1);
  EXPECT_EQ(read_run(elsewhere)->step, 7);
  EXPECT_EQ(kept_runs((folder.path / "kept").string(), "sorter").front().step, 8);
  const std::uint64_t version = training.kept_version();
  training.remove_kept(second);
  EXPECT_FALSE(fs::exists(second));
  EXPECT_GT(training.kept_version(), version);
}

TEST(TrainingRun, ARunThatCannotBeKeptIsNotLeftUnasked) {
  const Folder folder;
  std::ofstream(folder.path / "file") << "no folder";
  Training training;
  training.keep_in((folder.path / "file").string());
  ASSERT_TRUE(training.start(training_small_sorter(40), false));
  training.step_once();
  training.wait();  // a new run cancels a step that is under way
  ASSERT_TRUE(training.start(training_small_sorter(40), false));
  training.wait();
  EXPECT_EQ(training.snapshot()->now.step, 1) << "the run before stands";
  ASSERT_TRUE(training.outcome());
  EXPECT_EQ(training.outcome()->kind, TrainingOutcome::Kind::failed);
  EXPECT_NE(training.outcome()->error.hint().find("once more"), std::string::npos);
  ASSERT_TRUE(training.start(training_small_sorter(40), false));
  training.wait();
  EXPECT_EQ(training.snapshot()->now.step, 0) << "asked for once more";
}

TEST(TrainingRun, LearnsTheLinesOfAFileAndGoesOnWithThem) {
  const Folder folder;
  const std::string lines = (folder.path / "lines.txt").string();
  const auto write = [&](const char* last) {
    std::ofstream(lines) << "the cat sat\nthe dog ran\na bird flew\na fish swam\n" << last << "\n";
  };
  write("the bird sat");
  auto settings = training_settings_of_file(lines);
  ASSERT_TRUE(settings) << settings.error().text();
  EXPECT_EQ(settings->task, "file");
  EXPECT_EQ(settings->read->source()->held_out, 1);
  EXPECT_EQ(settings->read->source()->lines, 4);
  EXPECT_EQ(settings->read->source()->words, 10);
  settings->sizes.layers = 1;
  settings->sizes.heads = 2;
  settings->sizes.d_model = 16;
  settings->recipe.batch = 4;
  Training training;
  training.keep_in(folder.path.string());
  ASSERT_TRUE(training.start(*settings, false));
  training_take(training, 3);
  EXPECT_EQ(training.snapshot()->now.step, 3);
  EXPECT_EQ(training_kept_steps(folder, lines), std::vector<int>{3});
  EXPECT_TRUE(kept_runs(folder.path.string(), "file", "/another.txt").empty());
  const KeptRun run = kept_runs(folder.path.string(), "file", lines).front();
  Training again;
  ASSERT_TRUE(again.resume(run.settings, run.path));
  training_take(again, 1);
  EXPECT_EQ(again.snapshot()->now.step, 4);
  // The same number of words and lines, but others: what the ids mean has changed.
  write("the bird ate");
  Training changed;
  ASSERT_TRUE(changed.resume(run.settings, run.path));
  changed.wait();
  ASSERT_TRUE(changed.outcome());
  EXPECT_EQ(changed.outcome()->kind, TrainingOutcome::Kind::failed);
  EXPECT_NE(changed.outcome()->error.sentence().find("other lines or words"), std::string::npos)
      << changed.outcome()->error.text();
  fs::remove(lines);
  ASSERT_TRUE(changed.resume(run.settings, run.path));
  changed.wait();
  EXPECT_NE(changed.outcome()->error.sentence().find("lines.txt"), std::string::npos)
      << changed.outcome()->error.text();
}

// GPT-2's layout has no norms behind the sums.
TEST(TrainingRun, AModelThatItsLayoutCannotHoldIsExportedInOurOwn) {
  const Folder folder;
  Training training;
  TrainingSettings settings = training_small_sorter(10);
  settings.sizes.order = "post";
  ASSERT_TRUE(training.start(settings, false));
  training.export_model((folder.path / "model").string());
  training.wait();
  ASSERT_TRUE(training.outcome());
  ASSERT_EQ(training.outcome()->kind, TrainingOutcome::Kind::exported) << training.outcome()->error.text();
  const auto opened = open_model((folder.path / "model").string());
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->model->config().blocks.front().order, NormOrder::post);
}

TEST(TrainingRun, AFileThatIsNoCheckpointIsTold) {
  const Folder folder;
  Training training;
  ASSERT_TRUE(training.resume(training_small_sorter(10), (folder.path / "nothing.safetensors").string()));
  training.wait();
  ASSERT_TRUE(training.outcome());
  EXPECT_EQ(training.outcome()->kind, TrainingOutcome::Kind::failed);
  EXPECT_FALSE(training.outcome()->error.sentence().empty());
  EXPECT_FALSE(read_run((folder.path / "nothing.safetensors").string()));
}

TEST(TrainingRun, TheModelIsExportedAsAFolderWithItsCard) {
  const Folder folder;
  Training training;
  ASSERT_TRUE(training.start(training_small_sorter(10), false));
  training.step_once();
  training.export_model((folder.path / "model").string());
  training.wait();
  ASSERT_TRUE(training.outcome());
  ASSERT_EQ(training.outcome()->kind, TrainingOutcome::Kind::exported) << training.outcome()->error.text();
  EXPECT_TRUE(fs::exists(folder.path / "model" / "card.json"));
  const auto opened = open_model((folder.path / "model").string());
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_TRUE(opened->tokenizer);
}

TEST(TrainingSession, TheModelInTrainingIsWhatIsOpen) {
  Session session;
  ASSERT_TRUE(session.train(training_small_sorter(100000), true));
  ASSERT_TRUE(follow(session, [&] { return session.shows_training() && session.result(); }));
  const std::uint64_t opened = session.opened_version();
  ASSERT_TRUE(follow(session, [&] { return session.shown_training_step() > 3; }));
  EXPECT_EQ(session.opened_version(), opened) << "exchanging the model opens nothing";
  EXPECT_FALSE(session.history().can_undo()) << "nor does it make undo points";
  EXPECT_FALSE(session.document().sequences.front().tokens.empty());
  EXPECT_FALSE(session.previous()) << "a step of the training is no change of a person";
  // An edit of the input is an undo point of its own, and the model goes on being exchanged under it.
  ASSERT_TRUE(session.edit("shorter", {}, [](Document& d) { return delete_token(d, 0, 0); }));
  const int step = session.shown_training_step();
  const int newest = session.result()->document.opened->training_step;
  ASSERT_TRUE(follow(session, [&] {
    const auto now = session.result(), old = session.previous();
    if (now->document.opened->training_step == newest || !old) return false;
    EXPECT_EQ(old->document.model, now->document.model) << "not what the step of the training changed";
    EXPECT_EQ(old->trace(0).length, now->trace(0).length + 1) << "but what the person did";
    return now->document.opened->training_step > newest + 2;
  }));
  ASSERT_TRUE(follow(session, [&] { return session.shown_training_step() > step; }));
  EXPECT_TRUE(session.history().can_undo());
  // A weight changed by hand stays.
  session.wait();
  const std::string name = session.document().model->weights().all().begin()->first;
  const auto rank = session.document().model->weights().all().begin()->second.sizes().size();
  ASSERT_TRUE(session.edit("weight", {}, [&](Document& d) {
    return set_weight_cell(d, name, std::vector<std::int64_t>(rank, 0), 0.5f);
  }));
  EXPECT_TRUE(session.training_held());
  session.undo();
  EXPECT_FALSE(session.training_held());
}

// A training of 20 steps whose checkpoint of step 7 is shown.
bool shows_step_7_of_20(Session& session) {
  const bool trained =
      session.train(training_small_sorter(20), true).ok() && follow(session, [&] {
        return session.training().state() == TrainingState::finished && session.shown_training_step() == 20;
      });
  session.show_checkpoint(7);
  const bool shown = follow(session, [&] { return session.shown_training_step() == 7; });
  session.wait();
  return trained && shown;
}

TEST(TrainingSession, ACheckpointIsShownAndTheNewestAgain) {
  Session session;
  ASSERT_TRUE(shows_step_7_of_20(session));
  const auto snapshot = session.training().snapshot();
  EXPECT_EQ(session.document().model, snapshot->checkpoints[7]->model);
  session.show_checkpoint(-1);
  ASSERT_TRUE(follow(session, [&] { return session.shown_training_step() == 20; }));
}

TEST(TrainingSession, APinnedStepIsShownAgainWhereItIsSwapped) {
  Session session;
  ASSERT_TRUE(shows_step_7_of_20(session));
  session.pin();
  const auto early = session.pinned();
  EXPECT_EQ(early->document.opened->training_step, 7);
  session.show_checkpoint(-1);
  ASSERT_TRUE(follow(session, [&] { return session.shown_training_step() == 20; }));
  session.wait();
  session.swap_pinned("swap");
  session.wait();
  EXPECT_EQ(session.pinned()->document.opened->training_step, 20);
  EXPECT_EQ(session.shown_training_step(), 7);
  EXPECT_EQ(session.result()->document.model, early->document.model);
}

TEST(TrainingSession, OpeningAnotherModelPausesAndLosesNothing) {
  Session session;
  ASSERT_TRUE(session.train(training_small_sorter(100000), true));
  ASSERT_TRUE(follow(session, [&] { return session.shown_training_step() > 2; }));
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
  ASSERT_TRUE(follow(session, [&] { return !session.shows_training() && session.result(); }));
  session.training().wait();
  EXPECT_EQ(session.training().state(), TrainingState::paused);
  const int step = session.training().snapshot()->now.step;
  EXPECT_GT(step, 2);
  session.show_training();
  session.wait();
  EXPECT_EQ(session.shown_training_step(), step);
}

TEST(TrainingCurves, AreShortenedByMeans) {
  const std::vector<CurvePoint> points = shortened_curve({1, 3, 5, 7, 9}, 1, 3);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_DOUBLE_EQ(points[0].step, 1);
  EXPECT_DOUBLE_EQ(points[0].value, 1) << "the first step alone";
  EXPECT_DOUBLE_EQ(points[1].step, 2.5);
  EXPECT_DOUBLE_EQ(points[1].value, 4);
  EXPECT_DOUBLE_EQ(points[2].step, 4.5);
  EXPECT_DOUBLE_EQ(points[2].value, 8);
  EXPECT_EQ(shortened_curve({1, 2, 3}, 5, 10).size(), 3u);
  EXPECT_TRUE(shortened_curve({}, 1, 10).empty());
  const Tensor strip = layer_strip({{1, 1, 3, 3}, {5, 7, 9, 9}}, 2);  // the last layer on top
  EXPECT_EQ(strip.values(), (std::vector<float>{6, 9, 1, 3}));
  EXPECT_EQ(positive_range(strip), (std::pair<float, float>{1, 9}));
}

TEST(TrainingCurves, CheckpointsCoverTheWholeRun) {
  CheckpointRing<int> ring;
  for (int step = 0; step <= 5000; ++step)
    if (ring.wants(step)) ring.add(step, step);
  ASSERT_LE(ring.all().size(), CheckpointRing<int>::kMost);
  ASSERT_GE(ring.all().size(), CheckpointRing<int>::kMost / 2);
  EXPECT_EQ(ring.all().front().first, 0);
  const int distance = ring.all()[1].first;
  for (std::size_t i = 1; i < ring.all().size(); ++i)
    EXPECT_EQ(ring.all()[i].first - ring.all()[i - 1].first, distance);
  EXPECT_GT(ring.all().back().first + distance, 5000);
}

TEST(TrainingCurves, RowTargetsAreTheLossOfTheRow) {
  Training training;
  TrainingSettings settings = training_small_sorter(10);
  settings.recipe.smoothing = 0.1;
  ASSERT_TRUE(training.start(settings, false));
  training.wait();
  const auto snapshot = training.snapshot();
  const Trace& trace = *snapshot->now.shown;
  const std::vector<std::int64_t> rows = counted_rows(snapshot->example);
  ASSERT_FALSE(rows.empty());
  for (const std::int64_t row : rows) {
    const RowTargets bars = row_targets(trace, snapshot->example.targets, row, 0.1, 5);
    const Tensor logits =
        trace.slice(trace.main(Slot::logits), 0, {row, row + 1}, {0, trace.config().outputs()});
    const CrossEntropy wanted =
        cross_entropy(logits, {snapshot->example.targets[static_cast<std::size_t>(row)]}, 0.1);
    EXPECT_NEAR(bars.loss, wanted.smoothed, 1e-5);
    EXPECT_NEAR(bars.plain_loss, wanted.plain, 1e-5);
    double target = bars.rest.target, predicted = bars.rest.predicted;
    for (const RowTarget& bar : bars.rows) target += bar.target, predicted += bar.predicted;
    EXPECT_NEAR(target, 1, 1e-9);
    EXPECT_NEAR(predicted, 1, 1e-5);
    EXPECT_EQ(bars.rows.front().token, bars.target);
    EXPECT_EQ(bars.rows.size(), 5u);
  }
  EXPECT_EQ(row_targets(trace, snapshot->example.targets, 0, 0.1, 5).target, kNotCounted);
}

TEST(TrainingArmWays, TheHandsWayIsThatOfTheActions) {
  Training training;
  TrainingSettings settings = *training_settings("pilot");
  settings.sizes.layers = 1;
  settings.sizes.d_model = 16;
  ASSERT_TRUE(training.start(settings, false));
  training.wait();
  const auto snapshot = training.snapshot();
  ASSERT_TRUE(snapshot->now.shown);
  const auto ways = arm_ways(*snapshot, *snapshot->now.shown);
  ASSERT_TRUE(ways);
  ASSERT_EQ(ways->rows.size(), 7u);
  EXPECT_EQ(arm_bins(ways->wanted.move), ways->wanted.bins);
  EXPECT_FALSE(ways->wanted.path.empty());
  // What is said is the most likely token of each row.
  for (std::size_t i = 0; i < ways->rows.size(); ++i) {
    const auto bars =
        row_targets(*snapshot->now.shown, std::vector<int>(64, kNotCounted), ways->rows[i], 0, 1);
    const auto bin = action_bin(snapshot->opened->tokenizer->token_text(bars.rows.front().token));
    EXPECT_EQ(ways->said.bins[i], bin.value_or(-1));
  }
  Training sorter;
  ASSERT_TRUE(sorter.start(training_small_sorter(10), false));
  sorter.wait();
  EXPECT_FALSE(arm_ways(*sorter.snapshot(), *sorter.snapshot()->now.shown));
}

TEST(TrainingTasks, EveryTaskTakesAStepInEitherOrderOfItsNorms) {
  for (const auto& task : tasks())
    for (const char* order : {"pre", "post"}) {
      TrainingSettings settings = *training_settings(task->name());
      settings.sizes.layers = 1;
      settings.sizes.d_model = 16;
      settings.sizes.order = order;
      settings.recipe.batch = 2;
      settings.recipe.smoothing = 0.1;
      Training training;
      const Status begun = training.start(settings, false);
      if (!begun) {  // a family without such blocks says so
        EXPECT_FALSE(begun.error().hint().empty()) << task->name() << " " << order;
        continue;
      }
      training.step_once();
      training.wait();
      const auto snapshot = training.snapshot();
      EXPECT_EQ(snapshot->now.step, 1) << task->name() << " " << order;
      EXPECT_FALSE(snapshot->error) << task->name() << " " << snapshot->error->text();
      EXPECT_TRUE(snapshot->now.shown) << task->name();
      EXPECT_TRUE(snapshot->opened->tokenizer) << task->name();
    }
}

TEST(ArmWay, IsSaidByTheLastSevenTokens) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/pilot");
  ASSERT_TRUE(opened) << opened.error().text();
  const Tokenizer& tokenizer = *opened->tokenizer;
  const auto ids = [&](const char* actions) {
    return tokenizer.encode(std::string("pick the red cup ") + actions)->ids();
  };
  const auto path =
      arm_way_said(tokenizer, ids("<act_10> <act_10> <act_4> <act_13> <act_1> <act_7> <act_6>"));
  ASSERT_FALSE(path.empty());
  const auto wanted = arm_path(*arm_move({10, 10, 4, 13, 1, 7, 6}));
  EXPECT_EQ(path.size(), wanted.size());
  EXPECT_EQ(path.back().x, wanted.back().x);
  EXPECT_EQ(path.back().gripper, wanted.back().gripper);
  EXPECT_TRUE(arm_way_said(tokenizer, ids("<act_10> <act_10>")).empty());
  EXPECT_TRUE(arm_way_said(tokenizer, {}).empty());
}

TEST(TrainingShownInASession, IsPausedUnderAnotherModelAndThereAgain) {
  Session session;
  ASSERT_TRUE(session.train(training_small_sorter(100000), true));
  ASSERT_TRUE(follow(session, [&] { return session.shown_training_step() > 2; }));
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
  ASSERT_TRUE(follow(session, [&] { return !session.shows_training() && session.result(); }));
  ASSERT_TRUE(follow(session, [&] { return session.training().state() == TrainingState::paused; }));
  ASSERT_EQ(session.before().size(), 1u);
  EXPECT_TRUE(session.before().back().shows_training);
  session.undo();
  ASSERT_TRUE(follow(session, [&] { return session.result() != nullptr; }));
  EXPECT_TRUE(session.shows_training());
  const int step = session.shown_training_step();
  EXPECT_GT(step, 2);
  session.training().go();
  EXPECT_TRUE(follow(session, [&] { return session.shown_training_step() > step; })) << "it goes on";
}

}  // namespace
}  // namespace attnscope
