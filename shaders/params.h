// What the painter and its shader agree on: included by app/gpu/painter.cpp and put in front of every shader.
// Only #define lines that C++ and GLSL read alike.
#ifndef ATTNSCOPE_SHADERS_PARAMS_H
#define ATTNSCOPE_SHADERS_PARAMS_H

// Values that stand for something else than a number; the upload writes them.
#define HEAT_MASKED_BELOW (-1e30)
#define HEAT_INF_ABOVE 1e38
#define HEAT_NAN_ABOVE 3e38

// Bits of the uniform `flags`.
#define HEAT_FLAG_LOG 1
#define HEAT_FLAG_DIVERGING 2

#define HEAT_LUT_SIZE 256
// The two-sided log scale is linear below this share of its end.
#define HEAT_LINEAR_SHARE 1e-3
// At most this many texels per axis are looked at where several fall on one pixel.
#define HEAT_MAX_TAPS 8
// Cells smaller than this many pixels have neither gap nor rounded corners.
#define HEAT_SMALLEST_SPACED_CELL 7.0
// Texture units: 0 belongs to ImGui and holds the values, 1 the colours.
#define HEAT_LUT_UNIT 1

#endif
