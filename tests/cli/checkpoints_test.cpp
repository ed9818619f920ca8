// attnscope-cli checkpoints: the same question asked of every checkpoint of a folder, against runs by hand.
#include <cmath>
#include <filesystem>

#include "core/arch/open.h"
#include "core/lens/head_ranking.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
namespace fs = std::filesystem;

const std::string kSeriesTrain =
    "train induction --quiet --layers 2 --heads 2 --d-model 16 --d-mlp 16 --batch 4 --held-out 10 --warmup 2 "
    "--steps 6 --keep-every 2 --out ";
const std::vector<int> kSeriesIds{5, 9, 2, 7, 5, 9, 2};
constexpr const char* kSeriesWords = " --ids 5,9,2,7,5,9,2 ";

class Checkpoints : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cli(kSeriesTrain + (folder_ / "m")).exit_code, 0); }
  std::string series() const { return folder_ / "m/checkpoints"; }
  TempFolder folder_;
};

std::shared_ptr<const Trace> run_of(const std::string& path) {
  const auto opened = open_model(path);
  EXPECT_TRUE(opened) << opened.error().text();
  Input input;
  input.ids = kSeriesIds;
  return *opened->model->run(input, {});
}

// The mean of -log p(next token), by a plain loop in double.
double loss_by_hand(const Trace& run) {
  double sum = 0;
  for (std::int64_t row = 0; row + 1 < run.length; ++row) {
    const Tensor logits = run.logits_row(row);
    double total = 0;
    for (std::int64_t id = 0; id < logits.size(0); ++id)
      total += std::exp(static_cast<double>(logits.at(id)));
    const int next = kSeriesIds[static_cast<std::size_t>(row) + 1];
    sum += std::log(total) - static_cast<double>(logits.at(next));
  }
  return sum / static_cast<double>(run.length - 1);
}

double role_by_hand(const Trace& run, int block, int number, const std::string& role) {
  for (const RankedHead& head : head_scores(run))
    for (int i = 0; i < kRoleCount; ++i)
      if (head.pattern.layer == block && head.head == number && role_name(static_cast<Role>(i)) == role)
        return head.roles.of(static_cast<Role>(i)).score;
  return -1;
}

TEST_F(Checkpoints, rows_are_those_of_each_model_run_by_hand) {
  const Ran ran =
      cli("checkpoints " + series() + kSeriesWords + "--measure loss --measure 'logit:#2' --heads --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json answer = ran.json();
  std::vector<std::int64_t> steps;
  int heads = 0;
  for (const Json& row : answer["rows"]) {
    const std::int64_t step = row["step"];
    if (steps.empty() || steps.back() != step) steps.push_back(step);
    const auto run = run_of(series() + "/" + row["name"].get<std::string>());
    const std::string measure = row["measure"];
    if (measure == "loss") {
      EXPECT_NEAR(row["value"], loss_by_hand(*run), 1e-5);
    } else if (measure == "logit:#2") {
      EXPECT_NEAR(row["value"], static_cast<double>(run->logits_row(run->length - 1).at(2)), 1e-6);
    } else {
      ++heads;
      EXPECT_EQ(row["value"].get<double>(), role_by_hand(*run, row["block"], row["head"], measure));
    }
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 2, 4, 6}));
  EXPECT_GE(heads, 4 * 4 * 4);  // four steps, four heads, at least four roles
  EXPECT_EQ(answer["run"]["checkpoints"].size(), 4u);
  // The values change, so that the rows are not all of one model.
  EXPECT_NE(answer["rows"].front()["value"], answer["rows"].back()["value"]);
}

TEST_F(Checkpoints, over_a_data_set_it_is_the_mean_over_single_prompts) {
  std::ofstream(folder_ / "d.jsonl") << R"({"ids": [5, 9, 2, 5, 9], "answer": "#2"})"
                                     << "\n"
                                     << R"({"ids": [1, 3, 1], "answer": "#3"})"
                                     << "\n";
  const Json all =
      cli("checkpoints " + series() + " --data " + (folder_ / "d.jsonl") + " --measure logit --json").json();
  const auto alone = [&](const std::string& ids, const std::string& token) {
    return cli("checkpoints " + series() + " --ids " + ids + " --measure 'logit:#" + token + "' --json")
        .json();
  };
  const Json one = alone("5,9,2,5,9", "2"), two = alone("1,3,1", "3");
  ASSERT_EQ(all["rows"].size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const double a = one["rows"][i]["value"], b = two["rows"][i]["value"];
    EXPECT_NEAR(all["rows"][i]["value"], (a + b) / 2, 1e-12);
    EXPECT_NEAR(all["rows"][i]["stderr"], std::fabs(a - b) / 2, 1e-9);  // n - 1 in the variance
    EXPECT_EQ(all["rows"][i]["n"], 2);
  }
}

