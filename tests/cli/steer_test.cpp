// Steering vectors: files in every form, --steer against a sum by hand, and the sweep over strengths.
#include <cmath>
#include <fstream>

#include "core/arch/open.h"
#include "core/io/control_vector.h"
#include "core/io/writers.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kSteered = model_path("gpt2");
constexpr const char* kSteerIds = " --ids 3,5,1,7 ";

std::vector<float> waves(std::int64_t count, float seed) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(std::sin(seed * static_cast<float>(i + 1)) * 0.3f + (i == 0 ? 0.1f : 0.f));
  return out;
}

class Steering : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto opened = open_model(kSteered);
    ASSERT_TRUE(opened);
    width_ = opened->model->config().d_model;
    blocks_ = opened->model->config().n_layers();
    ASSERT_GE(blocks_, 2);
    for (int block = 1; block < blocks_; ++block)
      vector_.vectors[block] =
          Tensor::from(waves(width_, 0.7f * static_cast<float>(block)), {{Axis::none, width_}});
    vector_.model_hint = "gpt2";
    path_ = folder_ / "v.gguf";
    ASSERT_TRUE(write_control_vector(path_, vector_));
  }
  // The logits of the last row.
  static std::vector<double> logits(const std::string& more) {
    const TempFolder folder;
    const std::string out = folder / "t.json";
    const Ran ran = cli("trace " + kSteered + kSteerIds + more + " --steps logits --out " + out);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return Json::parse(read_text(out))["logits"]["values"].back().get<std::vector<double>>();
  }
  TempFolder folder_;
  ControlVector vector_;
  std::int64_t width_ = 0;
  int blocks_ = 0;
  std::string path_;
};

TEST_F(Steering, what_was_written_is_read) {
  const auto read = read_control_vector(path_);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->model_hint, "gpt2");
  ASSERT_EQ(read->vectors.size(), vector_.vectors.size());
  for (const auto& [block, values] : vector_.vectors)
    EXPECT_EQ(read->vectors.at(block).values(), values.values());
}

