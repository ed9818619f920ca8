// A view: one way to show a run on the stage. It gets const data and the shared cursor, draws itself, and
// queues changes as Commands, which are executed at the end of the frame. One file per view:
// app/views/NAME_view.cpp with make_NAME_view(); CMake lists those files into view_table().
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

/// Arguments of a view. `run`: the newest result; `before`: the run to compare with: the pinned one, or the
/// one before the last edit; or null.
struct ViewContext {
  const Session& session;
  const RunResult& run;
  const RunResult* before = nullptr;
  Workspace& workspace;  ///< cursor and display settings: changed directly
  Commands& commands;    ///< for everything undoable
  Painter& painter;

  /// Computes what the view asks for in the background.
  Workers& workers() const { return session.workers(); }
  /// What "new minus old" shows: B minus A, or what the last change did, named.
  std::string difference_words() const;
  /// The token of a row of the main stack, of the cursor's sequence.
  std::string main_row_name(std::int64_t row) const;
  /// The run that is subtracted in "new minus old", one sequence of it; null if no difference is shown.
  std::shared_ptr<const Trace> older(int sequence) const {
    if (!workspace.show_difference || !before || before->traces.empty()) return nullptr;
    return before->shared(sequence);
  }
};

/// Groups of tabs, in this order; titles are the strings "view.group.<name>".
enum class ViewGroup : std::uint8_t { walk, words, inside, ask, learn };
/// "walk", "words", ...
const char* group_name(ViewGroup group);

class View {
 public:
  virtual ~View() = default;
  /// Stable name: file name, --view, saved workspaces, strings "view.<id>" (tab) and "view.<id>.help".
  virtual const char* id() const = 0;
  /// Group of its tab.
  virtual ViewGroup group() const = 0;
  /// Position in its group, smallest first.
  virtual int order() const = 0;
  /// Empty if the view can show this run; otherwise the string key of why not.
  virtual std::string unavailable(const RunResult&) const { return {}; }
  /// False if the view is about the document or a training run: then it cannot show run A.
  virtual bool shows_runs() const { return true; }
  /// True if network map, inspector and timeline have nothing to say beside it: alone on the stage it also
  /// gets their room, and that of the input bar unless it reads the text.
  virtual bool wants_all() const { return false; }
  virtual bool reads_text() const { return false; }
  /// True if arrow keys are used inside this view instead of moving through the model's steps.
  virtual bool takes_arrows(const RunResult&) const { return false; }
  /// Called when it is no longer on the stage: may cancel its background jobs.
  virtual void leave() {}
  /// Reads or writes its settings, for session files.
  virtual void keep(Choices&) {}
  /// Draws into the current ImGui child window, which has the stage's size.
  virtual void draw(const ViewContext& context) = 0;
};

/// The label of its tab.
const char* view_title(const View& view);

struct ViewRow {
  const char* id;
  std::unique_ptr<View> (*make)();
};
/// Every view, from app/views/*_view.cpp.
const std::vector<ViewRow>& view_table();
/// One instance of each, in tab order.
std::vector<std::unique_ptr<View>> make_views();

}  // namespace attnscope
