#include "core/system/output.h"

#include <cstdio>
#include <iostream>

namespace attnscope {

Status finish_output() {
  std::cout.flush();
  // A buffer that filled up on the way leaves nothing to flush at the end, but the mark of its failure.
  const bool failed_before = std::ferror(stdout) != 0 || !std::cout;
  if (std::fflush(stdout) != 0 || failed_before) return fail(Code::io_failed, "error.system.output");
  return Done{};
}

}  // namespace attnscope
