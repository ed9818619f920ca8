#include "app/cli/answer_session.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/session/session_file.h"
#include "core/session/told_run.h"

namespace attnscope::cli {

SessionOfAnswer::SessionOfAnswer(const nlohmann::json& run, const std::string& path) {
  const auto session = run.is_object() ? run.find(kRunSession) : run.end();
  if (!run.is_object() || session == run.end() || !session->is_object()) return;
  const std::string name = ".attnscope-rerun-" + std::to_string(::getpid()) + kSessionEnding;
  held_ =
      std::make_unique<HeldSession>((std::filesystem::path(path).parent_path() / name).string(), *session);
}

std::vector<std::string> SessionOfAnswer::in(std::vector<std::string> words) const {
  if (held_) std::replace(words.begin(), words.end(), std::string(kRunSession), held_->path());
  return words;
}

}  // namespace attnscope::cli
