#include "core/io/writers.h"
#include "helpers.h"

namespace attnscope::test {
namespace {

void write_shard(const std::string& path, const std::string& name, float value) {
  ASSERT_TRUE(write_safetensors(path, {{name, Tensor::from({value}, {{Axis::none, 1}})}}));
}

void write_index(const TempFolder& folder, const std::string& map) {
  write_text(folder / "model.safetensors.index.json",
             "{\"metadata\":{\"total_size\":8},\"weight_map\":" + map + "}");
}

TEST(Folder, OneFileComesFirst) {
  const TempFolder folder;
  write_shard(folder / "other.safetensors", "a", 1);
  EXPECT_EQ((*open_safetensors_folder(folder.path()))->load("a")->at(0), 1);  // the only one
  write_shard(folder / "model.safetensors", "a", 2);
  EXPECT_EQ((*open_safetensors_folder(folder.path()))->load("a")->at(0), 2);
}

TEST(Folder, JoinsShards) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub");
  write_shard(folder / "m-1.safetensors", "a", 1);
  write_shard(folder / "sub/m-2.safetensors", "b", 2);
  write_index(folder, R"({"a":"m-1.safetensors","b":"sub/m-2.safetensors"})");
  const auto source = open_safetensors_folder(folder.path());
  ASSERT_TRUE(source) << source.error().text();
  ASSERT_EQ((*source)->infos().size(), 2u);
  EXPECT_EQ((*source)->load("a")->at(0), 1);
  EXPECT_EQ((*source)->load("b")->at(0), 2);
  EXPECT_EQ((*source)->find("b")->name, "b");
  EXPECT_EQ((*source)->find("c"), nullptr);
  expect_error((*source)->load("c"), Code::not_found, "no tensor \"c\"");
  expect_error((*source)->load_ints("a"), Code::bad_format, "integers");
}

TEST(Folder, SaysWhatIsWrongWithShards) {
  const TempFolder folder;
  write_shard(folder / "m-1.safetensors", "a", 1);
  write_index(folder, R"({"a":"m-1.safetensors","b":"m-2.safetensors"})");
  expect_error(open_safetensors_folder(folder.path()), Code::not_found, "The shard \"m-2.safetensors\" that");
  write_index(folder, R"({"a":"m-1.safetensors","b":"m-1.safetensors"})");
  expect_error(open_safetensors_folder(folder.path()), Code::bad_format, "which does not hold it");
  for (const char* outside : {R"("../m-1.safetensors")", R"("x/../../m.safetensors")", R"("/etc/passwd")",
                              R"("")", "3", R"("m\u0000.safetensors")"}) {
    write_index(folder, std::string("{\"a\":") + outside + "}");
    expect_error(open_safetensors_folder(folder.path()), Code::bad_format, "no file name inside the folder");
  }
  write_index(folder, "[]");
  expect_error(open_safetensors_folder(folder.path()), Code::bad_format, "no object \"weight_map\"");
  write_text(folder / "model.safetensors.index.json", "[]");
  expect_error(open_safetensors_folder(folder.path()), Code::bad_format, "no object \"weight_map\"");
  write_text(folder / "model.safetensors.index.json", "{");
  expect_error(open_safetensors_folder(folder.path()), Code::bad_format, "is not valid JSON");
}

TEST(Folder, SaysWhatIsMissing) {
  const TempFolder folder;
  expect_error(open_safetensors_folder(folder / "none"), Code::not_found, "There is no folder");
  expect_error(open_safetensors_folder(folder.path()), Code::not_found, "holds no weights");
  write_text(folder / "pytorch_model.bin", "x");
  expect_error(open_safetensors_folder(folder.path()), Code::unsupported, "pickled PyTorch file");
  write_shard(folder / "a.safetensors", "a", 1);
  write_shard(folder / "b.safetensors", "a", 1);
  expect_error(open_safetensors_folder(folder.path()), Code::not_found, "holds 2 safetensors files");
}

}  // namespace
}  // namespace attnscope::test
