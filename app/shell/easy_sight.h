// The photograph beside the attention of the easy window: the weights of the looked-at row over its patches.
#pragma once

#include <string>

#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "app/state/panel.h"
#include "core/lens/patches.h"
#include "core/view/view.h"

namespace attnscope {

class EasySight {
 public:
  /// Draws it at `at`, at most `size` large, where keys of the looked-at attention are patches of a picture;
  /// returns the width that it took, else 0. A row that a lesson hides has no weights.
  float draw(const PanelContext& context, const ViewState& view, ImVec2 at, ImVec2 size);

 private:
  bool follow(const PanelContext& context, const ViewState& view);

  std::uint64_t key_ = 0;
  PatchRows queries_, keys_;
  Tensor weights_;  ///< [patch row, patch column]
  std::string picture_, title_;
};

}  // namespace attnscope
