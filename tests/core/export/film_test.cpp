// Films: the parts that change, laid over each other, are the pictures that went in.
#include "core/export/film.h"

#include <gif_lib.h>
#include <gtest/gtest.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "core/export/export.h"
#include "core/export/raster.h"
#include "core/io/deflate.h"
#include "core/io/image.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using namespace attnscope::test;

constexpr int kFilmWidth = 120, kFilmHeight = 90;

figure::Drawing drawing_with(figure::PixelRect box, figure::Rgb colour) {
  figure::Drawing out;
  out.width = kFilmWidth, out.height = kFilmHeight, out.palette = &figure::palette(true);
  out.rect({0, 0, kFilmWidth, kFilmHeight}, out.palette->ground);
  out.rect(box, colour);
  return out;
}
// A box that moves to the right, stands, and changes its colour.
std::vector<FilmFrame> small_film() {
  return {{drawing_with({10, 20, 30, 10}, 0xff0000), 100},
          {drawing_with({50, 20, 30, 10}, 0xff0000), 5},
          {drawing_with({50, 20, 30, 10}, 0xff0000), 7},
          {drawing_with({50, 20.5f, 30, 10}, 0x1020c0), 100}};
}
PngPixels pixels_of(const FilmFrame& frame) { return *raster(frame.drawing, 1); }

void lay(const PngFrame& part, PngPixels& over) {
  if (over.bytes.empty()) over = part.pixels;
  for (int y = 0; y < part.pixels.height; ++y)
    std::copy_n(part.pixels.bytes.begin() + 3 * y * part.pixels.width, 3 * part.pixels.width,
                over.bytes.begin() + 3 * ((part.y + y) * over.width + part.x));
}
std::string film_as(const std::string& form, const std::vector<FilmFrame>& film) {
  const TempFolder folder;
  FigureToExport what;
  what.title = "film", what.film = &film;
  EXPECT_TRUE(export_figure(**find_exporter(form), what, folder / ("a." + form)));
  return read_text(folder / ("a." + form));
}

TEST(Film, WhatChangesLaidOverEachOtherIsEveryPicture) {
  const std::vector<FilmFrame> film = small_film();
  PngPixels canvas;
  std::vector<PngPixels> shown;
  std::vector<int> times;
  ASSERT_TRUE(each_change(film, 1, [&](PngFrame&& part) {
    lay(part, canvas);
    shown.push_back(canvas), times.push_back(part.hundredths);
  }));
  ASSERT_EQ(shown.size(), 3u);  // the second stands longer
  EXPECT_EQ(times, (std::vector<int>{100, 12, 100}));
  EXPECT_EQ(shown[0].bytes, pixels_of(film[0]).bytes);
  EXPECT_EQ(shown[1].bytes, pixels_of(film[2]).bytes);
  EXPECT_EQ(shown[2].bytes, pixels_of(film[3]).bytes);
}

TEST(Film, OnlyTheChangeIsWritten) {
  std::vector<std::array<int, 4>> boxes;
  ASSERT_TRUE(each_change(small_film(), 1, [&](PngFrame&& part) {
    boxes.push_back({part.x, part.y, part.pixels.width, part.pixels.height});
  }));
  EXPECT_EQ(boxes[0], (std::array<int, 4>{0, 0, kFilmWidth, kFilmHeight}));
  EXPECT_EQ(boxes[1], (std::array<int, 4>{10, 20, 70, 10}));
}

struct GifBytes {
  const std::string* bytes;
  std::size_t at = 0;
};
int next_gif_bytes(GifFileType* gif, GifByteType* to, int count) {
  auto& from = *static_cast<GifBytes*>(gif->UserData);
  const std::size_t some = std::min(static_cast<std::size_t>(count), from.bytes->size() - from.at);
  std::memcpy(to, from.bytes->data() + from.at, some);
  from.at += some;
  return static_cast<int>(some);
}

