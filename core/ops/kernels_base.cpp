// The kernels with the compiler's baseline instruction set: SSE2 on x86-64, NEON on arm64.
#include "core/ops/kernels.h"
#define ATTNSCOPE_KERNELS_WIDTH 4
#define ATTNSCOPE_KERNELS_ROWS 4
#define ATTNSCOPE_KERNELS_VECS 2
#if defined(__x86_64__)
#define ATTNSCOPE_KERNELS_NAME "SSE2"
#else
#define ATTNSCOPE_KERNELS_NAME "baseline"
#endif
#define ATTNSCOPE_KERNELS_GETTER kernels_base
#include "core/ops/kernels_body.inc"
