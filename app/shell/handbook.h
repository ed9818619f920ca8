// The handbook in the window (F1): its contents on the left, a page on the right, at first that of the view
// on the stage. Arrows scroll and turn pages.
#pragma once

#include <string>
#include <vector>

#include "app/state/frame_state.h"
#include "app/widgets/markdown_page.h"
#include "core/base/guide.h"

namespace attnscope {

/// The page that F1 opens in this state.
std::string page_of_stage(const FrameState& state);

class Handbook {
 public:
  /// Opens when state.show_keys is set; draws while open.
  void draw(FrameState& state);
  /// The page that is shown.
  const std::string& page() const { return page_; }

 private:
  void open(const std::string& page);
  void turn(int by);
  void draw_contents(float height);
  void draw_page(ImVec2 size);

  std::vector<GuideChapter> contents_;
  std::string page_, language_;
  MarkdownPage text_;
  bool to_top_ = false, reveal_ = false;  ///< scroll to the page's beginning, to its line in the contents
};

}  // namespace attnscope
