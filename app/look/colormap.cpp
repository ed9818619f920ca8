// Each table is interpolated from a few stops per theme. The phase map is a hue circle of equal lightness.
#include "app/look/colormap.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace attnscope {
namespace {

struct Stop {
  float at;
  ImU32 colour;
};

Lut blend(const std::vector<Stop>& stops) {
  Lut lut{};
  std::size_t segment = 0;
  for (int entry = 0; entry < kLutSize; ++entry) {
    const float t = static_cast<float>(entry) / static_cast<float>(kLutSize - 1);
    while (segment + 2 < stops.size() && t > stops[segment + 1].at) ++segment;
    const Stop &from = stops[segment], &to = stops[segment + 1];
    lut[static_cast<std::size_t>(entry)] = mix(from.colour, to.colour, (t - from.at) / (to.at - from.at));
  }
  return lut;
}

std::vector<Stop> diverging(bool dark) {
  if (dark) {
    return {{0.0f, rgb(0xff8630)},  {0.25f, rgb(0x94592f)}, {0.46f, rgb(0x3d3433)}, {0.5f, rgb(0x262a33)},
            {0.54f, rgb(0x27303f)}, {0.75f, rgb(0x3a619c)}, {1.0f, rgb(0x4d94ff)}};
  }
  return {{0.0f, rgb(0xe8731a)},  {0.25f, rgb(0xf5b27a)}, {0.46f, rgb(0xfbeee2)}, {0.5f, rgb(0xf7f8fa)},
          {0.54f, rgb(0xe6f0fb)}, {0.75f, rgb(0x8ebcf2)}, {1.0f, rgb(0x2f7de1)}};
}

std::vector<Stop> sequential(bool dark) {
  if (dark) {
    return {{0.0f, rgb(0x1e2734)}, {0.2f, rgb(0x1d3f69)}, {0.4f, rgb(0x2463a0)},
            {0.6f, rgb(0x338acb)}, {0.8f, rgb(0x70c5f0)}, {1.0f, rgb(0xcfeefd)}};
  }
  return {{0.0f, rgb(0xf7f9fc)},  {0.06f, rgb(0xd7e8f9)}, {0.19f, rgb(0xacd1f3)}, {0.38f, rgb(0x6aade8)},
          {0.56f, rgb(0x3c82c9)}, {0.75f, rgb(0x1e5ea3)}, {1.0f, rgb(0x093063)}};
}

std::vector<Stop> diverging_safe(bool dark) {
  if (dark) {
    return {{0.0f, rgb(0xe0c341)},
            {0.46f, rgb(0x34322c)},
            {0.5f, rgb(0x262a33)},
            {0.54f, rgb(0x2d2b3c)},
            {1.0f, rgb(0xa78bfa)}};
  }
  return {{0.0f, rgb(0xb8860b)},
          {0.46f, rgb(0xf8f1dc)},
          {0.5f, rgb(0xf7f8fa)},
          {0.54f, rgb(0xece6fa)},
          {1.0f, rgb(0x5b3fc4)}};
}

std::vector<Stop> sequential_safe(bool dark) {
  const Stop low{0.0f, rgb(0x10233f)}, mid{0.5f, rgb(0x747679)}, high{1.0f, rgb(0xffe45c)};
  if (dark) return {low, {0.25f, rgb(0x414d6b)}, mid, {0.75f, rgb(0xb7a661)}, high};
  return {{0.0f, rgb(0xfff6c9)}, {0.25f, rgb(0xd6c06a)}, mid, {0.75f, rgb(0x3f4d6e)}, {1.0f, rgb(0x06244f)}};
}

Lut phase(bool dark) {
  Lut lut{};
  for (int entry = 0; entry < kLutSize; ++entry) {
    const float angle = 6.2831853f * static_cast<float>(entry) / kLutSize;
    const auto wave = [&](float shift) { return 0.5f + 0.5f * std::cos(angle - shift); };
    const float base = dark ? 60.0f : 90.0f, span = dark ? 170.0f : 150.0f;
    const auto byte = [&](float shift) { return static_cast<ImU32>(base + span * wave(shift)); };
    lut[static_cast<std::size_t>(entry)] = IM_COL32(byte(0.0f), byte(2.0943951f), byte(4.1887902f), 255);
  }
  return lut;
}

Lut make_lut(Colormap map, ThemeKind kind, bool contrast) {
  const bool dark = kind == ThemeKind::dark;
  const Theme& t = theme(kind, contrast);
  switch (map) {
    case Colormap::diverging: return blend(diverging(dark));
    case Colormap::sequential: return blend(sequential(dark));
    case Colormap::mask:
      return blend({{0.0f, t.masked}, {1.0f, mix(t.ground, t.accent, dark ? 0.55f : 0.45f)}});
    case Colormap::phase: return phase(dark);
    case Colormap::diverging_safe: return blend(diverging_safe(dark));
    case Colormap::sequential_safe: return blend(sequential_safe(dark));
  }
  return {};
}

struct Tables {
  std::array<std::array<std::array<Lut, kColormaps>, 2>, 2> luts;  // by contrast, theme, map
  Tables() {
    for (const bool contrast : {false, true})
      for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light})
        for (int map = 0; map < kColormaps; ++map)
          luts[contrast ? 1 : 0][static_cast<std::size_t>(kind)][static_cast<std::size_t>(map)] =
              make_lut(static_cast<Colormap>(map), kind, contrast);
  }
};