TEST_F(Checkpoints, probes_are_those_of_each_model_alone) {
  const std::string data = " --data task:induction --limit 12 ";
  const Json all = cli("checkpoints " + series() + data + "--probe position --json").json();
  const Json alone = cli("probe " + series() + "/step000004" + data + "--what position --json").json();
  std::vector<double> found, wanted;
  for (const Json& row : all["rows"])
    if (row["step"] == 4) found.push_back(row["value"]);
  for (const Json& depth : alone["depths"]) wanted.push_back(depth["held_out"]);
  EXPECT_EQ(found, wanted);
  expect_refused("checkpoints " + series() + kSeriesWords + "--probe position", 1, "Probes need the prompts");
}

TEST_F(Checkpoints, what_cannot_be_read_is_said_and_passed_over) {
  fs::create_directory(series() + "/step000008");  // still being written
  std::ofstream(series() + "/pytorch_model-10.bin") << "pickle";
  const Ran ran = cli("checkpoints " + series() + kSeriesWords + "--json");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("\"step000008\" is passed over"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("pickled"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("2 of 6 checkpoints"), std::string::npos) << ran.err;
  const Json answer = ran.json();
  EXPECT_EQ(answer["rows"].size(), 4u);
  EXPECT_EQ(answer["passed_over"].size(), 2u);
  // Opened as a model it is the last that can be read.
  const Ran info = cli("info " + series() + " --json");
  EXPECT_NE(info.out.find("step000006"), std::string::npos) << info.out << info.err;
}

TEST_F(Checkpoints, mixed_folders_get_a_sentence) {
  fs::copy(series() + "/step000002", series() + "/checkpoint-2", fs::copy_options::recursive);
  expect_refused("checkpoints " + series() + kSeriesWords, 1, "several trainings");
  fs::remove_all(series() + "/checkpoint-2");
  fs::remove_all(series() + "/step000004");
  ASSERT_EQ(cli("train induction --quiet --layers 1 --heads 2 --d-model 16 --d-mlp 16 --batch 4 --held-out 4 "
                "--warmup 1 --steps 1 --out " +
                series() + "/step000004")
                .exit_code,
            0);
  const Ran ran = cli("checkpoints " + series() + kSeriesWords + "--json");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("\"step000004\" is passed over: It is of another model"), std::string::npos)
      << ran.err;
  EXPECT_EQ(ran.json()["rows"].size(), 3u);
}

// Files beside one config.json, as some trainings write them.
TEST_F(Checkpoints, bare_weights_share_the_config_of_their_folder) {
  fs::create_directory(folder_ / "flat");
  for (const char* name : {"config.json", "tokenizer.json"})
    fs::copy_file(series() + "/step000000/" + name, folder_ / "flat" + "/" + name);
  for (const char* step : {"000002", "000006"})
    fs::copy_file(series() + "/step" + step + "/model.safetensors",
                  folder_ / "flat" + "/" + step + ".safetensors");
  const Json flat = cli("checkpoints " + (folder_ / "flat") + kSeriesWords + "--json").json();
  const Json whole = cli("checkpoints " + series() + kSeriesWords + "--json").json();
  ASSERT_EQ(flat["rows"].size(), 2u);
  EXPECT_EQ(flat["rows"][0]["value"], whole["rows"][1]["value"]);
  EXPECT_EQ(flat["rows"][1]["value"], whole["rows"][3]["value"]);
}

TEST_F(Checkpoints, csv_and_rerun) {
  const std::string csv = folder_ / "a.csv", json = folder_ / "a.json";
  ASSERT_EQ(cli("checkpoints " + (folder_ / "m") + kSeriesWords + "--every 2 --out " + csv).exit_code, 0);
  EXPECT_EQ(read_text(csv).rfind(
                "step,name,measure,at,block,head,value,stderr,chance,n,run\n0,step000000,loss,,,,", 0),
            0u)
      << read_text(csv);
  ASSERT_EQ(cli("checkpoints " + series() + kSeriesWords + "--from 2 --to 4 --out " + json).exit_code, 0);
  EXPECT_EQ(cli("rerun " + json).exit_code, 0);
  expect_refused("checkpoints " + series() + kSeriesWords + "--from 7", 1, "from 0 to 6");
  expect_refused("checkpoints " + (folder_ / "none") + kSeriesWords, 1, "There is no file or folder");
}

TEST(CheckpointNames, the_step_is_found) {
  const auto step = [](const char* name) { return step_of_name(name).value_or(-1); };
  EXPECT_EQ(step("step1000"), 1000);
  EXPECT_EQ(step("checkpoint-500"), 500);
  EXPECT_EQ(step("000100.safetensors"), 100);
  EXPECT_EQ(step("epoch=3-step=1000.ckpt"), 1000);
  EXPECT_EQ(step("step1000-tokens4B"), 1000);
  EXPECT_EQ(step("global_step_20"), 20);
  EXPECT_EQ(step("pytorch_model-30.bin"), 30);
  EXPECT_EQ(step("ckpt_20k"), 20000);
  EXPECT_EQ(step("iter_0000042"), 42);
  for (const char* other : {"model.safetensors", "model-00001-of-00002.safetensors", "gpt2", "llama-7b-chat",
                            "2026-11-27", "step", "tokenizer.json", "qwen3", "checkpoint.safetensors"})
    EXPECT_EQ(step(other), -1) << other;
}

}  // namespace
}  // namespace attnscope
