// Arguments of every panel: const data, the shared workspace, and commands for changes. A panel draws into
// the current ImGui child window and must handle a null `run` (no document, or the first run is not
// finished).
#pragma once

#include "app/gpu/painter.h"
#include "app/widgets/commands.h"
#include "core/session/session.h"

namespace attnscope {

struct PanelContext {
  const Session& session;
  const RunResult* run = nullptr;     ///< newest result, or null
  const RunResult* before = nullptr;  ///< result before the last edit, or null
  Workspace& workspace;
  Commands& commands;
  Painter& painter;

  /// Computes what the panel asks for in the background.
  Workers& workers() const { return session.workers(); }
};

void draw_network_map(const PanelContext& context);
void draw_timeline(const PanelContext& context);
void draw_inspector(const PanelContext& context);

}  // namespace attnscope
