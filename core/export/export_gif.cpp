// GIF by giflib: a film in at most 255 colours, the 256th is "as before".
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "core/export/export.h"

namespace attnscope {
namespace {

using figure::Rgb;

constexpr std::size_t kGifColours = 255;
constexpr GifByteType kAsBefore = 255;

Rgb pixel_of(const PngPixels& of, std::size_t at) {
  const std::uint8_t* bytes = of.bytes.data() + 3 * at;
  return static_cast<Rgb>(bytes[0]) << 16u | static_cast<Rgb>(bytes[1]) << 8u | bytes[2];
}
int squared_distance(Rgb a, Rgb b) {
  int out = 0;
  for (const unsigned shift : {16u, 8u, 0u}) {
    const int by = static_cast<int>(a >> shift & 0xffu) - static_cast<int>(b >> shift & 0xffu);
    out += by * by;
  }
  return out;
}

// The colours of a film and how many pixels have them, most first.
class GifPalette {
 public:
  void count(const PngPixels& pixels) {
    for (std::size_t at = 0; at < pixels.bytes.size() / 3; ++at) ++counts_[pixel_of(pixels, at)];
  }
  // Colours so far apart that all others have one of them near: as near as 255 of them allow.
  void choose() {
    std::vector<std::pair<Rgb, std::int64_t>> all(counts_.begin(), counts_.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    for (int apart = 0;; apart = std::max(4, apart * 2)) {
      chosen_.clear(), nearest_.clear();
      for (const auto& [colour, count] : all) {
        const auto near = [&, colour = colour](Rgb one) { return squared_distance(one, colour) < apart; };
        if (std::any_of(chosen_.begin(), chosen_.end(), near)) continue;
        chosen_.push_back(colour);
        if (chosen_.size() > kGifColours) break;
      }
      if (chosen_.size() <= kGifColours) return;
    }
  }
  GifByteType index(Rgb colour) {
    const auto [found, made] = nearest_.try_emplace(colour, GifByteType{0});
    if (made)
      found->second = static_cast<GifByteType>(std::min_element(chosen_.begin(), chosen_.end(),
                                                                [&](Rgb a, Rgb b) {
                                                                  return squared_distance(a, colour) <
                                                                         squared_distance(b, colour);
                                                                }) -
                                               chosen_.begin());
    return found->second;
  }
  std::array<GifColorType, 256> colours() const {
    std::array<GifColorType, 256> out{};
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      out[i] = {static_cast<GifByteType>(chosen_[i] >> 16u),
                static_cast<GifByteType>(chosen_[i] >> 8u & 0xffu),
                static_cast<GifByteType>(chosen_[i] & 0xffu)};
    return out;
  }

 private:
  std::unordered_map<Rgb, std::int64_t> counts_;
  std::unordered_map<Rgb, GifByteType> nearest_;
  std::vector<Rgb> chosen_;
};

int gif_bytes(GifFileType* gif, const GifByteType* data, int count) {
  static_cast<std::string*>(gif->UserData)
      ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(count));
  return count;
}

// Writes parts over a canvas of palette indices.
class GifFilm {
 public:
  explicit GifFilm(GifPalette& palette) : palette_(palette) {
    gif_.reset(EGifOpen(&bytes_, gif_bytes, nullptr));
    if (gif_) EGifSetGifVersion(gif_.get(), true);
  }
  void add(const PngFrame& part) {
    if (canvas_.empty()) begin(part.pixels);
    if (!good_) return;
    GifByteType control[4] = {};
    const GraphicsControlBlock block{DISPOSE_DO_NOT, false, part.hundredths, kAsBefore};
    EGifGCBToExtension(&block, control);
    keep(EGifPutExtension(gif_.get(), GRAPHICS_EXT_FUNC_CODE, sizeof control, control));
    const int wide = part.pixels.width, tall = part.pixels.height;
    keep(EGifPutImageDesc(gif_.get(), part.x, part.y, wide, tall, false, nullptr));
    std::vector<GifByteType> row(static_cast<std::size_t>(wide));
    for (int y = 0; y < tall && good_; ++y) {
      for (int x = 0; x < wide; ++x) {
        const GifByteType now = palette_.index(pixel_of(
            part.pixels,
            static_cast<std::size_t>(y) * static_cast<std::size_t>(wide) + static_cast<std::size_t>(x)));
        GifByteType& before =
            canvas_[static_cast<std::size_t>(part.y + y) * width_ + static_cast<std::size_t>(part.x + x)];
        row[static_cast<std::size_t>(x)] = now == before ? kAsBefore : now;
        before = now;
      }
      keep(EGifPutLine(gif_.get(), row.data(), wide));
    }
  }
  // Empty where it failed.
  std::string finish() {
    if (!gif_) return {};  // there was no memory for it
    keep(EGifCloseFile(gif_.release(), nullptr));
    return good_ ? std::move(bytes_) : std::string();
  }

 private:
  void begin(const PngPixels& first) {
    width_ = static_cast<std::size_t>(first.width);
    canvas_.assign(width_ * static_cast<std::size_t>(first.height), kAsBefore);
    const auto colours = palette_.colours();
    ColorMapObject* map = GifMakeMapObject(static_cast<int>(colours.size()), colours.data());
    good_ = gif_ && map;
    if (good_) keep(EGifPutScreenDesc(gif_.get(), first.width, first.height, 8, 0, map));
    GifFreeMapObject(map);
    if (!good_) return;
    const GifByteType again[3] = {1, 0, 0};  // sub-block 1: how often; 0: over and over
    keep(EGifPutExtensionLeader(gif_.get(), APPLICATION_EXT_FUNC_CODE));
    keep(EGifPutExtensionBlock(gif_.get(), 11, "NETSCAPE2.0"));
    keep(EGifPutExtensionBlock(gif_.get(), sizeof again, again));
    keep(EGifPutExtensionTrailer(gif_.get()));
  }
  void keep(int status) { good_ = good_ && status == GIF_OK; }

  struct Close {
    void operator()(GifFileType* gif) const { EGifCloseFile(gif, nullptr); }
  };
  GifPalette& palette_;
  std::string bytes_;
  std::unique_ptr<GifFileType, Close> gif_;
  std::vector<GifByteType> canvas_;
  std::size_t width_ = 0;
  bool good_ = true;
};

Status write_gif(const FigureToExport& what, AtomicFile& file, const std::string&) {
  GifPalette palette;
  std::vector<FilmFrame> looked_at;
  for (const FilmFrame& frame : *what.film)
    if (frame.hundredths >= kStillHundredths) looked_at.push_back(frame);
  TRY_OK(each_change(looked_at, what.scale, [&](PngFrame&& part) { palette.count(part.pixels); }));
  palette.choose();
  GifFilm out(palette);
  TRY_OK(each_change(*what.film, what.scale, [&](PngFrame&& part) { out.add(part); }));
  return put_film(file, out.finish());
}

}  // namespace

Exporter export_gif() { return {"gif", true, write_gif, true}; }

}  // namespace attnscope
