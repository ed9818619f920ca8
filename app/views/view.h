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
#include "core/base/no_copy.h"
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

/// What a view shows, and what it needs of the window.
struct ViewNeeds {
  bool runs = true;  ///< false if it is about the document or a training run: then it cannot show run A
  /// True if network map, inspector and timeline have nothing to say beside it: alone on the stage it also
  /// gets their room, and that of the input bar unless it reads the text.
  bool all = false;
  bool text = false;
};

/// What is fixed of a view.
struct ViewTraits {
  const char*
      id;  ///< stable: file name, --view, saved workspaces, strings "view.<id>" (tab), "view.<id>.help"
  ViewGroup group;  ///< of its tab
  int order;        ///< position in its group, smallest first
  ViewNeeds needs = {};
};

class View : NoCopy {
 public:
  explicit View(const ViewTraits& traits) : traits_(traits) {}
  virtual ~View() = default;
  const char* id() const { return traits_.id; }
  ViewGroup group() const { return traits_.group; }
  int order() const { return traits_.order; }
  bool shows_runs() const { return traits_.needs.runs; }
  bool wants_all() const { return traits_.needs.all; }
  bool reads_text() const { return traits_.needs.text; }
  /// Empty if the view can show this run; otherwise the string key of why not.
  virtual std::string unavailable(const RunResult&) const { return {}; }
  /// True if arrow keys are used inside this view instead of moving through the model's steps.
  virtual bool takes_arrows(const RunResult&) const { return false; }
  /// Called when it is no longer on the stage: may cancel its background jobs.
  virtual void leave() {}
  /// Reads or writes its settings, for session files.
  virtual void keep(Choices&) {}
  /// Draws into the current ImGui child window, which has the stage's size.
  virtual void draw(const ViewContext& context) = 0;

 private:
  ViewTraits traits_;
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
