// The box of the network map under the mouse: its words, what a click opens, its menu.
#pragma once

#include <string>

#include "app/panels/network/network_layout.h"
#include "app/state/panel.h"

namespace attnscope {

/// "block 3", "blocks 4 to 17 (14)", "softmax".
std::string network_label(const PanelContext& context, const NetworkBox& box);
void network_tooltip(const PanelContext& context, const NetworkBox& box);
void click_network(const PanelContext& context, const NetworkBox& box);
void offer_network(const PanelContext& context, const NetworkBox& box);

}  // namespace attnscope
