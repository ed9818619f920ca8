#include "core/arch/config_reader.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {

const nlohmann::json* ConfigReader::find(Keys keys) const {
  if (!config_.is_object()) return nullptr;
  for (const char* key : keys) {
    const auto at = config_.find(key);
    if (at != config_.end() && !at->is_null()) return &*at;
  }
  return nullptr;
}

void ConfigReader::refuse(Code code, std::string sentence, std::string hint) {
  if (!error_) error_ = fail(code, std::move(sentence), std::move(hint));
}

Status ConfigReader::status() const {
  if (error_) return *error_;
  return Done{};
}

int ConfigReader::size(Keys keys, int fallback, int most) {
  const nlohmann::json* field = find(keys);
  const char* name = *keys.begin();
  if (!field) {
    if (fallback < 1) {
      refuse(Code::bad_format, format("%s has no field \"%s\".", what_.c_str(), name),
             "The file may be incomplete, or belong to another kind of model.");
      return 1;
    }
    return fallback;
  }
  const double value = field->is_number() ? field->get<double>() : NAN;
  if (!(value >= 1 && value <= most) || value != std::floor(value)) {
    refuse(
        Code::out_of_range,
        format("%s: \"%s\" must be a whole number from 1 to %d, found %s.", what_.c_str(), name, most,
               valid_utf8(field->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40))
                   .c_str()),
        "Correct the config.");
    return 1;
  }
  return static_cast<int>(value);
}

double ConfigReader::number(Keys keys, double fallback) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  if (field->is_number() && std::isfinite(field->get<double>())) return field->get<double>();
  refuse(Code::bad_format, format("%s: \"%s\" must be a number.", what_.c_str(), *keys.begin()),
         "Correct the config.");
  return fallback;
}

bool ConfigReader::flag(Keys keys, bool fallback) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  if (field->is_boolean()) return field->get<bool>();
  refuse(Code::bad_format, format("%s: \"%s\" must be true or false.", what_.c_str(), *keys.begin()),
         "Correct the config.");
  return fallback;
}

std::string ConfigReader::text(Keys keys, const std::string& fallback) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  if (field->is_string()) return field->get<std::string>();
  refuse(Code::bad_format, format("%s: \"%s\" must be a text.", what_.c_str(), *keys.begin()),
         "Correct the config.");
  return fallback;
}

int ConfigReader::token(Keys keys) {
  const nlohmann::json* field = find(keys);
  if (field && field->is_array() && !field->empty()) field = &(*field)[0];
  if (!field || !field->is_number_integer()) return -1;
  const auto id = field->get<std::int64_t>();
  return id >= 0 && id < (1 << 30) ? static_cast<int>(id) : -1;
}

Activation ConfigReader::activation(Keys keys, const std::string& fallback) {
  const std::string name = text(keys, fallback);
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast" || name == "gelu_tanh")
    return Activation::gelu_tanh;
  if (name == "gelu") return Activation::gelu_exact;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "relu") return Activation::relu;
  if (name == "quick_gelu") return Activation::quick_gelu;
  refuse(Code::unsupported, format("%s: the activation \"%s\" is not known.", what_.c_str(), name.c_str()),
         "Known are gelu, gelu_new, silu, relu and quick_gelu.");
  return Activation::gelu_exact;
}

namespace {

// GGUF's list of numbers by which the frequencies are divided, one for each pair.
void read_factors(ConfigReader& config, const nlohmann::json& list, int d_head, RopeSpec& rope) {
  const std::size_t pairs = static_cast<std::size_t>(rope.rotary_dims > 0 ? rope.rotary_dims : d_head) / 2;
  bool good = list.is_array() && list.size() == pairs;
  for (std::size_t i = 0; good && i < pairs; ++i) {
    const double factor = list[i].is_number() ? list[i].get<double>() : 0;
    good = std::isfinite(factor) && factor > 0;
    rope.factors.push_back(factor);
  }
  if (good) return;
  rope.factors.clear();
  config.refuse(Code::bad_shape,
                format("%s: the factors of the rotary frequencies are not %zu positive numbers.",
                       config.what().c_str(), pairs),
                "One is needed for each pair of features that turns.");
}

}  // namespace

RopeSpec read_rope(ConfigReader& config, int d_head) {
  RopeSpec rope;
  rope.theta = config.number({"rope_theta"}, 10000.0);
  double partial = config.number({"partial_rotary_factor"}, 1.0);
  const nlohmann::json* scaling = config.find({"rope_parameters", "rope_scaling"});
  if (scaling) {
    ConfigReader inner(*scaling, config.what() + ": rope_parameters");
    rope.theta = inner.number({"rope_theta"}, rope.theta);
    partial = inner.number({"partial_rotary_factor"}, partial);
    const std::string kind = inner.text({"rope_type", "type"}, "default");
    if (kind == "linear")
      rope.kind = RopeSpec::Kind::linear;
    else if (kind == "llama3")
      rope.kind = RopeSpec::Kind::llama3;
    else if (kind != "default") {
      config.refuse(
          Code::unsupported,
          format("%s: the rotary scaling \"%s\" is not known.", config.what().c_str(), kind.c_str()),
          "Known are default, linear and llama3.");
    }
    rope.factor = inner.number({"factor"}, 1.0);
    rope.low_freq_factor = inner.number({"low_freq_factor"}, 1.0);
    rope.high_freq_factor = inner.number({"high_freq_factor"}, 4.0);
    rope.original_max_positions = inner.number({"original_max_position_embeddings"}, 8192);
    if (const Status status = inner.status(); !status)
      config.refuse(status.error().code, status.error().sentence, status.error().hint);
  }
  if (!(rope.theta > 0) || !(rope.factor > 0) || !(rope.high_freq_factor > rope.low_freq_factor) ||
      !(partial > 0 && partial <= 1)) {
    config.refuse(Code::out_of_range,
                  format("%s: the rotary settings make no frequencies.", config.what().c_str()),
                  "rope_theta and factor must be positive, high_freq_factor above low_freq_factor.");
  }
  if (partial < 1) rope.rotary_dims = static_cast<int>(d_head * partial) / 2 * 2;
  if (scaling && scaling->is_object() && scaling->contains("frequency_factors"))
    read_factors(config, (*scaling)["frequency_factors"], d_head, rope);
  return rope;
}

}  // namespace attnscope
