#include "core/arch/presets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/memory_limit.h"
#include "core/arch/random_model.h"
#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/trace/ties.h"
#include "core/trace/weight_parts.h"

namespace attnscope {
namespace {

constexpr const char* kFile = "assets/presets/presets.json";
constexpr std::size_t kNearest = 3;

const nlohmann::ordered_json& presets() {
  static const auto file = nlohmann::ordered_json::parse(asset(kFile), nullptr, false);
  CHECK(file.is_object());
  return file;
}

// Letters to change, insert or leave out to come from one to the other (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = before + (a[i - 1] == b[j - 1] ? 0 : 1);
      before = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

std::vector<std::string> nearest(std::string_view name) {
  std::vector<std::string> out = preset_names();
  const std::string_view read = name.substr(0, 64);
  std::stable_sort(out.begin(), out.end(), [&](const std::string& a, const std::string& b) {
    return distance(read, a) < distance(read, b);
  });
  out.resize(std::min(out.size(), kNearest));
  return out;
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
    return fail(Code::not_found, "error.arch.no_preset",
                {in_quotes(name), join(nearest(name), ", "), join(preset_names(), ", ")});
  return nlohmann::json(presets()[name]);
}

Result<Described> describe_preset(const std::string& name) {
  TRY(const nlohmann::json config, preset_config(name));
  TRY(Described out, describe_config(config, name));
  out.title = name;
  return out;
}

Result<OpenedModel> random_preset(const std::string& name) {
  TRY(const Described described, describe_preset(name));
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
