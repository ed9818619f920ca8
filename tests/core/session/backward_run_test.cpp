// The backward pass of a run on screen: which loss, the walk in reverse order, where each gradient came from,
// gradients of weights by the rectangle, and checks of single numbers.
#include "core/session/backward_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/base/words.h"
#include "core/step/catalog_backward.h"
#include "core/train/task.h"
#include "tests/edits.h"

namespace attnscope {
namespace {

std::shared_ptr<const RunResult> run_of(const std::string& model) {
  Session session;
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model);
  session.wait();
  EXPECT_TRUE(session.result()) << (session.error() ? session.error()->text() : model);
  return session.result();
}

std::vector<std::string> all_models() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models"))
    if (entry.is_directory()) out.push_back(entry.path().filename().string());
  return out;
}

// The last cell of a step.
std::vector<std::int64_t> last_cell(const Record& record) {
  std::vector<std::int64_t> index;
  for (const std::int64_t size : record.shape) index.push_back(size - 1);
  return index;
}

TEST(BackwardRun, EveryStepWithAGradientHasItsRowAndIsReadBySomething) {
  int models = 0;
  for (const std::string& name : all_models()) {
    const auto run = run_of(name);
    if (!run) continue;
    const auto grads = grads_of(run, 0, {});
    if (grads->error) continue;  // no head, or one token
    ++models;
    for (const Record& record : grads->gradients->records()) {
      const BackwardStep* row = backward_step(record.site.slot);
      ASSERT_TRUE(row) << to_text(record.site);
      EXPECT_TRUE(has_string(words_key(*row) + ".sentence")) << to_text(record.site);
      EXPECT_EQ(row->formula.empty(), has_string(words_key(*row) + ".formula")) << to_text(record.site);
      if (record.site.slot == Slot::logits) continue;
      EXPECT_FALSE(grads->readers_of(record.site).empty()) << name << " " << to_text(record.site);
    }
    for (const WeightUse& use : grads->gradients->uses()) EXPECT_FALSE(use.name.empty());
  }
  EXPECT_GE(models, 8);
}

TEST(BackwardRun, TheWalkGoesBackFromTheLogitsAndHoldsEveryGradient) {
  const auto run = run_of("gpt2");
  const auto grads = grads_of(run, 0, {});
  ASSERT_TRUE(grads->gradients) << grads->error->text();
  const auto& steps = grads->walk->steps;
  EXPECT_EQ(steps.front().main.slot, Slot::logits);
  EXPECT_EQ(steps.back().main.layer, -1);
  for (const Record& record : grads->gradients->records())
    EXPECT_GE(step_index(steps, record.site), 0) << to_text(record.site);
  int before = 1000;
  for (const TimelineStep& step : steps) {
    if (step.layer < 0) continue;
    EXPECT_LE(step.layer, before);
    before = step.layer;
  }
}

TEST(BackwardRun, WordsAskForTheNextTokenAndTheLastRowForWhatIsChosen) {
  const auto run = run_of("gpt2");
  const Trace& trace = run->trace(0);
  const auto plain = default_objective(trace), chosen = default_objective(trace, {LossRows::as_trained, 5});
  ASSERT_TRUE(plain && chosen);
  const std::size_t last = plain->targets.size() - 1;
  for (std::size_t row = 0; row < last; ++row) EXPECT_EQ(plain->targets[row], trace.ids[row + 1]);
  EXPECT_LT(plain->targets[last], 0);
  EXPECT_EQ(chosen->targets[last], 5);
  const auto far = default_objective(trace, {LossRows::as_trained, 1 << 30});
  ASSERT_FALSE(far);
  EXPECT_NE(far.error().sentence().find("vocabulary"), std::string::npos);
}

