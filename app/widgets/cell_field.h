// A text field over one cell of a matrix, to type its value.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

namespace attnscope {

class CellField {
 public:
  /// Opens over a cell that holds `value`; the next draw() asks for the keyboard focus, which comes a frame
  /// later. What is typed until then goes into the field, too, and switches no view.
  void open(float value);
  bool is_open() const { return open_; }
  void close() { open_ = false; }
  /// Marks the typed number as not accepted and keeps the focus. `why`: string key.
  void refuse(const char* why = "edit_menu.no_number") { why_ = why, wrong_ = focus_ = true; }
  /// Draws the field over the cell between two corners (screen pixels). Returns the number when Enter is
  /// pressed; text that is no number is marked as an error. `id` is unique in the window.
  std::optional<float> draw(const char* id, ImVec2 p0, ImVec2 p1);

 private:
  void take_early(ImGuiID field);

  std::string text_;
  std::string early_;  ///< typed before the field had the keyboard
  const char* why_ = "";
  bool open_ = false, focus_ = false, wrong_ = false, waits_ = false;  ///< waits: for the keyboard
};

}  // namespace attnscope
