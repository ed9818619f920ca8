// The session that an answer of the window carries in its run: while it is computed again it is read as if it
// lay beside the answer, so that what it names is found, and may be read, as from there. No file is written.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/session/held_session.h"

namespace attnscope::cli {

class SessionOfAnswer {
 public:
  /// `run` of the answer in the file `path`; one without a session holds none.
  SessionOfAnswer(const nlohmann::json& run, const std::string& path);
  /// Words of a command with the session's path in the place of kRunSession.
  std::vector<std::string> in(std::vector<std::string> words) const;

 private:
  std::unique_ptr<HeldSession> held_;  // null: none
};

}  // namespace attnscope::cli
