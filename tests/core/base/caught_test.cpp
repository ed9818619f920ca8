// Exceptions as errors: in one place, with what the work was.
#include "core/base/caught.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace attnscope {
namespace {

TEST(Caught, MemoryThatEndsIsNamed) {
  const Status status = guarded("the view \"Steps\"", [] { throw std::bad_alloc(); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::no_memory);
  EXPECT_EQ(status.error().sentence(), "There was not enough memory for the view \"Steps\".");
}

TEST(Caught, WhatALibrarySaysIsQuotedWithinBounds) {
  const Status status =
      guarded("a test", [] { throw std::runtime_error(std::string(5000, 'x') + "\x1b[31m"); });
  ASSERT_FALSE(status);
  EXPECT_LT(status.error().sentence().size(), 300u);
  EXPECT_EQ(status.error().sentence().find('\x1b'), std::string::npos);
  EXPECT_FALSE(guarded("a test", [] { throw 3; }));
  EXPECT_TRUE(guarded("a test", [] {}));
}

}  // namespace
}  // namespace attnscope
