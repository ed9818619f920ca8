// The session that an answer of the window carries in its run: while it is computed again it lies in a file
// beside the answer, so that what it names is found, and may be read, as from there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope::cli {

class SessionOfAnswer {
 public:
  /// `run` of the answer in the file `path`; one without a session makes no file. Errors: those of writing.
  static Result<SessionOfAnswer> of(const nlohmann::json& run, const std::string& path);
  SessionOfAnswer(SessionOfAnswer&& other) noexcept;
  SessionOfAnswer(const SessionOfAnswer&) = delete;
  SessionOfAnswer& operator=(const SessionOfAnswer&) = delete;
  SessionOfAnswer& operator=(SessionOfAnswer&&) = delete;
  ~SessionOfAnswer();
  /// Words of a command with the file in the place of kRunSession.
  std::vector<std::string> in(std::vector<std::string> words) const;

 private:
  explicit SessionOfAnswer(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: none
};

}  // namespace attnscope::cli
