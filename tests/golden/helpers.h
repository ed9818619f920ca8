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
#include "tests/edits.h"
#include "tests/temp_folder.h"

namespace attnscope::testing {

using Json = nlohmann::json;
using TracePointer = std::shared_ptr<const Trace>;

inline std::string source_path(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name;
}
inline std::string model_path(const std::string& name) { return source_path("tests/golden/models/" + name); }

/// Every folder of tests/golden/models: a new family is a folder there and nothing else.
inline std::vector<std::string> golden_models() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(model_path("")))
    if (entry.is_directory()) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}
inline const std::vector<std::string> kModels = golden_models();

inline OpenedModel must_open(const std::string& path) {
  auto opened = open_model(path);
  EXPECT_TRUE(opened) << path << ": " << (opened ? "" : opened.error().text());
  return opened ? *opened : OpenedModel{};
}

inline TracePointer must_run(const Model& model, const Input& input, const RunOptions& options = {}) {
  auto trace = model.run(input, options);
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

/// The sequences of a fixture as our model reads them, and the reference's tensors.
struct Fixture {
  std::shared_ptr<TensorSource> expected;
  std::vector<Input> inputs;          ///< one per sequence, padding marked
  std::vector<std::vector<int>> ids;  ///< of the main stack
  RunOptions options;                 ///< the mask that the reference was run with, where names.json says one

  bool has(const std::string& name) const { return expected->find(name) != nullptr; }
  Tensor tensor(const std::string& name) const {
    auto found = expected->load(name);
    EXPECT_TRUE(found) << name;
    return found ? *found : Tensor();
  }
  /// Row `sequence` of whole numbers [batch, pos].
  std::vector<int> row(const std::string& name, std::size_t sequence) const {
    const auto all = *expected->load_ints(name);
    const auto width = static_cast<std::ptrdiff_t>(expected->find(name)->shape[1]);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(sequence) * width;
    return {begin, begin + width};
  }
};

inline std::vector<std::uint8_t> as_mask(const std::vector<int>& ones) { return {ones.begin(), ones.end()}; }

/// image | prompt | suffix, by the image token and by the segments, which mark the suffix with 1.
inline std::vector<Span> spans_of(const std::vector<int>& ids, const std::vector<int>& types, int image) {
  const auto count = [](const std::vector<int>& values, int value) {
    return static_cast<std::int64_t>(std::count(values.begin(), values.end(), value));
  };
  const std::int64_t seen = count(ids, image), prefix = count(types, 0);
  return {{"image", 0, seen},
          {"prompt", seen, prefix},
          {"suffix", prefix, static_cast<std::int64_t>(ids.size())}};
}

inline Fixture fixture(const std::string& model) {
  auto source = open_safetensors(model_path(model) + "/expected.safetensors");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  const OpenedModel opened = must_open(model_path(model));
  const ModelConfig& config = opened.model->config();
  Fixture out{*source, {}, {}, {}};
  if (const auto names = read_json_file(model_path(model) + "/names.json"); names && names->contains("mask"))
    out.options.edits = {mask((*names)["mask"].get<std::string>().c_str())};
  const char* first = out.has("input_ids") ? "input_ids" : "pixel_values";
  const auto batch = static_cast<std::size_t>(out.expected->find(first)->shape[0]);
  for (std::size_t sequence = 0; sequence < batch; ++sequence) {
    Input input;
    const bool across = out.has("decoder_input_ids");
    if (out.has("input_ids")) (across ? input.source : input.ids) = out.row("input_ids", sequence);
    if (across) input.ids = out.row("decoder_input_ids", sequence);
    if (out.has("attention_mask"))
      (across ? input.source_attention_mask : input.attention_mask) =
          as_mask(out.row("attention_mask", sequence));
    if (out.has("pixel_values"))
      input.pixels = out.tensor("pixel_values").select(0, static_cast<std::int64_t>(sequence));
    if (out.has("token_type_ids") && config.vision())
      input.spans = spans_of(input.ids, out.row("token_type_ids", sequence), config.image_token);
    else if (out.has("token_type_ids"))
      input.types = out.row("token_type_ids", sequence);
    out.ids.push_back(input.ids);
    out.inputs.push_back(std::move(input));
  }
  return out;
}

/// |a - b| as the tests count it: equal infinities are equal, a NaN on one side is infinitely wrong.
inline double gap(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::fabs(a - b);
  return std::isnan(difference) ? INFINITY : difference;
}

}  // namespace attnscope::testing
