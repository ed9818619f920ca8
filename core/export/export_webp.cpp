// Animated WebP by libwebp: a film in all its colours, without loss, smaller than the others.
#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>

#include "core/base/no_copy.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

constexpr int kMostWebpSide = 16383;
constexpr int kWebpEffort = 4;  // of 9: more takes several times as long for a tenth less

// The whole picture that parts laid over each other make: the encoder finds what changed itself.
class WebpFilm : NoCopy {
 public:
  void add(const PngFrame& part) {
    if (!encoder_) begin(part.pixels);
    for (int y = 0; y < part.pixels.height && good_; ++y) {
      const std::uint8_t* from = part.pixels.bytes.data() + std::ptrdiff_t{3} * y * part.pixels.width;
      std::uint32_t* to = picture_.argb + std::ptrdiff_t{part.y + y} * picture_.argb_stride + part.x;
      for (int x = 0; x < part.pixels.width; ++x, from += 3)
        to[x] = 0xff000000u | std::uint32_t{from[0]} << 16u | std::uint32_t{from[1]} << 8u | from[2];
    }
    // The encoder changes what it is given where a pixel is as before.
    WebPPicture copy;
    good_ = good_ && WebPPictureInit(&copy) && WebPPictureCopy(&picture_, &copy);
    if (!good_) return;
    good_ = WebPAnimEncoderAdd(encoder_.get(), &copy, milliseconds_, &config_);
    WebPPictureFree(&copy);
    milliseconds_ += 10 * part.hundredths;
  }
  // Empty where it failed.
  std::string finish() {
    WebPData data;
    WebPDataInit(&data);
    good_ = good_ && encoder_ && WebPAnimEncoderAdd(encoder_.get(), nullptr, milliseconds_, nullptr) &&
            WebPAnimEncoderAssemble(encoder_.get(), &data);
    std::string out(reinterpret_cast<const char*>(data.bytes), good_ ? data.size : 0);
    WebPDataClear(&data);
    return out;
  }
  WebpFilm() = default;
  ~WebpFilm() { WebPPictureFree(&picture_); }

 private:
  void begin(const PngPixels& first) {
    WebPAnimEncoderOptions options;
    good_ = WebPAnimEncoderOptionsInit(&options) && WebPConfigInit(&config_) &&
            WebPConfigLosslessPreset(&config_, kWebpEffort) && WebPPictureInit(&picture_);
    if (!good_) return;
    options.kmax = 0;  // each picture from the one before
    picture_.use_argb = 1, picture_.width = first.width, picture_.height = first.height;
    encoder_.reset(WebPAnimEncoderNew(first.width, first.height, &options));
    good_ = encoder_ && WebPPictureAlloc(&picture_);
  }

  struct Delete {
    void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
  };
  WebPPicture picture_{};
  WebPConfig config_{};
  std::unique_ptr<WebPAnimEncoder, Delete> encoder_;
  int milliseconds_ = 0;
  bool good_ = true;
};

Status write_webp(const FigureToExport& what, AtomicFile& file, const std::string&) {
  const figure::Drawing& first = what.film->front().drawing;
  const auto most = static_cast<float>(kMostWebpSide / what.scale);
  if (first.width > most || first.height > most)
    return fail(Code::out_of_range, "error.export.webp_side", {kMostWebpSide});
  WebpFilm out;
  TRY_OK(each_change(*what.film, what.scale, [&](PngFrame&& part) { out.add(part); }));
  return put_film(file, out.finish());
}

}  // namespace

Exporter export_webp() { return {"webp", true, write_webp, true}; }

}  // namespace attnscope
