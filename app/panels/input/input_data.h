// The data set of the document: a button with its name and count, and a list of its prompts with a filter; a
// click on one opens it as the text. The text of one's own stands on top.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/look/kept_text.h"
#include "app/state/panel.h"

namespace attnscope {

class DataBox {
 public:
  /// Width of draw() in pixels; 0 where there is no data set.
  float width(const PanelContext& context);
  /// Draws the button at the ImGui cursor, on the current line, and the list where it is open.
  void draw(const PanelContext& context);

 private:
  const std::string& label(const PanelContext& context);
  void follow(const PanelContext& context);
  void draw_list(const PanelContext& context);
  void draw_rows(const PanelContext& context, float width);
  void draw_row(const PanelContext& context, std::size_t prompt, float width);

  KeptText label_, own_;
  std::shared_ptr<const DataPrompts> of_;  ///< whose texts these are
  std::vector<std::string> texts_, answers_;
  std::string filter_, filtered_;
  std::vector<std::size_t> shown_;  ///< prompts that pass the filter
};

}  // namespace attnscope
