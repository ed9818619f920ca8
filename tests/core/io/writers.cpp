#include "core/io/writers.h"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/io/json_file.h"
#include "core/io/npy.h"
#include "core/io/zip.h"
#include "helpers.h"

namespace attnscope::test {
namespace {

const float kNaN = std::nanf("");

// A matrix, a transposed view (not row-major), four dimensions, odd values, no values; ids.
std::vector<NamedTensor> some_tensors() {
  const Tensor matrix = Tensor::from({1, 2, 3, 4, 5, 6}, {{Axis::pos, 2}, {Axis::d_model, 3}});
  return {
      {"blocks.0.attn.q", matrix},
      {"transposed", matrix.transpose()},
      {"four",
       Tensor::from({1, 2, 3, 4}, {{Axis::none, 1}, {Axis::head, 2}, {Axis::query, 1}, {Axis::key, 2}})},
      {"odd \"name\" é", Tensor::from({kNaN, INFINITY, -INFINITY, 1e-45f, 0.1f, -0.f}, {{Axis::vocab, 6}})},
      {"none", Tensor::from({}, {{Axis::pos, 0}, {Axis::d_model, 3}})}};
}

std::vector<NamedInts> some_ints() { return {{"tokens", {5, -1, 1LL << 40}, {3}}, {"two", {1, 2}, {2, 1}}}; }

void expect_same(const TensorSource& source) {
  EXPECT_EQ(source.infos().size(), 7u);
  for (const NamedTensor& item : some_tensors()) {
    const auto loaded = source.load(item.name);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->sizes(), item.value.sizes()) << item.name;
    EXPECT_EQ(raw(loaded->values()), raw(item.value.values())) << item.name;  // bit for bit
  }
  for (const NamedInts& item : some_ints()) {
    EXPECT_EQ(*source.load_ints(item.name), item.values);
    EXPECT_EQ(source.find(item.name)->shape, item.shape);
  }
}

TEST(Writers, SafetensorsComesBackBitForBit) {
  const TempFolder folder;
  const auto done =
      write_tensors(folder / "a.safetensors", some_tensors(), some_ints(), {{"axes", "q: pos"}});
  ASSERT_TRUE(done) << done.error().text();
  const auto source = open_safetensors(folder / "a.safetensors");
  ASSERT_TRUE(source) << source.error().text();
  expect_same(**source);
  EXPECT_EQ((*source)->metadata().at("axes"), "q: pos");
  EXPECT_EQ((*source)->load("transposed")->data(),
            (*source)->load("transposed")->data());  // aligned, so borrowed
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Writers, GoldenFileSurvivesARoundTrip) {
  const TempFolder folder;
  const auto source = open_safetensors(golden("models/gpt2/model.safetensors"));
  ASSERT_TRUE(source);
  std::vector<NamedTensor> tensors;
  for (const TensorInfo& info : (*source)->infos())
    tensors.push_back({info.name, *(*source)->load(info.name)});
  for (const char* name : {"a.safetensors", "a.npz"}) {
    ASSERT_TRUE(write_tensors(folder / name, tensors));
    const auto again =
        std::string(name) == "a.npz" ? read_npz(folder / name) : open_safetensors(folder / name);
    ASSERT_TRUE(again) << again.error().text();
    for (const NamedTensor& item : tensors)
      EXPECT_EQ(raw((*again)->load(item.name)->values()), raw(item.value.values())) << item.name;
  }
}

TEST(Writers, NpzComesBackBitForBit) {
  const TempFolder folder;
  ASSERT_TRUE(write_tensors(folder / "a.npz", some_tensors(), some_ints()));
  const auto source = read_npz(folder / "a.npz");
  ASSERT_TRUE(source) << source.error().text();
  expect_same(**source);
}

TEST(Writers, NpyHoldsOneTensor) {
  const TempFolder folder;
  ASSERT_TRUE(write_tensors(folder / "a.npy", {some_tensors()[1]}));
  const auto source = read_npy(folder / "a.npy");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ((*source)->load("array")->values(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read_text(folder / "a.npy").size() % 64, 24u);
  expect_error(write_tensors(folder / "b.npy", some_tensors()), Code::unsupported,
               "A .npy file holds one tensor, but 5");
}

TEST(Writers, JsonIsReadableAndExact) {
  const TempFolder folder;
  ASSERT_TRUE(write_tensors(folder / "a.json", some_tensors(), some_ints(), {{"model", "gpt2"}}));
  const auto read = read_json_file(folder / "a.json");
  ASSERT_TRUE(read) << read.error().text();
  const nlohmann::json& all = *read;
  EXPECT_EQ(all["blocks.0.attn.q"].dump(),
            R"({"axes":["pos","d_model"],"shape":[2,3],"values":[[1,2,3],[4,5,6]]})");
  EXPECT_EQ(all["transposed"]["values"].dump(), "[[1,4],[2,5],[3,6]]");
  EXPECT_EQ(all["transposed"]["axes"].dump(), R"(["d_model","pos"])");
  EXPECT_EQ(all["four"]["values"].dump(), "[[[[1,2]],[[3,4]]]]");
  EXPECT_EQ(all["tokens"]["values"].dump(), "[5,-1,1099511627776]");
  EXPECT_EQ(all["none"]["values"].dump(), "[]");
  const auto& odd = all["odd \"name\" é"]["values"];
  EXPECT_EQ(odd[0], "NaN");
  EXPECT_EQ(odd[1], "Infinity");
  EXPECT_EQ(odd[2], "-Infinity");
  EXPECT_EQ(odd[3].get<float>(), 1e-45f);
  EXPECT_EQ(odd[4].get<float>(), 0.1f);
  EXPECT_EQ(all["__metadata__"]["model"], "gpt2");
}

TEST(Writers, NothingToWriteIsStillAFile) {
  const TempFolder folder;
  for (const char* name : {"a.safetensors", "a.npz", "a.json"}) EXPECT_TRUE(write_tensors(folder / name, {}));
  EXPECT_TRUE((*open_safetensors(folder / "a.safetensors"))->infos().empty());
  EXPECT_TRUE((*read_npz(folder / "a.npz"))->infos().empty());
  EXPECT_EQ(read_json_file(folder / "a.json")->dump(), "{}");
}

TEST(Writers, RefusesBadNamesAndShapesBeforeTouchingTheFile) {
  const TempFolder folder;
  const Tensor one = Tensor::filled({{Axis::none, 1}}, 1);
  for (const char* name : {"a.safetensors", "a.npz", "a.json"}) {
    const std::string path = folder / name;
    expect_error(write_tensors(path, {{"x", one}, {"x", one}}), Code::bad_format, "\"x\" stands twice");
    expect_error(write_tensors(path, {{"", one}}), Code::bad_format, "is empty");
    expect_error(write_tensors(path, {{"\xFF", one}}), Code::bad_format, "not valid UTF-8");
    expect_error(write_tensors(path, {{"__metadata__", one}}), Code::bad_format, "reserved");
    expect_error(write_tensors(path, {{"x", Tensor()}}), Code::bad_shape, "\"x\" has no values");
    expect_error(write_tensors(path, {}, {{"x", {1, 2}, {3}}}), Code::bad_shape,
                 "has 2 values, but its shape is (3)");
  }
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Writers, UnknownExtensionNamesTheKnown) {
  const auto done = write_tensors("out.csv", some_tensors());
  expect_error(done, Code::unsupported, "the extension \".csv\"");
  EXPECT_EQ(done.error().hint(), "Known are .safetensors, .npz, .npy and .json.");
  expect_error(write_tensors("out", some_tensors()), Code::unsupported, "the extension \"\"");
}

TEST(Writers, NpzOverFourGigabytesIsRefusedBeforeWriting) {
  const TempFolder folder;
  const auto one = std::make_shared<const float>(1.f);
  const Tensor huge =
      Tensor::borrow(one, one.get(), std::vector<Dim>{{Axis::pos, 1LL << 30, 0}});  // one value, 2^30 times
  expect_error(write_npz(folder / "a.npz", {{"x", huge}}), Code::unsupported, "1 tensors of 4");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(Writers, MissingFolderIsNamed) {
  const TempFolder folder;
  expect_error(write_tensors(folder / "none/a.npz", some_tensors()), Code::io_failed,
               "No such file or directory");
  std::filesystem::create_directory(folder / "a.npz");
  expect_error(write_tensors(folder / "a.npz", some_tensors()), Code::io_failed, "it is a folder");
}

TEST(Writers, FullDiskIsASentence) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (auto* write : {+[] { return write_safetensors("/dev/full", some_tensors()); },
                      +[] { return write_npz("/dev/full", some_tensors()); },
                      +[] { return write_json("/dev/full", some_tensors()); }}) {
    const auto done = write();
    expect_error(done, Code::io_failed, "No space left on device");
    EXPECT_EQ(done.error().hint(), "Free some space or choose another disk.");
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// The limit on file sizes makes write() fail in the middle, as a full disk does.
TEST(Writers, FailureInTheMiddleKeepsTheOldFile) {
  const TempFolder folder;
  const std::string path = folder / "a.safetensors";
  write_text(path, "the old file");
  const Tensor large = Tensor::filled({{Axis::none, 1'000'000}}, 1);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{2'500'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto done = write_safetensors(path, {{"large", large}});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  expect_error(done, Code::io_failed, "File too large");
  EXPECT_EQ(read_text(path), "the old file");
  EXPECT_EQ(folder.files(), 1u);  // no temporary file left
  EXPECT_TRUE(write_safetensors(path, {{"large", large}}));
  EXPECT_EQ((*open_safetensors(path))->load("large")->count(), 1'000'000);
}

TEST(Writers, AnOpenModelSurvivesBeingReplaced) {
  const TempFolder folder;
  const std::string path = folder / "a.safetensors";
  ASSERT_TRUE(write_safetensors(path, {{"x", Tensor::filled({{Axis::none, 5000}}, 1)}}));
  const auto x = (*open_safetensors(path))->load("x");
  ASSERT_TRUE(write_safetensors(path, {{"y", Tensor::filled({{Axis::none, 1}}, 2)}}));
  EXPECT_EQ(x->at(4999), 1);
}

TEST(Writers, KeepsLinksAndPermissions) {
  const TempFolder folder;
  write_text(folder / "real.json", "{}");
  std::filesystem::permissions(folder / "real.json", std::filesystem::perms(0640));
  std::filesystem::create_symlink("real.json", folder / "link.json");
  ASSERT_TRUE(write_tensors(folder / "link.json", some_tensors()));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.json"));
  EXPECT_TRUE(read_json_file(folder / "real.json")->contains("four"));
  EXPECT_EQ(std::filesystem::status(folder / "real.json").permissions(), std::filesystem::perms(0640));
}

}  // namespace
}  // namespace attnscope::test
