// Facts about weights against the plain definitions: whole d x d products, the full circuit over the
// vocabulary, in double, one number after the other.
#include "core/lens/circuits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/ops/matrices.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using Plain = std::vector<std::vector<double>>;

Plain plain_of(const Tensor& t, std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
  Plain out(static_cast<std::size_t>(rows), std::vector<double>(static_cast<std::size_t>(cols)));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      out[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
          static_cast<double>(t.at(row + i, col + j));
  return out;
}
Plain times(const Plain& a, const Plain& b) {
  Plain out(a.size(), std::vector<double>(b.front().size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[k].size(); ++j) out[i][j] += a[i][k] * b[k][j];
  return out;
}
Plain turned(const Plain& a) {
  Plain out(a.front().size(), std::vector<double>(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) out[j][i] = a[i][j];
  return out;
}
double size_of(const Plain& a) {
  double sum = 0;
  for (const auto& row : a)
    for (const double x : row) sum += x * x;
  return std::sqrt(sum);
}
double traced(const Plain& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i][i];
  return sum;
}

struct PlainHead {
  Plain ov, qk;  // [d_model, d_model]
};

PlainHead plain_head(const Model& model, int block, int head) {
  const AttentionSpec& spec = model.config().blocks[static_cast<std::size_t>(block)].attention;
  const std::string base =
      std::string(stack_prefix(model.config().stack)) + "blocks." + std::to_string(block) + ".attn.";
  const std::int64_t d = spec.d_head, wide = model.config().d_model;
  const int kv = head / (spec.n_heads / spec.n_kv_heads);
  const auto get = [&](const char* name) { return *model.weights().find(base + name + ".weight"); };
  return {times(plain_of(get("v"), 0, wide, kv * d, d), plain_of(get("out"), head * d, d, 0, wide)),
          times(plain_of(get("q"), 0, wide, head * d, d), turned(plain_of(get("k"), 0, wide, kv * d, d)))};
}

class CircuitsOf : public ::testing::TestWithParam<const char*> {
 protected:
  const OpenedModel opened_ = must_open(model_path(GetParam()));
};

TEST_P(CircuitsOf, NormsAndComposition) {
  const Model& model = *opened_.model;
  const auto found = circuits_of(model);
  ASSERT_TRUE(found) << found.error().text();
  std::map<std::pair<int, int>, PlainHead> plain;
  for (const HeadCircuit& head : found->heads) {
    const PlainHead& one = plain[{head.block, head.head}] = plain_head(model, head.block, head.head);
    EXPECT_NEAR(head.ov_norm, size_of(one.ov), 1e-9 * size_of(one.ov));
    EXPECT_NEAR(head.qk_norm, size_of(one.qk), 1e-9 * size_of(one.qk));
    double square = 0;
    for (const double value : head.ov_values) square += value * value;
    EXPECT_NEAR(std::sqrt(square), size_of(one.ov), 1e-9 * size_of(one.ov));
  }
  std::size_t pairs = 0, heads = 0;
  for (const BlockSpec& block : model.config().blocks) {
    pairs += 3 * heads * static_cast<std::size_t>(block.attention.n_heads);
    heads += static_cast<std::size_t>(block.attention.n_heads);
  }
  EXPECT_EQ(found->heads.size(), heads);
  ASSERT_EQ(found->composition.size(), pairs);
  for (const Composition& one : found->composition) {
    ASSERT_LT(one.from_block, one.to_block);
    const PlainHead &from = plain[{one.from_block, one.from_head}], &to = plain[{one.to_block, one.to_head}];
    const Plain& reads = one.side == Reads::v ? to.ov : to.qk;
    const Plain made = times(from.ov, one.side == Reads::k ? turned(reads) : reads);
    EXPECT_NEAR(one.score, size_of(made) / (size_of(from.ov) * size_of(reads)), 1e-9)
        << reads_name(one.side) << one.from_block << one.from_head << one.to_block << one.to_head;
  }
}

// The eigenvalues of the small product are those of the whole circuit: sums of their powers are traces.
// A query at position 9 and a key at 6, each rotated at its own position, number by number.
void expect_turned(const Model& model, const HeadCircuit& head, const Plain& table) {
  const AttentionSpec& spec = model.config().blocks[static_cast<std::size_t>(head.block)].attention;
  const auto scores = circuit_map(model, head.block, head.head, false, {5, 7}, {3, 5, 9}, 3);
  if (!spec.position.rotates()) {
    EXPECT_FALSE(scores);
    return;
  }
  ASSERT_TRUE(scores);
  const std::string base =
      std::string(stack_prefix(model.config().stack)) + "blocks." + std::to_string(head.block) + ".attn.";
  const RopeSpec& rope = spec.position.rope;
  const std::vector<double> frequencies = rope_frequencies(rope, spec.d_head);
  const auto side = [&](const char* name, int of, std::size_t word, double at) {
    const Tensor weight = *model.weights().find(base + name + ".weight");
    const Plain own = plain_of(weight, 0, weight.size(0), std::int64_t{of} * spec.d_head, spec.d_head);
    std::vector<double> row = times({table[word]}, own).front(), out = row;
    const std::size_t pairs = frequencies.size();
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const std::size_t a = rope.interleaved ? 2 * pair : pair, b = rope.interleaved ? a + 1 : pair + pairs;
      const double angle = at * frequencies[pair];
      out[a] = std::cos(angle) * row[a] - std::sin(angle) * row[b];
      out[b] = std::sin(angle) * row[a] + std::cos(angle) * row[b];
    }
    return out;
  };
  const std::vector<double> query = side("q", head.head, 7, 9), key = side("k", head.kv_head, 9, 6);
  double sum = 0, size = 1e-12;
  for (std::size_t i = 0; i < query.size(); ++i)
    sum += query[i] * key[i], size += std::abs(query[i] * key[i]);
  EXPECT_NEAR((*scores)[1 * 3 + 2], sum, 1e-6 * size);
  const auto whole = circuit_matrix(model, head.block, head.head, false, false, 3);
  ASSERT_TRUE(whole);
  double same = 0;
  for (std::size_t i = 0; i < table[7].size(); ++i)
    for (std::size_t j = 0; j < table[9].size(); ++j)
      same += table[7][i] * whole->matrix.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) *
              table[9][j];
  EXPECT_NEAR(same, sum, 1e-6 * size);
}

