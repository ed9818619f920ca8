// One texel of values per cell, coloured by a table. Masked cells are hatched in screen space, so that the
// stripes do not swell when the picture is zoomed; where several cells share a pixel the largest magnitude wins.
in vec2 uv;
uniform sampler2D values;    // R32F, one texel per cell
uniform sampler2D lut;       // a row of HEAT_LUT_SIZE colours per map
uniform int lut_row;
uniform int flags;
uniform vec2 range;          // value at the first and the last colour
uniform ivec2 map_size;      // cells of one map in the atlas
uniform ivec2 taps;          // texels looked at per pixel and axis; 1, 1 unless cells are smaller than pixels
uniform vec3 spacing;        // gap, corner radius (pixels), pixels per unit
uniform float alpha;
uniform vec4 masked_colour;
uniform vec4 stripe_colour;
uniform vec4 nan_colour;
uniform vec4 inf_colour;
out vec4 colour;

float position_of(float v) {
  if ((flags & HEAT_FLAG_DIVERGING) != 0) {
    float share = min(abs(v) / range.y, 1.0);
    float half_way = share;
    if ((flags & HEAT_FLAG_LOG) != 0) {
      half_way = log(1.0 + share / HEAT_LINEAR_SHARE) / log(1.0 + 1.0 / HEAT_LINEAR_SHARE);
    }
    return 0.5 + (v < 0.0 ? -0.5 : 0.5) * half_way;
  }
  if ((flags & HEAT_FLAG_LOG) != 0) {
    float low = max(range.x, range.y * 1e-6);
    return log(max(v, low) / low) / log(range.y / low);
  }
  return (v - range.x) / (range.y - range.x);
}

// The value that stands for the cells under this pixel: the one, or the largest magnitude of several.
float value_at(vec2 place, vec2 cells_per_pixel) {
  ivec2 cell = ivec2(floor(place + 1e-3));
  if (taps.x * taps.y == 1) return texelFetch(values, cell, 0).r;
  ivec2 origin = (cell / map_size) * map_size;
  float best = 0.0, best_size = -2.0;
  for (int y = 0; y < taps.y; ++y) {
    for (int x = 0; x < taps.x; ++x) {
      vec2 shift = ((vec2(x, y) + 0.5) / vec2(taps) - 0.5) * cells_per_pixel;
      ivec2 at = clamp(ivec2(floor(place + shift)), origin, origin + map_size - 1);
      float v = texelFetch(values, at, 0).r;
      float size = v < HEAT_MASKED_BELOW ? -1.0 : abs(v);
      if (size > best_size) {
        best = v;
        best_size = size;
      }
    }
  }
  return best;
}

vec4 hatch() {
  float period = 7.0 * spacing.z, width = 1.1 * spacing.z;
  float across = (gl_FragCoord.x - gl_FragCoord.y) * 0.70710678;
  float from_stripe = abs(mod(across, period) - 0.5 * period);
  return mix(stripe_colour, masked_colour, clamp(from_stripe - 0.5 * width + 0.5, 0.0, 1.0));
}

// How much of this pixel the rounded cell covers.
float coverage(vec2 place, vec2 pixels_per_cell) {
  if (min(pixels_per_cell.x, pixels_per_cell.y) < HEAT_SMALLEST_SPACED_CELL || spacing.x + spacing.y <= 0.0) return 1.0;
  vec2 from_centre = abs(fract(place) - 0.5) * pixels_per_cell;
  vec2 corner = from_centre - (0.5 * (pixels_per_cell - spacing.x) - spacing.y);
  float outside = length(max(corner, 0.0)) + min(max(corner.x, corner.y), 0.0) - spacing.y;
  return clamp(0.5 - outside, 0.0, 1.0);
}

void main() {
  vec2 place = uv * vec2(textureSize(values, 0));
  vec2 cells_per_pixel = max(abs(vec2(dFdx(place.x), dFdy(place.y))), vec2(1e-6));
  float v = value_at(place, cells_per_pixel);
  vec4 c;
  if (v < HEAT_MASKED_BELOW) {
    c = hatch();
  } else if (v > HEAT_NAN_ABOVE) {
    c = nan_colour;
  } else if (v > HEAT_INF_ABOVE) {
    c = inf_colour;
  } else {
    int entry = int(clamp(position_of(v), 0.0, 1.0) * float(HEAT_LUT_SIZE - 1) + 0.5);
    c = texelFetch(lut, ivec2(entry, lut_row), 0);
  }
  colour = vec4(c.rgb, alpha * coverage(place, 1.0 / cells_per_pixel));
}
