// A field over one cell of a matrix, where its number is typed. Refuses to know what the number is of.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>

namespace attnscope {

class CellField {
 public:
  /// Over a cell that holds `value`; the next draw() takes the keyboard.
  void open(float value);
  bool is_open() const { return open_; }
  void close() { open_ = false; }
  /// The number could not be taken: one goes on typing.
  void refuse() { wrong_ = focus_ = true; }
  /// Draws it over the cell between two corners (screen). The number that Enter gave; what is none is said.
  /// `id` is unique in the window.
  std::optional<float> draw(const char* id, ImVec2 p0, ImVec2 p1);

 private:
  std::string text_;
  bool open_ = false, focus_ = false, wrong_ = false;
};

}  // namespace attnscope
