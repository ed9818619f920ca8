// A session file that is opened again, as both programs do.
#pragma once

#include <string>

#include "core/arch/open.h"
#include "core/arch/scene.h"
#include "core/session/session_file.h"

namespace attnscope::testing {

inline Result<Document> reopened(const std::string& path) {
  TRY(const SessionFile file, read_session(path));
  TRY(OpenedModel model,
      file.scene.empty() ? open_model(file.model) : open_scene_text(file.scene, file.model));
  return document_of(file, std::move(model));
}

}  // namespace attnscope::testing
