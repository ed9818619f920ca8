// What PyTorch hooks say of knock-outs, patched grids, scaled, added, averaged and copied values
// (tests/golden/interventions, computed in float64), each run in full and from the clean run; and that both
// are the same to the last bit.
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/model/measure.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using Json = nlohmann::json;

constexpr double kHooksTolerance = 1e-4;

class Hooks : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    opened_ = must_open(model_path(GetParam()));
    reference_ = Json::parse(
        std::ifstream(source_path(std::string("tests/golden/interventions/") + GetParam() + ".json")));
    clean_ = run("clean", {}), corrupt_ = run("corrupt", {});
  }
  TracePointer run(const char* ids, Edits edits, const TracePointer& base = nullptr) const {
    RunOptions options;
    options.edits = std::move(edits);
    options.base = base;
    return must_run(*opened_.model, {.ids = reference_[ids].get<std::vector<int>>()}, options);
  }
  double measure(const Trace& trace) const {
    const LogitMeasure asked{
        LogitMeasure::Kind::logit_diff, reference_["target"], reference_["distractor"], -1, {}};
    return *measured(asked, trace);
  }
  // The measure under an edit, in full and from the run without it.
  void expect(double wanted, const char* ids, std::shared_ptr<const Edit> edit) const {
    const TracePointer& base = std::string(ids) == "clean" ? clean_ : corrupt_;
    const TracePointer full = run(ids, {edit}), partial = run(ids, {edit}, base);
    EXPECT_NEAR(measure(*full), wanted, kHooksTolerance) << to_text(*edit);
    for (const Record& record : full->records())
      EXPECT_EQ(max_abs_difference(must_tensor(*full, record.site), must_tensor(*partial, record.site)), 0)
          << to_text(*edit) << " at " << to_text(record.site);
  }
  // What `from` holds at a place, kept as numbers.
  static std::shared_ptr<const Edit> patched(const Trace& from, const std::string& place) {
    const Target where = *parse_target(place);
    const Tensor all = must_tensor(from, where.site);
    return make_edit(NumberEdit{where, EditOp::set, Frozen{all.packed(), "clean"}});
  }

  OpenedModel opened_;
  Json reference_;
  TracePointer clean_, corrupt_;
};

std::string at(const char* step, std::size_t layer, const std::string& rest = "") {
  return "blocks." + std::to_string(layer) + "." + step + rest;
}

TEST_P(Hooks, without_edits) {
  EXPECT_NEAR(measure(*clean_), reference_["base"]["clean"].get<double>(), kHooksTolerance);
  EXPECT_NEAR(measure(*corrupt_), reference_["base"]["corrupt"].get<double>(), kHooksTolerance);
}

TEST_P(Hooks, heads_knocked_out) {
  for (std::size_t layer = 0; layer < reference_["ablate"].size(); ++layer)
    for (std::size_t head = 0; head < reference_["ablate"][layer].size(); ++head)
      expect(reference_["ablate"][layer][head], "clean",
             edit(at("attn.z[head=", layer, std::to_string(head) + "]=0").c_str()));
}

TEST_P(Hooks, patched_positions) {
  for (const auto& [key, step] : {std::pair("patch_resid", "resid_pre"), std::pair("patch_mlp", "mlp.out")})
    for (std::size_t layer = 0; layer < reference_[key].size(); ++layer)
      for (std::size_t pos = 0; pos < reference_[key][layer].size(); ++pos)
        expect(reference_[key][layer][pos], "corrupt",
               patched(*clean_, at(step, layer, "[pos=" + std::to_string(pos) + "]")));
}

TEST_P(Hooks, patched_heads) {
  const Json& grid = reference_["patch_z"];
  for (std::size_t layer = 0; layer < grid.size(); ++layer)
    for (std::size_t head = 0; head < grid[layer].size(); ++head)
      for (std::size_t pos = 0; pos < grid[layer][head].size(); pos += 3)
        expect(grid[layer][head][pos], "corrupt",
               patched(*clean_, at("attn.z", layer,
                                   "[head=" + std::to_string(head) + ",pos=" + std::to_string(pos) + "]")));
}

TEST_P(Hooks, scaled_added_averaged_and_copied) {
  for (std::size_t layer = 0; layer < reference_["scale_mlp"].size(); ++layer)
    expect(reference_["scale_mlp"][layer], "clean", edit(at("mlp.out*=0.5", layer).c_str()));
  for (std::size_t layer = 0; layer < reference_["mean_z"].size(); ++layer)
    for (std::size_t head = 0; head < reference_["mean_z"][layer].size(); ++head)
      expect(reference_["mean_z"][layer][head], "clean",
             edit(at("attn.z[head=", layer, std::to_string(head) + "]=mean").c_str()));
  expect(reference_["copy_resid"], "clean", edit("blocks.1.resid_pre[pos=5]=@pos:2"));
  expect(reference_["add_resid"], "clean", edit("blocks.1.resid_pre[pos=2]+=0.25"));
}

TEST_P(Hooks, a_patch_of_a_run_into_itself_changes_nothing) {
  for (const char* place :
       {"blocks.0.resid_pre[pos=3]", "blocks.1.attn.z[head=1]", "blocks.1.attn.pattern[head=0,query=4]",
        "blocks.1.mlp.out", "blocks.1.attn.split_k[head=0]", "ln_final.out[pos=5]", "logits[pos=7]"}) {
    const TracePointer same = run("clean", {patched(*clean_, place)}, clean_);
    EXPECT_TRUE(same->unreached.empty()) << place;
    for (const Record& record : clean_->records())
      EXPECT_EQ(max_abs_difference(must_tensor(*clean_, record.site), must_tensor(*same, record.site)), 0)
          << place << " at " << to_text(record.site);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Hooks, ::testing::Values("gpt2", "llama", "qwen2"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace attnscope
