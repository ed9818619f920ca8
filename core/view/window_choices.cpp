#include "core/view/window_choices.h"

#include "core/view/calculator.h"
#include "core/view/checked_rows.h"

namespace attnscope {

void take_view_choices(const ViewSpec& view, const nlohmann::json& look, ViewState& state) {
  if (view.id == "calculator") {
    const auto chosen = std::make_shared<const CalcChosen>(calc_chosen(look));
    if (state.page.empty()) state.page = chosen->pane;
    state.calc = chosen;
  }
  if (view.id == "check") {
    const auto chosen = std::make_shared<const CheckChosen>(check_chosen(look));
    state.check = chosen;
    if (state.page.empty()) state.page = check_page(*chosen, state);
  }
}

}  // namespace attnscope
