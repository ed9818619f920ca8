// The program against PyTorch: every shipped model on its first input, what a changed weight comes to, and
// what is said where there is nothing to compare.
#include "core/session/reference_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "tests/edits.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class ReferenceCheck : public ::testing::TestWithParam<std::string> {
 protected:
  static std::shared_ptr<const OpenedModel> opened(const std::string& model = GetParam()) {
    auto out = open_shipped(model);
    EXPECT_TRUE(out) << out.error().text();
    return std::make_shared<const OpenedModel>(*std::move(out));
  }
  std::vector<StepDifference> under(const std::shared_ptr<const OpenedModel>& opened,
                                    const std::string& edit) {
    return under(opened, testing::edit(edit.c_str()));
  }
  // The input of the reference under an edit.
  std::vector<StepDifference> under(const std::shared_ptr<const OpenedModel>& opened,
                                    std::shared_ptr<const Edit> edit) {
    if (!reference_) {
      reference_ = *reference_of(*opened);
      Document document = new_document(opened);
      EXPECT_TRUE(take_input(document, 0, *reference_));
      input_ = inputs_of(document).front();
    }
    RunOptions options;
    options.edits.push_back(std::move(edit));
    const auto run = opened->model->run(input_, options);
    EXPECT_TRUE(run) << run.error().text();
    EXPECT_TRUE((*run)->unreached.empty());
    EXPECT_TRUE(same_input(*reference_, **run));
    return torch_differences(**run, *reference_);
  }

 private:
  std::optional<TorchReference> reference_;
  Input input_;
};

TEST_P(ReferenceCheck, EqualsPyTorchInEveryStep) {
  const ModelCheck check = check_model(GetParam());
  ASSERT_FALSE(check.error) << check.error->text();
  const TorchVerdict verdict = check.verdict();
  EXPECT_EQ(verdict.first_wrong, nullptr)
      << verdict.first_wrong->name() << " by " << verdict.first_wrong->error();
  EXPECT_TRUE(check.good());
  EXPECT_GE(verdict.steps, 50);
  EXPECT_EQ(verdict.equal, verdict.steps);
  EXPECT_GT(verdict.worst->error(), 0);
  std::set<Site> sites;
  for (const StepDifference& one : check.steps) sites.insert(one.site);
  EXPECT_EQ(std::ssize(sites), verdict.steps) << "each step once";
}

// The reference is of what the window shows first.
TEST_P(ReferenceCheck, IsOfWhatIsShownFirst) {
  const auto model = opened();
  const auto reference = reference_of(*model);
  ASSERT_TRUE(reference) << reference.error().text();
  const Document document = new_document(model);
  const auto run = model->model->run(inputs_of(document).front());
  ASSERT_TRUE(run);
  EXPECT_TRUE(same_input(*reference, **run));
  const RunCheck same = check_run(*model, **run);
  EXPECT_FALSE(same.other_input);
  EXPECT_TRUE(same.check.good());
  // A run of another input: the steps are those of the reference's, and that is said.
  Document changed = document;
  const std::vector<int> ids = changed.sequences.front().input.ids;
  ASSERT_TRUE(replace_token(changed, 0, ids.size() - 1, ids.back() - 1));
  const auto other = model->model->run(inputs_of(changed).front());
  ASSERT_TRUE(other);
  const RunCheck elsewhere = check_run(*model, **other);
  EXPECT_TRUE(elsewhere.other_input);
  EXPECT_TRUE(elsewhere.check.good());
  EXPECT_FALSE(elsewhere.check.text.empty());
  ASSERT_TRUE(take_input(changed, 0, *reference));
  EXPECT_TRUE(same_input(*reference, **model->model->run(inputs_of(changed).front())));
}

// Adds a little to one weight after the other: the first step that is wrong is the one that reads it.
TEST_P(ReferenceCheck, FindsEveryWeightThatWasChanged) {
  const auto model = opened();
  int found = 0;
  for (const auto& [name, tensor] : model->model->weights().all()) {
    if (tensor.empty() || !(ends_with(name, ".weight") || ends_with(name, ".bias"))) continue;
    const auto steps = under(model, name + "+=0.001");
    const TorchVerdict verdict = torch_verdict(steps, kReferenceTolerance);
    ASSERT_NE(verdict.first_wrong, nullptr) << name;
    const std::string place = name.substr(0, name.rfind('.')), step = verdict.first_wrong->name();
    // A tied unembedding is the table of tokens once more.
    const bool tied = ends_with(place, "logits") || ends_with(place, "tok_embed");
    EXPECT_TRUE(tied || starts_with(step, place)) << name << " -> " << step;
    ++found;
  }
  EXPECT_GE(found, 20);
}

// One number of a matrix.
TEST_P(ReferenceCheck, FindsASingleNumber) {
  const auto model = opened();
  const std::string base = model->model->config().encoder() ? "dec." : "";
  for (const char* weight : {"blocks.0.attn.q.weight", "blocks.1.attn.v.weight", "blocks.0.attn.out.weight"})
    for (const char* cell : {"[0,0]", "[3,5]", "[17,30]", "[31,2]"}) {
      const std::string name = base + weight;
      const std::string at = std::string(cell).substr(1, std::string(cell).size() - 2);
      const std::size_t comma = at.find(',');
      const Tensor& tensor = *model->model->weights().find(name);
      const std::string edit = name + "[" + std::string(axis_name(tensor.axis(0))) + "=" +
                               at.substr(0, comma) + "," + std::string(axis_name(tensor.axis(1))) + "=" +
                               at.substr(comma + 1) + "]+=0.05";
      const std::vector<StepDifference> steps = under(model, edit);
      EXPECT_NE(torch_verdict(steps, kReferenceTolerance).first_wrong, nullptr) << edit;
    }
}

