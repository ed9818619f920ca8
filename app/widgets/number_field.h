// Input fields for numbers, opened by a single click. Text is parsed by core/base/number.h: "3e-4",
// "1k" and "2^20" are valid. A valid number in range is applied while typing; otherwise the value
// is what it was before and the error is shown below the field. Values are never rounded or
// clamped.
#pragma once

#include <cstdint>
#include <string>

#include "app/widgets/pieces.h"

namespace attnscope {

/// Appearance of a field.
struct NumberLook {
  const char* shape = "%g";    ///< printf pattern of a real number; null: typed_number()
  const char* help = nullptr;  ///< tooltip
  bool steps = false;          ///< small buttons for -1 and +1; whole numbers only
  bool blank = false;          ///< shows nothing while it is not being edited
};

/// A field for a real number from `least` to `most`, as wide as ImGui's next item. `id` is unique in the
/// window.
SliderEvent number_field(const char* id, double& value, double least, double most,
                         const NumberLook& look = {});
/// The same for whole numbers >= 0.
SliderEvent number_field(const char* id, std::uint64_t& value, std::uint64_t least, std::uint64_t most,
                         const NumberLook& look = {});
SliderEvent number_field(const char* id, std::int64_t& value, std::int64_t least, std::int64_t most,
                         const NumberLook& look = {});
SliderEvent number_field(const char* id, int& value, int least, int most, const NumberLook& look = {});

/// As one types it: whole numbers in full up to nine digits, "2337280", larger ones "1.5e13".
std::string typed_number(double value);
/// What stands behind "--steps: " in a line of a terminal, as a sentence of its own: "It takes ...".
std::string with_capital(std::string words);
/// Draws an error message below a field, given by its corners (screen pixels).
void tell_below(ImVec2 p0, ImVec2 p1, const std::string& words);

/// True when a slider of this ID and width, at the ImGui cursor, has to be drawn as a text field: Ctrl is
/// held over it, or its number is being typed.
bool typed_instead(const char* id, float width);

}  // namespace attnscope
