// What the window keeps by itself: settings, autosaves, and the sessions of a program that has ended, which
// the next start looks for, renames and offers.
#if defined(ATTNSCOPE_WINDOW)
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/state/kept_sessions.h"
#include "app/state/workspace_file.h"
#include "core/session/lecture.h"
#include "core/session/session.h"
#include "core/session/session_file.h"
#include "core/system/places.h"
#include "tests/edits.h"
#include "tests/power/saved.h"

namespace attnscope {
namespace {

using power::expect_kept;
using power::Saved;

namespace fs = std::filesystem;

class PowerCutWindow : public ::testing::Test {
 protected:
  ~PowerCutWindow() override { ::unsetenv("XDG_CONFIG_HOME"); }
  static void use(const std::string& root) { ::setenv("XDG_CONFIG_HOME", root.c_str(), 1); }
};

TEST_F(PowerCutWindow, Settings) {
  Saved saved;
  saved.writes.push_back([](const std::string&) { return Done{}; });
  for (int i = 0; i < 3; ++i)
    saved.writes.push_back([i](const std::string& root) {
      use(root);
      Workspace workspace;
      Settings settings;
      settings.recent = {"/model-" + std::to_string(i)};
      return save_workspace(workspace_path(), workspace, settings);
    });
  saved.found = [](const std::string& root) {
    use(root);
    Workspace workspace;
    Settings settings;
    load_workspace(workspace_path(), workspace, settings);
    return settings.recent.empty() ? std::string("defaults") : settings.recent.front();
  };
  expect_kept(saved);
}

TrainingSettings smallest_run() {
  TrainingSettings out = *training_settings("sorter");
  out.sizes.layers = 1, out.sizes.heads = 2;
  out.sizes.d_model = out.sizes.d_mlp = 16;
  out.recipe.steps = 40, out.recipe.batch = 2;
  return out;
}

// The newest of what the next start offers, as it opens.
std::string offered() {
  std::string out;
  for (const std::string& path : sessions_to_offer({})) {
    const auto file = read_session(path);
    if (!file) return file.error().text();
    const auto document = slide_document(*file);
    if (!document) return document.error().text();
    std::string one = document->opened->title + "; ";
    for (const auto& edit : document->edits) one += to_text(*edit) + "; ";
    for (const Text& warning : document->opened->warnings) one += "warning: " + warning.str() + "; ";
    if (file->training) {
      const auto run = read_run(run_beside(*file));
      one += run ? "run; " : run.error().text();
    }
    if (out.find(one) == std::string::npos) out += one + "\n";  // offered twice is offered
  }
  return out.empty() ? "nothing" : out;
}

// A program that was killed leaves an autosave; the next start takes it up, and the power goes meanwhile.
TEST_F(PowerCutWindow, TheNextStartTakesUpWhatWasLeft) {
  for (const bool trains : {false, true}) {
    SCOPED_TRACE(trains);
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    ::waitpid(gone, nullptr, 0);
    Session session;
    Saved saved;
    saved.writes.push_back([&](const std::string& root) -> Status {
      use(root);
      fs::create_directories(config_folder());
      const std::string path = config_folder() + "/autosave-" + std::to_string(gone) + "-1" + kSessionEnding;
      if (trains) {
        TRY_OK(session.train(smallest_run(), false));
        for (int i = 0; i < 2000 && !session.shows_training(); ++i) session.poll(), ::usleep(500);
        session.wait();
        TRY_OK(session.training().write(path + kRunEnding));
      } else {
        session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
        session.wait();
        TRY_OK(session.edit(Text("edit"), {}, [](Document& document) -> Status {
          document.edits = {testing::edit("blocks.0.attn.z[head=0]*=0.5")};
          return Done{};
        }));
      }
      return write_session(path, session.copy(), {{"view", "steps"}});
    });
    saved.writes.push_back([](const std::string& root) -> Status {
      use(root);
      return kept_sessions().size() == 1 ? Status(Done{}) : fail(Code::not_found, "none");
    });
    saved.same = true;
    saved.found = [](const std::string& root) {
      use(root);
      return offered();
    };
    expect_kept(saved);
  }
}

}  // namespace
}  // namespace attnscope
#endif
