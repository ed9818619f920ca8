// Commands and the workspace: what panels and views may ask for, and what they share on screen.
// Commands are queued while a frame is drawn and carried out at its end, so that nobody draws half-changed
// data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session.h"
#include "core/session/backpass.h"

namespace attnscope {

/// Something the inspector explains: a cell of a step, or one number of a weight.
struct Place {
  Cell cell;                        ///< read only where `weight` is empty
  std::string weight;               ///< "blocks.0.attn.q.weight"
  std::vector<std::int64_t> index;  ///< of the weight
  bool is_weight() const { return !weight.empty(); }
};

/// The inspector's own memory: how one came to the number, and how its terms are listed.
struct InspectorState {
  std::vector<Place> trail;  ///< the number explained now is the last one
  bool all_terms = false;
  bool largest_first = false;
  std::shared_ptr<void> cache;  ///< of what was computed for the newest result; made by the inspector
};

/// Saved, but not undoable: where one looks and how it is drawn.
struct Workspace {
  Cursor cursor;
  std::string view = "steps";
  std::string second_view;       ///< empty: one view on the stage
  bool show_difference = false;  ///< new minus old for whatever is on the stage
  bool log_scale = false;
  bool animate = true;
  bool backward = false;     ///< the walk goes back from the loss, and the steps view shows slopes
  int backward_target = -1;  ///< what the last row should say; < 0: nobody asks it
  Backpass backpass;         ///< the slopes, while `backward` is on
  bool playing = false;
  bool moving = false;                   ///< a view moves by itself: it says so in every frame that it does
  float speed = 1.f;                     ///< steps per second while playing
  std::vector<std::string> breakpoints;  ///< sites (main of their step) where playing stops
  InspectorState inspector;
  float stage_share = 0.5f;                                                  ///< of the first of two views
  float map_width = 216.f, inspector_width = 318.f, timeline_height = 98.f;  ///< units at scale 1
};

/// An action at the end of the frame.
class Commands {
 public:
  /// An undoable change with the sentence that undo will show; edits with the same non-empty gesture share a
  /// point.
  void edit(std::string sentence, std::string gesture, std::function<Status(Document&)> change) {
    actions_.push_back(
        [sentence = std::move(sentence), gesture = std::move(gesture),
         change = std::move(change)](Session& session) { (void)session.edit(sentence, gesture, change); });
  }
  /// A drag or a burst of typing is over.
  void end_gesture() {
    actions_.push_back([](Session& session) { session.end_gesture(); });
  }
  /// Anything else the session can do.
  void act(std::function<void(Session&)> action) { actions_.push_back(std::move(action)); }
  void carry_out(Session& session) {
    auto actions = std::move(actions_);
    actions_.clear();
    for (const auto& action : actions) action(session);
  }
  bool empty() const { return actions_.empty(); }

 private:
  std::vector<std::function<void(Session&)>> actions_;
};

}  // namespace attnscope
