// attnscope-cli weights against plain loops and a Jacobi iteration of A^T A in this file.
#include <algorithm>
#include <cmath>

#include "core/arch/open.h"
#include "tests/cli/program.h"
#include "tests/jacobi.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

using Rows = std::vector<std::vector<double>>;

Rows rows_of_weight(const Tensor& tensor) {
  Rows out(static_cast<std::size_t>(tensor.size(0)));
  for (std::int64_t i = 0; i < tensor.size(0); ++i)
    for (std::int64_t j = 0; j < tensor.size(1); ++j)
      out[static_cast<std::size_t>(i)].push_back(static_cast<double>(tensor.at(i, j)));
  return out;
}

Rows times(const Rows& a, const Rows& b) {
  Rows out(a.size(), std::vector<double>(b.front().size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b.front().size(); ++j) out[i][j] += a[i][k] * b[k][j];
  return out;
}

Rows flipped(const Rows& a) {
  Rows out(a.front().size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.front().size(); ++j) out[j][i] = a[i][j];
  return out;
}

// Square roots of the eigenvalues of A^T A, the largest first.
std::vector<double> singular_by_hand(const Rows& a) {
  std::vector<double> out =
      eigenvalues_by_jacobi(a.size() < a.front().size() ? times(a, flipped(a)) : times(flipped(a), a));
  for (double& value : out) value = std::sqrt(std::max(0.0, value));
  return out;
}

void expect_facts(const Json& row, const Rows& a) {
  SCOPED_TRACE(row["name"].get<std::string>());
  std::vector<double> all;
  for (const auto& line : a) all.insert(all.end(), line.begin(), line.end());
  const auto n = static_cast<double>(all.size());
  double sum = 0, squares = 0, off = 0;
  for (const double value : all) sum += value, squares += value * value;
  for (const double value : all) off += (value - sum / n) * (value - sum / n);
  std::vector<double> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  const double scale = std::max(std::fabs(sorted.front()), std::fabs(sorted.back()));
  EXPECT_EQ(row["count"], all.size());
  EXPECT_NEAR(row["norm"], std::sqrt(squares), 1e-6 * std::sqrt(squares));
  EXPECT_NEAR(row["mean"], sum / n, 1e-6 * scale);
  EXPECT_NEAR(row["std"], std::sqrt(off / n), 1e-6 * scale);
  EXPECT_NEAR(row["least"], sorted.front(), 1e-6 * scale);
  EXPECT_NEAR(row["largest"], sorted.back(), 1e-6 * scale);
  const double middle = all.size() % 2 == 1 ? sorted[all.size() / 2]
                                            : (sorted[all.size() / 2 - 1] + sorted[all.size() / 2]) / 2;
  EXPECT_NEAR(row["quantiles"]["q50"], middle, 1e-6 * scale);
  const Json& histogram = row["histogram"];
  const double from = histogram["from"], to = histogram["to"];
  const std::size_t bins = histogram["counts"].size();
  // Below an edge lie as many as the parts before it hold, but for those on the edge itself.
  std::int64_t before = 0;
  for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
    before += histogram["counts"][bin].get<std::int64_t>();
    const double edge = from + (to - from) * static_cast<double>(bin + 1) / static_cast<double>(bins);
    const auto below = [&](double slack) {
      return std::count_if(all.begin(), all.end(), [&](double value) { return value < edge + slack; });
    };
    EXPECT_GE(before, below(-1e-6 * scale));
    EXPECT_LE(before, below(1e-6 * scale));
  }
  const std::vector<double> wanted = singular_by_hand(a);
  const auto found = row["singular"].get<std::vector<double>>();
  ASSERT_LE(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5 * wanted[0]) << i;
  for (std::size_t i = found.size(); i < wanted.size(); ++i) EXPECT_LT(wanted[i], 1e-5 * wanted[0]) << i;
}

TEST(CliWeights, facts_of_every_matrix_and_every_head) {
  const auto opened = open_model(model_path("gpt2"));
  ASSERT_TRUE(opened);
  const Weights& weights = opened->model->weights();
  const Ran ran = cli("weights " + model_path("gpt2") + " --all --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const AttentionSpec& spec = opened->model->config().blocks.front().attention;
  int matrices = 0, circuits = 0;
  const Json answer = ran.json();
  for (const Json& row : answer["rows"]) {
    const std::string name = row["name"];
    if (const Tensor* tensor = weights.find(name)) {
      if (tensor->rank() != 2) continue;
      ++matrices;
      expect_facts(row, rows_of_weight(*tensor));
      continue;
    }
    ++circuits;
    const std::string base = name.substr(0, name.find(".attn.")) + ".attn.";
    const auto head = static_cast<std::size_t>(std::stoi(name.substr(name.find('=') + 1)));
    const auto width = static_cast<std::size_t>(spec.d_head);
    const auto columns = [&](const char* which) {
      Rows all = flipped(rows_of_weight(*weights.find(base + which + ".weight")));
      return flipped(Rows(all.begin() + static_cast<std::ptrdiff_t>(head * width),
                          all.begin() + static_cast<std::ptrdiff_t>((head + 1) * width)));
    };
    const bool ov = name.find(".ov[") != std::string::npos;
    Rows out = rows_of_weight(*weights.find(base + "out.weight"));
    out = Rows(out.begin() + static_cast<std::ptrdiff_t>(head * width),
               out.begin() + static_cast<std::ptrdiff_t>((head + 1) * width));
    expect_facts(row, ov ? times(columns("v"), out) : times(columns("q"), flipped(columns("k"))));
  }
  EXPECT_GE(matrices, 10);
  EXPECT_EQ(circuits, 2 * spec.n_heads * opened->model->config().n_layers());
}

TEST(CliWeights, some_of_them) {
  const std::string model = "weights " + model_path("gpt2") + " ";
  const Json some =
      cli(model + "--of 'blocks.0.attn.qk*' --of blocks.1.mlp.out.weight --top 2 --bins 5 --json").json();
  ASSERT_GE(some["rows"].size(), 3u);
  for (const Json& row : some["rows"]) {
    EXPECT_EQ(row["singular"].size(), 2u);
    EXPECT_EQ(row["histogram"]["counts"].size(), 5u);
  }
  EXPECT_EQ(some["rows"].back()["name"], "blocks.1.mlp.out.weight");
  EXPECT_FALSE(cli(model + "--top 0 --json").json()["rows"].front().contains("singular"));
  expect_refused(model + "--of blocks.9.attn.q.weight", 1, "No weight is called \"blocks.9.attn.q.weight\"");
  const TempFolder folder;
  ASSERT_EQ(cli(model + "--of '*.qk[head=0]' --top 3 --out " + (folder / "w.csv")).exit_code, 0);
  EXPECT_EQ(read_text(folder / "w.csv")
                .rfind("name,shape,count,broken,norm,mean,std,least,largest,q01,q05,q25,q50,q75,q95,q99,"
                       "stable_rank,s1,s2,s3,run\nblocks.0.attn.qk[head=0],",
                       0),
            0u);
  ASSERT_EQ(cli(model + "--top 3 --out " + (folder / "w.json")).exit_code, 0);
  EXPECT_EQ(cli("rerun --allow-outside " + (folder / "w.json")).exit_code, 0);
}

}  // namespace
}  // namespace attnscope
