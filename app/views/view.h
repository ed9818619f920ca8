// A view: one way to look at a run, filling the stage. It gets const data and the shared cursor, draws
// itself, and asks for changes through Commands, which are carried out at the end of the frame. One file per
// view: app/views/NAME_view.cpp with make_NAME_view(); CMake lists those files into view_table().
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/gpu/painter.h"
#include "app/views/choices.h"
#include "app/widgets/commands.h"
#include "core/session/session.h"

namespace attnscope {

/// All that a view may see. `run` is the newest result; `before` the one that it
/// is compared with: the one that was pinned, or the one before the last edit; or null.
struct ViewContext {
  const Session& session;
  const RunResult& run;
  const RunResult* before = nullptr;
  Workspace& workspace;  ///< cursor and display settings: views may change them at once
  Commands& commands;    ///< everything undoable
  Painter& painter;

  /// Computes what the view asks for in the background.
  Workers& workers() const { return session.workers(); }
  /// The run that "new minus old" subtracts, of one sequence; null where nothing is to be subtracted.
  std::shared_ptr<const Trace> older(int sequence) const {
    if (!workspace.show_difference || !before || before->traces.empty()) return nullptr;
    const std::size_t last = before->traces.size() - 1;
    return before->traces[std::min(last, static_cast<std::size_t>(std::max(0, sequence)))];
  }
};

/// Views stand among the tabs in groups, in this order: what the string "view.group.<name>" calls them.
enum class ViewGroup : std::uint8_t { walk, words, inside, ask, learn };
/// "walk", "words", ...
const char* group_name(ViewGroup group);

class View {
 public:
  virtual ~View() = default;
  /// Stable name: file name, --view, saved workspaces, strings "view.<id>" (tab) and "view.<id>.help".
  virtual const char* id() const = 0;
  /// Where its tab stands.
  virtual ViewGroup group() const = 0;
  /// Place in its group, smallest first.
  virtual int order() const = 0;
  /// Empty when the view can show this run; otherwise the key of the sentence that says why not.
  virtual std::string unavailable(const RunResult&) const { return {}; }
  /// False where a view is about the document or a training, not about a run: it has no A.
  virtual bool shows_runs() const { return true; }
  /// True where the view is about nothing of the open model: alone on the stage it has the room of the
  /// input, the map, the inspector and the timeline too.
  virtual bool wants_all() const { return false; }
  /// True when the arrow keys walk inside this view instead of through the model's steps.
  virtual bool takes_arrows(const RunResult&) const { return false; }
  /// It is no longer on the stage: what it computes in the background may stop.
  virtual void leave() {}
  /// Names what a person chose in it, to be written into a session or read from one.
  virtual void keep(Choices&) {}
  /// Draws into the current ImGui child window, which has the stage's size.
  virtual void draw(const ViewContext& context) = 0;
};

struct ViewRow {
  const char* id;
  std::unique_ptr<View> (*make)();
};
/// Every view, from app/views/*_view.cpp.
const std::vector<ViewRow>& view_table();
/// One of each, in the order of the tabs.
std::vector<std::unique_ptr<View>> make_views();

}  // namespace attnscope
