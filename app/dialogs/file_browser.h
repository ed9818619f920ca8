// File browser: choose a model folder, scene or other file to open, or a path to save to. Folders are read by
// a background job; errors are shown in the window. Never writes to the disk.
#pragma once

#include <atomic>
#include <memory>

#include "app/dialogs/folder_list.h"
#include "app/state/frame_state.h"

namespace attnscope {

class FileBrowser {
 public:
  /// Opens when state.browse is set; closes by calling its `chosen` with a path, or without a choice.
  void draw(FrameState& state);

 private:
  void begin(FrameState& state);
  void go(FrameState& state, const std::string& folder);
  void take_reading();
  void refilter(const FrameState& state);
  void draw_path(FrameState& state, float width);
  void draw_places(FrameState& state, ImVec2 size);
  void draw_list(FrameState& state, ImVec2 size);
  bool draw_row(FrameState& state, int row);
  void draw_foot(FrameState& state, float width);
  void keys(FrameState& state);
  std::string path_of(const std::string& typed) const;
  void go_or_finish(FrameState& state, const std::string& typed);
  void choose(FrameState& state);
  void finish(FrameState& state, const std::string& path);
  const FolderEntry* selected() const;
  std::string target() const;  ///< path to save to

  std::optional<BrowseRequest> request_;
  std::string folder_, path_text_, filter_, name_, complaint_;
  /// Which fields these are: a field of Dear ImGui 1.89 and later writes what was typed into it once more
  /// after it was left, over the text of another folder. Another field has nothing to write.
  int fields_ = 0;
  bool hidden_ = false, typing_path_ = false, focus_ = false, take_keyboard_ = false, scroll_ = false,
       close_ = false;
  FolderList list_;
  std::vector<int> shown_;  ///< indices into list_.entries of those that pass the filter
  int at_ = 0;              ///< selected row of shown_
  Computed<FolderList> reading_;
};

}  // namespace attnscope
