// Chooses the kernels for this processor once, at the first call.
// An unknown or unavailable ATTNSCOPE_KERNELS is ignored: the program must start everywhere.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/ops/kernels.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

// The table of that name, or null where the build or the processor lacks it.
const Kernels* find_kernels(const char* which) {
  if (std::strcmp(which, "base") == 0) return kernels_base();
#if defined(ATTNSCOPE_X86_KERNELS)
  __builtin_cpu_init();
  const bool v3 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512cd");
  if (v3 && std::strcmp(which, "v3") == 0) return kernels_v3();
  if (v4 && std::strcmp(which, "v4") == 0) return kernels_v4();
#endif
  return nullptr;
}

const Kernels* choose() {
  if (const char* wanted = std::getenv("ATTNSCOPE_KERNELS"))
    if (const Kernels* found = find_kernels(wanted)) return found;
  for (const char* which : {"v4", "v3"})
    if (const Kernels* found = find_kernels(which)) return found;
  return kernels_base();
}

std::atomic<const Kernels*>& in_use() {
  static std::atomic<const Kernels*> table{choose()};
  return table;
}

}  // namespace

const Kernels& kernels() { return *in_use().load(std::memory_order_relaxed); }

bool use_kernels(const char* which) {
  const Kernels* found = find_kernels(which);
  if (found) in_use() = found;
  return found != nullptr;
}

const char* kernel_name() { return kernels().name; }

}  // namespace attnscope
