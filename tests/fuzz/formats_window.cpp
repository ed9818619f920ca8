// The window's own file: where one looked last. Without the window there is none.
#include "tests/fuzz/format.h"

#if defined(ATTNSCOPE_WINDOW)
#include <cmath>

#include "app/state/workspace_file.h"
#include "tests/fuzz/sources.h"
#endif

namespace attnscope::fuzz {

#if defined(ATTNSCOPE_WINDOW)
namespace {

std::vector<Files> workspace_seeds() {
  Workspace workspace;
  Settings settings;
  settings.recent = {"/a", "model:sorter"};
  const std::string path = on_disk({}) + "/seed.json";
  must(save_workspace(path, workspace, settings).ok(), "a workspace of the fuzzer");
  return {{{"workspace.json", file_text(path)}}};
}

bool read_workspace(const Files& files) {
  const std::string path = on_disk(files) + "/workspace.json";
  Workspace workspace;
  Settings settings;
  must(!load_workspace("", workspace, settings) && save_workspace("", workspace, settings).ok() &&
           training_folder().empty() == workspace_path().empty(),
       "a workspace in no place");
  must(!save_workspace("/dev/null/workspace.json", workspace, settings),
       "a workspace where no folder can be");
  if (!load_workspace(path, workspace, settings)) return false;
  must(settings.window_width >= 320 && settings.window_width <= 8192 && std::isfinite(settings.zoom) &&
           std::isfinite(workspace.speed) && settings.recent.size() <= 10,
       "a setting that makes no sense");
  must(save_workspace(path + ".again", workspace, settings).ok(), "a workspace that cannot be written");
  return true;
}

}  // namespace

std::vector<Format> formats_of_window() {
  return {
      {"workspace", workspace_seeds, read_workspace, {"theme", "light", "zoom", "recent", "view", "speed"}}};
}
#else
std::vector<Format> formats_of_window() { return {}; }
#endif

}  // namespace attnscope::fuzz