TEST_P(CircuitsOf, Copying) {
  const Model& model = *opened_.model;
  const auto found = circuits_of(model, false);
  ASSERT_TRUE(found) << found.error().text();
  const std::string base(stack_prefix(model.config().stack));
  const Tensor in = *model.weights().find(base + "tok_embed.weight"),
               out = *model.weights().find(base + "logits.weight");
  const Plain table = plain_of(in, 0, in.size(0), 0, in.size(1)),
              words = plain_of(out, 0, out.size(0), 0, out.size(1));
  EXPECT_TRUE(found->composition.empty());
  for (const HeadCircuit& head : found->heads) {
    ASSERT_TRUE(head.copying);
    const Plain whole =
        times(times(table, plain_head(model, head.block, head.head).ov), words);  // [vocab, vocab]
    const Plain square = times(whole, whole);
    std::complex<double> first = 0, second = 0;
    double moduli = 0;
    for (const auto& value : head.eigenvalues)
      first += value, second += value * value, moduli += std::abs(value);
    EXPECT_NEAR(first.real(), traced(whole), 1e-8 * moduli);
    EXPECT_NEAR(first.imag(), 0, 1e-8 * moduli);
    EXPECT_NEAR(second.real(), traced(square), 1e-8 * moduli * moduli);
    EXPECT_NEAR(*head.copying, traced(whole) / moduli, 1e-8);
    const auto top = ov_words(model, head.block, head.head, 5, 3);
    ASSERT_TRUE(top);
    ASSERT_EQ(top->size(), 3u);
    const auto& row = whole[5];
    EXPECT_NEAR(top->front().value, *std::max_element(row.begin(), row.end()), 1e-9 * size_of(whole));
    EXPECT_NEAR(row[static_cast<std::size_t>(top->front().id)], top->front().value, 1e-9 * size_of(whole));
    const auto map = circuit_map(model, head.block, head.head, true, {5, 7}, {3, 5, 9});
    ASSERT_TRUE(map);
    EXPECT_NEAR((*map)[1 * 3 + 2], whole[7][9], 1e-9 * size_of(whole));
    const Plain looks = times(times(table, plain_head(model, head.block, head.head).qk), turned(table));
    const auto scores = circuit_map(model, head.block, head.head, false, {5, 7}, {3, 5, 9});
    ASSERT_TRUE(scores);
    EXPECT_NEAR((*scores)[1 * 3 + 2], looks[7][9], 1e-9 * size_of(looks));
    expect_turned(model, head, table);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, CircuitsOf,
                         ::testing::Values("gpt2", "llama", "mistral", "qwen2", "gemma2", "gpt_neox", "bloom",
                                           "bert", "marian"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Circuits, EigenvaluesOfARotation) {
  const Matrix64 turn{2, 2, {0, -1, 1, 0}};
  const auto found = eigenvalues(turn);
  EXPECT_NEAR(std::abs(found[0] - std::complex<double>(0, 1)), 0, 1e-12);
  EXPECT_NEAR(copying_score(found), 0, 1e-12);
  EXPECT_NEAR(copying_score(eigenvalues({2, 2, {2, 1, 0, -1}})), 1.0 / 3, 1e-12);
}

TEST(Circuits, SayWhatIsLeftOut) {
  const auto vit = must_open(model_path("vit"));
  const auto found = circuits_of(*vit.model);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_FALSE(found->heads.front().copying);
  EXPECT_EQ(found->left_out, std::vector<std::string>{"circuits.no_words"});
  EXPECT_FALSE(ov_words(*vit.model, 0, 0, 1, 3));
  const auto bart = circuits_of(*must_open(model_path("bart")).model);
  ASSERT_TRUE(bart);
  EXPECT_EQ(bart->left_out, (std::vector<std::string>{"circuits.encoder", "circuits.cross"}));
}

}  // namespace
}  // namespace attnscope
