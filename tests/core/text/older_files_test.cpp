// vocab.txt and vocab.json + merges.txt: what the reference tokenizer.json says of the same vocabulary, and
// files that lie.
#include <algorithm>

#include "tests/core/text/helpers.h"
#include "tests/core/text/temporary_folder.h"

namespace attnscope::testing {
namespace {

// Spellings by id of a reference tokenizer's vocabulary.
std::vector<std::string> older_files_vocabulary_of(const std::string& kind) {
  const Json model = Json::parse(read_text(golden(kind) + "/tokenizer.json"))["model"];
  std::vector<std::string> out(model["vocab"].size());
  for (const auto& [spelling, id] : model["vocab"].items()) out.at(id.get<std::size_t>()) = spelling;
  return out;
}

void expect_cases(const std::string& path, const std::string& kind) {
  auto opened = open_tokenizer(path);
  ASSERT_TRUE(opened) << opened.error().text();
  for (const Json& expected : Json::parse(read_text(golden(kind) + "/cases.json"))) {
    const std::string text = expected["text"];
    SCOPED_TRACE(text.substr(0, 60));
    const Encoding encoding = must_encode(**opened, text);
    EXPECT_EQ(encoding.ids(), expected["ids"].get<std::vector<int>>());
    EXPECT_EQ(spellings(encoding), expected["tokens"].get<std::vector<std::string>>());
    EXPECT_EQ((*opened)->decode(encoding.ids()), expected["decoded"].get<std::string>());
  }
}

TEST(WordList, SaysWhatTheTokenizerJsonSays) {
  TemporaryFolder folder;
  folder.write("vocab.txt", join(older_files_vocabulary_of("wordpiece_uncased"), "\n") + "\n");
  expect_cases(folder.path(), "wordpiece_uncased");
  expect_cases(folder.file("vocab.txt"), "wordpiece_uncased");
  folder.write("vocab.txt", join(older_files_vocabulary_of("wordpiece_cased"), "\r\n"));
  folder.write("tokenizer_config.json",
               R"({"do_lower_case": false, "tokenizer_class": "BertTokenizerFast"})");
  expect_cases(folder.path(), "wordpiece_cased");
}

TEST(WordList, SettingsAreHeeded) {
  TemporaryFolder folder;
  folder.write("vocab.txt", "<unk>\n<s>\n</s>\ncafe\ncafé\n漢\n漢漢\n<new>\n");
  folder.write("tokenizer_config.json",
               R"({"unk_token": {"content": "<unk>"}, "do_lower_case": false, "strip_accents": true,
                   "tokenize_chinese_chars": false, "tokenizer_class": "MPNetTokenizer"})");
  folder.write("special_tokens_map.json", R"({"cls_token": "<s>", "sep_token": "</s>"})");
  folder.write("added_tokens.json", R"({"<new>": 7, "<far>": 12, "bad": -1, "worse": "x"})");
  auto opened = open_tokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(must_encode(**opened, "café 漢漢 <new> <far> Café").ids(),
            (std::vector<int>{1, 3, 6, 7, 12, 0, 2}));
}

TEST(WordList, BadOnesAreRefused) {
  TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    folder.write("vocab.txt", text);
    const auto opened = open_tokenizer(folder.path());
    return opened ? std::string() : opened.error().sentence();
  };
  const std::string name = "\"" + folder.file("vocab.txt") + "\": ";
  EXPECT_EQ(refusal(""), name + "no line is the unknown token [UNK].");
  EXPECT_EQ(refusal("a\nb\n"), name + "no line is the unknown token [UNK].");
  EXPECT_EQ(refusal("[UNK]\na\xFF\n"), name + "line 2 is not UTF-8.");
  EXPECT_NE(refusal("[UNK]\n" + std::string(5000, 'a')).find("the token with id 1 has 5"), std::string::npos);
  EXPECT_EQ(refusal("[UNK]\n\n\na\na\n"), "");  // empty lines and repeats count as ids
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  EXPECT_NE(refusal("[UNK]\n").find("the class BertJapaneseTokenizer"), std::string::npos);
}

std::string merges_of(const std::string& kind) {
  const Json model = Json::parse(read_text(golden(kind) + "/tokenizer.json"))["model"];
  std::string out = "#version: 0.2\n";
  for (const Json& merge : model["merges"])
    out += merge[0].get<std::string>() + " " + merge[1].get<std::string>() + "\n";
  return out;
}

Json vocab_of(const std::string& kind) {
  return Json::parse(read_text(golden(kind) + "/tokenizer.json"))["model"]["vocab"];
}

