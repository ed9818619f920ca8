#include "core/system/heap.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace attnscope {

void share_heap_arenas() {
#ifdef __GLIBC__
  ::mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace attnscope
