#include "core/io/safetensors.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "helpers.h"

namespace attnscope::test {
namespace {

constexpr const char* kTwo =
    R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}})";

// One tensor "a" described by the given members of its entry, over `bytes` zero bytes.
Result<std::shared_ptr<TensorSource>> open_entry(const std::string& members, std::size_t bytes) {
  return open_text(safetensors_text("{\"a\":{" + members + "}}", std::string(bytes, '\0')));
}

TEST(Safetensors, LoadsFloatsWithoutACopy) {
  const TempFolder folder;
  std::string header = kTwo;
  header.append((8 - header.size() % 8) % 8, ' ');
  write_text(folder / "a.safetensors", safetensors_text(header, raw<float>({1, 2, 3, 4, 5, 6})));
  auto source = open_safetensors(folder / "a.safetensors");
  ASSERT_TRUE(source) << source.error().text();
  ASSERT_EQ((*source)->infos().size(), 2u);
  const auto a = (*source)->load("a"), again = (*source)->load("a"), b = (*source)->load("b");
  ASSERT_TRUE(a && again && b);
  EXPECT_EQ(a->data(), again->data());  // borrowed, not copied
  EXPECT_EQ(a->data() + 4, b->data());  // as they lie in the file
  EXPECT_EQ(a->axis(0), Axis::none);
  source = Error{Code::not_found, "", {}};  // the tensors keep the file mapped
  EXPECT_EQ(a->values(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(a->at(1, 0), 3);
  EXPECT_EQ(b->values(), (std::vector<float>{5, 6}));
}

TEST(Safetensors, MisalignedFloatsAreCopied) {
  for (std::size_t pad = 0; pad < 4; ++pad) {
    const auto source =
        open_text(safetensors_text(kTwo + std::string(pad, ' '), raw<float>({1, 2, 3, 4, 5, 6})));
    ASSERT_TRUE(source);
    const auto a = (*source)->load("a");
    ASSERT_TRUE(a);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->data()) % alignof(float), 0u);
    EXPECT_EQ(a->values(), (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST(Safetensors, ExpandsEveryNumberFormat) {
  struct Case {
    const char* dtype;
    std::string data;
    std::vector<float> expected;
  };
  const std::vector<Case> cases{
      {"F32", raw<float>({1.5f, -2}), {1.5f, -2}},
      {"F16", raw<std::uint16_t>({0x3C00, 0xC500, 0x0001, 0x7C00}), {1, -5, std::ldexp(1.f, -24), INFINITY}},
      {"BF16", raw<std::uint16_t>({0x3F80, 0xC0A0, 0x4049}), {1, -5, 3.140625f}},
      {"F64", raw<double>({0.1, -1e10}), {0.1f, -1e10f}},
      {"I64", raw<std::int64_t>({-3, 1LL << 40}), {-3, 1099511627776.f}},
      {"I32", raw<std::int32_t>({-3, 70000}), {-3, 70000}},
      {"I16", raw<std::int16_t>({-3, 700}), {-3, 700}},
      {"I8", raw<std::int8_t>({-3, 7}), {-3, 7}},
      {"U8", raw<std::uint8_t>({253, 7}), {253, 7}},
      {"BOOL", raw<std::uint8_t>({1, 0}), {1, 0}}};
  for (const Case& c : cases) {
    const std::string header = std::string("{\"a\":{\"dtype\":\"") + c.dtype + "\",\"shape\":[" +
                               std::to_string(c.expected.size()) + "],\"data_offsets\":[0," +
                               std::to_string(c.data.size()) + "]}}";
    const auto source = open_text(safetensors_text(header, c.data));
    ASSERT_TRUE(source) << source.error().text();
    const auto a = (*source)->load("a");
    ASSERT_TRUE(a) << a.error().text();
    EXPECT_EQ(a->values(), c.expected) << c.dtype;
  }
}

TEST(Safetensors, IntegersKeepAll64Bits) {
  const std::vector<std::int64_t> values{-1, (1LL << 62) + 1, 0, 5};
  const auto source = open_text(
      safetensors_text(R"({"a":{"dtype":"I64","shape":[1,1,2,1,2],"data_offsets":[0,32]}})", raw(values)));
  ASSERT_TRUE(source);
  EXPECT_EQ(*(*source)->load_ints("a"), values);
  expect_error((*source)->load("a"), Code::unsupported, "has 5 dimensions");
  const auto floats = open_entry(R"("dtype":"F16","shape":[2],"data_offsets":[0,4])", 4);
  expect_error((*floats)->load_ints("a"), Code::bad_format, "holds F16 values where integers are expected");
}

TEST(Safetensors, SingleNumbersAndEmptyTensorsAndMetadata) {
  const auto source = open_text(safetensors_text(
      R"({"__metadata__":{"format":"pt"},"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("e":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}})",
      raw<float>({7})));
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->metadata().at("format"), "pt");
  EXPECT_EQ((*source)->load("s")->sizes(), (std::vector<std::int64_t>{1}));
  EXPECT_EQ((*source)->load("s")->at(0), 7);
  EXPECT_EQ((*source)->load("e")->sizes(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_TRUE((*source)->load("e")->values().empty());
  EXPECT_TRUE(open_text(safetensors_text("{}", "")));
}

TEST(Safetensors, AMissingTensorIsNamedWithWhatIsThere) {
  const auto source = open_text(safetensors_text(kTwo, std::string(24, '\0')));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->find("c"), nullptr);
  const auto c = (*source)->load("c");
  expect_error(c, Code::not_found, "test.safetensors has no tensor \"c\"");
  EXPECT_EQ(c.error().hint(), "It holds 2: \"a\", \"b\".");
  expect_error((*source)->load_ints("c"), Code::not_found, "no tensor \"c\"");
}

TEST(SafetensorsLies, LengthAndHeader) {
  const std::string data(24, '\0');
  expect_error(open_text("1234567"), Code::bad_format, "7 bytes are too few");
  expect_error(open_text(safetensors_text(kTwo, data, 99'999'999)), Code::bad_format,
               "claims 99999999 bytes, but only");
  expect_error(open_text(safetensors_text(kTwo, data, ~0ull)), Code::bad_format,
               "claims 18446744073709551615 bytes");
  expect_error(open_text(safetensors_text(kTwo, data, 0)), Code::bad_format, "does not begin with '{'");
  expect_error(open_text(safetensors_text(std::string(" ") + kTwo, data)), Code::bad_format,
               "does not begin with '{'");
  expect_error(open_text(safetensors_text("[1]", data)), Code::bad_format, "does not begin with '{'");
  expect_error(open_text(safetensors_text("{\"a\":", data)), Code::bad_format,
               "the header is not valid JSON: line 1");
  std::string deep = "{\"a\":" + std::string(100'000, '[');
  expect_error(open_text(safetensors_text(deep, data)), Code::unsupported, "deeper than 256 levels");
  expect_error(open_text(safetensors_text(R"({"__metadata__":{"a":1}})", "")), Code::bad_format,
               "not a string");
  expect_error(open_text(safetensors_text(R"({"__metadata__":[]})", "")), Code::bad_format,
               "not an object of strings");
  expect_error(open_text(safetensors_text(R"({"a":{},"a":{}})", "")), Code::bad_format, "\"a\" stands twice");
  expect_error(open_text(safetensors_text(R"({"a":7})", "")), Code::bad_format,
               "tensor \"a\" is not described by an object");
}

TEST(SafetensorsLies, MoreTensorsThanAnyModelHas) {
  std::string header = "{";
  for (int i = 0; i < 300'000; ++i)
    header +=
        (i ? ",\"w" : "\"w") + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  header += "}";
  const std::uint64_t length = header.size();
  const testing::TempFolder folder;
  const std::string path = folder / "many.safetensors";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&length), sizeof length)
      << header;
  expect_error(open_safetensors(path), Code::unsupported, "holds more than 2097152 values");
}

TEST(SafetensorsLies, NumberFormat) {
  const auto source = open_entry(R"("dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4])", 4);
  expect_error(source, Code::unsupported, "tensor \"a\" has the number format \"F8_E4M3\"");
  EXPECT_NE(source.error().hint().find("BF16"), std::string::npos);
  expect_error(open_entry(R"("shape":[4],"data_offsets":[0,4])", 4), Code::bad_format,
               "has no text \"dtype\"");
  expect_error(open_entry(R"("dtype":3,"shape":[4],"data_offsets":[0,4])", 4), Code::bad_format, "\"dtype\"");
}

TEST(SafetensorsLies, Shape) {
  const auto with = [](const std::string& shape) {
    return open_entry("\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":[0,16]", 16);
  };
  EXPECT_TRUE(with("[4]"));
  EXPECT_TRUE(with("[2,1,2]"));
  expect_error(with("[5]"), Code::bad_format, "is F32 (5) and needs 20 bytes, but its data_offsets span 16");
  expect_error(with("[3]"), Code::bad_format, "needs 12 bytes");
  expect_error(with("4"), Code::bad_format, "has no list \"shape\"");
  expect_error(with("[-4]"), Code::bad_format, "not a whole number from 0 to 2^60: \"-4\"");
  expect_error(with("[4.0]"), Code::bad_format, "not a whole number");
  expect_error(with("[\"4\"]"), Code::bad_format, "not a whole number");
  expect_error(with("[99999999999999999999999]"), Code::bad_format, "not a whole number");
  expect_error(with("[4294967296,4294967296]"), Code::bad_format,
               "absurd shape");  // product 2^64: wraps to 0
  expect_error(with("[4611686018427387904,4]"), Code::bad_format, "not a whole number");  // 2^62
  expect_error(with("[1152921504606846976]"), Code::bad_format, "absurd shape");          // 2^60 floats
  expect_error(with("[0,1152921504606846976]"), Code::bad_format, "absurd shape");
  expect_error(with("[0]"), Code::bad_format, "needs 0 bytes");
}

TEST(SafetensorsLies, Offsets) {
  const auto with = [](const std::string& offsets) {
    return open_entry("\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":" + offsets, 16);
  };
  expect_error(with("[0,20]"), Code::bad_format,
               "lies at bytes [0, 20) of the data, but the file holds only 16");
  expect_error(with("[16,0]"), Code::bad_format, "run backwards");
  expect_error(with("[18446744073709551600,18446744073709551615]"), Code::bad_format,
               "the file holds only 16");
  expect_error(with("[0]"), Code::bad_format, "no \"data_offsets\" of two whole numbers");
  expect_error(with("[0,16,16]"), Code::bad_format, "two whole numbers");
  expect_error(with("[-16,0]"), Code::bad_format, "two whole numbers");
  expect_error(with("[0.0,16.0]"), Code::bad_format, "two whole numbers");
  expect_error(with("{}"), Code::bad_format, "two whole numbers");
}

TEST(SafetensorsLies, OverlapsHolesAndTrailingBytes) {
  const auto pair = [](const std::string& second, std::size_t bytes) {
    return open_text(safetensors_text(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                                      R"("b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                                          second + "}}",
                                      std::string(bytes, 'x')));
  };
  EXPECT_TRUE(pair("[4,8]", 8));
  expect_error(pair("[3,7]", 7), Code::bad_format, "tensor \"b\" overlaps tensor \"a\"");
  expect_error(pair("[0,4]", 4), Code::bad_format, "overlaps");
  expect_error(pair("[5,9]", 9), Code::bad_format, "a hole of 1 bytes before tensor \"b\"");
  expect_error(pair("[4,8]", 11), Code::bad_format, "3 bytes after the last tensor belong to none");
  expect_error(open_text(safetensors_text("{}", "x")), Code::bad_format, "1 bytes after");
}

TEST(SafetensorsLies, EveryTruncationIsRefused) {
  const std::string whole = safetensors_text(kTwo, std::string(24, '\0'));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto source = open_text(whole.substr(0, size));
    ASSERT_FALSE(source) << size;
    EXPECT_FALSE(source.error().hint().empty());
  }
}

// What begins before the end and stops behind it is left out by name; what lies before it is as it was.
TEST(SafetensorsCut, WhatIsWholeStays) {
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
  const std::string whole = safetensors_text(header, std::string(16, 'x'));
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto bytes = exact_bytes(whole.substr(0, size));
    std::vector<std::string> cut;
    const auto source = open_safetensors_bytes(bytes, *bytes, "test.safetensors", &cut);
    const std::size_t head = whole.size() - 16;
    ASSERT_EQ(source.ok(), size >= head) << size;
    if (!source) continue;
    EXPECT_EQ((*source)->infos().size(), (size - head) / 8) << size;
    EXPECT_EQ(cut.size(), 2 - (size - head) / 8) << size;
    for (const TensorInfo& info : (*source)->infos()) EXPECT_TRUE((*source)->load(info.name)) << size;
  }
}

TEST(SafetensorsGolden, Gpt2ValuesAreThoseOfTheReference) {
  const auto source = open_safetensors(golden("models/gpt2/model.safetensors"));
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->infos().size(), 40u);
  EXPECT_EQ((*source)->metadata().at("format"), "pt");
  const auto wte = (*source)->load("transformer.wte.weight");
  ASSERT_TRUE(wte);
  EXPECT_EQ(wte->sizes(), (std::vector<std::int64_t>{199, 48}));
  EXPECT_EQ(wte->at(0, 0), -0.3523212671279907f);
  EXPECT_EQ(wte->at(0, 3), -0.3716945946216583f);
  EXPECT_EQ(wte->at(198, 47), -0.02049180492758751f);
  const auto expected = open_safetensors(golden("models/gpt2/expected.safetensors"));
  ASSERT_TRUE(expected);
  const auto ids = (*expected)->load_ints("input_ids");
  ASSERT_TRUE(ids);
  ASSERT_EQ(ids->size(), 22u);
  EXPECT_EQ(std::vector<std::int64_t>(ids->begin(), ids->begin() + 5),
            (std::vector<std::int64_t>{66, 183, 49, 112, 132}));
}

TEST(SafetensorsGolden, Llama3IsBfloat16) {
  const auto source = open_safetensors(golden("models/llama3/model.safetensors"));
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->infos().size(), 20u);
  const std::string file = read_text(golden("models/llama3/model.safetensors"));
  for (const TensorInfo& info : (*source)->infos()) {
    EXPECT_EQ(info.dtype, DType::bf16);
    const auto tensor = (*source)->load(info.name);
    ASSERT_TRUE(tensor);
    const std::vector<float> values = tensor->values();
    ASSERT_EQ(values.size() * 2, info.bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, file.data() + info.offset + 2 * i, 2);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::uint32_t{bits} << 16) << info.name << " " << i;
    }
  }
  EXPECT_EQ((*source)->load("model.embed_tokens.weight")->at(0, 0), -0.3515625f);
}

}  // namespace
}  // namespace attnscope::test
