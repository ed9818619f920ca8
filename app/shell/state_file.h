// What the window shows, as a JSON file that is replaced whenever it changed: how a test that drives the
// window with keys and mouse sees what happened, and where to click. Only written where ATTNSCOPE_STATE names
// a file. Refuses to change anything that is shown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/shell/frame.h"

namespace attnscope {

class StateFile {
 public:
  /// Reads ATTNSCOPE_STATE; without it every call returns at once.
  StateFile();
  bool on() const { return !path_.empty(); }
  /// Before a frame is drawn.
  void begin();
  /// After it was shown. Writes the file when anything but the frame's number changed; a failure to write is
  /// told on stderr once and ends the writing.
  void end(Frame& frame);

 private:
  nlohmann::json describe(Frame& frame);
  void follow_times(Frame& frame);
  void follow_numbers(Frame& frame);

  std::string path_;
  nlohmann::json written_;
  std::uint64_t frames_ = 0, version_ = 0;
  std::uint64_t undo_point_ = 0;
  double frame_begin_ = 0, edit_begin_ = 0, answer_ms_ = 0;
  nlohmann::json numbers_ = nlohmann::json::object();
  std::string numbers_key_;
};

}  // namespace attnscope
