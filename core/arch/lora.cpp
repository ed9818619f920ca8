#include "core/arch/lora.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/over_source.h"
#include "core/io/safetensors.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char *kLoraConfig = "adapter_config.json", *kLoraWeights = "adapter_model.safetensors";
constexpr std::size_t kFewModules = 6;  // named in a sentence

// The two factors of one module.
struct LoraFactors {
  Tensor a, b;  // [r, in], [out, r]
  double scale = 0;
  bool in_out = false;  // the matrix lies [in, out]
};

class LoraSource final : public OverSource {
 public:
  LoraSource(std::shared_ptr<TensorSource> base, std::map<std::string, LoraFactors, std::less<>> factors)
      : OverSource(std::move(base)), factors_(std::move(factors)) {}

  Result<Tensor> load_encoded(std::string_view name) const override {
    return factors_.contains(name) ? load(name) : inner().load_encoded(name);
  }
  Result<Tensor> load(std::string_view name) const override {
    TRY(const Tensor whole, inner().load(name));
    const auto found = factors_.find(name);
    if (found == factors_.end()) return whole;
    const LoraFactors& factors = found->second;
    const std::int64_t in = factors.a.size(1), width = factors.b.size(0), rank = factors.a.size(0);
    const std::vector<float> a = factors.a.values(), b = factors.b.values();
    std::vector<float> out = whole.values();
    std::vector<double> row(static_cast<std::size_t>(in));
    for (std::int64_t o = 0; o < width; ++o) {
      std::fill(row.begin(), row.end(), 0.0);
      for (std::int64_t r = 0; r < rank; ++r) {
        const double factor = static_cast<double>(b[static_cast<std::size_t>(o * rank + r)]) * factors.scale;
        for (std::int64_t i = 0; i < in; ++i)
          row[static_cast<std::size_t>(i)] +=
              factor * static_cast<double>(a[static_cast<std::size_t>(r * in + i)]);
      }
      for (std::int64_t i = 0; i < in; ++i) {
        float& value = out[static_cast<std::size_t>(factors.in_out ? i * width + o : o * in + i)];
        value = static_cast<float>(static_cast<double>(value) + row[static_cast<std::size_t>(i)]);
      }
    }
    return Tensor::from(std::move(out), {{Axis::none, whole.size(0)}, {Axis::none, whole.size(1)}});
  }

 private:
  std::map<std::string, LoraFactors, std::less<>> factors_;
};

Error unreadable(const std::string& folder, const std::string& what) {
  return fail(Code::unsupported, "error.arch.lora.kind", {quoted_path(folder), what});
}

// The fields that would change what is computed here.
Status check_lora_config(const Json& config, const std::string& folder) {
  if (!config.is_object() || config.value("peft_type", Json()) != "LORA")
    return unreadable(folder, "peft_type");
  const auto set = [&](const char* name) {
    const auto found = config.find(name);
    return found != config.end() && !found->is_null() && *found != false && *found != Json::object() &&
           *found != Json::array();
  };
  for (const char* name :
       {"use_dora", "modules_to_save", "rank_pattern", "alpha_pattern", "lora_bias", "megatron_config"})
    if (set(name)) return unreadable(folder, name);
  if (set("bias") && config["bias"] != "none") return unreadable(folder, "bias");
  if (!config.contains("lora_alpha") || !config["lora_alpha"].is_number())
    return unreadable(folder, "lora_alpha");
  return Done{};
}

// "transformer.h.0.attn.c_attn" of "base_model.model.transformer.h.0.attn.c_attn.lora_A.weight"; empty:
// another.
std::string module_of(const std::string& name, const char* side) {
  const std::string ending = std::string(".lora_") + side + ".weight";
  if (!name.ends_with(ending)) return {};
  std::string out = name.substr(0, name.size() - ending.size());
  constexpr std::string_view kPrefix = "base_model.model.";
  if (out.starts_with(kPrefix)) out.erase(0, kPrefix.size());
  return out;
}

// The tensor of a module: files have one prefix more or less than the class that was adapted.
std::optional<std::string> tensor_of(const TensorSource& base, const std::string& module) {
  const std::string name = module + ".weight";
  if (base.find(name)) return name;
  if (const std::size_t dot = name.find('.'); base.find(name.substr(dot + 1))) return name.substr(dot + 1);
  std::optional<std::string> out;
  for (const TensorInfo& info : base.infos())
    if (info.name.ends_with("." + name)) {
      if (out) return std::nullopt;
      out = info.name;
    }
  return out;
}

}  // namespace

