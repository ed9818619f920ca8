// Long texts and greedy files: memory and work grow with the text and no faster, a file that makes books of
// letters is refused, and a word that is cut stretch by stretch is cut as it is at once.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include "core/text/bpe.h"
#include "core/text/mapped_text.h"
#include "core/text/scored_bpe.h"
#include "core/text/unigram.h"
#include "tests/core/text/helpers.h"

namespace {

// Bytes that are allocated now, the most at once, and all together.
std::atomic<std::int64_t> live{0}, most{0}, total{0};

void* counted_or_null(std::size_t size) noexcept {
  auto* block = static_cast<std::size_t*>(std::malloc(size + 16));
  if (!block) return nullptr;
  *block = size;
  const std::int64_t now = live += static_cast<std::int64_t>(size);
  total += static_cast<std::int64_t>(size);
  for (std::int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) continue;
  return reinterpret_cast<char*>(block) + 16;
}

void* counted(std::size_t size) {
  if (void* memory = counted_or_null(size)) return memory;
  throw std::bad_alloc();
}

void uncounted(void* memory) {
  if (!memory) return;
  char* block = static_cast<char*>(memory) - 16;
  live -= static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(block));
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
// A sanitizer has forms of its own for these: memory of theirs would be given back to ours.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { uncounted(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { uncounted(memory); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }

namespace attnscope::testing {
namespace {

// ---- memory and work -----------------------------------------------------------------------------

// Sentences of words that come again and words that do not.
std::string long_text(std::size_t bytes) {
  std::mt19937 random(3);
  std::string out;
  while (out.size() < bytes) {
    for (auto letters = 1 + random() % 9; letters > 0; --letters)
      out.push_back(static_cast<char>('a' + random() % 26));
    out += random() % 9 == 0 ? ". The cat sat on the mat, \n" : " ";
    if (random() % 40 == 0) out += "한국어 é ";
  }
  out.resize(bytes);
  return out;
}

struct Cost {
  double peak = 0, work = 0;  // bytes per byte of text: the most at once, all that was ever allocated
};
Cost cost_of(const Tokenizer& tokenizer, std::size_t bytes) {
  const std::string text = long_text(bytes);
  const std::int64_t before = live, worked = total;
  most = before;
  const auto encoding = tokenizer.encode(text);
  EXPECT_TRUE(encoding);
  const auto size = static_cast<double>(bytes);
  return {static_cast<double>(most - before) / size, static_cast<double>(total - worked) / size};
}

class Sizes : public ::testing::TestWithParam<std::string> {};

TEST_P(Sizes, GrowWithTheTextAndNoFaster) {
  const auto tokenizer = open_tokenizer(golden(GetParam()));
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  ASSERT_TRUE((*tokenizer)->encode("what is made once"));
  const Cost some = cost_of(**tokenizer, 60000), many = cost_of(**tokenizer, 480000);
  // A token has 64 bytes and a byte of this text 0.7 tokens.
  EXPECT_LT(many.peak, 110) << "bytes for each byte of text";
  EXPECT_LT(many.peak, 1.2 * some.peak);
  EXPECT_LT(many.work, 1.2 * some.work);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Sizes,
                         ::testing::Values("bytelevel_bpe", "bytelevel_bpe_split", "sentencepiece_bpe",
                                           "unigram", "wordpiece_uncased", "model_bpe", "model_unigram"));

TEST(Sizes, DecodingGrowsWithTheIdsAndNoFaster) {
  const auto tokenizer = open_tokenizer(golden("bytelevel_bpe"));
  ASSERT_TRUE(tokenizer);
  const auto work = [&](std::size_t bytes) {
    const std::vector<int> ids = must_encode(**tokenizer, long_text(bytes)).ids();
    const std::int64_t before = total;
    EXPECT_EQ((*tokenizer)->spell(ids, false).places.size(), ids.size());
    return static_cast<double>(total - before) / static_cast<double>(ids.size());
  };
  EXPECT_LT(work(160000), 1.3 * work(20000));
}

// ---- files that grow texts -----------------------------------------------------------------------

void expect_refused_quickly(const Json& file, const std::string& text, const char* part) {
  const auto tokenizer = must_open(file);
  ASSERT_TRUE(tokenizer);
  const std::int64_t before = live, worked = total;
  most = before;
  const auto encoding = tokenizer->encode(text);
  ASSERT_FALSE(encoding);
  EXPECT_NE(encoding.error().sentence().find(part), std::string::npos) << encoding.error().text();
  EXPECT_FALSE(encoding.error().hint().empty());
  EXPECT_LT(most - before, std::int64_t{60} << 20);
  EXPECT_LT(total - worked, std::int64_t{1} << 30);
}

Json sequence_of(const char* list, const Json& part, int count) {
  Json out{{"type", "Sequence"}, {list, Json::array()}};
  for (int i = 0; i < count; ++i) out[list].push_back(part);
  return out;
}

TEST(GreedyFiles, AreRefusedWithASentence) {
  const Json doubles{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aa"}};
  Json file = plain_bpe({"a", "b", "Ġ"}, {});
  file["normalizer"] = sequence_of("normalizers", doubles, 400);
  for (const char* text : {"a", "the cat sat on a mat"})
    expect_refused_quickly(file, text, "makes more than");
  expect_refused_quickly(file, std::string(1 << 17, 'a'), "makes more than");
  file["normalizer"] = {
      {"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", std::string(30000, 'b')}};
  expect_refused_quickly(file, std::string(3000, 'a'), "makes more than");
  file["normalizer"] =
      sequence_of("normalizers", {{"type", "Prepend"}, {"prepend", std::string(2000, 'b')}}, 700);
  expect_refused_quickly(file, "a", "this text of");
  file.erase("normalizer");
  file["pre_tokenizer"] = sequence_of("pretokenizers", {{"type", "ByteLevel"}, {"use_regex", false}}, 60);
  expect_refused_quickly(file, "한", "makes more than");
}

TEST(GreedyFiles, RewriteNotWithoutEnd) {
  const Json same{{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "a"}};
  Json file = plain_bpe({"a"}, {});
  file["normalizer"] = sequence_of("normalizers", same, 900);
  expect_refused_quickly(file, std::string(1 << 16, 'a'), "too often");
  file["normalizer"] = sequence_of("normalizers", same, 12);
  EXPECT_EQ(must_encode(*must_open(file), std::string(1 << 16, 'a')).tokens.size(), std::size_t{1} << 16);
}

TEST(GreedyFiles, HonestOnesGrowTextsToo) {
  Json file = plain_bpe({"b"}, {});
  file["normalizer"] = {{"type", "NFKC"}};
  std::string text;  // one sign of three bytes that stands for eighteen letters
  for (int i = 0; i < 20000; ++i) text += "ﷺ";
  EXPECT_TRUE(must_open(file)->encode(text));
  file["normalizer"] = sequence_of("normalizers", {{"type", "Prepend"}, {"prepend", "aaaa"}}, 8);
  EXPECT_TRUE(must_open(file)->encode("b"));
}

// ---- stretch by stretch --------------------------------------------------------------------------

std::string size_random_text(std::mt19937& random, std::size_t length,
                             const std::vector<std::string>& letters) {
  std::string out;
  for (std::size_t i = 0; i < length; ++i) out += letters[random() % letters.size()];
  return out;
}

// With steps a word is cut at once, without them stretch by stretch.
void expect_cut_alike(const WordModel& model, const std::string& word) {
  std::vector<WordPart> at_once, by_stretches;
  WordSteps steps;
  steps.limit = std::size_t{1} << 30;
  model.cut_word(word, at_once, &steps);
  model.cut_word(word, by_stretches, nullptr);
  ASSERT_EQ(at_once.size(), by_stretches.size());
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    ASSERT_EQ(at_once[i].id, by_stretches[i].id) << i;
    ASSERT_EQ(at_once[i].begin, by_stretches[i].begin) << i;
    ASSERT_EQ(at_once[i].end, by_stretches[i].end) << i;
    ASSERT_EQ(at_once[i].as_written, by_stretches[i].as_written) << i;
  }
  EXPECT_FALSE(steps.cut_short);
}

const std::vector<std::string> kLetters{"a", "b", "c", "é", "▁", "x"};  // no piece has the x

std::vector<std::string> random_pieces(std::mt19937& random, int count) {
  std::vector<std::string> out{"<unk>", "a", "b", "c", "é", "▁"};
  while (static_cast<int>(out.size()) < count) {
    const std::string piece = size_random_text(random, 2 + random() % 3, {"a", "b", "c", "é", "▁"});
    if (std::find(out.begin(), out.end(), piece) == out.end()) out.push_back(piece);
  }
  return out;
}

TEST(Stretches, OfMergesByRank) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::string> pieces{"a", "b", "c", "é", "▁", "<unk>", "<0x78>"};
    std::vector<Bpe::Merge> merges;
    const std::size_t parts = pieces.size() - 2;
    for (int i = 0; i < 6; ++i) {
      const std::string left = pieces[random() % parts], right = pieces[random() % parts];
      if (std::find(pieces.begin(), pieces.end(), left + right) != pieces.end()) continue;
      pieces.push_back(left + right);
      merges.emplace_back(left, right);
    }
    Vocabulary vocabulary;
    for (std::size_t id = 0; id < pieces.size(); ++id)
      ASSERT_TRUE(vocabulary.add(pieces[id], static_cast<std::int64_t>(id)));
    BpeOptions options;
    options.unknown = "<unk>";
    options.fuse_unknown = round % 2 == 0;
    options.byte_fallback = round % 3 == 0;
    const auto model = Bpe::make(std::move(vocabulary), merges, options);
    ASSERT_TRUE(model) << model.error().text();
    expect_cut_alike(*model, size_random_text(random, 4000, kLetters));
    expect_cut_alike(*model, std::string(3000, 'x'));
  }
}

TEST(Stretches, OfMergesByScore) {
  std::mt19937 random(12);
  for (int round = 0; round < 30; ++round) {
    std::vector<ScoredPiece> pieces;
    for (const std::string& spelling : random_pieces(random, 16))
      pieces.push_back({spelling, -static_cast<float>(random() % 9),
                        random() % 9 == 0   ? PieceKind::user
                        : random() % 9 == 0 ? PieceKind::unused
                                            : PieceKind::normal});
    pieces[0].kind = PieceKind::unknown;
    const auto model = ScoredBpe::make(pieces, 0, false);
    ASSERT_TRUE(model) << model.error().text();
    expect_cut_alike(*model, size_random_text(random, 4000, kLetters));
    expect_cut_alike(*model, std::string(3000, 'x'));
  }
}

TEST(Stretches, OfUnigramPieces) {
  std::mt19937 random(13);
  for (int round = 0; round < 30; ++round) {
    std::vector<UnigramPiece> pieces;
    for (const std::string& spelling : random_pieces(random, 16))
      pieces.push_back({spelling, -static_cast<double>(random() % 1000) / 97, true, random() % 9 == 0});
    pieces[0].matches = false;
    UnigramOptions options;
    options.unknown = 0;
    options.sentencepiece = round % 2 == 0;
    const auto model = Unigram::make(pieces, options);
    ASSERT_TRUE(model) << model.error().text();
    expect_cut_alike(*model, size_random_text(random, 4000, kLetters));
    expect_cut_alike(*model, std::string(3000, 'x') + "a" + std::string(3000, 'x'));
  }
}

// ---- places --------------------------------------------------------------------------------------

// The same text with the place of every byte written out.
struct Plain {
  std::string text;
  std::vector<ByteSpan> places;
};

void expect_same(const MappedText& mapped, const Plain& plain) {
  ASSERT_EQ(mapped.text(), plain.text);
  for (std::size_t at = 0; at < plain.text.size(); ++at) {
    ASSERT_EQ(mapped.span(at, at + 1).begin, plain.places[at].begin) << at;
    ASSERT_EQ(mapped.span(at, at + 1).end, plain.places[at].end) << at;
  }
}

void append(MappedText& mapped, Plain& plain, const std::string& characters, ByteSpan place) {
  mapped.append(characters, place);
  plain.text += characters;
  plain.places.insert(plain.places.end(), characters.size(), place);
}

TEST(MappedText, KeepsThePlaceOfEveryByte) {
  std::mt19937 random(17);
  const std::vector<std::string> letters{"a", "b", "é", "한", "😀", "ab"};
  for (int round = 0; round < 400; ++round) {
    MappedText mapped;
    Plain plain;
    std::int32_t at = 0;
    for (int i = 0; i < 40; ++i) {
      const std::string& letter = letters[random() % letters.size()];
      const auto size = static_cast<std::int32_t>(letter.size());
      const auto width = random() % 3 == 0 ? static_cast<std::int32_t>(random() % 4) : size;
      append(mapped, plain, letter, {at, at + width});
      if (random() % 3 != 0) at += width;
    }
    expect_same(mapped, plain);
    MappedText cut;
    Plain cut_plain;
    std::vector<std::size_t> starts;
    for (std::size_t byte = 0; byte < plain.text.size(); next_code_point(plain.text, byte))
      starts.push_back(byte);
    for (int i = 0; i < 4; ++i) {
      const std::size_t begin = starts[random() % starts.size()],
                        end = std::max(begin, starts[random() % starts.size()]);
      cut.append(mapped.slice(begin, end), 0, end - begin);
      cut_plain.text += plain.text.substr(begin, end - begin);
      cut_plain.places.insert(cut_plain.places.end(),
                              plain.places.begin() + static_cast<std::ptrdiff_t>(begin),
                              plain.places.begin() + static_cast<std::ptrdiff_t>(end));
    }
    if (!cut_plain.text.empty()) {
      cut.prepend("▁");
      cut_plain.text.insert(0, "▁");
      cut_plain.places.insert(cut_plain.places.begin(), 3, ByteSpan(cut_plain.places.front()));
    }
    expect_same(cut, cut_plain);
    expect_same(mapped, plain);  // slices share memory, but nobody writes there
  }
}

class Spellings : public ::testing::TestWithParam<std::string> {};

TEST_P(Spellings, SayWhereEveryIdStands) {
  const auto tokenizer = open_tokenizer(golden(GetParam()));
  ASSERT_TRUE(tokenizer);
  for (const Json& expected : Json::parse(read_text(golden(GetParam()) + "/cases.json"))) {
    const std::vector<int> ids = must_encode(**tokenizer, expected["text"].get<std::string>()).ids();
    const Spelling found = (*tokenizer)->spell(ids, false);
    ASSERT_EQ(found.text, (*tokenizer)->decode(ids, false));
    ASSERT_EQ(found.places.size(), ids.size());
    std::int64_t covered = 0;
    for (const auto& [begin, end] : found.places) {
      ASSERT_LE(begin, covered) << "every byte belongs to an id";
      ASSERT_LE(begin, end);
      covered = std::max(covered, end);
    }
    EXPECT_EQ(covered, static_cast<std::int64_t>(found.text.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Spellings,
                         ::testing::Values("bytelevel_bpe", "bytelevel_bpe_split", "sentencepiece_bpe",
                                           "unigram", "wordpiece_cased", "wordpiece_uncased", "model_bpe",
                                           "model_unigram"));

}  // namespace
}  // namespace attnscope::testing
