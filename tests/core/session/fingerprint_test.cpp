// Hashes of weights: every value counts, the way they are stored does not.
#include "core/session/fingerprint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/arch/random_model.h"
#include "core/system/mapped_file.h"
#include "core/tensor/encoded.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

Tensor counted(std::int64_t rows, std::int64_t cols) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) values.push_back(static_cast<float>(i % 97) - 48.f);
  return Tensor::from(std::move(values), {{Axis::none, rows}, {Axis::none, cols}});
}

TEST(Prints, EveryValueCountsWhereverItStands) {
  const Tensor tensor = counted(37, 53);
  const std::string print = print_of(tensor);
  for (std::int64_t i = 0; i < tensor.size(0); ++i)
    for (std::int64_t j = 0; j < tensor.size(1); ++j)
      ASSERT_NE(print_of(tensor.with_value({i, j}, 0.5f)), print) << i << " " << j;
  const float here = tensor.at(1, 2), there = tensor.at(30, 50);
  EXPECT_NE(print_of(tensor.with_value({1, 2}, there).with_value({30, 50}, here)), print) << "exchanged";
  EXPECT_NE(print_of(tensor.with_value({0, 48}, -0.f)), print) << "the sign of zero";
  EXPECT_NE(print_of(counted(53, 37)), print) << "other sizes";
}

TEST(Prints, TheWayTheyAreStoredDoesNot) {
  const Tensor tensor = counted(37, 53);
  const std::string print = print_of(tensor);
  EXPECT_EQ(print_of(tensor.transpose().packed().transpose()), print);
  EXPECT_NE(print_of(tensor.transpose()), print);
  EXPECT_EQ(print_of(tensor.with_value({3, 4}, tensor.at(3, 4))), print);
  EXPECT_EQ(print_of(tensor.slice(1, 5, 40)), print_of(tensor.slice(1, 5, 40).packed()));
  const auto code =
      std::make_shared<const Encoded>(std::make_shared<Tensor>(tensor),
                                      reinterpret_cast<const std::byte*>(tensor.data()), DType::f32, 37, 53);
  const Tensor encoded = Tensor::encoded(code, {{Axis::none, 37}, {Axis::none, 53}});
  ASSERT_TRUE(encoded.is_encoded());
  EXPECT_EQ(print_of(encoded), print);
  EXPECT_EQ(print_of(encoded.transpose()), print_of(tensor.transpose()));
  const Tensor split = tensor.slice(1, 0, 52).split(1, Axis::none, 4, Axis::none);
  EXPECT_EQ(print_of(split.permute({2, 0, 1})), print_of(split.permute({2, 0, 1}).packed()));
}

TEST(Prints, WhatDiffersIsNamed) {
  const WeightPrints saved{{"a", "1"}, {"b", "2"}, {"c", "3"}};
  EXPECT_TRUE(differing_weights(saved, saved).empty());
  EXPECT_EQ(differing_weights(saved, {{"a", "1"}, {"b", "x"}, {"d", "4"}}),
            (std::vector<std::string>{"b", "c", "d"}));
}

TEST(Prints, OfLargeFilesAreKeptByTheStateOfTheFiles) {
  const TempFolder folder;
  const std::string model = folder / "weights";
  std::ofstream(model) << "abc";
  const auto files = [&] { return std::vector<ReadFile>{{model, *stamp_of(model), {}}}; };
  const KeptPrints kept(folder / "prints.json");
  EXPECT_TRUE(kept.find(files()).empty());
  const WeightPrints prints{{"a", "0123456789abcdef"}};
  kept.keep(files(), prints);
  EXPECT_EQ(kept.find(files()), prints);
  std::ofstream(model) << "abcd";
  EXPECT_TRUE(kept.find(files()).empty());
  for (int i = 0; i < 40; ++i) {
    std::ofstream(model, std::ios::app) << "e";
    kept.keep(files(), prints);
  }
  EXPECT_EQ(kept.find(files()), prints);
  std::ifstream in(folder / "prints.json");
  EXPECT_LE(nlohmann::json::parse(in).size(), 16u);
  std::ofstream(folder / "prints.json") << "[3, {\"files\": 1}, nonsense";
  EXPECT_TRUE(kept.find(files()).empty());
}

}  // namespace
}  // namespace attnscope
