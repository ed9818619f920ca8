// A window to choose a model folder or a scene to open, or where to save. Folders are read in the background,
// and what cannot be read is said in words. Refuses to change anything on the disk.
#pragma once

#include <atomic>
#include <memory>

#include "app/dialogs/folder_list.h"
#include "app/state/frame_state.h"

namespace attnscope {

class FileBrowser {
 public:
  /// Opens when state.browse is set; calls its `chosen` with the path and closes, or closes without.
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
  std::string target() const;  ///< of saving

  std::optional<BrowseRequest> request_;
  std::string folder_, path_text_, filter_, name_, complaint_;
  bool hidden_ = false, typing_path_ = false, focus_ = false, take_keyboard_ = false, scroll_ = false,
       close_ = false;
  FolderList list_;
  std::vector<int> shown_;  ///< indices of list_.entries that pass the filter
  int at_ = 0;              ///< selected row of shown_
  Computed<FolderList> reading_;
};

}  // namespace attnscope
