// Glyphs that are needed after the atlas was built, rasterised into a reserved area of it: a typed Hangul
// syllable costs a millisecond instead of a new atlas. For Dear ImGui before 1.92, which does this
// itself.
#pragma once

#include <imgui.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/no_copy.h"

struct FT_LibraryRec_;
struct FT_FaceRec_;

namespace attnscope {

/// A font of the atlas and its font files, in the order in which they are searched for a glyph.
struct FontChain {
  struct Source {
    std::string path;
    int pixels = 0;  // ascent + descent
  };
  ImFont* font = nullptr;
  std::vector<Source> sources;
};

class LateGlyphs : NoCopy {
 public:
  LateGlyphs() = default;
  ~LateGlyphs();

  /// Reserves the area in an empty atlas; before it is built.
  void reserve(ImFontAtlas& atlas, float scale);
  /// Marks the area as empty, after the atlas was built.
  void restart();
  /// Rasterises the code points into every chain's font. False if the area is full: rebuild the atlas.
  bool add(ImFontAtlas& atlas, const std::vector<FontChain>& chains, const std::vector<ImWchar>& code_points);

 private:
  FT_FaceRec_* face(const std::string& path);
  bool add_one(ImFontAtlas& atlas, const FontChain& chain, ImWchar code_point);
  bool place(int width, int height, int& x, int& y);
  FT_LibraryRec_* library_ = nullptr;
  std::map<std::string, FT_FaceRec_*> faces_;
  int area_ = -1, area_width_ = 0, area_height_ = 0;
  int shelf_x_ = 0, shelf_y_ = 0, shelf_height_ = 0;  // position of the next glyph
};

}  // namespace attnscope