Colormap in_use(Colormap map) {
  if (!safe_colours()) return map;
  if (map == Colormap::diverging) return Colormap::diverging_safe;
  return map == Colormap::sequential ? Colormap::sequential_safe : map;
}

float log_floor(const HeatStyle& style) { return std::max(style.lo, style.hi * 1e-6f); }

}  // namespace

const Lut& colormap_lut(Colormap map, ThemeKind kind) {
  static const Tables tables;
  return tables.luts[contrast() ? 1 : 0][static_cast<std::size_t>(kind)][static_cast<std::size_t>(map)];
}

const Lut& colormap_lut(Colormap map) { return colormap_lut(in_use(map), theme().kind); }

ImU32 colormap_at(Colormap map, float t) {
  const float place = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(kLutSize - 1) + 0.5f;
  return colormap_lut(map)[static_cast<std::size_t>(place)];
}

bool is_diverging(Colormap map) { return map == Colormap::diverging || map == Colormap::diverging_safe; }

float heat_position(float value, const HeatStyle& style) {
  float t = 0.0f;
  if (is_diverging(style.map)) {
    const float share = std::min(std::fabs(value) / style.hi, 1.0f);
    const float half =
        style.log_scale ? std::log1p(share / kLinearShare) / std::log1p(1.0f / kLinearShare) : share;
    t = 0.5f + (value < 0.0f ? -0.5f : 0.5f) * half;
  } else if (style.log_scale) {
    const float floor = log_floor(style);
    t = std::log(std::max(value, floor) / floor) / std::log(style.hi / floor);
  } else {
    t = (value - style.lo) / (style.hi - style.lo);
  }
  return std::isfinite(t) ? std::clamp(t, 0.0f, 1.0f) : 0.5f;
}

float heat_value(float position, const HeatStyle& style) {
  const float t = std::clamp(position, 0.0f, 1.0f);
  if (is_diverging(style.map)) {
    const float half = std::fabs(2.0f * t - 1.0f);
    const float share =
        style.log_scale ? kLinearShare * std::expm1(half * std::log1p(1.0f / kLinearShare)) : half;
    return (t < 0.5f ? -share : share) * style.hi;
  }
  if (style.log_scale) return log_floor(style) * std::pow(style.hi / log_floor(style), t);
  return style.lo + t * (style.hi - style.lo);
}

ImU32 heat_colour(float value, const HeatStyle& style) {
  if (std::isnan(value)) return theme().nan;
  if (is_masked(value)) return theme().masked;
  if (std::isinf(value)) return theme().inf;
  return colormap_at(style.map, heat_position(value, style));
}

}  // namespace attnscope
