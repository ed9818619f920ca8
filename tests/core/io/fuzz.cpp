// Ten thousand and more broken files, the same ones in every run: each is read from memory of exactly its
// size, and must end in values or in a sentence with a hint. The sanitizers see every byte that is touched
// beyond it.
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/io/gguf.h"
#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/io/writers.h"
#include "helpers.h"
#include "tests/golden/gguf_writer.h"

namespace attnscope::test {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// What lies beyond a crash: an error must say something, a tensor must be readable to its last value.
struct Tally {
  std::size_t opened = 0, refused = 0;
  double sum = 0;

  void sentence(const Error& error) {
    ++refused;
    ASSERT_FALSE(error.sentence.empty());
    ASSERT_FALSE(error.hint.empty()) << error.sentence;
    ASSERT_LT(error.text().size(), 3000u);
    ASSERT_TRUE(is_printable(error.sentence)) << error.sentence;
  }
  static bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
  }
  /// `values_per_byte` bounds what a format may expand to.
  void read_all(const TensorSource& source, std::size_t file_bytes, std::size_t values_per_byte = 1) {
    ++opened;
    for (const TensorInfo& info : source.infos()) {
      ASSERT_LE(info.offset + info.bytes, file_bytes);
      if (const auto tensor = source.load(info.name)) {
        ASSERT_LE(static_cast<std::size_t>(tensor->count()), file_bytes * values_per_byte);
        for (float value : tensor->values()) sum += std::isfinite(value) ? 1 : 0;
      }
      if (const auto ints = source.load_ints(info.name)) sum += static_cast<double>(ints->size());
    }
  }
};

void feed_safetensors(const std::string& text, Tally& tally) {
  const auto source = open_text(text);
  if (source)
    tally.read_all(**source, text.size());
  else
    tally.sentence(source.error());
}

void feed_npz(const std::string& text, Tally& tally) {
  const auto bytes = exact_bytes(text);
  const auto source = read_npz_bytes(bytes, *bytes, "test.npz");
  if (source)
    tally.read_all(**source, text.size());
  else
    tally.sentence(source.error());
}

void feed_json(const std::string& text, Tally& tally) {
  const auto bytes = exact_bytes(text);
  const auto value = parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, "test.json");
  if (!value) return tally.sentence(value.error());
  ++tally.opened;
  tally.sum +=
      static_cast<double>(value->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).size());
}

// Pieces that a header could be made to contain.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> list{"{",
                                             "}",
                                             "[",
                                             "]",
                                             ",",
                                             ":",
                                             "\"",
                                             "null",
                                             "-1",
                                             "0",
                                             "1e999",
                                             "4294967296",
                                             "18446744073709551615",
                                             "9223372036854775808",
                                             "\"F32\"",
                                             "\"F8_E5M2\"",
                                             "\"I64\"",
                                             "\"BOOL\"",
                                             "\"shape\":[",
                                             "\"data_offsets\":[0,0]",
                                             "\"__metadata__\":{\"a\":\"b\"},",
                                             "\"a\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[0,2]},",
                                             "\xFF",
                                             "\xED\xA0\x80",
                                             std::string(1, '\0'),
                                             std::string(300, '['),
                                             "\\u0000",
                                             "\\ud800",
                                             "[0,1152921504606846975]"};
  return list;
}

std::string mutate(const std::string& original, Random& random) {
  std::string text = original;
  const std::size_t rounds = 1 + below(random, 3);
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t at = below(random, text.size());
    switch (below(random, 8)) {
      case 0:  // a bit
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
        break;
      case 1:  // a byte
        if (!text.empty()) text[at] = static_cast<char>(below(random, 256));
        break;
      case 2: text.resize(at); break;
      case 3: text.insert(at, pieces()[below(random, pieces().size())]); break;
      case 4: text.erase(at, 1 + below(random, 12)); break;
      case 5: text += text.substr(at, below(random, 64)); break;
      case 6: text.insert(at, text.substr(below(random, text.size()), below(random, 40))); break;
      default:  // another digit: sizes and offsets that are almost right
        for (std::size_t i = at; i < text.size(); ++i)
          if (text[i] >= '0' && text[i] <= '9') {
            text[i] = static_cast<char>('0' + below(random, 10));
            break;
          }
    }
  }
  return text;
}

