// "Why this number?" for random cells of every step of every family and of the scene: the explanation
// recomputes the recorded number, and names nothing that the catalog does not promise.
#include <random>
#include <set>

#include "core/trace/provenance.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr int kCells = 40;

std::string without_stack(std::string name) {
  for (const Stack stack : {Stack::enc, Stack::dec, Stack::vision})
    if (starts_with(name, stack_prefix(stack))) name.erase(0, stack_prefix(stack).size());
  return name;
}

// "attn.rot_q|attn.split_q[head,query,:] embed@last[..]" -> {"attn.rot_q", "attn.split_q", "embed"}
std::set<std::string> names_in_catalog(std::string_view inputs) {
  std::set<std::string> out;
  for (const std::string& input : split(inputs, ' ')) {
    for (std::string name : split(input.substr(0, input.find('[')), '|'))
      out.insert(without_stack(name.substr(0, name.find('@'))));
  }
  return out;
}

// "blocks.3.attn.q.weight" -> "attn.q.weight"
std::string inside(std::string name) {
  name = without_stack(name);
  if (starts_with(name, "blocks.")) name.erase(0, name.find('.', 7) + 1);
  return starts_with(name, "cross.") && name != "cross.out" ? "attn." + name.substr(6) : name;
}

std::string cell_text(const Record& record, const std::vector<std::int64_t>& index) {
  std::string out = to_text(record.site) + "[";
  for (const std::int64_t i : index) out += std::to_string(i) + " ";
  return out + "]";
}

void expect_terms_add_up(const Explanation& why, const std::string& cell) {
  const bool adds =
      why.rule == Rule::dot || why.rule == Rule::sum || why.rule == Rule::rotate || why.rule == Rule::copy;
  if (!adds || why.terms.empty()) return;
  double sum = 0;
  for (const Term& term : why.terms) sum += term.value;
  EXPECT_NEAR(sum, why.result, 1e-9 + 1e-9 * std::fabs(sum)) << cell;
}

void expect_sources_known(const Trace& trace, const Record& record, const Explanation& why,
                          const std::string& cell) {
  const auto allowed = names_in_catalog(step_of(record.site.slot).inputs);
  for (const Term& term : why.terms) {
    for (const Source& source : term.factors) {
      EXPECT_TRUE(allowed.contains(inside(source.name))) << cell << " names " << source.name;
      const Tensor* weight = source.is_weight ? trace.weights().find(source.name) : nullptr;
      EXPECT_EQ(source.is_weight, weight != nullptr) << cell << " names " << source.name;
      const double held = weight ? weight->at(source.index) : trace.cell(source.site, source.index);
      EXPECT_LE(gap(source.value, held), 1e-6 * std::max(1.0, std::fabs(held)))
          << cell << " from " << source.name;
    }
  }
}

void expect_explained(const Trace& trace) {
  std::mt19937_64 random(20);
  for (const Record& record : trace.records()) {
    for (int i = 0; i < kCells; ++i) {
      std::vector<std::int64_t> index;
      for (const std::int64_t size : record.shape)
        index.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size)));
      const std::string cell = cell_text(record, index);
      const auto why = explain(trace, record.site, index);
      ASSERT_TRUE(why) << cell << why.error().text();
      EXPECT_EQ(gap(why->recorded, trace.cell(record.site, index)), 0) << cell;
      EXPECT_LE(gap(why->result, why->recorded), 1e-5 + 1e-4 * std::fabs(why->recorded))
          << cell << " " << why->result;
      EXPECT_FALSE(why->edited) << cell;
      expect_terms_add_up(*why, cell);
      expect_sources_known(trace, record, *why, cell);
    }
  }
}

class Provenance : public ::testing::TestWithParam<std::string> {};

TEST_P(Provenance, explains_every_step) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const Fixture reference = fixture(GetParam());
  for (const Input& input : reference.inputs)
    expect_explained(*must_run(*opened.model, input, reference.options));
}

TEST_P(Provenance, explains_a_decode_step) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  if (!opened.model->config().blocks.front().attention.causal || opened.model->config().sees())
    GTEST_SKIP() << "only causal text models decode token by token";
  Input input = fixture(GetParam()).inputs[0];
  input.real.clear();
  const std::vector<int> ids = input.ids;
  KvCache cache(opened.model->config().n_layers());
  input.ids = {ids.begin(), ids.begin() + 6};
  must_run(*opened.model, input, {}, &cache);
  input.ids = {ids[6]};
  const TracePointer trace = must_run(*opened.model, input, {}, &cache);
  for (const Record& record : trace->records()) {
    std::vector<std::int64_t> index(record.shape.size(), 0);
    const auto why = explain(*trace, record.site, index);
    ASSERT_TRUE(why) << to_text(record.site);
    EXPECT_LE(gap(why->result, why->recorded), 1e-5 + 1e-4 * std::fabs(why->recorded))
        << to_text(record.site);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Provenance, ::testing::ValuesIn(kModels),
                         [](const auto& model) { return model.param; });

TEST(Provenance, explains_the_scene) {
  const OpenedModel opened = must_open(source_path("assets/scenes/nine_steps.json"));
  for (const Input& input : opened.scene->inputs) expect_explained(*must_run(*opened.model, input));
}

TEST(Provenance, refuses_cells_that_are_not_there) {
  const OpenedModel opened = must_open(source_path("assets/scenes/nine_steps.json"));
  const TracePointer trace = must_run(*opened.model, opened.scene->inputs[0]);
  const Site q = must_site("blocks.0.attn.q");
  EXPECT_EQ(explain(*trace, q, {4, 0}).error().code, Code::out_of_range);
  EXPECT_EQ(explain(*trace, q, {-1, 0}).error().code, Code::out_of_range);
  EXPECT_EQ(explain(*trace, q, {0}).error().code, Code::out_of_range);
  EXPECT_EQ(explain(*trace, must_site("logits"), {0, 0}).error().code, Code::not_found);
}

}  // namespace
}  // namespace attnscope
