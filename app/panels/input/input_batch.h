// The sequences of the batch: a tab each, one more, one less; and how they are padded to a common length.
// Refuses to leave a batch without a sequence.
#pragma once

#include <optional>

#include "app/state/panel.h"

namespace attnscope {

class BatchBar {
 public:
  /// Room that draw() takes on a line.
  float width(const PanelContext& context) const;
  /// Tabs and the padding switch from the cursor on, on the current line.
  void draw(const PanelContext& context);

 private:
  void draw_tabs(const PanelContext& context);
  void draw_padding(const PanelContext& context);
  void draw_padding_popup(const PanelContext& context);
  void change(const PanelContext& context, const Padding& wanted, const char* gesture);
  std::optional<Error> error_;
  std::optional<int> wanted_to_;      ///< while it is typed
  std::optional<std::size_t> go_to_;  ///< a new sequence, as soon as it has run
};

}  // namespace attnscope
