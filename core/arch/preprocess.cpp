#include "core/arch/preprocess.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"

namespace attnscope {
namespace {

using Filter = Preprocessing::Filter;

double weight_at(Filter filter, double x) {
  x = std::fabs(x);
  if (filter == Filter::bilinear) return x < 1 ? 1 - x : 0;
  constexpr double a = -0.5;  // Keys 1981, as Pillow has it
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

// What one output sample takes from a line of `size` samples.
struct Taps {
  int first = 0;
  std::vector<double> weights;
};

// Taps of every output sample; the filter widens where the picture shrinks, so that no pixel is skipped.
std::vector<Taps> taps_of(int size, int wanted, Filter filter) {
  std::vector<Taps> out;
  const double scale = static_cast<double>(size) / wanted, widen = std::max(1.0, scale);
  const double reach = (filter == Filter::bicubic ? 2.0 : 1.0) * widen;
  for (int i = 0; i < wanted; ++i) {
    const double centre = (i + 0.5) * scale;
    Taps taps;
    if (filter == Filter::nearest) {
      taps = {std::min(size - 1, static_cast<int>(centre)), {1.0}};
    } else {
      taps.first = std::max(0, static_cast<int>(centre - reach + 0.5));
      const int end = std::min(size, static_cast<int>(centre + reach + 0.5));
      double sum = 0;
      for (int at = taps.first; at < end; ++at)
        sum += taps.weights.emplace_back(weight_at(filter, (at - centre + 0.5) / widen));
      for (double& w : taps.weights) w /= sum;
    }
    out.push_back(std::move(taps));
  }
  return out;
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

// One direction of a resize; bytes in between, as Pillow rounds them.
std::vector<std::uint8_t> resized_rows(const std::vector<std::uint8_t>& rgb, int width, int height,
                                       int wanted, Filter filter) {
  const std::vector<Taps> taps = taps_of(width, wanted, filter);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(wanted) * static_cast<std::size_t>(height) * 3);
  std::size_t to = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < wanted; ++x)
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        const Taps& tap = taps[static_cast<std::size_t>(x)];
        for (std::size_t i = 0; i < tap.weights.size(); ++i)
          sum += tap.weights[i] * rgb[static_cast<std::size_t>((y * width + tap.first) * 3 + c) + i * 3];
        out[to++] = to_byte(sum);
      }
  return out;
}

std::vector<std::uint8_t> transposed(const std::vector<std::uint8_t>& rgb, int width, int height) {
  std::vector<std::uint8_t> out(rgb.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      std::copy_n(&rgb[static_cast<std::size_t>((y * width + x) * 3)], 3,
                  &out[static_cast<std::size_t>((x * height + y) * 3)]);
  return out;
}

std::vector<std::uint8_t> resized(const Picture& picture, int width, int height, Filter filter) {
  std::vector<std::uint8_t> rgb = *picture.rgb;
  if (picture.width != width) rgb = resized_rows(rgb, picture.width, picture.height, width, filter);
  if (picture.height == height) return rgb;
  rgb = transposed(rgb, width, picture.height);
  rgb = resized_rows(rgb, picture.height, width, height, filter);
  return transposed(rgb, height, width);
}

}  // namespace

Tensor preprocess(const Picture& picture, const Preprocessing& how) {
  const std::vector<std::uint8_t> rgb = resized(picture, how.width, how.height, how.filter);
  const std::int64_t count = std::int64_t{how.width} * how.height;
  Buffer out({{Axis::in, 3}, {Axis::pos, how.height}, {Axis::dim, how.width}});  // [channel, row, column]
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < count; ++i)
      out.data()[c * count + i] =
          (static_cast<float>(rgb[static_cast<std::size_t>(i * 3 + c)]) * how.rescale - how.mean[c]) /
          how.deviation[c];
  return std::move(out).freeze();
}

Picture picture_of(const Tensor& pixels, const Preprocessing& how) {
  auto rgb = std::make_shared<std::vector<std::uint8_t>>();
  if (pixels.rank() != 3 || pixels.size(0) < 1) return {};
  for (std::int64_t y = 0; y < pixels.size(1); ++y)
    for (std::int64_t x = 0; x < pixels.size(2); ++x)
      for (std::int64_t c = 0; c < 3; ++c) {
        const std::int64_t from = std::min(c, pixels.size(0) - 1);
        const float value = pixels.at(from, y, x) * how.deviation[c] + how.mean[c];
        rgb->push_back(to_byte(static_cast<double>(value / how.rescale)));
      }
  return {static_cast<int>(pixels.size(2)), static_cast<int>(pixels.size(1)), std::move(rgb), {}};
}

Result<Tensor> open_pixels(const std::string& path, const Preprocessing& how) {
  const bool numbers = ends_with(path, ".npy") || ends_with(path, ".safetensors");
  if (!numbers) {
    TRY(const Picture picture, open_picture(path));
    return preprocess(picture, how);
  }
  TRY(const std::shared_ptr<TensorSource> source,
      ends_with(path, ".npy") ? read_npy(path) : open_safetensors(path));
  if (source->infos().size() != 1) {
    return fail(Code::bad_format, "error.arch.pixels_arrays", {quoted_path(path), source->infos().size()});
  }
  TRY(Tensor pixels, source->load(source->infos().front().name));
  if (pixels.rank() == 4 && pixels.size(0) == 1) pixels = pixels.select(0, 0);
  if (const Stats s = stats(pixels); s.nans + s.infs > 0) {
    return fail(Code::out_of_range, "error.arch.pixels_numbers",
                {quoted_path(path), s.nans + s.infs, s.count});
  }
  if (pixels.rank() == 3) return pixels.rename({Axis::in, Axis::pos, Axis::dim});
  return fail(Code::bad_shape, "error.arch.pixels_shape", {quoted_path(path), shape_text(pixels)});
}

}  // namespace attnscope