TEST(BackwardRun, OneTokenHasNoLossUntilATargetIsChosen) {
  Session session;
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  session.wait();
  ASSERT_TRUE(session.edit("one", "", [](Document& document) { return set_ids(document, 0, {3}, {}); }));
  session.wait();
  const auto none = grads_of(session.result(), 0, {});
  ASSERT_TRUE(none->error);
  EXPECT_NE(none->error->hint().find("choose"), std::string::npos);
  EXPECT_FALSE(none->likely.empty());
  EXPECT_FALSE(grads_of(session.result(), 0, {LossRows::as_trained, none->likely.front()})->error);
}

TEST(BackwardRun, AnEditedRunIsGoneBackThrough) {
  Session session;
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  session.wait();
  ASSERT_TRUE(session.edit("set", "", [](Document& document) -> Status {
    put_edit(document, testing::edit("blocks.1.resid_pre[pos=0]=2"));
    return Done{};
  }));
  session.wait();
  const auto grads = grads_of(session.result(), 0, {});
  ASSERT_TRUE(grads->gradients) << grads->error->text();
  EXPECT_NE(grads->gradients->cell(site_of(Slot::resid_pre, 1), {0, 0}), 0.f);
  EXPECT_EQ(grads->gradients->passed(site_of(Slot::resid_pre, 1), {0, 0}), 0.f);
  EXPECT_EQ(grads->gradients->cell(site_of(Slot::resid_post, 0), {0, 0}), 0.f)
      << "what was set sends nothing back";
}

TEST(BackwardRun, LossesOfTheRowsMakeTheLoss) {
  const auto grads = grads_of(run_of("llama"), 0, {});
  ASSERT_TRUE(grads->gradients);
  double sum = 0;
  int counted = 0;
  for (const double loss : grads->losses)
    if (!std::isnan(loss)) sum += loss, ++counted;
  EXPECT_EQ(counted, grads->gradients->loss().counted);
  EXPECT_NEAR(sum / counted, grads->loss, 1e-6);
}

TEST(BackwardRun, WeightsByTheRectangleAreTheWeightsOfTheBackwardPass) {
  for (const char* name : {"gpt2", "llama", "marian"}) {
    const auto grads = grads_of(run_of(name), 0, {});
    ASSERT_TRUE(grads->gradients) << name;
    const auto& gradients = *grads->gradients;
    const Weights& weights = gradients.trace().weights();
    for (const auto& [weight, gradient] : gradients.weights()) {
      const std::int64_t rows = gradient.rank() == 1 ? 1 : gradient.size(0),
                         cols = gradient.size(gradient.rank() - 1);
      const std::vector<std::int64_t> last = gradient.rank() == 1
                                                 ? std::vector<std::int64_t>{cols - 1}
                                                 : std::vector<std::int64_t>{rows - 1, cols - 1};
      ASSERT_FALSE(weights.get(weight).empty()) << weight;
      const double all = static_cast<double>(gradient.at(last));
      EXPECT_NEAR(weight_gradient_cell(gradients, weight, last), all, 1e-5 + 1e-4 * std::abs(all)) << weight;
      const bool shared = weight.ends_with("tok_embed.weight");  // its uses are added up there
      std::vector<WeightPart> own = weight_parts(gradients, weight);
      std::erase_if(own, [](const WeightPart& one) { return !one.own; });
      const Tensor part = weight_share(gradients, weight, own, {rows - 1, rows}, {cols - 1, cols});
      if (!shared) {
        EXPECT_NEAR(static_cast<double>(part.at(0, 0)), all, 1e-5 + 1e-4 * std::abs(all)) << weight;
      }
    }
  }
}

TEST(BackwardRun, StepsKnowTheirWeights) {
  const auto grads = grads_of(run_of("gpt2"), 0, {});
  const auto of = [&](const char* site) { return weights_of_step(*grads->gradients, *parse_site(site)); };
  EXPECT_EQ(of("blocks.0.attn.q"),
            (std::vector<std::string>{"blocks.0.attn.q.weight", "blocks.0.attn.q.bias"}));
  EXPECT_EQ(of("blocks.1.ln1.out"), (std::vector<std::string>{"blocks.1.ln1.weight", "blocks.1.ln1.bias"}));
  EXPECT_EQ(of("tok_embed"), (std::vector<std::string>{"tok_embed.weight"}));
  EXPECT_TRUE(of("blocks.0.attn.scores").empty());
}

