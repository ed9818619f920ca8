#include "app/widgets/twin.h"

#include <utility>

#include "core/session/beside.h"

namespace attnscope {

const std::string& Twin::name(const Session& session) const {
  return name_.get({session.opened_version()}, [&] { return twin_of(session.document()); });
}

bool Twin::is_a(const Session& session) const {
  const auto pinned = session.pinned();
  return pinned && exists(session) && pinned->document.opened->path == name(session);
}

void Twin::follow(Session& session) {
  if (!is_a(session)) {
    followed_ = 0;
    return;
  }
  const std::uint64_t now = session.history().version();
  if (std::exchange(followed_, now) == now) return;
  session.pin([document = session.document(), twin = name(session)](const std::atomic<bool>&) {
    return under_model(document, twin);
  });
}

void Twin::toggle(const Session& session, Workspace& workspace, Commands& commands) const {
  const bool beside = is_a(session);
  workspace.show_difference = !beside;
  if (beside) return commands.act([](Session& changed) { changed.unpin(); });
  commands.act([twin = name(session)](Session& changed) {
    changed.pin([document = changed.document(), twin](const std::atomic<bool>&) {
      return under_model(document, twin);
    });
  });
}

}  // namespace attnscope
