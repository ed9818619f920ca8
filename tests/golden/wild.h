// What the tests of checkpoints as they are found share: a changed copy of a fixture opens to the same
// logits, or is refused with a sentence.
#pragma once

#include "tests/golden/checkpoint.h"

namespace attnscope::testing {

inline const std::vector<int> kIds{5, 17, 3, 99, 42, 0, 120};

inline Tensor logits_of(const OpenedModel& opened) {
  if (!opened.model) return {};
  return must_tensor(*must_run(*opened.model, {kIds, {}}), "logits");
}
inline Tensor logits_at(const std::string& folder) { return logits_of(must_open(folder)); }

class Wild : public ::testing::Test {
 protected:
  void expect_same(const CheckpointFolder& checkpoint, const std::string& original, double tolerance = 0) {
    checkpoint.write(folder_ / "m");
    EXPECT_LE(max_abs_difference(logits_at(folder_ / "m"), logits_at(model_path(original))), tolerance);
  }
  OpenedModel opened(const CheckpointFolder& checkpoint) {
    checkpoint.write(folder_ / "m");
    return must_open(folder_ / "m");
  }
  Error refusal(const CheckpointFolder& checkpoint) {
    checkpoint.write(folder_ / "m");
    const auto opened = open_model(folder_ / "m");
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  }
  static void expect_says(const Error& error, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(error.text().find(part), std::string::npos) << error.text();
  }
  TempFolder folder_;
};

}  // namespace attnscope::testing
