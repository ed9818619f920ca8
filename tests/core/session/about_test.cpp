// --version and the About box: the version of the build, and the kernels that are used.
#include "core/session/about.h"

#include <gtest/gtest.h>

#include "core/base/version.h"
#include "core/base/words.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

TEST(About, SaysVersionCommitAndKernels) {
  for (const std::string& language : languages()) {
    ASSERT_TRUE(set_language(language));
    const std::string text = about_text();
    EXPECT_NE(text.find("attnscope " + std::string(version())), std::string::npos) << text;
    EXPECT_NE(text.find(kernel_name()), std::string::npos) << text;
    EXPECT_NE(text.find(commit()), std::string::npos) << text;
  }
  EXPECT_TRUE(set_language("en"));
}

}  // namespace
}  // namespace attnscope
