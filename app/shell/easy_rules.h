// The rules of the mask in the easy window: who may look at whom, one chip each, below the masks.
#pragma once

#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "app/widgets/twin.h"
#include "core/view/view.h"

namespace attnscope {

class EasyRules {
 public:
  /// Height in pixels; 0: what is shown has no such choice.
  float height(const FrameState& state, const ViewState& view) const;
  void draw(FrameState& state, const ViewState& view, const RunResult& run, ImVec2 at, float width);

 private:
  struct Rule {
    std::string text;   ///< as a mask is written; "model": its own
    std::string id;     ///< "rule_past"
    std::string label;  ///< its name and that
    bool on = false;
  };
  static std::vector<Rule> rules_of(const ViewState& view, const RunResult& run);
  Kept<std::vector<Rule>> rules_;
  Twin twin_;
};

}  // namespace attnscope
