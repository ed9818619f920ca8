#include "app/state/fault.h"

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "core/base/caught.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// True when it is to be drawn again.
bool draw_fault(const std::string& part, const Error& error) {
  wrapped_text(error.sentence(), theme().error);
  wrapped_text(error.hint(), theme().text_dim);
  const bool again = raised_button(std::string(tr("frame.try_again")) + "###again_" + part);
  note_item(("again_" + part).c_str());
  return again;
}

}  // namespace

void draw_part(FrameState& state, const std::string& part, const std::string& what,
               const std::function<void()>& draw) {
  const auto run = state.session.result();
  const std::uint64_t now = run ? run->version : 0;
  auto fault = state.faults.find(part);
  if (fault != state.faults.end() && fault->second.run != now) fault = state.faults.erase(fault);
  if (state.faults.count(part) == 0) {
    const UiMark mark;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Status drawn = guarded(what, draw);
    if (drawn) return;
    mark.restore();
    ImGui::SetCursorScreenPos(at);
    note_text(drawn.error().sentence());
    fault = state.faults.insert_or_assign(part, Fault{drawn.error(), now}).first;
  }
  if (draw_fault(part, fault->second.error)) state.faults.erase(fault);
}

}  // namespace attnscope
