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

constexpr std::int64_t kSize = 1024;

// A float buffer with something in every page.
Tensor touched(std::int64_t count) {
  Buffer buffer({{Axis::pos, count}});
  std::fill(buffer.data(), buffer.data() + count, 1e-3f);
  return std::move(buffer).freeze();
}

}  // namespace

ProductPeak::ProductPeak() : a_(kSize * kSize, 0.5f), b_(kSize * kSize, 0.25f), c_(kSize * kSize) {}

void ProductPeak::measure(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const double product = seconds([&] { sgemm(a_.data(), b_.data(), c_.data(), kSize, kSize, kSize); });
    sgemm_ = std::max(sgemm_, 2.0 * kSize * kSize * kSize / product / 1e9);
    double operations = 0;
    const double burst = seconds([&] { operations = fused_burst(1 << 20); });
    fma_ = std::max(fma_, operations / burst / 1e9);
  }
}

ReadBandwidth::ReadBandwidth(double bytes)
    : values_(touched(static_cast<std::int64_t>(std::clamp(bytes, 64.0 * (1 << 20), 512.0 * (1 << 20)) /
                                                sizeof(float)))) {}

void ReadBandwidth::measure(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    double sum = 0;
    const double time = seconds([&] { sum = stream_read(values_.data(), values_.count()); });
    if (sum > 0) best_ = std::max(best_, static_cast<double>(values_.count()) * sizeof(float) / time / 1e9);
  }
}

std::int64_t memory_now() { return status_bytes("VmRSS:"); }
std::int64_t memory_peak() { return status_bytes("VmHWM:"); }
void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace attnscope::cli
