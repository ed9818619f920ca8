// Whole vocabularies against the ids that llama.cpp publishes with them, through make_gguf_tokenizer. They
// are GGUF files beside the repository; without them the tests say so and are skipped.
#include "core/text/gguf_vocabulary.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

#include "core/io/gguf.h"
#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

std::string peer(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/../shared/fixtures/peer_tokenizers/ggml-vocab-" + name +
         ".gguf";
}

std::vector<std::string> cut_at(const std::string& text, const std::string& separator) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = text.find(separator, begin)) != std::string::npos;
       begin = at + separator.size()) {
    out.push_back(text.substr(begin, at - begin));
  }
  if (begin < text.size()) out.push_back(text.substr(begin));
  return out;
}

std::vector<int> numbers_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<int> out;
  for (int id = 0; in >> id;) out.push_back(id);
  return out;
}

// The entries these tests need; core/arch reads all of them.
GgufVocabulary gguf_vocabulary_vocabulary_of(const Gguf& file) {
  GgufVocabulary out;
  out.what = file.what;
  const auto entry = [&](const char* key) -> GgufValue {
    const GgufValue* found = file.find(std::string("tokenizer.ggml.") + key);
    return found ? *found : GgufValue(GgufType::array, GgufType::text, 0, {});
  };
  out.model = std::string(entry("model").text().value_or(""));
  out.pre = std::string(entry("pre").text().value_or(""));
  for (const auto text : entry("tokens").texts().value_or(std::vector<std::string_view>{}))
    out.tokens.emplace_back(text);
  for (const auto text : entry("merges").texts().value_or(std::vector<std::string_view>{}))
    out.merges.emplace_back(text);
  for (const double score : entry("scores").numbers().value_or(std::vector<double>{}))
    out.scores.push_back(static_cast<float>(score));
  for (const double type : entry("token_type").numbers().value_or(std::vector<double>{}))
    out.types.push_back(static_cast<int>(type));
  const auto id = [&](const char* key) -> std::optional<int> {
    const auto number = entry(key).integer();
    return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
  };
  out.bos = id("bos_token_id");
  out.eos = id("eos_token_id");
  out.unknown = id("unknown_token_id");
  return out;
}

TokenizerPointer open_peer(const std::string& name) {
  const auto file = open_gguf(peer(name));
  EXPECT_TRUE(file) << (file ? "" : file.error().text());
  if (!file) return nullptr;
  auto made = make_gguf_tokenizer(gguf_vocabulary_vocabulary_of(*file));
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

class Peer : public ::testing::TestWithParam<std::string> {};

TEST_P(Peer, EveryLineAgrees) {
  const std::string path = peer(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;
  const auto tokenizer = open_peer(GetParam());
  ASSERT_TRUE(tokenizer);
  const auto inputs = cut_at(read_text(path + ".inp"), "\n__ggml_vocab_test__\n");
  const auto outputs = cut_at(read_text(path + ".out"), "\n");
  ASSERT_EQ(inputs.size(), outputs.size());
  ASSERT_GT(inputs.size(), 40u);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(inputs[i]);
    const Encoding encoding = must_encode(*tokenizer, inputs[i], false);
    EXPECT_EQ(encoding.ids(), numbers_of(outputs[i]));
    if (GetParam() != "bert-bge") {
      EXPECT_EQ(tokenizer->decode(encoding.ids()), inputs[i]);
    }
    for (const Token& token : encoding.tokens) {
      EXPECT_LE(token.begin, token.end);
      EXPECT_LE(token.end, static_cast<std::int64_t>(inputs[i].size()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Peer, ::testing::Values("gpt-2", "llama-spm", "bert-bge"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

long long milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

// A quadratic engine needs hours for the second one.
TEST_P(Peer, IsFastEnough) {
  if (!std::filesystem::exists(peer(GetParam()))) GTEST_SKIP() << "there is no " << peer(GetParam());
  const auto tokenizer = open_peer(GetParam());
  ASSERT_TRUE(tokenizer);
  std::string page;
  while (page.size() < (1u << 20))
    page += "The cat sat on the mat because it was tired, and 1234 dogs didn't mind.\n";
  const auto page_ms = milliseconds([&] { EXPECT_GT(must_encode(*tokenizer, page).tokens.size(), 100000u); });
  const auto word_ms = milliseconds(
      [&] { EXPECT_GT(must_encode(*tokenizer, std::string(1u << 20, 'x')).tokens.size(), 10000u); });
  EXPECT_LT(page_ms, 60000);
  EXPECT_LT(word_ms, 60000);
  std::printf("1 MB of text %lld ms, one word of 1 MB %lld ms\n", page_ms, word_ms);
}

TEST(Gpt2Vocabulary, IsSearched) {
  if (!std::filesystem::exists(peer("gpt-2"))) GTEST_SKIP() << "there is no " << peer("gpt-2");
  const auto tokenizer = open_peer("gpt-2");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocab_size(), 50257);
  std::vector<int> found;
  EXPECT_LT(milliseconds([&] { found = tokenizer->search("cat", 20); }), 20000);
  EXPECT_EQ(tokenizer->token_display(found.at(0)), "cat");
  EXPECT_EQ(tokenizer->token_display(found.at(1)).substr(0, 1), "C");  // "Cat", then " cat"
}

TEST(LlamaVocabulary, AddsItsBegin) {
  if (!std::filesystem::exists(peer("llama-spm"))) GTEST_SKIP() << "there is no " << peer("llama-spm");
  const auto tokenizer = open_peer("llama-spm");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(must_encode(*tokenizer, "").ids(), (std::vector<int>{1}));
  EXPECT_EQ(must_encode(*tokenizer, "Hello").ids(), (std::vector<int>{1, 15043}));
  EXPECT_EQ(tokenizer->bos(), std::optional<int>(1));
  EXPECT_EQ(tokenizer->decode({1, 15043, 2}), "Hello");
}

}  // namespace
}  // namespace attnscope::testing
