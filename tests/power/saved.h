// A kind of save under power cuts: what it writes, one state after the other, and how the program reads it at
// the next start.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope::power {

struct Saved {
  /// Each writes the next state below the root; the first one is there before the power can go.
  std::vector<std::function<Status(const std::string& root)>> writes;
  /// What the program finds there, in words; another state, other words.
  std::function<std::string(const std::string& root)> found;
  bool same = false;  ///< the writes move things about: all of them leave the same to be found
};

/// Cuts the power at every place: what is found is one of the states as it was after a write, that of the
/// last write that returned or the one that was being written.
void expect_kept(const Saved& saved);

}  // namespace attnscope::power
