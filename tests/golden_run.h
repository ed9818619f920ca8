// Models of tests/golden/models, opened and run; what fails is a failure of the test that asks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/arch/open.h"

namespace attnscope::testing {

inline OpenedModel golden_model(const std::string& name) {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().text());
  return *std::move(opened);
}
inline std::shared_ptr<const Trace> golden_run(const OpenedModel& opened, const Input& input,
                                               const RunOptions& options = {}) {
  auto trace = opened.model->run(input, options);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return *trace;
}
/// The run of these ids; what an encoder reads is `source`.
inline std::shared_ptr<const Trace> golden_run(const OpenedModel& opened, std::vector<int> ids,
                                               std::vector<int> source, const RunOptions& options = {}) {
  Input input{std::move(ids), {}};
  if (opened.model->config().encoder()) input.source = std::move(source);
  return golden_run(opened, input, options);
}

}  // namespace attnscope::testing
