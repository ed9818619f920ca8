#include "app/cli/answer_session.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/session/session_file.h"
#include "core/session/told_run.h"
#include "core/system/atomic_file.h"

namespace attnscope::cli {

Result<SessionOfAnswer> SessionOfAnswer::of(const nlohmann::json& run, const std::string& path) {
  const auto session = run.is_object() ? run.find(kRunSession) : run.end();
  if (!run.is_object() || session == run.end() || !session->is_object()) return SessionOfAnswer("");
  const std::string name = ".attnscope-rerun-" + std::to_string(::getpid()) + kSessionEnding;
  const std::string whole = (std::filesystem::path(path).parent_path() / name).string();
  TRY_OK(write_file(whole, session->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return SessionOfAnswer(whole);
}

SessionOfAnswer::SessionOfAnswer(SessionOfAnswer&& other) noexcept : path_(std::exchange(other.path_, "")) {}

SessionOfAnswer::~SessionOfAnswer() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

std::vector<std::string> SessionOfAnswer::in(std::vector<std::string> words) const {
  if (!path_.empty()) std::replace(words.begin(), words.end(), std::string(kRunSession), path_);
  return words;
}

}  // namespace attnscope::cli
