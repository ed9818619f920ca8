// Whole numbers of JSON: what an integer would read as another one is none.
#include "core/io/json_number.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace attnscope {
namespace {

TEST(JsonNumbers, WhatDoesNotFitIsNoOtherNumber) {
  const auto read = [](const char* text) { return whole_in(nlohmann::json::parse(text), -1, 100); };
  EXPECT_EQ(read("7"), 7);
  EXPECT_EQ(read("-1"), -1);
  EXPECT_EQ(read("100"), 100);
  for (const char* text : {"101", "-2", "4294967297", "18446744073709551615", "9223372036854775809", "7.5",
                           "7.0", "\"7\"", "null", "true", "[7]"})
    EXPECT_EQ(read(text), std::nullopt) << text;
  const auto object = nlohmann::json::parse(R"({"a": 3, "b": "3"})");
  EXPECT_EQ(whole_at(object, "a", 0, 9), 3);
  EXPECT_EQ(whole_at(object, "b", 0, 9), std::nullopt);
  EXPECT_EQ(whole_at(object, "c", 0, 9), std::nullopt);
  EXPECT_EQ(whole_at(nlohmann::json(3), "a", 0, 9), std::nullopt);
}

}  // namespace
}  // namespace attnscope
