// A session that has no file of its own, as the one that an answer carries: while it is held it is read at a
// path where nothing lies, so that what it names is found, and may be read, as from there.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/no_copy.h"

namespace attnscope {

class HeldSession : NoCopy {
 public:
  /// read_session(path) gives `session` for as long as this lives.
  HeldSession(std::string path, nlohmann::json session);
  ~HeldSession();
  const std::string& path() const { return path_; }
  /// The one that is held at this path; nothing where none is. On any thread.
  static std::optional<nlohmann::json> at(const std::string& path);

 private:
  std::string path_;
};

}  // namespace attnscope
