// The counters of lines that GCC put into the readers (ATTNSCOPE_COVERAGE), written for gcov. GCOV_PREFIX
// says where; the counts of several processes are added up there.
#include "tests/fuzz/campaign.h"

#if defined(ATTNSCOPE_LINES)
extern "C" void __gcov_dump(void);  // of libgcov
#endif

namespace attnscope::fuzz {

void write_lines() {
#if defined(ATTNSCOPE_LINES)
  __gcov_dump();
#endif
}

}  // namespace attnscope::fuzz