Result<LoraChoice> parse_lora(const std::string& text) {
  LoraChoice out{text, 1, true};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.find('/', colon) != std::string::npos) return out;
  const auto strength = parse_real(std::string_view(text).substr(colon + 1), -1e6, 1e6);
  if (!strength || colon == 0) return fail(Code::bad_format, "error.arch.lora.strength", {in_quotes(text)});
  out.folder = text.substr(0, colon);
  out.strength = *strength;
  return out;
}

std::string to_text(const LoraChoice& choice) {
  return choice.empty() ? "" : choice.folder + ":" + format("%.17g", choice.on ? choice.strength : 0.0);
}

std::string lora_name(const LoraChoice& choice) {
  const fs::path folder = fs::path(choice.folder).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

std::string lora_folder(const std::string& path) {
  std::error_code ignored;
  const fs::path at(path);
  if (fs::is_directory(at, ignored)) return fs::exists(at / kLoraConfig, ignored) ? path : "";
  const std::string name = at.filename().string();
  const bool part = name == kLoraConfig || name == kLoraWeights;
  return part && fs::exists(at.parent_path() / kLoraConfig, ignored) ? at.parent_path().string() : "";
}

Result<std::shared_ptr<TensorSource>> with_lora(std::shared_ptr<TensorSource> base,
                                                const LoraChoice& choice) {
  const std::string &folder = choice.folder, weights = folder + "/" + kLoraWeights;
  TRY(const Json config, read_json_file(folder + "/" + kLoraConfig));
  TRY_OK(check_lora_config(config, folder));
  TRY(const std::shared_ptr<TensorSource> adapter, open_safetensors(weights));
  const bool fan_in_first = config.value("fan_in_fan_out", Json(false)) == true;
  const bool root = config.value("use_rslora", Json(false)) == true;
  std::map<std::string, LoraFactors, std::less<>> all;
  std::vector<std::string> unknown;
  for (const TensorInfo& info : adapter->infos()) {
    const std::string module = module_of(info.name, "A");
    if (module.empty()) {
      if (module_of(info.name, "B").empty()) return unreadable(folder, info.name);
      continue;
    }
    const auto target = tensor_of(*base, module);
    if (!target) {
      unknown.push_back(module);
      continue;
    }
    const std::string other =
        info.name.substr(0, info.name.size() - std::string("A.weight").size()) + "B.weight";
    LoraFactors factors;
    TRY(factors.a, adapter->load(info.name));
    TRY(factors.b, adapter->load(other));
    const std::vector<std::int64_t>& shape = base->find(*target)->shape;
    if (factors.a.rank() != 2 || factors.b.rank() != 2 || shape.size() != 2 ||
        factors.a.size(0) != factors.b.size(1))
      return fail(Code::bad_shape, "error.arch.lora.shape", {in_quotes(module), in_quotes(*target)});
    const std::vector<std::int64_t> out_in{factors.b.size(0), factors.a.size(1)},
        in_out{out_in[1], out_in[0]};
    if (shape != out_in && shape != in_out)
      return fail(Code::bad_shape, "error.arch.lora.shape", {in_quotes(module), in_quotes(*target)});
    factors.in_out = shape == out_in && shape == in_out ? fan_in_first : shape == in_out;
    const auto rank = static_cast<double>(factors.a.size(0));
    factors.scale = (choice.on ? choice.strength : 0) * config["lora_alpha"].get<double>() /
                    (root ? std::sqrt(rank) : rank);
    all.emplace(*target, std::move(factors));
  }
  if (!unknown.empty()) {
    const std::size_t count = unknown.size();
    unknown.resize(std::min(count, kFewModules));
    return fail(Code::not_found, "error.arch.lora.modules",
                {quoted_path(folder), count, join(unknown, ", ")});
  }
  if (all.empty()) return unreadable(folder, "lora_A");
  return std::static_pointer_cast<TensorSource>(
      std::make_shared<LoraSource>(std::move(base), std::move(all)));
}

}  // namespace attnscope
