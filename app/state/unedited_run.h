// The run of the same input without edits: what stands behind the answer of now.
#pragma once

#include <memory>

#include "core/base/computed.h"
#include "core/session/session.h"

namespace attnscope {

class UneditedRun {
 public:
  /// Null where nothing is edited, and until it is computed.
  std::shared_ptr<const Trace> of(const Session& session, const RunResult& run, int sequence);

 private:
  Computed<Result<std::shared_ptr<const Trace>>> made_;
};

}  // namespace attnscope
