// GGUF models: the files that llama-quantize wrote, each against the logits of its own weights; and every
// architecture written as GGUF against the same model as Hugging Face wrote it.

#include "core/arch/gguf_model.h"
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

const std::vector<int> kGgufIds{5, 17, 3, 99, 42, 0, 120};

class Converted : public ::testing::TestWithParam<std::string> {
 protected:
  std::string written(const GgufCheckpoint& checkpoint) {
    std::ofstream(folder_ / "m.gguf", std::ios::binary) << checkpoint.writer.file();
    return folder_ / "m.gguf";
  }
  TempFolder folder_;
};

TEST_P(Converted, EveryStepIsThatOfTheOriginal) {
  CheckpointFolder checkpoint(GetParam());
  if (GetParam() == "gemma2")  // GGUF has no place for what scores are divided by: it is taken for head_dim
    checkpoint.config["query_pre_attn_scalar"] = checkpoint.config["head_dim"];
  checkpoint.write(folder_ / "original");
  const std::string path = written(GgufCheckpoint(checkpoint));
  const OpenedModel gguf = must_open(path), original = must_open(folder_ / "original");
  ASSERT_TRUE(gguf.model && original.model);
  EXPECT_EQ(gguf.family, original.family);
  const TracePointer a = must_run(*original.model, {kGgufIds, {}}), b = must_run(*gguf.model, {kGgufIds, {}});
  ASSERT_TRUE(a && b);
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

INSTANTIATE_TEST_SUITE_P(Families, Converted,
                         ::testing::Values("gpt2", "llama", "llama3", "llama_yarn", "mistral", "qwen2",
                                           "qwen3", "gemma", "gemma2", "bert", "gpt_neox", "gpt_neox_serial"),
                         [](const auto& model) { return model.param; });

// ---- what people get wrong -----------------------------------------------------------------------

class BrokenGguf : public ::testing::Test {
 protected:
  Error refusal(const std::string& bytes) {
    std::ofstream(folder_ / "m.gguf", std::ios::binary) << bytes;
    const auto opened = open_model(folder_ / "m.gguf");
    EXPECT_FALSE(opened);
    return opened ? Error{} : opened.error();
  }
  static void expect_says(const Error& error, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(error.text().find(part), std::string::npos) << error.text();
    EXPECT_FALSE(error.hint().empty()) << error.sentence();
  }
  TempFolder folder_;
};

TEST_F(BrokenGguf, AVocabularyIsNoModel) {
  GgufWriter writer;
  writer.text("general.architecture", "llama");
  writer.texts("tokenizer.ggml.tokens", {"a", "b"});
  expect_says(refusal(writer.file()), {"m.gguf", "holds a vocabulary only", "tokenize"});
}

TEST_F(BrokenGguf, UnknownArchitecturesHearWhichAreKnown) {
  GgufWriter writer;
  writer.text("general.architecture", "mamba");
  expect_says(refusal(writer.file()), {"mamba", "llama", "gptneox"});
  expect_says(refusal(GgufWriter().file()), {"general.architecture", "gemma2"});
}

TEST_F(BrokenGguf, MissingAndContradictingPartsAreNamed) {
  const CheckpointFolder llama("llama");
  GgufWriter bare;
  bare.text("general.architecture", "llama");
  bare.floats("token_embd.weight", {2, 2}, {1, 2, 3, 4});
  expect_says(refusal(bare.file()), {"llama.embedding_length", "missing"});
  CheckpointFolder without = llama;
  std::erase_if(without.tensors,
                [](const RawTensor& t) { return t.name == "model.layers.1.mlp.up_proj.weight"; });
  expect_says(refusal(GgufCheckpoint(without).writer.file()),
              {"model.layers.1.mlp.up_proj.weight", "missing"});
  CheckpointFolder wrong = llama;
  wrong.config["intermediate_size"] = 80;
  expect_says(refusal(GgufCheckpoint(wrong).writer.file()), {"m.gguf", "gate_proj", "(88, 48)", "(80, 48)"});
  CheckpointFolder heads = llama;
  heads.config["num_attention_heads"] = 7;
  refusal(GgufCheckpoint(heads).writer.file());
  CheckpointFolder factors("llama3");
  GgufCheckpoint scaled(factors);
  scaled.writer.floats("rope_freqs.weight2", {1}, {1});
  std::string bytes = scaled.writer.file();
  bytes.replace(bytes.find("rope_freqs.weight2"), 17, "rope_freqs.weighu");
  std::ofstream(folder_ / "other.gguf", std::ios::binary) << bytes;
  EXPECT_TRUE(open_model(folder_ / "other.gguf"));  // tensors of no use are left alone
}

}  // namespace
}  // namespace attnscope
