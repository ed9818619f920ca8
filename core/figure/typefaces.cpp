#include "core/figure/typefaces.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace attnscope {
namespace {

// The first that is there: distributions put the same typeface in several places.
std::string first_file(std::initializer_list<const char*> names) {
  std::error_code ignored;
  for (const char* name : names) {
    std::string path = std::string("/usr/share/fonts/") + name;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

std::string latin_file(Typeface face) {
  switch (face) {
    case Typeface::sans:
      return first_file({"opentype/inter/Inter-Regular.otf", "truetype/inter/Inter-Regular.ttf"});
    case Typeface::bold:
      return first_file({"opentype/inter/Inter-SemiBold.otf", "truetype/inter/Inter-SemiBold.ttf"});
    case Typeface::mono: break;
  }
  return first_file({"truetype/jetbrains-mono/JetBrainsMono-Regular.ttf"});
}

std::string signs_file(Typeface face) {
  switch (face) {
    case Typeface::sans: return first_file({"truetype/dejavu/DejaVuSans.ttf"});
    case Typeface::bold:
      return first_file({"truetype/dejavu/DejaVuSans-Bold.ttf", "truetype/dejavu/DejaVuSans.ttf"});
    case Typeface::mono: break;
  }
  return first_file({"truetype/dejavu/DejaVuSansMono.ttf"});
}

}  // namespace

std::string typeface_file(Typeface face, Script script) {
  switch (script) {
    case Script::latin: return latin_file(face);
    case Script::signs: return signs_file(face);
    case Script::hangul: break;
  }
  if (face == Typeface::bold)
    return first_file({"truetype/nanum/NanumGothicBold.ttf", "truetype/nanum/NanumGothic.ttf"});
  return first_file({"truetype/nanum/NanumGothic.ttf"});
}

}  // namespace attnscope
