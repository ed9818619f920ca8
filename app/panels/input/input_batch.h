// The sequences of the batch: one tab each, buttons to add and remove one, and the padding to a common
// length. The last sequence cannot be removed.
#pragma once

#include <optional>

#include "app/state/panel.h"

namespace attnscope {

class BatchBar {
 public:
  /// Width of draw() in pixels.
  float width(const PanelContext& context) const;
  /// Draws tabs and padding switch at the ImGui cursor, on the current line.
  void draw(const PanelContext& context);

 private:
  void draw_tabs(const PanelContext& context);
  void draw_padding(const PanelContext& context);
  void draw_padding_popup(const PanelContext& context);
  void change(const PanelContext& context, const Padding& wanted, const char* gesture);
  std::optional<Error> error_;
  std::optional<int> wanted_to_;      ///< while it is being typed
  std::optional<std::size_t> go_to_;  ///< select this new sequence after its first run
};

}  // namespace attnscope
