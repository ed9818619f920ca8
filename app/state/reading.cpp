// Sessions and figures that take long to read are read beside the frame, and then opened as any other.
#include <filesystem>

#include "app/state/frame_state.h"
#include "core/session/figure_session.h"

namespace attnscope {

/// A file that is read by another thread. `file` is looked at once `done` is set.
struct FrameState::Reading {
  std::uint64_t opened_version = 0;  ///< Session::opened_version() when it was asked for
  std::atomic<bool> done = false;
  std::optional<SessionFile> file;
};

void FrameState::read_beside(const std::string& path) {
  reading_ = std::make_shared<Reading>();
  reading_->opened_version = session.opened_version();
  session.open_document([reading = reading_, path](const std::atomic<bool>& cancel) -> Result<Document> {
    TRY(reading->file, open_session_file(path));
    reading->done = !cancel;
    return fail(Code::cancelled, "error.model.stopped");  // the document follows: follow_reading()
  });
}

void FrameState::follow_reading() {
  if (!reading_ || session.opening()) return;
  const std::shared_ptr<Reading> reading = std::exchange(reading_, {});
  if (reading->done && reading->opened_version == session.opened_version())
    open_session(*std::move(reading->file));
}

}  // namespace attnscope
