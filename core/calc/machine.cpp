#include "core/calc/machine.h"

#include <algorithm>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kSize = 1024;

// A float buffer with something in every page.
Tensor touched(std::int64_t count) {
  Buffer buffer({{Axis::pos, count}});
  std::fill(buffer.data(), buffer.data() + count, 1e-3f);
  return std::move(buffer).freeze();
}

constexpr int kMachineRounds = 4;

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

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all{{"a100", 312e12, 2.039e12},
                                        {"h100", 989.4e12, 3.35e12},
                                        {"h200", 989.4e12, 4.8e12},
                                        {"rtx4090", 165.2e12, 1.008e12},
                                        {"l4", 121e12, 0.3e12}};
  return all;
}

Result<Machine> machine_named(const std::string& name) {
  for (const Machine& machine : machines())
    if (machine.name == name) return machine;
  const std::size_t comma = name.find(',');
  if (comma == std::string::npos) {
    std::vector<std::string> known{kThisMachine};
    for (const Machine& machine : machines()) known.push_back(machine.name);
    return fail(Code::not_found, "error.calc.machine", {in_quotes(name), join(known, ", ")});
  }
  TRY(const double flops, parse_real(name.substr(0, comma), 1, 1e30));
  TRY(const double bytes, parse_real(name.substr(comma + 1), 1, 1e30));
  return Machine{name, flops, bytes};
}

std::optional<Machine> measure_machine(const std::atomic<bool>* cancel) {
  ProductPeak peak;
  ReadBandwidth bandwidth(256.0 * (1 << 20));
  for (int round = 0; round < kMachineRounds; ++round) {
    if (cancel && *cancel) return std::nullopt;
    peak.measure(2);
    bandwidth.measure(2);
  }
  return Machine{kThisMachine, peak.sgemm_gflop_per_s() * 1e9, bandwidth.gb_per_s() * 1e9};
}

Roof under_roof(const Machine& machine, double flops, double bytes) {
  Roof out;
  out.intensity = bytes > 0 ? flops / bytes : 0;
  out.compute_s = machine.flops_per_s > 0 ? flops / machine.flops_per_s : 0;
  out.memory_s = machine.bytes_per_s > 0 ? bytes / machine.bytes_per_s : 0;
  return out;
}

}  // namespace attnscope