// The bytes as the format of llama.cpp has them, so that a change of both reader and writer is seen.
TEST_F(Steering, the_file_is_gguf_byte_by_byte) {
  ControlVector one;
  one.model_hint = "ab";
  one.vectors[2] = Tensor::from({1.f, -2.f}, {{Axis::none, 2}});
  ASSERT_TRUE(write_control_vector(folder_ / "one.gguf", one));
  const std::string bytes = read_text(folder_ / "one.gguf");
  std::string wanted = "GGUF";
  const auto put = [&](auto value) { wanted.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto text = [&](const std::string& value) { put(std::uint64_t{value.size()}), wanted += value; };
  put(std::uint32_t{3}), put(std::uint64_t{1}), put(std::uint64_t{3});
  text("general.architecture"), put(std::uint32_t{8}), text("controlvector");
  text("controlvector.model_hint"), put(std::uint32_t{8}), text("ab");
  text("controlvector.layer_count"), put(std::uint32_t{5}), put(std::int32_t{2});
  text("direction.2"), put(std::uint32_t{1}), put(std::uint64_t{2}), put(std::uint32_t{0}),
      put(std::uint64_t{0});
  wanted.resize((wanted.size() + 31) / 32 * 32, '\0');
  put(1.f), put(-2.f);
  wanted.resize((wanted.size() + 31) / 32 * 32, '\0');
  EXPECT_EQ(bytes, wanted);
}

// The run equals one in which each block's output is set to itself plus strength times the vector.
TEST_F(Steering, a_steered_run_is_the_sum_by_hand) {
  const auto opened = open_model(kSteered);
  Input input;
  input.ids = {3, 5, 1, 7};
  constexpr float kStrength = -0.75f;
  Edits by_hand;
  auto run = *opened->model->run(input, {});
  for (const auto& [block, values] : vector_.vectors) {
    const Target where = *parse_target("blocks." + std::to_string(block) + ".resid_post");
    const Tensor before = *run->tensor(where.site);
    std::vector<float> sum;
    for (std::int64_t row = 0; row < before.size(0); ++row)
      for (std::int64_t i = 0; i < width_; ++i) sum.push_back(before.at(row, i) + kStrength * values.at(i));
    Frozen frozen{Tensor::from(std::move(sum), {{before.axis(0), before.size(0)}, {before.axis(1), width_}}),
                  "hand"};
    by_hand.push_back(make_edit(NumberEdit{where, EditOp::set, std::move(frozen)}));
    RunOptions options;
    options.edits = by_hand;
    run = *opened->model->run(input, options);
  }
  const std::vector<double> steered = logits("--steer " + path_ + ":-0.75");
  const Tensor wanted = run->logits_row(3);
  for (std::int64_t id = 0; id < wanted.size(0); ++id)
    EXPECT_NEAR(steered[static_cast<std::size_t>(id)], static_cast<double>(wanted.at(id)), 2e-5);
  EXPECT_NE(steered, logits(""));
  EXPECT_EQ(logits("--steer " + path_ + ":0"), logits(""));
}

TEST_F(Steering, every_form_of_file_gives_the_same_bits) {
  std::vector<NamedTensor> arrays;
  std::string edits;
  for (const auto& [block, values] : vector_.vectors) {
    const std::string step = "blocks." + std::to_string(block) + ".resid_post";
    arrays.push_back({step, values});
    edits += " --edit '" + step + "+=@dir:" + path_ + "*0.5'";
  }
  ASSERT_TRUE(write_tensors(folder_ / "v.npz", arrays));
  ASSERT_TRUE(write_tensors(folder_ / "v.safetensors", arrays));
  const std::vector<double> gguf = logits("--steer " + path_ + ":0.5");
  EXPECT_EQ(logits("--steer " + (folder_ / "v.npz") + ":0.5"), gguf);
  EXPECT_EQ(logits("--steer " + (folder_ / "v.safetensors") + ":0.5"), gguf);
  EXPECT_EQ(logits(edits), gguf);
}

TEST_F(Steering, a_direction_is_written_as_a_control_vector) {
  const std::string data = folder_ / "a.jsonl", other = folder_ / "b.jsonl";
  std::ofstream(data) << R"({"ids": [3, 5, 1]})"
                      << "\n"
                      << R"({"ids": [2, 2]})"
                      << "\n";
  std::ofstream(other) << R"({"ids": [7, 7, 7]})"
                       << "\n";
  const std::string words = "direction " + kSteered + " --data " + data + " --against " + other + " -o ";
  ASSERT_EQ(cli(words + (folder_ / "d.npz") + " --steps 'blocks.1-9.resid_post'").exit_code, 0);
  const Ran ran = cli(words + (folder_ / "d.gguf"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("Left out: blocks.0.resid_post"), std::string::npos) << ran.err;
  EXPECT_EQ(read_control_vector(folder_ / "d.gguf")->model_hint, "gpt2");
  EXPECT_EQ(logits("--steer " + (folder_ / "d.gguf")), logits("--steer " + (folder_ / "d.npz")));
}

// A vector says which model it was made from; where another one takes it, a line says so, once.
TEST_F(Steering, a_vector_of_another_model_is_said) {
  const std::string data = folder_ / "a.jsonl", other = folder_ / "b.jsonl";
  std::ofstream(data) << R"({"text": "The cat sat"})"
                      << "\n";
  std::ofstream(other) << R"({"text": "The dog ran"})"
                       << "\n";
  const std::string from = "direction model:storyteller --data " + data + " --against " + other;
  const auto count = [](const std::string& text, const std::string& what) {
    int out = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
    return out;
  };
  for (const std::string ending : {"npz", "safetensors", "gguf"}) {
    const std::string path = folder_ / ("d." + ending);
    ASSERT_EQ(cli(from + " --steps 'blocks.1.resid_post' -o " + path).exit_code, 0);
    for (const std::string& words :
         {" --steer " + path + ":0.5", " --edit 'blocks.1.resid_post+=@" + path + "'",
          " --edit 'blocks.1.resid_post+=@dir:" + path + "*2'"}) {
      const std::string text = " --text 'The cat sat' --summary" + words;
      const Ran same = cli("trace model:storyteller" + text);
      ASSERT_EQ(same.exit_code, 0) << same.err;
      EXPECT_EQ(same.err, "") << words;
      const Ran ran = cli("trace model:storyteller-deep" + text);
      ASSERT_EQ(ran.exit_code, 0) << ran.err;
      EXPECT_EQ(count(ran.err, "come from another model"), 1) << words << ran.err;
    }
    const Ran swept = cli("steer model:storyteller-deep " + path +
                          " --text 'The cat sat' --strengths=0,1 --measure 'logit: cat'");
    EXPECT_NE(swept.err.find("come from another model"), std::string::npos) << swept.err;
  }
}

TEST_F(Steering, the_sweep_is_the_runs_one_by_one) {
  const Ran ran =
      cli("steer " + kSteered + " " + path_ + kSteerIds + "--strengths=-1,0,2 --measure 'logit:#4' --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json answer = ran.json();
  const std::size_t several = blocks_ > 2 ? 1 : 0;
  ASSERT_EQ(answer["rows"].size(), 3 * (static_cast<std::size_t>(blocks_) - 1 + several));
  for (const Json& row : answer["rows"]) {
    const double strength = row["strength"];
    const std::string words = row["step"] == "all"
                                  ? "--steer " + path_ + ":" + std::to_string(strength)
                                  : "--edit '" + row["step"].get<std::string>() + "+=@dir:" + path_ + "*" +
                                        std::to_string(strength) + "'";
    EXPECT_NEAR(row["value"], logits(words)[4], 1e-6) << row;
    if (strength == 0) {
      EXPECT_EQ(row["value"], answer["base"]["logit:#4"]);
    }
  }
  const std::string csv = folder_ / "s.csv";
  ASSERT_EQ(
      cli("steer " + kSteered + " " + path_ + kSteerIds + "--strengths=1 --measure 'logit:#4' --out " + csv)
          .exit_code,
      0);
  EXPECT_EQ(read_text(csv).rfind(
                "step,block,strength,measure,clean,value,stderr,n,run\nblocks.1.resid_post,1,1,", 0),
            0u)
      << read_text(csv);
}

TEST_F(Steering, what_does_not_fit_is_said_with_both_numbers) {
  const auto refused = [&](const ControlVector& vector, const std::string& part) {
    ASSERT_TRUE(write_control_vector(folder_ / "bad.gguf", vector));
    expect_refused("trace " + kSteered + kSteerIds + "--steer " + (folder_ / "bad.gguf"), 1, part);
  };
  ControlVector other;
  other.vectors[1] = Tensor::from({1.f, 2.f, 3.f}, {{Axis::none, 3}});
  refused(other, "have 3 numbers, the residual stream of this model has " + std::to_string(width_));
  other.vectors.clear();
  other.vectors[40] = vector_.vectors.begin()->second;
  refused(other, "block 40, but the last block of this model is " + std::to_string(blocks_ - 1));
  expect_refused("trace " + kSteered + kSteerIds + "--steer " + path_ + ":strong", 1,
                 "no number behind the colon");
  expect_refused("trace " + kSteered + kSteerIds + "--steer " + (folder_ / "none.gguf"), 1, "none.gguf");
  std::ofstream(folder_ / "text.gguf") << "no vector";
  expect_refused("trace " + kSteered + kSteerIds + "--steer " + (folder_ / "text.gguf"), 1, "text.gguf");
  expect_refused("trace " + kSteered + kSteerIds + "--steer v.txt", 1, "no file of steering vectors");
}

}  // namespace
}  // namespace attnscope
