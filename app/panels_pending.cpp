#include "app/panel.h"

namespace attnscope {

void draw_network_map(const PanelContext&) {}
void draw_timeline(const PanelContext&) {}
void draw_inspector(const PanelContext&) {}

}  // namespace attnscope
