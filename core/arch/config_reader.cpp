#include "core/arch/config_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/trace/config.h"

namespace attnscope {

const nlohmann::json* ConfigReader::find(const Keys& keys) const {
  if (!config_.is_object()) return nullptr;
  for (const char* key : keys) {
    const auto at = config_.find(key);
    if (at != config_.end() && !at->is_null()) return &*at;
  }
  return nullptr;
}

bool ConfigReader::is_null(const char* key) const {
  const auto at = config_.is_object() ? config_.find(key) : config_.end();
  return at != config_.end() && at->is_null();
}

void ConfigReader::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

Status ConfigReader::status() const {
  if (error_) return *error_;
  return Done{};
}

int ConfigReader::size(const Keys& keys, int fallback, int most) {
  if (find(keys) || fallback >= 1) return whole(keys, fallback, 1, most);
  refuse(fail(Code::bad_format, "error.arch.no_field", {what_, *keys.begin()}));
  return 1;
}

int ConfigReader::count(const Keys& keys, int fallback, int most) { return whole(keys, fallback, 0, most); }

int ConfigReader::whole(const Keys& keys, int fallback, int least, int most) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  const double value = field->is_number() ? field->get<double>() : NAN;
  if (value >= least && value <= most && value == std::floor(value)) return static_cast<int>(value);
  const std::string found = field->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  refuse(fail(Code::out_of_range, "error.arch.field_whole",
              {what_, *keys.begin(), least, most, valid_utf8(found.substr(0, 40))}));
  return 1;
}

const char* ConfigReader::spelled(const Keys& keys) const {
  for (const char* key : keys)
    if (find({key})) return key;
  return *keys.begin();
}

double ConfigReader::number(const Keys& keys, double fallback, NumberRange range) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  if (!field->is_number()) {
    refuse(fail(Code::bad_format, "error.arch.field_number", {what_, spelled(keys)}));
    return fallback;
  }
  const double value = field->get<double>();
  if ((value >= range.least && value <= range.most) || (range.or_zero && value == 0)) return value;
  refuse(fail(
      Code::out_of_range, range.or_zero ? "error.arch.range_or_zero" : "error.arch.range",
      {what_, spelled(keys), format("%.9g", value), format("%g", range.least), format("%g", range.most)}));
  return fallback;
}

bool ConfigReader::flag(const Keys& keys, bool fallback) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  if (field->is_boolean()) return field->get<bool>();
  refuse(fail(Code::bad_format, "error.arch.field_flag", {what_, *keys.begin()}));
  return fallback;
}

std::string ConfigReader::text(const Keys& keys, const std::string& fallback) {
  const nlohmann::json* field = find(keys);
  if (!field) return fallback;
  if (field->is_string()) return field->get<std::string>();
  refuse(fail(Code::bad_format, "error.arch.field_text", {what_, *keys.begin()}));
  return fallback;
}

int ConfigReader::token(const Keys& keys) {
  const nlohmann::json* field = find(keys);
  if (field && field->is_array() && !field->empty()) field = &(*field)[0];
  if (!field || !field->is_number_integer()) return -1;
  const auto id = field->get<std::int64_t>();
  return id >= 0 && id < (1 << 30) ? static_cast<int>(id) : -1;
}

Activation ConfigReader::activation(const Keys& keys, const std::string& fallback) {
  const std::string name = text(keys, fallback);
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast" || name == "gelu_tanh")
    return Activation::gelu_tanh;
  if (name == "gelu") return Activation::gelu_exact;
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "relu") return Activation::relu;
  if (name == "quick_gelu") return Activation::quick_gelu;
  refuse(fail(Code::unsupported, "error.arch.activation", {what_, in_quotes(name)}));
  return Activation::gelu_exact;
}

