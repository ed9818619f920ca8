#include "core/session/held_session.h"

#include <map>
#include <mutex>
#include <utility>

namespace attnscope {
namespace {

struct HeldSessions {
  std::mutex mutex;
  std::map<std::string, nlohmann::json> by_path;
};
HeldSessions& held_sessions() {
  static HeldSessions all;
  return all;
}

}  // namespace

HeldSession::HeldSession(std::string path, nlohmann::json session) : path_(std::move(path)) {
  const std::lock_guard lock(held_sessions().mutex);
  held_sessions().by_path.insert_or_assign(path_, std::move(session));
}

HeldSession::~HeldSession() {
  const std::lock_guard lock(held_sessions().mutex);
  held_sessions().by_path.erase(path_);
}

std::optional<nlohmann::json> HeldSession::at(const std::string& path) {
  const std::lock_guard lock(held_sessions().mutex);
  const auto found = held_sessions().by_path.find(path);
  return found == held_sessions().by_path.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace attnscope
