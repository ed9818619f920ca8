// Each font is a chain of files at one size; the first file that has a glyph gives it.
// Before 1.92 all chains share one set of code points: a fixed start set and those added by note_text().
#include "app/look/fonts.h"

#include <freetype/freetype.h>
#include <imgui_freetype.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "app/look/imgui_compat.h"
#include "app/look/late_glyphs.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/typefaces.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

struct Row {
  ImFont* Fonts::*font;
  Typeface face;
  float em;  // size of the em square at scale 1
};
constexpr Row kRows[] = {
    {&Fonts::body, Typeface::sans, 13.0f},       {&Fonts::body_bold, Typeface::bold, 13.0f},
    {&Fonts::reading, Typeface::sans, 15.0f},    {&Fonts::reading_bold, Typeface::bold, 15.0f},
    {&Fonts::small, Typeface::sans, 11.5f},      {&Fonts::title, Typeface::bold, 19.5f},
    {&Fonts::lead, Typeface::sans, 21.6f},       {&Fonts::mono_name, Typeface::mono, 13.6f},
    {&Fonts::mono_label, Typeface::mono, 12.0f}, {&Fonts::mono, Typeface::mono, 12.5f},
    {&Fonts::mono_small, Typeface::mono, 11.0f}, {&Fonts::mono_tiny, Typeface::mono, 10.0f},
    {&Fonts::formula, Typeface::mono, 17.0f},    {&Fonts::mono_big, Typeface::mono, 27.0f}};

struct FontsState {
  Fonts fonts;
  std::string warning;
  std::vector<bool> wanted;  // by code point
  bool pending = false;
  int version = 0;
  float scale = 1;                                                 // of load_fonts()
  std::map<std::string, std::shared_ptr<const MappedFile>> files;  // by path; null: it cannot be read
#if IMGUI_VERSION_NUM < 19200
  ImVector<ImWchar> ranges;    // ranges of the current atlas, which keeps a pointer to it
  std::vector<ImWchar> fresh;  // added since then
  std::vector<FontChain> chains;
  LateGlyphs late;
#endif
};

FontsState& fonts_state() {
  static FontsState state;
  return state;
}

/// Path of a font file, and height of ImGui's size (ascent + descent), in em.
struct File {
  std::string path;
  float height = 1.0f;
};

// For the Latin typefaces.
float face_height(Typeface face) { return face == Typeface::mono ? 1.32f : 1.21f; }

File file_of(Typeface face, Script script) {
  const float height = script == Script::latin ? face_height(face) : script == Script::signs ? 1.164f : 1.15f;
  return {typeface_file(face, script), height};
}

// ---- code points -----------------------------------------------------------------------------------------

/// Symbols in formulas, axes and buttons; other characters of their blocks are added on demand.
constexpr std::string_view kSigns =
    "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᵀᵃᵇᵈᵏᵐ"
    "←↑→↓↔↕↦⇒⇐↵↺↻⟨⟩∀∂∃∅∇∈∉∏∑−∓∗∘∙√∝∞∠∥‖∧∨∩∪∫≈≠≡≤≥≪≫⊂⊃⊕⊖⊗⊘⊙⊤⊥⋅⋮⋯⋰⋱⌈⌉⌊⌋"
    "▲△▶▷▼▽◀◁▾▴▸◂◆◇○●◉◯■□▪▫▬▮▯◼◻⏎␣…–—‘’“”„•·†‡‰′″‹›€™℃№ℓℝ│─┌┐└┘├┤┬┴┼░▒▓█▁▂▃▄▅▆▇✓✔✗✕★☆⚠⌘⌥⇧Ġ"
    "�";

void want(FontsState& s, char32_t code_point) {
  if (code_point < 0x20 || code_point > 0xFFFF || s.wanted[code_point]) return;
  s.wanted[code_point] = true;
  s.pending = true;
#if IMGUI_VERSION_NUM < 19200
  s.fresh.push_back(static_cast<ImWchar>(code_point));
#endif
}

void want_range(FontsState& s, char32_t first, char32_t last) {
  for (char32_t code_point = first; code_point <= last; ++code_point) want(s, code_point);
}

void want_text(FontsState& s, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) want(s, next_code_point(text, at));
}

void want_start(FontsState& s) {
  s.wanted.resize(0x10000);
  want_range(s, 0x20, 0x7E);
  want_range(s, 0xA0, 0xFF);
  want_range(s, 0x391, 0x3C9);
  want_text(s, kSigns);
  want_text(s, all_texts());
}

