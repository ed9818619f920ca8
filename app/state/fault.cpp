#include "app/state/fault.h"

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "core/base/caught.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// True when the user clicked "draw again".
bool draw_fault(const std::string& part, const Error& error) {
  wrapped_text(error.sentence(), theme().error);
  wrapped_text(error.hint(), theme().text_dim);
  const bool again = raised_button(Label(tr("frame.try_again"), "###again_", part));
  note_item(("again_" + part).c_str());
  return again;
}

std::uint64_t run_of(const FrameState& state) {
  const auto run = state.session.result();
  return run ? run->version : 0;
}

}  // namespace

bool part_is_well(FrameState& state, std::string_view part) {
  if (state.faults.empty()) return true;
  auto fault = state.faults.find(std::string(part));
  if (fault == state.faults.end()) return true;
  if (fault->second.run != run_of(state)) {
    state.faults.erase(fault);
    return true;
  }
  if (draw_fault(fault->first, fault->second.error)) state.faults.erase(fault);
  return false;
}

void part_failed(FrameState& state, std::string_view part, const std::string& what, const UiMark& mark,
                 ImVec2 at) {
  const Error error = caught_error(what);
  mark.restore();
  ImGui::SetCursorScreenPos(at);
  note_text(error.sentence());
  const auto fault = state.faults.insert_or_assign(std::string(part), Fault{error, run_of(state)}).first;
  if (draw_fault(fault->first, error)) state.faults.erase(fault);
}

}  // namespace attnscope
