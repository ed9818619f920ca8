// The kernels with AVX-512. CMakeLists.txt gives this file -march=x86-64-v4; in builds for other processors
// it is empty.
#if defined(ATTNSCOPE_X86_KERNELS)
#include "core/ops/kernels.h"
#define ATTNSCOPE_KERNELS_WIDTH 16
#define ATTNSCOPE_KERNELS_ROWS 8
#define ATTNSCOPE_KERNELS_VECS 3
#define ATTNSCOPE_KERNELS_NAME "AVX-512"
#define ATTNSCOPE_KERNELS_GETTER kernels_v4
#include "core/ops/kernels_body.inc"
#endif
