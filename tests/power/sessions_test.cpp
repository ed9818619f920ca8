// Sessions, of plain models and of models in training: saved over an older one, and autosaved.
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/session/lecture.h"
#include "core/session/session.h"
#include "core/session/session_file.h"
#include "tests/edits.h"
#include "tests/power/saved.h"

namespace attnscope {
namespace {

using power::expect_kept;
using power::Saved;

namespace fs = std::filesystem;

// What a session that is opened again holds; of a model in training that its run goes on, too.
std::string in_session(const std::string& path) {
  if (!fs::exists(path)) return "none";
  const auto file = read_session(path);
  if (!file) return file.error().text();
  const auto document = slide_document(*file);
  if (!document) return document.error().text();
  std::string out = document->opened->title + "; ";
  for (const auto& edit : document->edits) out += to_text(*edit) + "; ";
  for (const Text& warning : document->opened->warnings) out += "warning: " + warning.str() + "; ";
  if (document->opened->training_step >= 0)
    out += "step " + std::to_string(document->opened->training_step) + "; ";
  if (file->training) {
    const auto run = read_run(run_beside(*file));
    out += run ? "run of " + run->settings.task + "; " : run.error().text();
  }
  const auto pinned = pinned_of(*file, *document);
  if (!pinned) return out + pinned.error().text();
  if (*pinned)
    for (const auto& edit : (*pinned)->edits) out += "A: " + to_text(*edit) + "; ";
  return out;
}

TEST(PowerCut, SessionOverAnOlderOne) {
  Session session;
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
  session.wait();
  ASSERT_TRUE(session.document().opened);
  Saved saved;
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([&, i](const std::string& root) {
      const Status edited = session.edit(Text("edit"), {}, [&](Document& document) -> Status {
        document.edits = {testing::edit(("blocks.0.attn.z[head=0]*=0." + std::to_string(i + 1)).c_str())};
        return Done{};
      });
      if (!edited) return edited;
      return session.save(root + "/a.attnscope", {{"view", "mask"}});
    });
  saved.found = [](const std::string& root) { return in_session(root + "/a.attnscope"); };
  expect_kept(saved);
}

TrainingSettings small_run(const char* task) {
  TrainingSettings out = *training_settings(task);
  out.sizes.layers = 1, out.sizes.heads = 2;
  out.sizes.d_model = out.sizes.d_mlp = 16;
  out.recipe.steps = 40, out.recipe.batch = 2;
  return out;
}

void train_on(Session& session) {
  session.training().step_once();
  for (int i = 0; i < 4000 && (session.training().busy() || session.awaits_training()); ++i) {
    session.poll();
    session.wait();
    ::usleep(500);
  }
  session.poll();
  session.wait();
}

// The first state is the task "sorter", so that a mix of two runs is found out.
TEST(PowerCut, SessionOfAModelInTraining) {
  Session session;
  Saved saved;
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([&, i](const std::string& root) -> Status {
      if (i % 2 == 0) TRY_OK(session.train(small_run(i == 0 ? "sorter" : "induction"), false));
      train_on(session);
      if (!session.shows_training()) return fail(Code::bad_format, "none");
      return session.save(root + "/a.attnscope", {{"view", "training"}});
    });
  saved.found = [](const std::string& root) { return in_session(root + "/a.attnscope"); };
  expect_kept(saved);
}

// The files of an autosave stay beside it.
TEST(PowerCut, AutosaveOfAModelInTraining) {
  Session session;
  Saved saved;
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([&, i](const std::string& root) -> Status {
      if (i == 0) TRY_OK(session.train(small_run("sorter"), false));
      train_on(session);
      const std::string path = root + "/a.attnscope";
      TRY_OK(session.training().write(path + kRunEnding));
      return write_session(path, session.copy(), {{"view", "training"}});
    });
  saved.found = [](const std::string& root) { return in_session(root + "/a.attnscope"); };
  expect_kept(saved);
}

}  // namespace
}  // namespace attnscope
