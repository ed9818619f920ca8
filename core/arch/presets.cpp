#include "core/arch/presets.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/memory_limit.h"
#include "core/arch/random_model.h"
#include "core/base/assets.h"
#include "core/base/listed.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/trace/ties.h"
#include "core/trace/weight_parts.h"

namespace attnscope {
namespace {

constexpr const char* kFile = "assets/presets/presets.json";

const nlohmann::ordered_json& presets() {
  static const auto file = nlohmann::ordered_json::parse(asset(kFile), nullptr, false);
  CHECK(file.is_object());
  return file;
}

// Bytes of a model whose weights are float32, each counted once.
std::int64_t bytes_of(const Described& it) {
  std::int64_t values = 0;
  for (const WeightShape& weight : weights_of(it)) {
    if (!part_of_weight(it.config, weight.name)) continue;
    std::int64_t count = 1;
    for (const std::int64_t size : weight.shape) count *= size;
    values += count;
  }
  return values * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, config] : presets().items()) out.push_back(name);
    return out;
  }();
  return names;
}

bool is_preset(const std::string& name) { return presets().contains(name); }

Result<nlohmann::json> preset_config(const std::string& name) {
  if (!is_preset(name))
    return fail(
        Code::not_found, "error.arch.no_preset",
        {in_quotes(name), join(nearest_names(name, preset_names()), ", "), some_of(preset_names(), 12)});
  return nlohmann::json(presets()[name]);
}

Result<Described> describe_preset(const std::string& name) {
  TRY(const nlohmann::json config, preset_config(name));
  TRY(Described out, describe_config(config, name));
  out.title = name;
  return out;
}

Result<OpenedModel> random_preset(const std::string& name) {
  std::error_code ignored;
  const bool file = !is_preset(name) && std::filesystem::is_regular_file(name, ignored);
  TRY(const Described described, file ? describe_config_file(name) : describe_preset(name));
  if (!described.runs) return fail(Code::unsupported, "error.arch.preset_runs_not", {in_quotes(name)});
  const std::int64_t bytes = bytes_of(described);
  if (bytes > memory_limit())
    return fail(Code::no_memory, "error.arch.preset_memory",
                {in_quotes(name), format_bytes(static_cast<std::uint64_t>(bytes)),
                 format_bytes(static_cast<std::uint64_t>(memory_limit()))});
  TRY(OpenedModel out, random_model(described.config, weights_of(described)));
  out.title = out.path = std::string(kRandomPrefix) + name;
  out.family = described.family;
  if (described.config.sees()) out.preprocessing = preprocessing_of(out.model->config(), {}, out.notes);
  return out;
}

}  // namespace attnscope
