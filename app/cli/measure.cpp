#include "app/cli/measure.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/ops/ops.h"

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

template <class Work>
double best_seconds(int rounds, Work work) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) best = std::min(best, seconds(work));
  return best;
}

}  // namespace

double sgemm_gflops(int rounds) {
  constexpr std::int64_t kSize = 1024;
  const std::vector<float> a(kSize * kSize, 0.5f), b(kSize * kSize, 0.25f);
  std::vector<float> c(kSize * kSize);
  const double best = best_seconds(rounds, [&] { sgemm(a.data(), b.data(), c.data(), kSize, kSize, kSize); });
  return 2.0 * kSize * kSize * kSize / best / 1e9;
}

double read_gb_per_s(int rounds) {
  constexpr std::int64_t kCount = (std::int64_t{512} << 20) / 4;
  const std::vector<float> values(static_cast<std::size_t>(kCount), 1e-3f);
  double keep = 0;
  const double best = best_seconds(rounds, [&] { keep += stream_read(values.data(), kCount); });
  return keep > 0 ? static_cast<double>(kCount) * 4 / best / 1e9 : 0;
}

std::int64_t memory_now() { return status_bytes("VmRSS:"); }
std::int64_t memory_peak() { return status_bytes("VmHWM:"); }
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace attnscope::cli