TEST_P(ReferenceCheck, FindsAnotherMask) {
  const auto model = opened();
  const auto steps = under(model, testing::mask("window(2)"));
  const StepDifference* wrong = torch_verdict(steps, kReferenceTolerance).first_wrong;
  ASSERT_NE(wrong, nullptr);
  EXPECT_TRUE(wrong->name().find("blocks.0.attn.mask") != std::string::npos) << wrong->name();
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReferenceCheck, ::testing::ValuesIn(shipped_models()), [](const auto& one) {
  std::string name = one.param.substr(6);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ReferenceChecks, AreOfAllModelsTogether) {
  const ModelChecks all = check_shipped_models();
  ASSERT_EQ(all.models.size(), 8u);
  std::int64_t steps = 0;
  for (const ModelCheck& one : all.models) steps += std::ssize(one.steps);
  EXPECT_EQ(all.steps(), steps);
  EXPECT_EQ(all.equal(), steps);
  EXPECT_EQ(all.first_wrong(), nullptr);
  ASSERT_NE(all.worst(), nullptr);
  for (const ModelCheck& one : all.models)
    EXPECT_LE(one.verdict().worst->error(), all.worst()->verdict().worst->error()) << one.model;
  // One reference for each model, and no more; some tens of KB each.
  EXPECT_EQ(assets_under("assets/references/").size(), all.models.size());
  for (const std::string_view file : assets_under("assets/references/"))
    EXPECT_LT(asset(file).size(), 100'000u) << file;
  ModelChecks broken = all;
  broken.models[3].steps[5].max_abs = 1;
  broken.models[5].error = fail(Code::not_found, "error.session.reference.none", {"x", "y"});
  EXPECT_EQ(broken.first_wrong(), &broken.models[3]);
  EXPECT_EQ(broken.equal(), steps - 1);
  EXPECT_EQ(broken.worst(), &broken.models[3]);
  const auto says = [](const ModelChecks& of, const char* key, std::initializer_list<std::string> parts) {
    EXPECT_EQ(of.verdict().key(), key);
    for (const std::string& part : parts)
      EXPECT_NE(of.verdict().str().find(part), std::string::npos) << of.verdict().str() << ": " << part;
  };
  says(all, "check.shipped.all", {std::to_string(steps), "8 models", "1e-05"});
  EXPECT_NE(all.details().str().find("scripts/references.sh"), std::string::npos) << all.details().str();
  EXPECT_NE(all.details().str().find(all.worst()->verdict().worst->name()), std::string::npos);
  says(broken, "check.shipped.first",
       {std::to_string(steps - 1), std::to_string(steps), tr("shipped.sorter"),
        broken.models[3].steps[5].name()});
  broken.models[2].steps[1].why = Text::of("compare.lacks");
  says(broken, "check.shipped.lacks", {tr("shipped.pilot"), broken.models[2].steps[1].name()});
  broken.models[0].error = fail(Code::not_found, "error.session.reference.none", {"a model", "y"});
  says(broken, "check.shipped.error", {tr("shipped.gap-filler"), "a model"});
  std::atomic<bool> cancel{true};
  EXPECT_TRUE(check_shipped_models(&cancel).models.empty());
}

TEST(ReferenceChecks, WhereThereIsNothingToCompareThatIsSaid) {
  const auto story = open_shipped("model:storyteller");
  ASSERT_TRUE(story);
  const auto says = [](const Error& error, const std::string& sentence, const std::string& hint) {
    EXPECT_NE(error.sentence().find(sentence), std::string::npos) << error.text();
    EXPECT_NE(error.hint().find(hint), std::string::npos) << error.text();
  };
  // A model without a reference.
  const auto other = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(other);
  const auto none = reference_of(*other);
  ASSERT_FALSE(none);
  says(none.error(), "gpt2", "model:storyteller");
  EXPECT_FALSE(reference_of(*open_shipped("scene:nine_steps")));
  EXPECT_TRUE(check_model("model:nobody").error);
  EXPECT_FALSE(check_model("model:nobody").good());
  // A file of another model, a broken one, one that is not there.
  const testing::TempFolder folder;
  const std::string path = folder / "some.json";
  std::ofstream(path) << asset("assets/references/sorter.json");
  const auto foreign = reference_from(path, *story);
  ASSERT_FALSE(foreign);
  says(foreign.error(), "sorter", "scripts/references.sh");
  EXPECT_NE(foreign.error().sentence().find("some.json"), std::string::npos);
  std::ofstream(path) << asset("assets/references/storyteller.json").substr(0, 3000);
  const auto broken = reference_from(path, *story);
  ASSERT_FALSE(broken);
  says(broken.error(), "some.json", "scripts/references.sh");
  EXPECT_FALSE(reference_from(folder / "none.json", *story));
  std::ofstream(path) << asset("assets/references/storyteller.json");
  EXPECT_TRUE(reference_from(path, *story));
}

}  // namespace
}  // namespace attnscope
