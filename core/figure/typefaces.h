// Where the program's typefaces lie: Inter for text, JetBrains Mono for numbers and names, DejaVu for signs
// that these lack, Nanum Gothic for Hangul. Packages: fonts-inter, fonts-jetbrains-mono, fonts-dejavu-core,
// fonts-nanum.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace attnscope {

enum class Typeface : std::uint8_t { sans, bold, mono };
enum class Script : std::uint8_t { latin, signs, hangul };
/// In the order in which a letter is looked for.
inline constexpr std::array<Script, 3> kScripts{Script::latin, Script::signs, Script::hangul};

/// Path of the font file; empty where the package is not installed.
std::string typeface_file(Typeface face, Script script);

}  // namespace attnscope
