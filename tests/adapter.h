// A LoRA adapter made for a test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/writers.h"

namespace attnscope::testing {

struct Adapter {
  std::string module;  // of the base's file, without ".weight"
  std::string weight;  // in this program
  std::int64_t in = 0, out = 0;
};

/// Writes an adapter of rank 3 as peft does and, where `added` names an npz, by a product in double of its
/// own what it adds to each weight.
inline void write_adapter(const std::string& folder, const std::vector<Adapter>& modules,
                          nlohmann::json config, const std::string& added = "") {
  std::filesystem::create_directory(folder);
  std::vector<NamedTensor> factors, deltas;
  constexpr std::int64_t kRank = 3;
  const double scale = 6.0 / 3.0;
  unsigned next = 7;
  const auto some = [&](std::int64_t rows, std::int64_t columns) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      next = next * 1664525u + 1013904223u;
      values.push_back(static_cast<float>(next >> 8) / 16777216.f - 0.5f);
    }
    return values;
  };
  for (const Adapter& one : modules) {
    const std::vector<float> a = some(kRank, one.in), b = some(one.out, kRank);
    const std::string name = "base_model.model." + one.module;
    factors.push_back(
        {name + ".lora_A.weight", Tensor::from(a, {{Axis::none, kRank}, {Axis::none, one.in}})});
    factors.push_back(
        {name + ".lora_B.weight", Tensor::from(b, {{Axis::none, one.out}, {Axis::none, kRank}})});
    std::vector<float> delta;
    for (std::int64_t i = 0; i < one.in; ++i)
      for (std::int64_t o = 0; o < one.out; ++o) {
        double sum = 0;
        for (std::int64_t r = 0; r < kRank; ++r)
          sum += static_cast<double>(b[static_cast<std::size_t>(o * kRank + r)]) *
                 static_cast<double>(a[static_cast<std::size_t>(r * one.in + i)]);
        delta.push_back(static_cast<float>(scale * sum));
      }
    deltas.push_back(
        {one.weight, Tensor::from(std::move(delta), {{Axis::none, one.in}, {Axis::none, one.out}})});
  }
  config["peft_type"] = "LORA";
  config["lora_alpha"] = 6;
  config["r"] = kRank;
  std::ofstream(folder + "/adapter_config.json") << config;
  ASSERT_TRUE(write_safetensors(folder + "/adapter_model.safetensors", factors));
  if (added.empty()) return;
  ASSERT_TRUE(write_npz(added, deltas));
}

}  // namespace attnscope::testing