TEST(Film, AGifShowsThePicturesInItsColours) {
  const std::vector<FilmFrame> film = small_film();
  const std::string bytes = film_as("gif", film);
  GifBytes source{&bytes};
  GifFileType* gif = DGifOpen(&source, next_gif_bytes, nullptr);
  ASSERT_TRUE(gif);
  ASSERT_EQ(DGifSlurp(gif), GIF_OK);
  ASSERT_EQ(gif->ImageCount, 3);
  PngPixels canvas{kFilmWidth, kFilmHeight, false, std::vector<std::uint8_t>(3 * kFilmWidth * kFilmHeight)};
  const std::size_t of[] = {0, 2, 3};
  const int times[] = {100, 12, 100};
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& image = gif->SavedImages[i];
    GraphicsControlBlock control{};
    ASSERT_EQ(DGifSavedExtensionToGCB(gif, i, &control), GIF_OK);
    EXPECT_EQ(control.DelayTime, times[i]);
    for (int y = 0; y < image.ImageDesc.Height; ++y)
      for (int x = 0; x < image.ImageDesc.Width; ++x) {
        const int index = image.RasterBits[y * image.ImageDesc.Width + x];
        if (index == control.TransparentColor) continue;
        const GifColorType& colour = gif->SColorMap->Colors[index];
        std::uint8_t* to =
            canvas.bytes.data() + 3 * ((image.ImageDesc.Top + y) * kFilmWidth + image.ImageDesc.Left + x);
        to[0] = colour.Red, to[1] = colour.Green, to[2] = colour.Blue;
      }
    EXPECT_EQ(canvas.bytes, pixels_of(film[of[i]]).bytes) << i;
  }
  DGifCloseFile(gif, nullptr);
}

TEST(Film, AGifOfManyColoursHasNearOnes) {
  figure::Drawing many = drawing_with({0, 0, 1, 1}, 0);
  for (int i = 0; i < 1000; ++i)
    many.rect({static_cast<float>(i % 100), static_cast<float>(20 + i / 100), 1, 1},
              static_cast<figure::Rgb>((i * 7919) & 0xffffff));
  const std::vector<FilmFrame> film{{many, 100}, {drawing_with({0, 0, 1, 1}, 0), 100}};
  const std::string bytes = film_as("gif", film);
  const auto shown = pixels_of(film[0]);
  GifBytes source{&bytes};
  GifFileType* gif = DGifOpen(&source, next_gif_bytes, nullptr);
  ASSERT_TRUE(gif);
  ASSERT_EQ(DGifSlurp(gif), GIF_OK);
  int farthest = 0;
  for (std::size_t at = 0; at < shown.bytes.size(); ++at) {
    const GifColorType& colour = gif->SColorMap->Colors[gif->SavedImages[0].RasterBits[at / 3]];
    const int levels[] = {colour.Red, colour.Green, colour.Blue};
    farthest = std::max(farthest, std::abs(levels[at % 3] - static_cast<int>(shown.bytes[at])));
  }
  EXPECT_LE(farthest, 48);
  EXPECT_GT(farthest, 0) << "a thousand colours do not fit";
  DGifCloseFile(gif, nullptr);
}

TEST(Film, AWebpIsThePicturesInEveryColour) {
  std::vector<FilmFrame> film = small_film();
  for (int i = 0; i < 1000; ++i)  // more than a GIF has
    film[3].drawing.rect({static_cast<float>(i % 100), static_cast<float>(40 + i / 100), 1, 1},
                         static_cast<figure::Rgb>((i * 7919) & 0xffffff));
  const std::string bytes = film_as("webp", film);
  EXPECT_EQ(bytes, film_as("webp", film)) << "the same bytes every time";
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(
      WebPAnimDecoderNew(&data, nullptr), WebPAnimDecoderDelete);
  ASSERT_TRUE(decoder);
  WebPAnimInfo info;
  ASSERT_TRUE(WebPAnimDecoderGetInfo(decoder.get(), &info));
  EXPECT_EQ(info.canvas_width, unsigned{kFilmWidth});
  EXPECT_EQ(info.canvas_height, unsigned{kFilmHeight});
  EXPECT_EQ(info.frame_count, 3u);
  EXPECT_EQ(info.loop_count, 0u) << "over and over";
  const std::size_t of[] = {0, 2, 3};
  const int ends[] = {1000, 1120, 2120};
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint8_t* rgba = nullptr;
    int end = 0;
    ASSERT_TRUE(WebPAnimDecoderGetNext(decoder.get(), &rgba, &end)) << i;
    EXPECT_EQ(end, ends[i]);
    const std::vector<std::uint8_t> shown = pixels_of(film[of[i]]).bytes;
    std::vector<std::uint8_t> decoded;
    for (std::size_t at = 0; at < shown.size() / 3; ++at)
      decoded.insert(decoded.end(), rgba + 4 * at, rgba + 4 * at + 3);
    EXPECT_EQ(decoded, shown) << i;
  }
}

TEST(Film, AWebpThatIsTooLargeSaysSo) {
  figure::Drawing wide = drawing_with({0, 0, 1, 1}, 0);
  wide.width = 16384;
  const std::vector<FilmFrame> film{{wide, 100}, {wide, 100}};
  FigureToExport what;
  what.film = &film;
  const TempFolder folder;
  const Status status = export_figure(**find_exporter("webp"), what, folder / "a.webp");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().sentence().find("16383"), std::string::npos) << status.error().sentence();
  EXPECT_EQ(folder.files(), 0u);
}