namespace {

// GGUF's list of numbers by which the frequencies are divided, one for each pair.
void read_factors(ConfigReader& config, const nlohmann::json& list, int d_head, RopeSpec& rope) {
  const std::size_t pairs = static_cast<std::size_t>(rope.rotary_dims > 0 ? rope.rotary_dims : d_head) / 2;
  bool good = list.is_array() && list.size() == pairs;
  for (std::size_t i = 0; good && i < pairs; ++i) {
    const double factor = list[i].is_number() ? list[i].get<double>() : 0;
    good = factor >= kStretch.least && factor <= kStretch.most;
    rope.factors.push_back(factor);
  }
  if (good) return;
  rope.factors.clear();
  config.refuse(fail(Code::bad_shape, "error.arch.rope_factors", {config.what(), pairs}));
}

// One scaling for all layers; newer configs may spell one for each kind of layer. Where both spellings stand,
// "rope_scaling" counts, as transformers takes them.
const nlohmann::json* scaling_of(ConfigReader& config) {
  const nlohmann::json* scaling = config.find({"rope_scaling"});
  if (!scaling || scaling->empty()) scaling = config.find({"rope_parameters", "rope_scaling"});
  if (!scaling || !scaling->is_object() || scaling->empty() || !scaling->begin()->is_object()) return scaling;
  const nlohmann::json& first = *scaling->begin();
  for (const nlohmann::json& other : *scaling) {
    if (other == first) continue;
    config.refuse(fail(Code::unsupported, "error.arch.rope_differs", {config.what()}));
  }
  return &first;
}

std::optional<RopeSpec::Kind> rope_kind(const std::string& name) {
  if (name == "default") return RopeSpec::Kind::standard;
  if (name == "linear") return RopeSpec::Kind::linear;
  if (name == "dynamic") return RopeSpec::Kind::dynamic;
  if (name == "llama3") return RopeSpec::Kind::llama3;
  if (name == "yarn") return RopeSpec::Kind::yarn;
  return std::nullopt;
}

// 0.1 weight ln(factor) + 1 (Peng et al. 2023, section 3.4)
double yarn_magnitude(double factor, double weight) {
  return factor > 1 ? 0.1 * weight * std::log(factor) + 1 : 1;
}

// The fields of YaRN. Without a factor it is the ratio of the two lengths; mscale and mscale_all_dim of
// DeepSeek give attention_factor.
void read_yarn(ConfigReader& inner, double positions, RopeSpec& rope) {
  if (!inner.find({"factor"}) && rope.original_max_positions > 0)
    rope.factor = std::max(positions / rope.original_max_positions, 1.0);
  const auto or_else = [&](const char* key, double fallback) {  // 0 counts as silence
    const double value = inner.number({key}, 0, kStretchOrNone);
    return value == 0 ? fallback : value;
  };
  rope.beta_fast = or_else("beta_fast", 32);
  rope.beta_slow = or_else("beta_slow", 1);
  rope.truncate = inner.flag({"truncate"}, true);
  rope.attention_factor = inner.number({"attention_factor"}, 0, kStretchOrNone);
  const double mscale = inner.number({"mscale"}, 0, kStretchOrNone),
               all = inner.number({"mscale_all_dim"}, 0, kStretchOrNone);
  if (!inner.find({"attention_factor"}) && mscale != 0 && all != 0)
    rope.attention_factor = yarn_magnitude(rope.factor, mscale) / yarn_magnitude(rope.factor, all);
  if (rope.beta_fast >= rope.beta_slow && rope.theta > 1) return;
  inner.refuse(fail(
      Code::out_of_range, "error.arch.yarn",
      {inner.what(), format("%g", rope.beta_fast), format("%g", rope.beta_slow), format("%g", rope.theta)}));
}

// The fields of rope_scaling or rope_parameters.
void read_scaling(ConfigReader& config, ConfigReader& inner, RopeSpec& rope) {
  const std::string name = inner.text({"rope_type", "type"}, "default");
  const auto kind = rope_kind(name);
  if (!kind) {
    config.refuse(fail(Code::unsupported, "error.arch.rope_scaling", {config.what(), in_quotes(name)}));
  }
  rope.kind = kind.value_or(RopeSpec::Kind::standard);
  rope.theta = inner.number({"rope_theta"}, rope.theta, kTheta);
  rope.factor = inner.number({"factor"}, 1.0, kStretch);
  rope.low_freq_factor = inner.number({"low_freq_factor"}, 1.0, kStretch);
  rope.high_freq_factor = inner.number({"high_freq_factor"}, 4.0, kStretch);
  constexpr NumberRange kPositions{1, 1e9};
  const double positions =
      config.number({"max_position_embeddings", "max_sequence_length"}, 2048, kPositions);
  const double trained = rope.kind == RopeSpec::Kind::llama3 ? 8192 : positions;
  rope.original_max_positions = inner.number({"original_max_position_embeddings"}, trained, kPositions);
  if (rope.kind == RopeSpec::Kind::yarn) read_yarn(inner, positions, rope);
  if (rope.kind != RopeSpec::Kind::llama3 || rope.high_freq_factor > rope.low_freq_factor) return;
  inner.refuse(fail(Code::out_of_range, "error.arch.freq_factors",
                    {inner.what(), format("%g", rope.high_freq_factor), format("%g", rope.low_freq_factor)}));
}

// How many features turn: int(d_head * part), as transformers counts; its table of angles has two columns for
// every other one of them, so that an odd count takes the next feature along.
void read_turned(ConfigReader& config, int d_head, double partial, RopeSpec& rope) {
  const int dims = static_cast<int>(d_head * partial);
  if (dims < 1) {
    config.refuse(
        fail(Code::out_of_range, "error.arch.turned_none", {config.what(), format("%g", partial), d_head}));
    return;
  }
  rope.rotary_dims = dims + dims % 2;
  if (dims % 2 == 0) return;
  rope.frequency_dims = dims;
  if (rope.kind != RopeSpec::Kind::yarn) return;
  config.refuse(fail(Code::unsupported, "error.arch.yarn_odd", {config.what(), dims}));
}

}  // namespace

