#include "app/cli/memory_use.h"

#include <fstream>
#include <string>

namespace attnscope::cli {
namespace {

// A line "VmRSS:   1234 kB" of /proc/self/status, in bytes.
std::int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != key) continue;
    std::int64_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t memory_now() { return status_bytes("VmRSS:"); }
std::int64_t memory_peak() { return status_bytes("VmHWM:"); }
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace attnscope::cli
