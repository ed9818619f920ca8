// Sizes, hinting and rounding are those of ImGui's own FreeType builder: glyphs added late look the same as
// those of the first build.
#include "app/look/late_glyphs.h"

#if IMGUI_VERSION_NUM < 19200
#include <freetype/freetype.h>
#include <ft2build.h>

#include <algorithm>
#include <cmath>

namespace attnscope {

LateGlyphs::~LateGlyphs() {
  for (const auto& [path, face] : faces_) FT_Done_Face(face);
  if (library_ != nullptr) FT_Done_FreeType(library_);
}

void LateGlyphs::reserve(ImFontAtlas& atlas, float scale) {
  area_width_ = 512;
  area_height_ = static_cast<int>(512.0f * std::max(scale, 1.0f));
  area_ = atlas.AddCustomRectRegular(area_width_, area_height_);
  restart();
}

void LateGlyphs::restart() { shelf_x_ = shelf_y_ = shelf_height_ = 0; }

bool LateGlyphs::add(ImFontAtlas& atlas, const std::vector<FontChain>& chains,
                     const std::vector<ImWchar>& code_points) {
  if (area_ < 0 || atlas.TexPixelsAlpha8 == nullptr) return false;
  for (const FontChain& chain : chains) {
    for (const ImWchar code_point : code_points) {
      if (!add_one(atlas, chain, code_point)) return false;
    }
    chain.font->BuildLookupTable();
  }
  ImGui::MemFree(atlas.TexPixelsRGBA32);  // recreated from the alpha pixels when needed
  atlas.TexPixelsRGBA32 = nullptr;
  return true;
}

FT_FaceRec_* LateGlyphs::face(const std::string& path) {
  if (library_ == nullptr && FT_Init_FreeType(&library_) != 0) return nullptr;
  FT_FaceRec_*& face = faces_[path];
  if (face == nullptr && FT_New_Face(library_, path.c_str(), 0, &face) != 0) face = nullptr;
  return face;
}

bool LateGlyphs::place(int width, int height, int& x, int& y) {
  if (shelf_x_ + width > area_width_) {
    shelf_y_ += shelf_height_;
    shelf_x_ = shelf_height_ = 0;
  }
  if (width > area_width_ || shelf_y_ + height > area_height_) return false;
  x = shelf_x_;
  y = shelf_y_;
  shelf_x_ += width;
  shelf_height_ = std::max(shelf_height_, height);
  return true;
}

bool LateGlyphs::add_one(ImFontAtlas& atlas, const FontChain& chain, ImWchar code_point) {
  FT_FaceRec_* face = nullptr;
  const FontChain::Source* source = nullptr;
  for (const FontChain::Source& candidate : chain.sources) {
    face = this->face(candidate.path);
    source = &candidate;
    if (face != nullptr && FT_Get_Char_Index(face, code_point) != 0) break;
    face = nullptr;
  }
  if (face == nullptr) return true;  // no file has this glyph: the fallback is drawn
  FT_Size_RequestRec size{FT_SIZE_REQUEST_TYPE_REAL_DIM, 0, source->pixels * 64, 0, 0};
  FT_Request_Size(face, &size);
  if (FT_Load_Char(face, code_point, FT_LOAD_NO_BITMAP | FT_LOAD_TARGET_LIGHT | FT_LOAD_RENDER) != 0)
    return true;
  const FT_GlyphSlot glyph = face->glyph;
  const int width = static_cast<int>(glyph->bitmap.width), height = static_cast<int>(glyph->bitmap.rows);
  int x = 0, y = 0;
  if (!place(width + 1, height + 1, x, y)) return false;
  const ImFontAtlasCustomRect* area = atlas.GetCustomRectByIndex(area_);
  x += area->X, y += area->Y;
  for (int row = 0; row < height; ++row) {
    const unsigned char* from = glyph->bitmap.buffer + row * glyph->bitmap.pitch;
    std::copy(from, from + width,
              atlas.TexPixelsAlpha8 + static_cast<std::ptrdiff_t>(y + row) * atlas.TexWidth + x);
  }
  const float left = static_cast<float>(glyph->bitmap_left);
  const float top = std::floor(chain.font->Ascent + 0.5f) - static_cast<float>(glyph->bitmap_top);
  const float w = static_cast<float>(width), h = static_cast<float>(height);
  const float u = static_cast<float>(x), v = static_cast<float>(y);
  const ImVec2 texel = atlas.TexUvScale;
  const float advance = static_cast<float>((glyph->advance.x + 63) / 64);
  chain.font->AddGlyph(nullptr, code_point, left, top, left + w, top + h, u * texel.x, v * texel.y,
                       (u + w) * texel.x, (v + h) * texel.y, advance);
  return true;
}

}  // namespace attnscope
#endif