// Mutates the whole file, its values, its length, or its header (and mends the length).
std::string mutate_safetensors(const std::string& header, const std::string& data, Random& random) {
  switch (below(random, 6)) {
    case 0: {
      std::string values = data;
      for (char& byte : values) byte = static_cast<char>(below(random, 256));
      return safetensors_text(header, values);
    }
    case 1: return mutate(safetensors_text(header, data), random);
    case 2: return safetensors_text(header, data, random() >> below(random, 64));
    default: return safetensors_text(mutate(header, random), data);
  }
}

const std::vector<std::pair<std::string, std::string>>& seeds() {
  static const std::vector<std::pair<std::string, std::string>> list{
      {R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"I64","shape":[2],"data_offsets":[16,32]}})",
       std::string(32, '\x3f')},
      {R"({"__metadata__":{"format":"pt"},"w":{"dtype":"BF16","shape":[3,5],"data_offsets":[0,30]},)"
       R"("e":{"dtype":"F32","shape":[0,4],"data_offsets":[30,30]},"s":{"dtype":"F16","shape":[],"data_offsets":[30,32]},)"
       R"("d":{"dtype":"F64","shape":[1,2,1,2],"data_offsets":[32,64]},"m":{"dtype":"BOOL","shape":[9],"data_offsets":[64,73]}})",
       std::string(73, '\x41')},
      {R"({"x":{"dtype":"U8","shape":[1,1,1,1,7],"data_offsets":[0,7]},"y":{"dtype":"I32","shape":[2],"data_offsets":[7,15]}})",
       std::string(15, '\x80')}};
  return list;
}