#if IMGUI_VERSION_NUM < 19200
/// Ranges of the wanted code points as pairs (first, last), terminated by 0.
void fill_ranges(FontsState& s) {
  s.ranges.clear();
  for (std::size_t at = 0x20; at < s.wanted.size(); ++at) {
    if (!s.wanted[at]) continue;
    std::size_t end = at;
    while (end + 1 < s.wanted.size() && s.wanted[end + 1]) ++end;
    s.ranges.push_back(static_cast<ImWchar>(at));
    s.ranges.push_back(static_cast<ImWchar>(end));
    at = end;
  }
  s.ranges.push_back(0);
  s.fresh.clear();
}
#endif

// ---- the atlas
// ---------------------------------------------------------------------------------------------

void use_freetype(ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM >= 19200
  atlas.SetFontLoader(ImGuiFreeType::GetFontLoader());
  atlas.FontLoaderFlags = ImGuiFreeTypeLoaderFlags_LightHinting;  // as before: widths are those of the files
#else
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
}

int pixels_of(const File& file, float em) { return static_cast<int>(em * file.height + 0.5f); }

bool is_font(std::span<const std::byte> bytes) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return false;
  FT_Face face = nullptr;
  const auto* data = reinterpret_cast<const FT_Byte*>(bytes.data());
  const bool readable = FT_New_Memory_Face(library, data, static_cast<FT_Long>(bytes.size()), 0, &face) == 0;
  FT_Done_FreeType(library);  // and its faces
  return readable;
}

// What a font file holds: read once, however many fonts of the atlas are made of it. It stays for as long as
// the program runs, since atlases read it again.
std::span<const std::byte> bytes_of(const std::string& path) {
  const auto [known, fresh] = fonts_state().files.try_emplace(path);
  if (fresh)
    if (auto opened = MappedFile::open(path); opened && is_font((*opened)->bytes()))
      known->second = *std::move(opened);
  return known->second ? known->second->bytes() : std::span<const std::byte>();
}

/// Adds one file to the atlas; null when there is no such file.
ImFont* add_file(const File& file, float em, bool merge) {
  const std::span<const std::byte> bytes =
      file.path.empty() ? std::span<const std::byte>() : bytes_of(file.path);
  if (bytes.empty()) return nullptr;
  ImFontConfig config;
  config.MergeMode = merge;
  config.OversampleH = 1;
  config.PixelSnapH = true;
  const ImWchar* ranges = nullptr;
#if IMGUI_VERSION_NUM < 19200
  ranges = fonts_state().ranges.Data;
#endif
  const float pixels = static_cast<float>(pixels_of(file, em));
  void* const data = const_cast<std::byte*>(bytes.data());  // it is only read
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* const font =
      atlas.AddFontFromMemoryTTF(data, static_cast<int>(bytes.size()), pixels, &config, ranges);
  // Said now, because of bytes that are not the atlas's own it would have made a copy.
#if IMGUI_VERSION_NUM < 19200
  atlas.ConfigData.back().FontDataOwnedByAtlas = false;
#else
  atlas.Sources.back().FontDataOwnedByAtlas = false;
#endif
  return font;
}

void remember_chain([[maybe_unused]] ImFont* font, [[maybe_unused]] const std::vector<File>& files,
                    [[maybe_unused]] float em) {
#if IMGUI_VERSION_NUM < 19200
  FontChain chain;
  chain.font = font;
  for (const File& file : files) {
    if (!file.path.empty()) chain.sources.push_back({file.path, pixels_of(file, em)});
  }
  fonts_state().chains.push_back(std::move(chain));
#endif
}

ImFont* add_chain(const Row& row, float scale) {
  const float em = row.em * scale;
  const std::vector<File> files = {file_of(row.face, Script::latin), file_of(row.face, Script::signs),
                                   file_of(row.face, Script::hangul)};
  ImFont* font = nullptr;
  for (const File& file : files) {
    ImFont* added = add_file(file, em, font != nullptr);
    if (font == nullptr) font = added;
  }
  if (font == nullptr) {
    ImFontConfig config;
    config.SizePixels = 13.0f * scale;
    font = ImGui::GetIO().Fonts->AddFontDefault(&config);
  }
  remember_chain(font, files, em);
  return font;
}

