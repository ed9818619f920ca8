// What the window shows, as a JSON file that is rewritten on every change: with it a test that drives the
// window by keys and mouse sees the result, and where to click. Written only if ATTNSCOPE_STATE names a file.
// Changes nothing on screen.
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
  /// After a frame was presented. Writes the file when anything except the frame number changed; a write
  /// error is printed to stderr once and ends the writing.
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