RopeSpec read_rope(ConfigReader& config, int d_head, double partial) {
  RopeSpec rope;
  rope.theta = config.number({"rope_theta", "rotary_emb_base"}, 10000.0, kTheta);
  partial = config.number({"partial_rotary_factor", "rotary_pct"}, partial, kShare);
  const nlohmann::json* scaling = scaling_of(config);
  if (scaling) {
    const bool older = scaling == config.find({"rope_scaling"});
    ConfigReader inner(*scaling, config.what() + (older ? ": rope_scaling" : ": rope_parameters"));
    partial = inner.number({"partial_rotary_factor"}, partial, kShare);
    read_scaling(config, inner, rope);
    if (const Status status = inner.status(); !status) config.refuse(status.error());
  }
  if (!config.status()) return {};
  if (partial < 1) read_turned(config, d_head, partial, rope);
  if (scaling && scaling->is_object() && scaling->contains("frequency_factors"))
    read_factors(config, (*scaling)["frequency_factors"], d_head, rope);
  return rope;
}

double rotary_share(std::int64_t dims, std::int64_t d_head) {
  double share = static_cast<double>(dims) / static_cast<double>(d_head);
  while (static_cast<std::int64_t>(static_cast<double>(d_head) * share) < dims)
    share = std::nextafter(share, 2.0);
  return share;
}

void set_equal_heads(AttentionSpec& attention, int heads, int d_model) {
  attention.n_heads = attention.n_kv_heads = heads;
  attention.d_head = std::max(1, d_model / heads);
  attention.scale = 1.f / std::sqrt(static_cast<float>(attention.d_head));
}

void read_special_tokens(ConfigReader& config, ModelConfig& out) {
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  out.pad = config.token({"pad_token_id"});
}

std::int64_t longest(const RopeSpec& rope, int positions) {
  if (rope.kind == RopeSpec::Kind::standard) return positions;
  const double trained = rope.kind == RopeSpec::Kind::linear ? positions : rope.original_max_positions;
  const double far = std::min(trained * std::max(rope.factor, 1.0), 1e9);
  return std::max<std::int64_t>(positions, static_cast<std::int64_t>(far));
}

}  // namespace attnscope
