// GGUF: what is read from well-made files, and the sentence for each kind of lie.
#include "core/io/gguf.h"

#include <algorithm>

#include "helpers.h"
#include "tests/golden/gguf_writer.h"

namespace attnscope::test {
namespace {

using attnscope::testing::GgufWriter;

Result<Gguf> open_text_gguf(const std::string& text) {
  const auto bytes = exact_bytes(text);
  return open_gguf_bytes(bytes, *bytes, "test.gguf");
}

GgufWriter small() {
  GgufWriter writer;
  writer.text("general.architecture", "llama");
  writer.number("llama.block_count", 2);
  writer.floats("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  writer.floats("b", {4}, {7, 8, 9, 10});
  return writer;
}

TEST(Gguf, ReadsNumbersTextsAndArrays) {
  GgufWriter writer;
  writer.entry("u8", 0, "\xFF");
  writer.entry("i8", 1, "\xFF");
  writer.entry("u16", 2, "\xFE\xFF");
  writer.entry("i16", 3, "\xFE\xFF");
  writer.number("u32", 4294967295u);
  writer.entry("i32", 5, GgufWriter::raw(std::int32_t{-7}));
  writer.real("f32", 0.5f);
  writer.flag("yes", true);
  writer.text("text", "caf\xC3\xA9");
  writer.entry("u64", 10, GgufWriter::raw(std::uint64_t{1} << 63));
  writer.entry("i64", 11, GgufWriter::raw(std::int64_t{-5}));
  writer.entry("f64", 12, GgufWriter::raw(0.25));
  writer.texts("texts", {"a", "", "bc"});
  writer.numbers<float>("floats", 6, {1.5f, -2.f});
  writer.numbers<std::int32_t>("ints", 5, {3, -3});
  writer.entry("nested", 9,
               GgufWriter::raw(9u) + GgufWriter::raw(std::uint64_t{1}) + GgufWriter::raw(0u) +
                   GgufWriter::raw(std::uint64_t{2}) + "ab");
  for (const std::uint32_t version : {2u, 3u}) {
    writer.version = version;
    const auto file = open_text_gguf(writer.file());
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->version, version);
    EXPECT_EQ(file->find("u8")->integer(), 255);
    EXPECT_EQ(file->find("i8")->integer(), -1);
    EXPECT_EQ(file->find("u16")->integer(), 65534);
    EXPECT_EQ(file->find("i16")->integer(), -2);
    EXPECT_EQ(file->find("u32")->integer(), 4294967295);
    EXPECT_EQ(file->find("i32")->integer(), -7);
    EXPECT_EQ(file->find("f32")->number(), 0.5);
    EXPECT_EQ(file->find("f32")->integer(), std::nullopt);
    EXPECT_EQ(file->find("yes")->flag(), true);
    EXPECT_EQ(file->find("u32")->flag(), std::nullopt);
    EXPECT_EQ(file->find("text")->text(), "caf\xC3\xA9");
    EXPECT_EQ(file->find("u64")->integer(), std::nullopt);
    EXPECT_EQ(file->find("u64")->number(), 9223372036854775808.0);
    EXPECT_EQ(file->find("i64")->integer(), -5);
    EXPECT_EQ(file->find("f64")->number(), 0.25);
    EXPECT_EQ(*file->find("texts")->texts(), (std::vector<std::string_view>{"a", "", "bc"}));
    EXPECT_EQ(file->find("texts")->numbers(), std::nullopt);
    EXPECT_EQ(*file->find("floats")->numbers(), (std::vector<double>{1.5, -2}));
    EXPECT_EQ(*file->find("ints")->numbers(), (std::vector<double>{3, -3}));
    EXPECT_EQ(file->find("nested")->count(), 1u);
    EXPECT_EQ(file->find("absent"), nullptr);
    EXPECT_TRUE(file->tensors->infos().empty());
  }
}

TEST(Gguf, ShapesAreRowMajorAndFloatsAreBorrowed) {
  const auto file = open_text_gguf(small().file());
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_EQ(file->tensors->infos().size(), 2u);
  const Tensor a = *file->tensors->load("a");
  EXPECT_EQ(a.sizes(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(a.values(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file->tensors->load("b")->values(), (std::vector<float>{7, 8, 9, 10}));
}

TEST(Gguf, AnotherAlignment) {
  GgufWriter writer;
  writer.alignment = 8;
  writer.number("general.alignment", 8);
  writer.floats("a", {3}, {1, 2, 3});
  writer.floats("b", {3}, {4, 5, 6});
  const auto file = open_text_gguf(writer.file());
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->tensors->load("b")->values(), (std::vector<float>{4, 5, 6}));
  GgufWriter odd;
  odd.number("general.alignment", 24);
  expect_error(open_text_gguf(odd.file()), Code::bad_format, "power of two");
}

TEST(Gguf, RealFiles) {
  for (const char* name : {"llama-q4_0.gguf", "llama-q4_k_m.gguf"}) {
    const auto file = open_gguf(golden(std::string("gguf/") + name));
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->version, 3u);
    EXPECT_EQ(file->find("general.architecture")->text(), "llama");
    EXPECT_EQ(file->find("tokenizer.ggml.tokens")->count(), 1000u);
    EXPECT_EQ(file->tensors->infos().size(), 21u);
    EXPECT_EQ(file->tensors->find("token_embd.weight")->shape, (std::vector<std::int64_t>{1000, 256}));
  }
}

// One row of a matrix in every format, and the same row as llama.cpp expanded it to F32.
TEST(Gguf, FormatsAreExpandedAsLlamaCppDoes) {
  const auto file = open_gguf(golden("gguf/blocks.gguf"));
  ASSERT_TRUE(file) << file.error().text();
  int compared = 0;
  for (const TensorInfo& info : file->tensors->infos()) {
    if (info.dtype == DType::f32) continue;
    EXPECT_EQ(info.name, dtype_name(info.dtype));
    const auto expected = file->tensors->load(info.name + ".values"), found = file->tensors->load(info.name);
    ASSERT_TRUE(expected && found);
    EXPECT_EQ(found->values(), expected->values()) << info.name;
    ++compared;
  }
  EXPECT_EQ(compared, 11);
}

TEST(Gguf, OtherFilesAreNamed) {
  expect_error(open_text_gguf("GG"), Code::bad_format, "ends at byte 2");
  expect_error(open_text_gguf("{\"a\": 1}"), Code::bad_format, "no GGUF file");
  std::string text = small().file();
  text[4] = 1;
  expect_error(open_text_gguf(text), Code::unsupported, "version 1");
  text[4] = 9;
  expect_error(open_text_gguf(text), Code::unsupported, "version 9");
  text[4] = 0, text[7] = 3;
  expect_error(open_text_gguf(text), Code::unsupported, "big-endian");
  std::reverse(text.begin(), text.begin() + 4);
  expect_error(open_text_gguf(text), Code::unsupported, "big-endian");
}

TEST(Gguf, LyingCountsAndLengths) {
  GgufWriter writer = small();
  writer.extra_entries = 1'000'000'000'000;
  expect_error(open_text_gguf(writer.file()), Code::bad_format, "metadata entries");
  writer = small();
  writer.extra_tensors = std::uint64_t{1} << 62;
  expect_error(open_text_gguf(writer.file()), Code::bad_format, "tensors");
  writer = small();
  writer.extra_entries = 1;  // the first tensor is taken for an entry
  EXPECT_FALSE(open_text_gguf(writer.file()));
  writer = {};
  writer.entry("long", 8, GgufWriter::raw(std::uint64_t{1} << 40) + "ab");
  expect_error(open_text_gguf(writer.file()), Code::bad_format,
               "\"long\" claims a text of 1099511627776 bytes");
  writer = {};
  writer.entry("many", 9, GgufWriter::raw(6u) + GgufWriter::raw(std::uint64_t{1} << 61) + "ab");
  expect_error(open_text_gguf(writer.file()), Code::bad_format, "\"many\" claims an array");
  writer = {};
  writer.entry("strange", 77, "abcd");
  expect_error(open_text_gguf(writer.file()), Code::bad_format, "unknown type 77");
  writer = {};
  writer.number("a", 1);
  writer.number("a", 2);
  expect_error(open_text_gguf(writer.file()), Code::bad_format, "twice");
  writer = {};
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += GgufWriter::raw(9u) + GgufWriter::raw(std::uint64_t{1});
  writer.entry("deep", 9, deep + GgufWriter::raw(0u) + GgufWriter::raw(std::uint64_t{0}));
  expect_error(open_text_gguf(writer.file()), Code::bad_format, "too deeply");
}

TEST(Gguf, EveryCutIsASentence) {
  const std::string text = small().file();
  for (std::size_t length = 0; length + 1 < text.size() - 16; ++length) {
    const auto file = open_text_gguf(text.substr(0, length));
    ASSERT_FALSE(file) << length;
    EXPECT_FALSE(file.error().hint().empty());
  }
}

TEST(Gguf, LyingTensors) {
  const std::string twelve(12, '\0');
  const auto refused = [&](const std::vector<std::int64_t>& shape, std::uint32_t type, std::uint64_t offset,
                           Code code, const std::string& part) {
    GgufWriter writer;
    writer.tensor_at("t", shape, type, offset, twelve);
    expect_error(open_text_gguf(writer.file()), code, part);
  };
  refused({3}, 0, 1 << 20, Code::bad_format, "but the file holds only");
  refused({3}, 0, ~std::uint64_t{31}, Code::bad_format, "but the file holds only");
  refused({3}, 0, 4, Code::bad_format, "no multiple of 32");
  refused({std::int64_t{1} << 40, std::int64_t{1} << 40}, 0, 0, Code::bad_format, "absurd size");
  refused({0}, 0, 0, Code::bad_format, "absurd size: 0");
  refused({-1}, 0, 0, Code::bad_format, "absurd size");
  refused({1 << 20}, 0, 0, Code::bad_format, "but the file holds only");
  refused({1, 1, 1, 1, 3}, 0, 0, Code::bad_format, "5 dimensions");
  refused({}, 0, 0, Code::bad_format, "0 dimensions");
  refused({33}, 2, 0, Code::bad_format, "no whole blocks of 32");
  refused({32}, 12, 0, Code::bad_format, "no whole blocks of 256");
  refused({256}, 16, 0, Code::unsupported, "quantised as IQ2_XXS");
  refused({256}, 40, 0, Code::unsupported, "quantised as NVFP4");
  refused({256}, 1234, 0, Code::unsupported, "quantised as number 1234");
  GgufWriter same;
  same.floats("t", {1}, {1});
  same.floats("t", {1}, {1});
  expect_error(open_text_gguf(same.file()), Code::bad_format, "\"t\" stands twice");
  GgufWriter over;
  over.tensor_at("t", {16}, 0, 0, std::string(64, '\0'));
  over.tensor_at("u", {8}, 0, 32, "");
  expect_error(open_text_gguf(over.file()), Code::bad_format, "\"u\" overlaps tensor \"t\"");
}

TEST(Gguf, AnUnknownFormatSaysHowToConvert) {
  GgufWriter writer;
  writer.tensor("t", {256}, 21, std::string(110, '\0'));
  const auto file = open_text_gguf(writer.file());
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().sentence().find("IQ3_S"), std::string::npos);
  EXPECT_NE(file.error().hint().find("llama-quantize"), std::string::npos);
  EXPECT_NE(file.error().hint().find("Q8_0"), std::string::npos);
}

class Split : public ::testing::Test {
 protected:
  static std::string part(int number, int count, int place, int total = 2) {
    GgufWriter writer;
    if (number == 1) writer.text("general.architecture", "llama");
    writer.entry("split.no", 2, GgufWriter::raw(static_cast<std::uint16_t>(place)));
    writer.entry("split.count", 2, GgufWriter::raw(static_cast<std::uint16_t>(count)));
    writer.entry("split.tensors.count", 5, GgufWriter::raw(static_cast<std::int32_t>(total)));
    writer.floats("t" + std::to_string(number), {2}, {static_cast<float>(number), 0});
    return writer.file();
  }
  TempFolder folder_;
};

TEST_F(Split, AnyPartOpensAll) {
  write_text(folder_ / "m-00001-of-00002.gguf", part(1, 2, 0));
  write_text(folder_ / "m-00002-of-00002.gguf", part(2, 2, 1));
  for (const char* name : {"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"}) {
    const auto file = open_gguf(folder_ / name);
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->find("general.architecture")->text(), "llama");
    EXPECT_EQ(file->tensors->load("t1")->at(0), 1);
    EXPECT_EQ(file->tensors->load("t2")->at(0), 2);
  }
}

TEST_F(Split, AMissingPartIsNamed) {
  write_text(folder_ / "m-00002-of-00002.gguf", part(2, 2, 1));
  expect_error(open_gguf(folder_ / "m-00002-of-00002.gguf"), Code::not_found, "Part 1 of 2");
  expect_error(open_gguf(folder_ / "m-00002-of-00002.gguf"), Code::not_found, "m-00001-of-00002.gguf");
  write_text(folder_ / "alone.gguf", part(1, 3, 0));
  expect_error(open_gguf(folder_ / "alone.gguf"), Code::unsupported, "one of 3 parts");
}

TEST_F(Split, MixedPartsAreNamed) {
  write_text(folder_ / "m-00001-of-00002.gguf", part(1, 2, 0));
  write_text(folder_ / "m-00002-of-00002.gguf", part(2, 2, 0));
  expect_error(open_gguf(folder_ / "m-00001-of-00002.gguf"), Code::bad_format, "says that it is part 1 of 2");
  write_text(folder_ / "m-00002-of-00002.gguf", part(1, 2, 1));
  expect_error(open_gguf(folder_ / "m-00001-of-00002.gguf"), Code::bad_format, "two parts");
  write_text(folder_ / "m-00001-of-00002.gguf", part(1, 2, 0, 5));
  write_text(folder_ / "m-00002-of-00002.gguf", part(2, 2, 1, 5));
  expect_error(open_gguf(folder_ / "m-00001-of-00002.gguf"), Code::bad_format, "hold 5 tensors together");
}

}  // namespace
}  // namespace attnscope::test
