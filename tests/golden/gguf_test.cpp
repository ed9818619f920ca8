// GGUF models: the files that llama-quantize wrote, each against the logits of its own weights; and every
// architecture written as GGUF against the same model as Hugging Face wrote it.
#include "core/arch/gguf_model.h"
#include "core/sample/sampler.h"
#include "tests/golden/gguf_checkpoint.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

// Files of ours, or of the folder beside the repository that has all of them.
std::string gguf_path(const std::string& file) {
  const std::string own = source_path("tests/golden/gguf/" + file);
  return std::filesystem::exists(own) ? own : source_path("../shared/fixtures/gguf/" + file);
}

class Quantised : public ::testing::TestWithParam<std::string> {};

TEST_P(Quantised, LogitsAndPatternsAreThoseOfItsWeights) {
  const std::string path = gguf_path("llama-" + GetParam() + ".gguf");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const OpenedModel opened = must_open(path);
  ASSERT_TRUE(opened.model);
  const auto expected = *open_safetensors(gguf_path("expected.safetensors"));
  const auto wide = *expected->load_ints("input_ids");
  const TracePointer trace = must_run(*opened.model, {std::vector<int>(wide.begin(), wide.end()), {}});
  ASSERT_TRUE(trace);
  EXPECT_LE(max_abs_difference(must_tensor(*trace, "logits"), *expected->load("logits." + GetParam())), 1e-4);
  EXPECT_LE(max_abs_difference(must_tensor(*trace, "blocks.0.attn.pattern"),
                               *expected->load("attentions.0." + GetParam())),
            1e-4);
}

INSTANTIATE_TEST_SUITE_P(Formats, Quantised, ::testing::Values("f16", "q8_0", "q4_0", "q4_k_m", "q6_k"),
                         [](const auto& type) { return type.param; });

const std::vector<int> kIds{5, 17, 3, 99, 42, 0, 120};

class Converted : public ::testing::TestWithParam<std::string> {
 protected:
  std::string written(const GgufCheckpoint& checkpoint) {
    std::ofstream(folder_ / "m.gguf", std::ios::binary) << checkpoint.writer.file();
    return folder_ / "m.gguf";
  }
  TempFolder folder_;
};

TEST_P(Converted, EveryStepIsThatOfTheOriginal) {
  const OpenedModel gguf = must_open(written(GgufCheckpoint(Checkpoint(GetParam())))),
                    original = must_open(model_path(GetParam()));
  ASSERT_TRUE(gguf.model && original.model);
  const TracePointer a = must_run(*original.model, {kIds, {}}), b = must_run(*gguf.model, {kIds, {}});
  int compared = 0;
  for (const Record& record : a->records()) {
    const std::string site = to_text(record.site);
    if (!b->find(record.site)) {
      EXPECT_EQ(GetParam(), "bert") << site;  // its head is left out of GGUF
      continue;
    }
    EXPECT_LE(max_abs_difference(must_tensor(*a, record.site), must_tensor(*b, record.site)), 2e-5) << site;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// The golden models that llama.cpp's conversion knows, without the scalings it writes in other words.
std::vector<std::string> convertible() {
  const std::vector<std::string> known = gguf_architectures();
  std::vector<std::string> out;
  for (const std::string& model : kModels) {
    const Json config = *read_json_file(model_path(model) + "/config.json");
    const std::string type = config["model_type"], name = type == "gpt_neox" ? "gptneox" : type;
    const std::string rope = config.value("rope_parameters", Json::object()).value("rope_type", "default");
    const bool plain = rope == "default" || rope == "llama3";
    if (plain && std::find(known.begin(), known.end(), name) != known.end()) out.push_back(model);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Families, Converted, ::testing::ValuesIn(convertible()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace attnscope
