// The class in the window: the folder with the answers of each learner, and what was read from it.
#pragma once

#include <memory>
#include <string>

#include "core/lesson/class_view.h"

namespace attnscope {

struct FrameState;

struct ClassShown {
  std::string folder;
  std::shared_ptr<const ClassView> seen;  ///< null: none was read
  bool open = false;                      ///< its list is to be opened
};

/// Asks for the folder (or a file in it), reads it and opens the list.
void ask_class(FrameState& state);
/// Reads the folder again; what cannot be read is told.
void read_class_again(FrameState& state);

}  // namespace attnscope
