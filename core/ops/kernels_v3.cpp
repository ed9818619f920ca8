// The kernels with AVX2 and FMA. CMakeLists.txt gives this file -march=x86-64-v3; in builds for other
// processors it is empty.
#if defined(ATTNSCOPE_X86_KERNELS)
#include "core/ops/kernels.h"
#define ATTNSCOPE_KERNELS_WIDTH 8
#define ATTNSCOPE_KERNELS_ROWS 4
#define ATTNSCOPE_KERNELS_VECS 3
#define ATTNSCOPE_KERNELS_NAME "AVX2+FMA"
#define ATTNSCOPE_KERNELS_GETTER kernels_v3
#include "core/ops/kernels_body.inc"
#endif