TEST(Fuzz, SafetensorsInMemory) {
  Random random(20240131);
  Tally tally;
  for (int i = 0; i < 20'000 && !::testing::Test::HasFatalFailure(); ++i) {
    const auto& [header, data] = seeds()[below(random, seeds().size())];
    feed_safetensors(mutate_safetensors(header, data, random), tally);
  }
  EXPECT_EQ(tally.opened + tally.refused, 20'000u);
  EXPECT_GT(tally.opened, 2'000u);  // some mutations are harmless: both ends of the loader are reached
  EXPECT_GT(tally.refused, 10'000u);
}

TEST(Fuzz, RealModelFile) {
  const std::string file = read_text(golden("models/llama3/model.safetensors"));
  std::uint64_t length = 0;
  ASSERT_GT(file.size(), 8u);
  std::memcpy(&length, file.data(), 8);
  const std::string header = file.substr(8, length), data = file.substr(8 + length);
  Random random(7);
  Tally tally;
  for (int i = 0; i < 400 && !::testing::Test::HasFatalFailure(); ++i)
    feed_safetensors(mutate_safetensors(header, data, random), tally);
  EXPECT_EQ(tally.opened + tally.refused, 400u);
}

TEST(Fuzz, Json) {
  const std::string config = read_text(golden("models/llama3/config.json"));
  ASSERT_FALSE(config.empty());
  Random random(11);
  Tally tally;
  for (int i = 0; i < 6'000 && !::testing::Test::HasFatalFailure(); ++i)
    feed_json(mutate(config, random), tally);
  EXPECT_GT(tally.opened, 200u);
  EXPECT_GT(tally.refused, 2'000u);
}

TEST(Fuzz, Npz) {
  const TempFolder folder;
  ASSERT_TRUE(write_npz(folder / "a.npz", {{"a", Tensor::filled({{Axis::pos, 2}, {Axis::d_model, 3}}, 1)}},
                        {{"tokens", {1, 2, 3}, {3}}}));
  const std::string file = read_text(folder / "a.npz");
  Random random(13);
  Tally tally;
  for (int i = 0; i < 4'000 && !::testing::Test::HasFatalFailure(); ++i)
    feed_npz(mutate(file, random), tally);
  EXPECT_EQ(tally.opened + tally.refused, 4'000u);
  EXPECT_GT(tally.refused, 2'000u);
}

TEST(Fuzz, NpyHeaders) {
  const std::string array = npy_header("<f4", {2, 3}) + std::string(24, '\0');
  Random random(17);
  std::size_t good = 0;
  for (int i = 0; i < 6'000; ++i) {
    const std::string text = mutate(array, random);
    const auto info = parse_npy(*exact_bytes(text), "a", "test.npy");
    if (info) {
      ASSERT_EQ(info->offset + info->bytes, text.size());
    }
    good += info ? 1 : 0;
  }
  EXPECT_GT(good, 20u);
}

// Every kind of metadata value and every format of tensors.
std::string gguf_seed() {
  attnscope::testing::GgufWriter writer;
  writer.text("general.architecture", "llama");
  writer.number("general.alignment", 32);
  writer.flag("f", true);
  writer.real("r", 0.5f);
  writer.texts("tokens", {"a", "bc", "", "def"});
  writer.numbers<float>("scores", 6, {0.f, -1.f});
  writer.numbers<std::int32_t>("types", 5, {1, 3});
  for (const auto& [type, bytes] :
       std::vector<std::pair<std::uint32_t, std::size_t>>{{2, 18}, {3, 20}, {6, 22}, {7, 24}, {8, 34}})
    writer.tensor("q" + std::to_string(type), {1, 32}, type, std::string(bytes, '\x3c'));
  for (const auto& [type, bytes] : std::vector<std::pair<std::uint32_t, std::size_t>>{
           {10, 84}, {11, 110}, {12, 144}, {13, 176}, {14, 210}})
    writer.tensor("k" + std::to_string(type), {256}, type, std::string(bytes, '\x35'));
  writer.floats("w", {2, 2}, {1, 2, 3, 4});
  writer.tensor("i", {3}, 26, std::string(12, '\1'));
  return writer.file();
}

TEST(Fuzz, Gguf) {
  const std::string file = gguf_seed();
  Random random(19);
  Tally tally;
  for (int i = 0; i < 20'000 && !::testing::Test::HasFatalFailure(); ++i) {
    std::string text = file;
    if (below(random, 2) == 0) {
      text = mutate(file, random);
    } else {  // eight bytes at once: a count, a length, a size, an offset
      const std::uint64_t value = random() >> below(random, 64);
      std::memcpy(text.data() + below(random, text.size() - 8), &value, 1 + below(random, 8));
    }
    const auto bytes = exact_bytes(text);
    const auto opened = open_gguf_bytes(bytes, *bytes, "test.gguf");
    if (!opened) {
      tally.sentence(opened.error());
      continue;
    }
    tally.read_all(*opened->tensors, text.size(), 4);
    for (const auto& [key, value] : opened->metadata) {
      if (const auto texts = value.texts())
        for (const std::string_view word : *texts) tally.sum += static_cast<double>(word.size());
      if (const auto numbers = value.numbers()) tally.sum += static_cast<double>(numbers->size());
      tally.sum += value.number().value_or(0) > 0 ? 1 : 0;
      tally.sum += value.integer().value_or(0) > 0 ? 1 : 0;
      if (const auto word = value.text()) tally.sum += static_cast<double>(word->size());
    }
  }
  EXPECT_EQ(tally.opened + tally.refused, 20'000u);
  EXPECT_GT(tally.opened, 1'000u);
  EXPECT_GT(tally.refused, 5'000u);
}

}  // namespace
}  // namespace attnscope::test
