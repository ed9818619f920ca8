#include "app/input_bar.h"

#include "app/controls.h"

namespace attnscope {

float InputBar::draw(const PanelContext&, FrameState&, ImVec2, float) { return px(75); }

}  // namespace attnscope
