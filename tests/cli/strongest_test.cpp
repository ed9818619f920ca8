// strongest from the outside: rows, histogram, tables, the model's own task without a data set, refusals.
#include <fstream>

#include "core/io/npy.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kStrong = "strongest model:storyteller --of 'blocks.1.attn.z[head=3]'";

TEST(StrongestCommand, RowsSayTheTextItsTokensAndWhereItLooks) {
  const TempFolder folder;
  std::ofstream(folder / "own.txt") << "The cat sat on the mat because it was tired. So the\nThe\n"
                                    << "The dog lay on the rug because it was soft. So the\n";
  const Json found = cli(kStrong + " --by weight --top 2 --json --data " + (folder / "own.txt")).json();
  ASSERT_EQ(found["places"].size(), 1u);
  EXPECT_EQ(found["places"][0]["by"], "weight");
  EXPECT_EQ(found["places"][0]["texts"], 3);
  EXPECT_EQ(found["places"][0]["texts_without"], 1) << "two tokens: no further key to look at";
  std::int64_t n = 0;
  for (const Json& bar : found["places"][0]["histogram"]) n += bar["n"].get<std::int64_t>();
  EXPECT_EQ(n, found["places"][0]["positions"]);
  ASSERT_GE(found["rows"].size(), 3u);
  const Json& first = found["rows"][0];
  EXPECT_EQ(first["kind"], "top");
  EXPECT_EQ(first["rank"], 1);
  const Json& tokens = first["tokens"];
  const auto pos = first["pos"].get<std::size_t>();
  EXPECT_EQ(tokens[pos]["value"], first["value"]);
  EXPECT_EQ(tokens[pos]["token"], first["token"]);
  EXPECT_TRUE(tokens[0]["value"].is_null());
  for (const Json& token : tokens)
    EXPECT_LE(token["value"].is_null() ? 0.0 : token["value"].get<double>(), first["value"].get<double>());
  // The very number of that run.
  const std::string at = "blocks.1.attn.pattern[head=3,query=" + std::to_string(pos) +
                         ",key=" + first["looks_at"]["pos"].dump() + "]";
  const std::string text = first["prompt"] == 1 ? "The cat sat on the mat because it was tired. So the"
                                                : "The dog lay on the rug because it was soft. So the";
  const std::string npz = folder / "a.npz";
  ASSERT_EQ(cli("trace model:storyteller --text '" + text + "' --steps '" + at + "' --out " + npz).exit_code,
            0);
  const auto values = (*read_npz(npz))->load(at)->values();
  ASSERT_EQ(values.size(), 1u);
  EXPECT_FLOAT_EQ(values[0], first["value"].get<float>());
  EXPECT_EQ(cli("rerun " +
                [&] {
                  const std::string path = folder / "a.json";
                  std::ofstream(path) << found.dump();
                  return path;
                }())
                .exit_code,
            0);
}

TEST(StrongestCommand, TablesOfTextsAndOfTheHistogram) {
  const TempFolder folder;
  const std::string of = kStrong + " --of 'blocks.0.mlp.post[d_mlp=17]' --limit 30 --top 3";
  ASSERT_EQ(cli(of + " --out " + (folder / "t.csv")).exit_code, 0);
  const std::string texts = read_text(folder / "t.csv");
  EXPECT_EQ(texts.substr(0, texts.find('\n')),
            "of,by,kind,rank,prompt,line,pos,token,value,key,key_token,tokens,values,run");
  EXPECT_NE(texts.find("\nblocks.0.mlp.post[d_mlp=17],value,top,1,"), std::string::npos) << texts;
  ASSERT_EQ(cli(of + " --table histogram --out " + (folder / "h.csv")).exit_code, 0);
  EXPECT_EQ(read_text(folder / "h.csv").substr(0, 15), "of,by,from,to,n");
  const Json own = cli(of + " --json").json();
  EXPECT_EQ(own["run"]["data"]["path"], "task:storyteller") << "the model's own task";
  EXPECT_EQ(own["places"][1]["texts"], 30);
  const Ran printed = cli(of);
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_NE(printed.out.find("["), std::string::npos);
}

TEST(StrongestCommand, Refusals) {
  expect_refused(kStrong + " --by value", 1, "not one number");
  expect_refused("strongest model:storyteller --of 'blocks.0.mlp.post[d_mlp=3]' --by weight", 1, "no head");
  expect_refused("strongest " + model_path("gpt2") + " --of 'blocks.0.attn.z[head=0]'", 1, "task of its own");
  expect_refused(kStrong + " --out a.txt", 1, "a.txt");
  expect_refused("strongest model:storyteller --of 'blocks.7.attn.z[head=0]' --limit 2", 1, "blocks.7");
  expect_refused(kStrong + " --text x --limit 2", 1, "--data");
}

}  // namespace
}  // namespace attnscope