TEST(BackwardRun, ChecksAgreeForStepsAndWeightsEvenTiedOnes) {
  const auto run = run_of("gpt2");
  Workers workers;
  BackwardRun pass;
  pass.follow(workers, run, 0, {LossRows::as_trained, 4});
  while (workers.any_busy()) std::this_thread::yield();
  const auto grads = pass.newest();
  ASSERT_TRUE(grads && grads->gradients);
  const auto check = [&](const Site& site, const std::string& weight, std::vector<std::int64_t> index) {
    pass.check(workers, grads, site, weight, std::move(index));
    while (workers.any_busy()) std::this_thread::yield();
    return *pass.checked();
  };
  for (const char* name :
       {"blocks.0.attn.q", "blocks.1.mlp.post", "blocks.0.attn.pattern", "blocks.0.resid_pre"}) {
    const Site site = *parse_site(name);
    const GradientCheck found = check(site, "", last_cell(*grads->gradients->find(site)));
    EXPECT_TRUE(found.agrees()) << found.name << ": " << found.numbers.analytic << " and "
                                << found.numbers.measured << " ± " << found.numbers.uncertainty;
  }
  for (const char* name : {"blocks.0.attn.q.weight", "logits.weight"}) {
    const GradientCheck found = check({}, name, {1, 2});
    EXPECT_TRUE(found.agrees()) << found.name << (found.error ? found.error->text() : "");
    EXPECT_NEAR(found.numbers.analytic, weight_gradient_cell(*grads->gradients, name, {1, 2}), 1e-5);
  }
  EXPECT_TRUE(check(grads->walk->steps.front().main, "", {0, 0}).error) << "logits cannot be changed alone";
}

TEST(BackwardRun, AWrongNumberDoesNotAgree) {
  GradientCheck check;
  check.done = true;
  check.numbers = {0.5, 0.4, 0.01, 0.001};
  EXPECT_FALSE(check.agrees());
  check.numbers.measured = 0.5005;
  EXPECT_TRUE(check.agrees());
}

TEST(BackwardRun, TheNewestRunWinsAndAnotherModelForgetsTheOldGradients) {
  Workers workers;
  BackwardRun pass;
  const auto first = run_of("gpt2"), other = run_of("llama");
  pass.follow(workers, first, 0, {});
  while (workers.any_busy()) std::this_thread::yield();
  ASSERT_TRUE(pass.newest());
  const std::uint64_t version = pass.newest()->version;
  pass.follow(workers, first, 0, {});
  EXPECT_FALSE(workers.any_busy()) << "asked already";
  EXPECT_EQ(pass.newest()->version, version);
  pass.follow(workers, other, 0, {});
  EXPECT_TRUE(!pass.newest() || pass.newest()->run == other);
  while (workers.any_busy()) std::this_thread::yield();
  EXPECT_EQ(pass.newest()->run, other);
}

// ---- which rows count ----------------------------------------------------------------------------

std::shared_ptr<const RunResult> shipped_run(const std::string& name) {
  Session session;
  session.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/" + name);
  session.wait();
  EXPECT_TRUE(session.result()) << (session.error() ? session.error()->text() : name);
  return session.result();
}

std::vector<std::size_t> counted(const Objective& objective) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < objective.targets.size(); ++row)
    if (objective.targets[row] >= 0) rows.push_back(row);
  return rows;
}

