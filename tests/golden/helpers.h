// What the golden tests share: fixtures by name, expected tensors, models opened or failing with their
// sentence.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"

namespace attnscope::testing {

using Json = nlohmann::json;
using TracePointer = std::shared_ptr<const Trace>;

inline const std::vector<std::string> kModels{"gpt2", "llama", "llama3", "qwen2"};

inline std::string source_path(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name;
}
inline std::string model_path(const std::string& name) { return source_path("tests/golden/models/" + name); }

inline OpenedModel must_open(const std::string& path) {
  auto opened = open_model(path);
  EXPECT_TRUE(opened) << path << ": " << (opened ? "" : opened.error().text());
  return opened ? *opened : OpenedModel{};
}

inline TracePointer must_run(const Model& model, const Input& input, const RunOptions& options = {},
                             KvCache* cache = nullptr) {
  auto trace = model.run(input, options, cache);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? *trace : nullptr;
}

inline Site must_site(const std::string& text) {
  const auto site = parse_site(text);
  EXPECT_TRUE(site) << text;
  return site ? *site : Site{};
}

inline Tensor must_tensor(const Trace& trace, const Site& site) {
  auto tensor = trace.tensor(site);
  EXPECT_TRUE(tensor) << (tensor ? "" : tensor.error().text());
  return tensor ? *tensor : Tensor();
}
inline Tensor must_tensor(const Trace& trace, const std::string& site) {
  return must_tensor(trace, must_site(site));
}

/// Two sequences of ids as the fixtures hold them.
struct Fixture {
  std::shared_ptr<TensorSource> expected;
  std::vector<std::vector<int>> ids;
  std::vector<std::int64_t> real;  ///< tokens of each sequence that are not padding

  Tensor tensor(const std::string& name) const {
    auto found = expected->load(name);
    EXPECT_TRUE(found) << name;
    return found ? *found : Tensor();
  }
};

inline Fixture fixture(const std::string& model) {
  auto source = open_safetensors(model_path(model) + "/expected.safetensors");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  Fixture out{*source, {}, {}};
  const auto ids = *out.expected->load_ints("input_ids"), mask = *out.expected->load_ints("attention_mask");
  const std::size_t length = static_cast<std::size_t>(out.expected->find("input_ids")->shape[1]);
  for (std::size_t begin = 0; begin < ids.size(); begin += length) {
    out.ids.emplace_back(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                         ids.begin() + static_cast<std::ptrdiff_t>(begin + length));
    out.real.push_back(std::count(mask.begin() + static_cast<std::ptrdiff_t>(begin),
                                  mask.begin() + static_cast<std::ptrdiff_t>(begin + length), 1));
  }
  return out;
}

/// |a - b| as the tests count it: equal infinities are equal, a NaN on one side is infinitely wrong.
inline double gap(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::fabs(a - b);
  return std::isnan(difference) ? INFINITY : difference;
}

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "attnscope-golden-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace attnscope::testing