TEST(MergeFiles, SayWhatTheTokenizerJsonSays) {
  TemporaryFolder folder;
  folder.write("vocab.json", vocab_of("bytelevel_bpe").dump());
  folder.write("merges.txt", merges_of("bytelevel_bpe"));
  expect_cases(folder.path(), "bytelevel_bpe");
  expect_cases(folder.file("merges.txt"), "bytelevel_bpe");
  auto opened = open_tokenizer(folder.file("vocab.json"));
  ASSERT_TRUE(opened);
  EXPECT_EQ((*opened)->bos(), (*opened)->find("<|endoftext|>"));
}

TEST(MergeFiles, ClassesHaveTheirOwnWordsAndSurroundings) {
  TemporaryFolder folder;
  Json vocab = vocab_of("bytelevel_bpe");
  for (const char* special : {"<s>", "</s>", "<unk>", "<mask>"}) vocab[special] = vocab.size();
  folder.write("vocab.json", vocab.dump());
  folder.write("merges.txt", merges_of("bytelevel_bpe"));
  const auto tokens = [&](const std::string& text) {
    auto opened = open_tokenizer(folder.path());
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().text());
    return opened ? join(spellings(must_encode(**opened, text)), "|") : "";
  };
  folder.write("config.json", R"({"model_type": "roberta"})");
  EXPECT_EQ(tokens("a 12 <mask>"), "<s>|a|Ġ1|2|<mask>|</s>");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "BartTokenizer", "add_prefix_space": true})");
  EXPECT_EQ(tokens("a"), "<s>|Ġa|</s>");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "Qwen2Tokenizer"})");
  EXPECT_EQ(tokens("e\xCC\x81"), "Ã|©");  // composed first
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": "<s>"})");
  EXPECT_EQ(tokens("a"), "<s>|a");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "WhisperTokenizer"})");
  const auto refused = open_tokenizer(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence().find("the class WhisperTokenizer"), std::string::npos);
}

TEST(MergeFiles, ClipEndsItsWords) {
  TemporaryFolder folder;
  folder.write("vocab.json",
               R"({"<|startoftext|>": 0, "<|endoftext|>": 1, "a</w>": 2, "b": 3, "ba</w>": 4})");
  folder.write("merges.txt", "#version: 0.2\nb a</w>\n");
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "CLIPTokenizer", "bos_token": "<|startoftext|>",
                   "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"})");
  auto opened = open_tokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(must_encode(**opened, "BA  a").ids(), (std::vector<int>{0, 4, 2, 1}));
}

TEST(MergeFiles, BadOnesAreRefused) {
  TemporaryFolder folder;
  const auto refusal = [&](const std::string& vocab, const std::string& merges) {
    folder.write("vocab.json", vocab);
    folder.write("merges.txt", merges);
    const auto opened = open_tokenizer(folder.path());
    return opened ? std::string() : opened.error().sentence();
  };
  const auto expect = [&](const std::string& vocab, const std::string& merges, const char* part) {
    EXPECT_NE(refusal(vocab, merges).find(part), std::string::npos) << refusal(vocab, merges);
    EXPECT_TRUE(starts_with(refusal(vocab, merges), "\"" + folder.file("vocab.json") + "\": "));
  };
  expect("[]", "", "must be an object");
  expect("{", "", "breaks off at byte");
  expect(R"({"a": "x"})", "", "model.vocab[\"a\"] must be a whole number");
  expect(R"({"a": 0})", "a b\n", "needs the token \"b\"");
  expect(R"({"a": 0})", "ab\n", "model.merges[0] must be two tokens");
  expect(R"({"a": 0})", "\xFF \xFE\n", "merges.txt is not UTF-8");
  EXPECT_EQ(refusal(R"({"a": 0})", "\n\n"), "");
}

TEST(Folders, TheNewestKindIsRead) {
  TemporaryFolder folder;
  EXPECT_FALSE(has_tokenizer(folder.path()));
  const auto none = open_tokenizer(folder.path());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::not_found);
  folder.write("vocab.txt", "[UNK]\na\n");
  EXPECT_TRUE(has_tokenizer(folder.path()));
  EXPECT_EQ(must_encode(**open_tokenizer(folder.path()), "a").ids(), (std::vector<int>{1}));
  folder.copy(golden("model_bpe") + "/tokenizer.model", "tokenizer.model");
  EXPECT_EQ((*open_tokenizer(folder.path()))->vocab_size(), 420);
  folder.copy(golden("bytelevel_bpe") + "/tokenizer.json", "tokenizer.json");
  EXPECT_EQ((*open_tokenizer(folder.path()))->vocab_size(), 1000);
}

}  // namespace
}  // namespace attnscope::testing