// On the examples that a model was trained on, the rule of its card counts the rows of its training, and asks
// them for the same. What follows the last token of an input stands in no input.
TEST(CountedRowsOfShippedModels, AreThoseOfTheirTraining) {
  for (const auto& task : tasks()) {
    const std::string folder =
        std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/" + std::string(task->name());
    const auto opened = open_model(folder);
    ASSERT_TRUE(opened) << opened.error().text();
    ASSERT_TRUE(opened->card && opened->card->counted) << task->name();
    EXPECT_EQ(*opened->card->counted, task->counted()) << task->name();
    for (int number = 0; number < 12; ++number) {
      const Example example = task->example(3, Split::held_out, number);
      const auto trace = opened->model->run(example.input);
      ASSERT_TRUE(trace) << trace.error().text();
      const auto found = default_objective(**trace, {}, trained_rows(*opened));
      ASSERT_TRUE(found) << task->name() << ": " << found.error().text();
      for (std::size_t row = 0; row < example.targets.size(); ++row) {
        const bool hidden = task->counted().kind == CountedRows::Kind::masked;
        const bool last = !hidden && row + 1 == example.input.ids.size();
        if (last) continue;
        ASSERT_EQ(found->targets[row] >= 0, example.targets[row] >= 0) << task->name() << " row " << row;
        if (hidden) continue;
        ASSERT_EQ(found->targets[row], example.targets[row]) << task->name() << " row " << row;
      }
    }
  }
}

TEST(CountedRowsOfShippedModels, MakeTheLossOfTheirTraining) {
  const auto pilot = shipped_run("pilot");
  ASSERT_TRUE(pilot);
  const auto trained = grads_of(pilot, 0, {}), all = grads_of(pilot, 0, {LossRows::all, -1}),
             last = grads_of(pilot, 0, {LossRows::last, -1});
  ASSERT_TRUE(trained->gradients && all->gradients && last->gradients);
  EXPECT_EQ(trained->gradients->loss().counted, 7);  // actions
  EXPECT_LT(trained->loss, 0.5);
  EXPECT_GT(all->gradients->loss().counted, 7);  // and the words of the instruction, which nobody taught it
  EXPECT_GT(all->loss, 2);
  EXPECT_EQ(last->gradients->loss().counted, 1);
}

TEST(LossChoice, RowsAndTargets) {
  const auto gap = shipped_run("gap-filler");
  ASSERT_TRUE(gap);
  const Trace& trace = gap->trace(0);
  const auto rule = trained_rows(*gap->document.opened);
  ASSERT_TRUE(rule);
  const auto hidden = default_objective(trace, {}, rule);
  ASSERT_TRUE(hidden) << hidden.error().text();
  for (const std::size_t row : counted(*hidden)) {
    EXPECT_EQ(trace.ids[row], 4);  // [MASK]
    EXPECT_NE(hidden->targets[row], 4) << "nobody asks it to say the mask";
  }
  const auto chosen = default_objective(trace, {LossRows::as_trained, 9}, rule);
  EXPECT_EQ(chosen->targets[counted(*chosen).back()], 9);
  EXPECT_EQ(counted(*default_objective(trace, {LossRows::all, -1}, rule)).size(), trace.ids.size());
  Trace words = trace;
  for (int& id : words.ids)
    if (id == 4) id = 9;
  const auto none = default_objective(words, {}, rule);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().sentence().find("hidden"), std::string::npos);
  EXPECT_NE(none.error().hint().find("all rows"), std::string::npos);
}

TEST(LossChoice, AModelWithoutACardCountsAllRows) {
  const auto run = run_of("gpt2");
  EXPECT_FALSE(trained_rows(*run->document.opened));
  const Trace& trace = run->trace(0);
  const auto silent = default_objective(trace), all = default_objective(trace, {LossRows::all, -1});
  ASSERT_TRUE(silent && all);
  EXPECT_EQ(silent->targets, all->targets);
  const auto last = default_objective(trace, {LossRows::last, 5});
  EXPECT_EQ(counted(*last), (std::vector<std::size_t>{trace.ids.size() - 1}));
  EXPECT_EQ(last->targets.back(), 5);
}

TEST(LossChoice, AnOlderCardNamesItsTask) {
  OpenedModel opened;
  opened.card = ModelCard{};
  opened.card->task = "sorter";
  EXPECT_EQ(trained_rows(opened)->text(), "from:26");
  opened.card->task = "lines of a file";
  EXPECT_FALSE(trained_rows(opened));
}

}  // namespace
}  // namespace attnscope
