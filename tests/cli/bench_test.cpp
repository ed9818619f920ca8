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

// Four blocks of twelve, 28 rows of 128: what an edit reaches, beside what it took.
TEST(Bench, AnEditCostsWhatItReaches) {
  const Json edit =
      cli("bench random:gpt2-small --tokens 128 --edit 'blocks.8.attn.z[head=1,pos=100]=0' --json")
          .json()["edit"];
  EXPECT_EQ(edit["rows"], 28);
  EXPECT_EQ(edit["blocks"], 4);
  EXPECT_NEAR(edit["share_of_rows"].get<double>(), 28.0 * 4 / (128 * 12), 1e-12);
  EXPECT_LT(edit["share_of_time"].get<double>(), 0.5) << "it runs as much as without a cone";
  EXPECT_GT(edit["bound_ms"].get<double>(), 0);
}

}  // namespace
}  // namespace attnscope
