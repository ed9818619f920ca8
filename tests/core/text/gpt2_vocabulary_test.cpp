// The whole GPT-2 vocabulary against the ids that llama.cpp publishes with it, through make_byte_level_bpe.
// The vocabulary is a GGUF file beside the repository; without it the test says so and is skipped.
#include <chrono>
#include <cstring>
#include <filesystem>

#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

const std::string kVocabulary =
    std::string(ATTNSCOPE_SOURCE_DIR) + "/../shared/fixtures/peer_tokenizers/ggml-vocab-gpt-2.gguf";

// Reads the two string lists of a GGUF's metadata; just enough of the format for a file that is known to be
// good.
class Gguf {
 public:
  explicit Gguf(std::string bytes) : bytes_(std::move(bytes)) {
    at_ = 4 + 4 + 8;  // magic, version, number of tensors
    for (auto left = number<std::uint64_t>(); left > 0; --left) {
      const std::string key = text();
      value(number<std::uint32_t>(), key);
    }
  }
  std::vector<std::string> tokens, merges;

 private:
  template <class T>
  T number() {
    T out{};
    std::memcpy(&out, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return out;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number<std::uint64_t>());
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  void value(std::uint32_t type, const std::string& key) {
    constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};  // by type number
    if (type == 8) {
      const std::string item = text();
      if (key == "tokenizer.ggml.tokens") tokens.push_back(item);
      if (key == "tokenizer.ggml.merges") merges.push_back(item);
    } else if (type == 9) {
      const auto inner = number<std::uint32_t>();
      for (auto left = number<std::uint64_t>(); left > 0; --left) value(inner, key);
    } else {
      at_ += kSizes[type];
    }
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

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

TokenizerPointer gpt2() {
  const Gguf file(read_text(kVocabulary));
  ByteLevelBpe parts;
  parts.vocab = file.tokens;
  parts.merges = file.merges;
  parts.special = {50256};
  parts.bos = parts.eos = 50256;
  auto made = make_byte_level_bpe(parts, kVocabulary);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

TEST(Gpt2Vocabulary, AgreesWithThePublishedIds) {
  if (!std::filesystem::exists(kVocabulary)) GTEST_SKIP() << "there is no " << kVocabulary;
  const auto tokenizer = gpt2();
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocab_size(), 50257);
  const auto inputs = cut_at(read_text(kVocabulary + ".inp"), "\n__ggml_vocab_test__\n");
  const auto outputs = cut_at(read_text(kVocabulary + ".out"), "\n");
  ASSERT_EQ(inputs.size(), outputs.size());
  ASSERT_GT(inputs.size(), 40u);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE(inputs[i]);
    const auto ids = must_encode(*tokenizer, inputs[i]).ids();
    EXPECT_EQ(ids, numbers_of(outputs[i]));
    EXPECT_EQ(tokenizer->decode(ids), inputs[i]);
  }
}

TEST(Gpt2Vocabulary, IsFastEnough) {
  if (!std::filesystem::exists(kVocabulary)) GTEST_SKIP() << "there is no " << kVocabulary;
  const auto tokenizer = gpt2();
  ASSERT_TRUE(tokenizer);
  std::string page;
  while (page.size() < (1u << 20))
    page += "The cat sat on the mat because it was tired, and 1234 dogs didn't mind.\n";
  const auto milliseconds = [](const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
        .count();
  };
  const auto page_ms = milliseconds([&] { EXPECT_GT(must_encode(*tokenizer, page).tokens.size(), 100000u); });
  const auto word_ms = milliseconds(
      [&] { EXPECT_GT(must_encode(*tokenizer, std::string(1u << 20, 'x')).tokens.size(), 10000u); });
  std::vector<int> found;
  const auto first_ms = milliseconds([&] { found = tokenizer->search("cat", 20); });
  const auto search_ms = milliseconds([&] { found = tokenizer->search("cat", 20); });
  EXPECT_EQ(tokenizer->token_display(found.at(0)), "cat");
  EXPECT_EQ(tokenizer->token_display(found.at(1)).substr(0, 1), "C");  // "Cat", then " cat"
  EXPECT_LT(page_ms, 60000);
  EXPECT_LT(word_ms, 60000);  // a quadratic engine needs hours
  EXPECT_LT(search_ms, 10000);
  std::printf("1 MB of text %lld ms, one word of 1 MB %lld ms, search %lld ms (first %lld ms)\n",
              static_cast<long long>(page_ms), static_cast<long long>(word_ms),
              static_cast<long long>(search_ms), static_cast<long long>(first_ms));
}

}  // namespace
}  // namespace attnscope::testing
