// Fields for numbers: a single click, and what is typed is read by core/base/number.h, so "3e-4", "1k" and
// "2^20" are taken wherever a number is, and the rest is refused in words below the field. What was typed
// counts at once where it is a number in range; else the number stays what it was before. Refuses to round or
// to clamp.
#pragma once

#include <cstdint>
#include <string>

#include "app/widgets/pieces.h"

namespace attnscope {

/// How a field looks beside its number.
struct NumberLook {
  const char* shape = "%g";    ///< of a real number: a printf pattern
  const char* help = nullptr;  ///< what is told where one points at it
  bool steps = false;          ///< small buttons for one less and one more; whole numbers only
  bool blank = false;          ///< shows nothing while nobody types
};

/// A field of a real number from `least` to `most`, as wide as ImGui's next item. `id` is unique in the
/// window.
SliderEvent number_field(const char* id, double& value, double least, double most,
                         const NumberLook& look = {});
/// The same for whole numbers, none of them below 0.
SliderEvent number_field(const char* id, std::uint64_t& value, std::uint64_t least, std::uint64_t most,
                         const NumberLook& look = {});
SliderEvent number_field(const char* id, std::int64_t& value, std::int64_t least, std::int64_t most,
                         const NumberLook& look = {});
SliderEvent number_field(const char* id, int& value, int least, int most, const NumberLook& look = {});

/// What stands behind "--steps: " in a line of a terminal, as a sentence of its own: "It takes ...".
std::string with_capital(std::string words);
/// Says below a field, given by its corners, why what was typed there is refused.
void tell_below(ImVec2 p0, ImVec2 p1, const std::string& words);

/// Whether a slider of this id and width, drawn here, is to be a field now: Ctrl is held over it, or its
/// number is being typed.
bool typed_instead(const char* id, float width);

}  // namespace attnscope
