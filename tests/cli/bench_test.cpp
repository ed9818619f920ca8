// What bench says that a decode step reads.
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(Bench, CountsTheBytesOfTheFilesEncoding) {
  const Json measured =
      cli("bench " + source_path("tests/golden/gguf/llama-q4_0.gguf") + " --tokens 8 --json").json();
  // Q4_0 holds 32 values in 18 bytes: two blocks' attention and MLP, the head; norms of 4 bytes a value; keys
  // and values of two blocks with two heads of 64, 8 positions and half of 24
  EXPECT_EQ(measured["decode"]["bytes_read"].get<double>(),
            (393216 + 786432 + 256000) * 18 / 32 + 1280 * 4 + 2 * 2 * (8 + 12) * 2 * 64 * 4);
}

}  // namespace
}  // namespace attnscope
