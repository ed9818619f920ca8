// Models and pictures of the window tests.
#include <algorithm>
#include <fstream>
#include <set>

#include "app/gpu/image_file.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

// [vocab, d_model] -> [rows, d_model], the rows again from the first on.
Tensor repeated_rows(const Tensor& table, std::int64_t rows) {
  const std::int64_t width = table.size(1);
  std::vector<float> values;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < width; ++col) values.push_back(table.at(row % table.size(0), col));
  return Tensor::from(std::move(values), {{table.axis(0), rows}, {table.axis(1), width}});
}

}  // namespace

fs::path golden_model(const std::string& name) {
  return fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models" / name;
}

fs::path model_with_tokenizer(const TempFolder& folder) {
  const fs::path made = folder / "tiny_gpt2";
  const fs::path tokenizer =
      fs::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/tokenizers/bytelevel_bpe/tokenizer.json";
  fs::create_directory(made);
  fs::copy_file(tokenizer, made / "tokenizer.json");
  Json config = Json::parse(read_text(golden_model("gpt2") / "config.json"));
  const auto words =
      static_cast<std::int64_t>(Json::parse(read_text(tokenizer)).at("model").at("vocab").size());
  config["vocab_size"] = words;
  std::ofstream(made / "config.json") << config.dump();
  const auto source = open_safetensors((golden_model("gpt2") / "model.safetensors").string());
  EXPECT_TRUE(source);
  if (!source) return made;
  std::vector<NamedTensor> tensors;
  for (const TensorInfo& info : (*source)->infos()) {
    auto tensor = (*source)->load(info.name);
    EXPECT_TRUE(tensor) << info.name;
    if (!tensor) continue;
    const bool words_table = info.name.find("wte") != std::string::npos;
    tensors.push_back({info.name, words_table ? repeated_rows(*tensor, words) : *tensor});
  }
  EXPECT_TRUE(write_safetensors((made / "model.safetensors").string(), tensors));
  return made;
}

void expect_picture(const fs::path& path, int width, int height) {
  const auto image = read_png(path.string());
  ASSERT_TRUE(image) << path << ": " << image.error().text();
  EXPECT_EQ(image->width, width);
  EXPECT_EQ(image->height, height);
  std::set<std::uint32_t> colours;
  for (int y = 0; y < image->height; y += 3)
    for (int x = 0; x < image->width; x += 3) {
      const std::uint8_t* p = image->at(x, y);
      colours.insert(static_cast<std::uint32_t>(p[0] << 16 | p[1] << 8 | p[2]));
    }
  EXPECT_GT(colours.size(), 50u) << "a picture of the program has more colours: " << path;
}

}  // namespace attnscope::testing
