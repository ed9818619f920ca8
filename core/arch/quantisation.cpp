#include "core/arch/quantisation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kScales = ".SCB", kWeight = ".weight";

struct Setting {
  std::string key;
  const Json* value = nullptr;  // null: not in the config
};

bool says_something(const Json& config, const char* key) {
  const auto at = config.find(key);
  return at != config.end() && !at->is_null() && !(at->is_object() && at->empty());
}

// The keys of quantisation in configs: transformers, older compressed-tensors, MLX; or inside text_config.
Setting setting_of(const Json& config) {
  if (!config.is_object()) return {};
  for (const char* key : {"quantization_config", "compression_config", "quantization"})
    if (says_something(config, key)) return {key, &config[key]};
  const auto text = config.find("text_config");
  return text != config.end() ? setting_of(*text) : Setting{};
}

bool switched_on(const Json& setting, const char* key) {
  const auto at = setting.is_object() ? setting.find(key) : setting.end();
  return at != setting.end() && at->is_boolean() && at->get<bool>();
}

std::string method_of(const Json& setting) {
  const auto method = setting.is_object() ? setting.find("quant_method") : setting.end();
  const std::string name =
      setting.is_object() && method != setting.end() && method->is_string() ? method->get<std::string>() : "";
  if (switched_on(setting, "load_in_4bit")) return "bitsandbytes, 4 bits";
  if (switched_on(setting, "load_in_8bit")) return "LLM.int8";
  return name;
}

std::string scales_of(const std::string& name) {
  return name.substr(0, name.size() - kWeight.size()) + std::string(kScales);
}

bool has_scales(const TensorSource& source) {
  return std::any_of(source.infos().begin(), source.infos().end(),
                     [](const TensorInfo& info) { return ends_with(info.name, kScales); });
}

}  // namespace

Status check_quantisation(const Json& config, const std::string& what) {
  const Setting setting = setting_of(config);
  if (!setting.value) return Done{};
  const std::string method = method_of(*setting.value);
  if (method == "LLM.int8") return Done{};
  const Text by = method.empty() ? Text::of("error.arch.unnamed_method") : Text(in_quotes(method));
  return fail(Code::unsupported, "error.arch.quantised", {what, setting.key, by, in_quotes(setting.key)});
}

Status check_quantised_tensors(const Json& config, const TensorSource& source, const std::string& what) {
  TRY_OK(check_quantisation(config, what));
  const Setting setting = setting_of(config);
  if (!setting.value || has_scales(source)) return Done{};
  return fail(Code::unsupported, "error.arch.no_scales", {what, setting.key, in_quotes(setting.key)});
}

bool is_int8(const TensorSource& source, const std::string& name) {
  const TensorInfo* info = source.find(name);
  return info && info->dtype == DType::i8 && info->shape.size() == 2 && ends_with(name, kWeight) &&
         source.find(scales_of(name));
}

Result<Tensor> load_int8(const TensorSource& source, const std::string& name) {
  const std::string scales_name = scales_of(name),
                    order_name = name + "_format";  // 0: row by row, as every newer file is
  TRY(const Tensor whole, source.load(name));
  TRY(const Tensor stored, source.load(scales_name));
  if (is_integer(source.find(scales_name)->dtype) || stored.count() != whole.size(0)) {
    return fail(Code::bad_shape, "error.arch.scales",
                {in_quotes(scales_name), whole.size(0), in_quotes(name)});
  }
  if (source.find(order_name)) {
    TRY(const std::vector<std::int64_t> order, source.load_ints(order_name));
    if (!order.empty() && order.front() != 0)
      return fail(Code::unsupported, "error.arch.card_order", {in_quotes(name)});
  }
  std::vector<float> scales = stored.values();
  for (float& scale : scales) scale /= 127.f;
  return whole.scale_rows(scales);
}

std::optional<Text> int8_note(const TensorSource& source) {
  if (!has_scales(source)) return std::nullopt;
  return Text::of("note.int8");
}

}  // namespace attnscope