std::string find_missing() {
  std::string packages;
  const auto need = [&](const std::string& path, const char* package) {
    if (path.empty()) packages += (packages.empty() ? "" : " ") + std::string(package);
  };
  need(typeface_file(Typeface::sans, Script::latin), "fonts-inter");
  need(typeface_file(Typeface::mono, Script::latin), "fonts-jetbrains-mono");
  need(typeface_file(Typeface::sans, Script::signs), "fonts-dejavu-core");
  need(typeface_file(Typeface::sans, Script::hangul), "fonts-nanum");
  if (packages.empty()) return {};
  return "Some typefaces are not installed, so text looks plainer or lacks signs: apt-get install " +
         packages;
}

}  // namespace

void load_fonts(float scale) {
  FontsState& s = fonts_state();
  ++s.version;
  s.scale = scale;
  if (s.wanted.empty()) want_start(s);
  want_text(s, all_texts());
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  use_freetype(atlas);
#if IMGUI_VERSION_NUM < 19200
  fill_ranges(s);
  s.chains.clear();
  s.late.reserve(atlas, scale);
#endif
  for (const Row& row : kRows) s.fonts.*row.font = add_chain(row, scale);
  ImGui::GetIO().FontDefault = s.fonts.body;
  s.warning = find_missing();
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
#endif
  s.pending = false;
}

const Fonts& fonts() { return fonts_state().fonts; }

namespace {

// A font of the atlas, at its own size, whose letters are as large as those asked for, within what nobody
// sees: letters that are scaled lose strokes. Digits are not smaller. Null where there is none.
ImFont* font_as_large(Typeface face, float em, bool digits) {
  const float least = digits ? 0.998f : face == Typeface::mono ? 0.97f : 0.955f;
  constexpr float kMost = 1.015f;  // of what was asked for: a larger one may not fit
  ImFont* best = nullptr;
  float nearest = 1;
  for (const Row& row : kRows) {
    if (row.face != face) continue;
    ImFont* font = fonts().*row.font;
    const float share = compat::font_size(font) / face_height(face) / em;
    if (share < least || share > kMost || std::abs(share - 1) >= nearest) continue;
    best = font, nearest = std::abs(share - 1);
  }
  return best;
}

}  // namespace

SizedFont font_for(Typeface face, float em, bool digits) {
  if (ImFont* font = font_as_large(face, em, digits)) return {font, compat::font_size(font)};
  const Row* best = nullptr;
  const float wanted =
      em / fonts_state().scale * 0.97f;  // a little smaller is sharper than a larger one scaled
  for (const Row& row : kRows) {
    if (row.face != face) continue;
    const bool enough = row.em >= wanted;
    if (!best || (enough ? best->em < wanted || row.em < best->em : best->em < wanted && row.em > best->em))
      best = &row;
  }
  return {fonts().*best->font, em * face_height(face)};
}

FontFace face_of(const ImFont* font) {
  FontFace out;
  const float size = compat::font_size(font);
  out.em = size / face_height(Typeface::sans);
  for (const Row& row : kRows) {
    if (fonts().*row.font != font) continue;
    if (row.face == Typeface::mono) out.family = "'JetBrains Mono', monospace";
    if (row.face != Typeface::mono) out.family = "Inter, sans-serif";
    out.weight = row.face == Typeface::bold ? 600 : 400;
    out.em = size / face_height(row.face);
  }
  return out;
}

const std::string& font_warning() { return fonts_state().warning; }

void note_text([[maybe_unused]] std::string_view utf8) {
#if IMGUI_VERSION_NUM < 19200
  FontsState& s = fonts_state();
  if (!s.wanted.empty()) want_text(s, utf8);
#endif
}

int fonts_version() { return fonts_state().version; }

bool fonts_pending() {
#if IMGUI_VERSION_NUM < 19200
  return fonts_state().pending;
#else
  return false;
#endif
}

void rebuild_fonts() {
#if IMGUI_VERSION_NUM < 19200
  FontsState& s = fonts_state();
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  s.pending = false;
  ++s.version;
  if (s.late.add(atlas, s.chains, s.fresh)) return s.fresh.clear();
  fill_ranges(s);
  for (ImFontConfig& config : atlas.ConfigData) config.GlyphRanges = s.ranges.Data;
  atlas.ClearTexData();
  atlas.Build();
  s.late.restart();
#endif
}

}  // namespace attnscope