std::uint32_t big_number(const std::string& bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8u | static_cast<unsigned char>(bytes[at + i]);
  return out;
}
// The pictures that a reader of animated PNG shows: each part laid over what was there, where it is opaque.
std::vector<std::vector<std::uint8_t>> shown_by_apng(const std::string& bytes) {
  std::vector<std::vector<std::uint8_t>> out;
  std::uint32_t wide = 0, box[4] = {};
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::uint32_t length = big_number(bytes, at);
    const std::string name = bytes.substr(at + 4, 4);
    if (name == "IHDR") {
      wide = big_number(bytes, at + 8);
      EXPECT_EQ(bytes[at + 17], 6) << "RGBA";
    }
    if (name == "fcTL") {
      for (std::size_t i = 0; i < 4; ++i) box[i] = big_number(bytes, at + 12 + 4 * i);  // width, height, x, y
      EXPECT_EQ(bytes.substr(at + 8 + 24, 2), std::string("\0\1", 2)) << "it stays; laid over";
    }
    if (name == "IDAT" || name == "fdAT") {
      const std::size_t skip = name == "IDAT" ? 0 : 4;
      const std::string rows =
          zlib_unpacked(std::string_view(bytes).substr(at + 8 + skip, length - skip), 1 << 24).value_or("");
      EXPECT_EQ(rows.size(), box[1] * (4 * std::size_t{box[0]} + 1));
      if (rows.size() != box[1] * (4 * std::size_t{box[0]} + 1)) return out;
      out.push_back(out.empty() ? std::vector<std::uint8_t>(std::size_t{3} * kFilmWidth * kFilmHeight)
                                : out.back());
      for (std::size_t y = 0; y < box[1]; ++y)
        for (std::size_t x = 0; x < box[0]; ++x) {
          const char* from = rows.data() + y * (4 * box[0] + 1) + 1 + 4 * x;
          EXPECT_EQ(rows[y * (4 * box[0] + 1)], 0) << "no filter";
          if (from[3] != 0) std::copy_n(from, 3, out.back().data() + 3 * ((box[3] + y) * wide + box[2] + x));
        }
    }
    at += 12 + length;
  }
  return out;
}

TEST(Film, PartsOfAnAnimatedPngLaidOverEachOtherAreThePictures) {
  std::vector<FilmFrame> film = small_film();
  for (int i = 0; i < 20; ++i)  // two cells change, far apart: all between them stays
    film.push_back({drawing_with({10, 20.5f, 30, 10}, 0x1020c0), 10}),
        film.back().drawing.rect({2, 2, 4, 4}, static_cast<figure::Rgb>(0x080808 * i)),
        film.back().drawing.rect({110, 80, 4, 4}, static_cast<figure::Rgb>(0x0a0a0a * i));
  film.erase(film.begin() + 2);  // equal to the one before
  const std::string bytes = film_as("apng", film);
  const auto shown = shown_by_apng(bytes);
  ASSERT_EQ(shown.size(), film.size());
  for (std::size_t i = 0; i < film.size(); ++i) EXPECT_EQ(shown[i], pixels_of(film[i]).bytes) << i;
  EXPECT_LT(bytes.size(), 5500u) << "what stays costs nearly nothing";
}

TEST(Film, AnAnimatedPngIsThePicturesAndStillsReadTheFirst) {
  const std::vector<FilmFrame> film = small_film();
  const std::string bytes = film_as("apng", film);
  const auto first = picture_from_bytes(bytes, "a.apng");
  ASSERT_TRUE(first) << first.error().sentence();
  EXPECT_EQ(*first->rgb, pixels_of(film[0]).bytes);
  std::set<std::uint32_t> order;
  std::vector<std::array<std::uint32_t, 4>> boxes;
  std::uint32_t frames = 0;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::uint32_t length = big_number(bytes, at);
    const std::string name = bytes.substr(at + 4, 4);
    if (name == "acTL") frames = big_number(bytes, at + 8);
    if (name == "fcTL" || name == "fdAT") {
      EXPECT_TRUE(order.insert(big_number(bytes, at + 8)).second);
    }
    if (name == "fcTL")
      boxes.push_back({big_number(bytes, at + 20), big_number(bytes, at + 24), big_number(bytes, at + 12),
                       big_number(bytes, at + 16)});
    at += 12 + length;
  }
  EXPECT_EQ(frames, 3u);
  EXPECT_EQ(*order.rbegin() + 1, order.size()) << "counted without a gap";
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_EQ(boxes[1], (std::array<std::uint32_t, 4>{10, 20, 70, 10}));
}

}  // namespace
}  // namespace attnscope
