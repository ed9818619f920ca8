// Pictures against another library's reading of them, byte for byte; files that lie about their size, broken
// ones, and a thousand damaged ones.
#include "core/io/image.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "core/io/inflate.h"
#include "core/io/npy.h"
#include "helpers.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> kExact{"rgb.png",     "rgba.png", "grey.png",
                                      "palette.png", "bits.png", "grey16.png"};
const std::vector<std::string> kNear{"baseline.jpg", "progressive.jpg", "grey.jpg", "print.jpg"};

std::vector<std::int64_t> expected(const std::string& name) {
  const auto source = read_npz(golden("pictures/expected.npz"));
  EXPECT_TRUE(source);
  const auto values = (*source)->load_ints(name);
  EXPECT_TRUE(values) << name;
  return values ? *values : std::vector<std::int64_t>();
}

// The largest difference of a byte; 256 where the sizes differ.
std::int64_t gap(const Picture& picture, const std::vector<std::int64_t>& wanted) {
  if (picture.width != 37 || picture.height != 23 || picture.rgb->size() != wanted.size()) return 256;
  std::int64_t worst = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    worst = std::max(worst, std::abs(wanted[i] - std::int64_t{(*picture.rgb)[i]}));
  return worst;
}

TEST(Picture, PngBytesAreTheOriginals) {
  for (const std::string& name : kExact) {
    const auto picture = open_picture(golden("pictures/" + name));
    ASSERT_TRUE(picture) << name;
    EXPECT_EQ(picture->name, name);
    EXPECT_EQ(gap(*picture, expected(name)), 0) << name;
  }
}

TEST(Picture, JpegBytesAreAnotherDecodersWithinRounding) {
  for (const std::string& name : kNear) {
    const auto picture = open_picture(golden("pictures/" + name));
    ASSERT_TRUE(picture) << name;
    EXPECT_LE(gap(*picture, expected(name)), 4) << name;
  }
}

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
  return out;
}
std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const std::uint32_t sum = crc32_of(std::as_bytes(std::span(body.data(), body.size())));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(sum);
}
std::string png(std::uint32_t width, std::uint32_t height, const std::string& packed) {
  const std::string header = big_endian(width) + big_endian(height) + std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

// Deflate with its fixed codes: one zero, then `runs` times 258 more of it (RFC 1951, section 3.2.6), and
// their checksum.
std::string zeros(int runs) {
  std::string out = "\x78\x01";
  unsigned held = 0;
  int bits = 0;
  const auto put = [&](unsigned value, int count) {
    held |= value << bits;
    for (bits += count; bits >= 8; bits -= 8, held >>= 8) out += static_cast<char>(held & 0xff);
  };
  put(0b011, 3);       // last block, fixed codes
  put(0b00001100, 8);  // the literal 0: 00110000, its first bit first
  for (int i = 0; i < runs; ++i) put(0b10100011, 8), put(0, 5);  // length 258 (11000101), distance 1
  put(0, 7);
  put(0, 8);
  const std::uint32_t count = 1 + 258u * static_cast<std::uint32_t>(runs);
  return out + big_endian((count % 65521) << 16 | 1);  // Adler-32
}

TEST(Picture, SmallFilesThatUnpackToGigabytesAreReadAsFarAsTheyArePicture) {
  const auto line = picture_from_bytes(png(86, 1, zeros(1)), "line.png");  // 1 + 258 bytes are asked for
  ASSERT_TRUE(line) << line.error().text();
  EXPECT_EQ(*line->rgb, std::vector<std::uint8_t>(258, 0));
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const auto bomb = picture_from_bytes(png(4, 4, zeros(2'000'000)), "bomb.png");  // half a gigabyte in 3 MB
  getrusage(RUSAGE_SELF, &after);
  ASSERT_TRUE(bomb) << bomb.error().text();
  EXPECT_EQ(*bomb->rgb, std::vector<std::uint8_t>(48, 0));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 << 10);  // kilobytes
}

TEST(Picture, SizesThatAreTooLargeAreTold) {
  expect_error(picture_from_bytes(png(20000, 10, ""), "wide.png"), Code::out_of_range, "20000 x 10");
  expect_error(picture_from_bytes(png(16000, 16000, ""), "large.png"), Code::out_of_range, "16000 x 16000");
}

// A scan takes a few bytes of a file and the time of a whole picture.
TEST(Picture, EndlessScansAreRefused) {
  const std::string whole = read_text(golden("pictures/progressive.jpg"));
  const std::size_t last = whole.rfind("\xff\xda"), end = whole.rfind("\xff\xd9");
  ASSERT_TRUE(last != std::string::npos && end != std::string::npos && last < end);
  std::string text = whole.substr(0, end);
  for (int i = 0; i < 200; ++i) text += whole.substr(last, end - last);
  expect_error(picture_from_bytes(text + "\xff\xd9", "scans.jpg"), Code::bad_format, "more than 100 scans");
}

TEST(Picture, WhatIsNoPictureIsTold) {
  const TempFolder folder;
  write_text(folder / "text.png", "hello");
  expect_error(open_picture(folder / "text.png"), Code::bad_format, "neither a PNG nor a JPEG");
  expect_error(open_picture(folder / "missing.png"), Code::not_found, "missing.png");
  expect_error(open_picture(folder.path()), Code::io_failed, "");
  const std::string whole = read_text(golden("pictures/rgb.png"));
  expect_error(picture_from_bytes(whole.substr(0, whole.size() / 2), "half.png"), Code::bad_format,
               "half.png");
  expect_error(picture_from_bytes("", "empty.png"), Code::bad_format, "empty.png");
  const auto why = [](const std::string& bytes) {
    return picture_from_bytes(bytes, "x").error().what().arguments()[1].key();
  };
  EXPECT_EQ(why(whole.substr(0, whole.size() / 2)), "error.io.picture.cut_off")
      << "never the library's words";
  std::string flipped = whole;
  flipped[flipped.find("IDAT") + 6] ^= 0x55;
  EXPECT_EQ(why(flipped), "error.io.picture.damaged");
  EXPECT_EQ(why("\xff\xd8\xff\xe0"), "error.io.picture.cut_off");
}

// Flipped, lost, doubled and exchanged bytes: a picture of the size it names, or a sentence.
TEST(Picture, DamagedFilesEndInAPictureOrASentence) {
  std::mt19937_64 random(33);
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  std::vector<std::string> names = kExact;
  names.insert(names.end(), kNear.begin(), kNear.end());
  int opened = 0, refused = 0;
  for (const std::string& name : names) {
    const std::string whole = read_text(golden("pictures/" + name));
    for (int i = 0; i < 250; ++i) {
      std::string text = whole;
      for (std::size_t hits = 1 + below(4); hits > 0; --hits) {
        const std::size_t at = below(text.size()), count = 1 + below(8);
        switch (below(4)) {
          case 0: text[at] = static_cast<char>(random()); break;
          case 1: text.erase(at, count); break;
          case 2: text.insert(at, text.substr(below(text.size()), count)); break;
          default: text.resize(std::max<std::size_t>(1, at)); break;
        }
        if (text.empty()) text = "x";
      }
      const auto picture = picture_from_bytes(text, "test");
      (picture ? opened : refused) += 1;
      if (picture) {
        ASSERT_EQ(picture->rgb->size(),
                  static_cast<std::size_t>(picture->width) * static_cast<std::size_t>(picture->height) * 3);
      } else {
        ASSERT_FALSE(picture.error().sentence().empty());
        ASSERT_FALSE(picture.error().hint().empty());
      }
    }
  }
  EXPECT_GT(opened, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace attnscope::test
