// Arrays of a session file: those of the file beside it, as earlier versions wrote them.
#include "core/session/session_arrays.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/session/session_file.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

// A safetensors file beside `session` with one array.
void write_beside(const std::string& session, const std::string& name, const char* dtype,
                  const std::string& bytes, std::int64_t count) {
  const nlohmann::json header = {
      {name, {{"dtype", dtype}, {"shape", {count}}, {"data_offsets", {0, bytes.size()}}}}};
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string all(sizeof length, '\0');
  std::memcpy(all.data(), &length, sizeof length);
  std::ofstream(session + kArraysEnding, std::ios::binary) << all << text << bytes;
}

TEST(SessionArraysBeside, AreFloat32AndNothingElseIsExpanded) {
  const testing::TempFolder folder;
  const std::string path = folder / "a.attnscope";
  const std::vector<float> values{1, 2, 3, 4};
  const std::string name = "array-" + fingerprint(Tensor::from(std::vector(values), {{Axis::none, 4}}));
  const nlohmann::json word = {{"array", name}};
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  write_beside(path, name, "F32", bytes, 4);
  const Result<Tensor> read = ArraysIn(path, path).find(word, "edits");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->values(), values);
  write_beside(path, name, "U8", "\1\2\3\4", 4);
  const Result<Tensor> expanded = ArraysIn(path, path).find(word, "edits");
  ASSERT_FALSE(expanded) << "the same numbers, but of a type that no version wrote";
  EXPECT_EQ(expanded.error().code(), Code::bad_format);
}

}  // namespace
}  // namespace attnscope
