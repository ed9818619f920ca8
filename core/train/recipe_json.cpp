#include "core/train/recipe_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

Error wrong(const char* key, const std::string& what, const char* kind) {
  return fail(Code::bad_format, format("%s: \"%s\" is not %s.", what.c_str(), key, kind),
              "The file was changed or damaged; take another one.");
}

// The value behind a key; null where the object has none.
const Json* find(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

template <class Integer>
Status read_integer(const Json& json, const char* key, const std::string& what, Integer& to) {
  const Json* value = find(json, key);
  if (!value) return Done{};
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
  if (value->is_number_unsigned() && value->get<std::uint64_t>() <= most) {
    to = static_cast<Integer>(value->get<std::uint64_t>());
    return Done{};
  }
  if (!value->is_number_integer() || value->is_number_unsigned() || std::is_unsigned_v<Integer> ||
      value->get<std::int64_t>() < static_cast<std::int64_t>(std::numeric_limits<Integer>::min()))
    return wrong(key, what, "a whole number in range");
  to = static_cast<Integer>(value->get<std::int64_t>());
  return Done{};
}

}  // namespace

Status read_key(const Json& json, const char* key, const std::string& what, int& to) {
  return read_integer(json, key, what, to);
}
Status read_key(const Json& json, const char* key, const std::string& what, std::int64_t& to) {
  return read_integer(json, key, what, to);
}
Status read_key(const Json& json, const char* key, const std::string& what, std::uint64_t& to) {
  return read_integer(json, key, what, to);
}

Status read_key(const Json& json, const char* key, const std::string& what, double& to) {
  const Json* value = find(json, key);
  if (!value) return Done{};
  if (!value->is_number()) return wrong(key, what, "a number");
  to = value->get<double>();
  return Done{};
}

Status read_key(const Json& json, const char* key, const std::string& what, std::string& to) {
  const Json* value = find(json, key);
  if (!value) return Done{};
  if (!value->is_string()) return wrong(key, what, "a text");
  to = value->get<std::string>();
  return Done{};
}

Status read_key(const Json& json, const char* key, const std::string& what,
                std::map<std::string, double>& to) {
  const Json* value = find(json, key);
  if (!value) return Done{};
  if (!value->is_object()) return wrong(key, what, "a table");
  for (const auto& [name, number] : value->items()) {
    if (!number.is_number()) return wrong(key, what, "a table of numbers");
    to[name] = number.get<double>();
  }
  return Done{};
}

Json recipe_to_json(const Recipe& r) {
  return {{"steps", r.steps},   {"batch", r.batch},         {"rate", r.rate},  {"schedule", r.schedule},
          {"warmup", r.warmup}, {"smoothing", r.smoothing}, {"clip", r.clip},  {"beta1", r.beta1},
          {"beta2", r.beta2},   {"epsilon", r.epsilon},     {"decay", r.decay}};
}

Result<Recipe> recipe_from_json(const Json& json, const std::string& what) {
  Recipe r;
  if (!json.is_object()) return wrong("recipe", what, "a table");
  TRY_OK(read_key(json, "steps", what, r.steps));
  TRY_OK(read_key(json, "batch", what, r.batch));
  TRY_OK(read_key(json, "rate", what, r.rate));
  TRY_OK(read_key(json, "schedule", what, r.schedule));
  TRY_OK(read_key(json, "warmup", what, r.warmup));
  TRY_OK(read_key(json, "smoothing", what, r.smoothing));
  TRY_OK(read_key(json, "clip", what, r.clip));
  TRY_OK(read_key(json, "beta1", what, r.beta1));
  TRY_OK(read_key(json, "beta2", what, r.beta2));
  TRY_OK(read_key(json, "epsilon", what, r.epsilon));
  TRY_OK(read_key(json, "decay", what, r.decay));
  return r;
}

Json sizes_to_json(const TaskSizes& s) {
  return {{"layers", s.layers}, {"heads", s.heads}, {"kv_heads", s.kv_heads}, {"d_model", s.d_model},
          {"d_mlp", s.d_mlp},   {"order", s.order}, {"mask", s.mask}};
}

Result<TaskSizes> sizes_from_json(const Json& json, const std::string& what) {
  TaskSizes s;
  if (!json.is_object()) return wrong("sizes", what, "a table");
  TRY_OK(read_key(json, "layers", what, s.layers));
  TRY_OK(read_key(json, "heads", what, s.heads));
  TRY_OK(read_key(json, "kv_heads", what, s.kv_heads));
  TRY_OK(read_key(json, "d_model", what, s.d_model));
  TRY_OK(read_key(json, "d_mlp", what, s.d_mlp));
  TRY_OK(read_key(json, "order", what, s.order));
  TRY_OK(read_key(json, "mask", what, s.mask));
  return s;
}

Json report_to_json(const StepReport& r) {
  return {{"step", r.step},
          {"loss", r.loss},
          {"plain_loss", r.plain_loss},
          {"accuracy", r.accuracy},
          {"rate", r.rate},
          {"gradient_norm", r.gradient_norm},
          {"tokens", r.tokens},
          {"seconds", r.seconds},
          {"layer_gradients", r.layer_gradients},
          {"layer_updates", r.layer_updates}};
}

Result<StepReport> report_from_json(const Json& json, const std::string& what) {
  StepReport r;
  if (!json.is_object()) return wrong("reports", what, "a list of tables");
  TRY_OK(read_key(json, "step", what, r.step));
  TRY_OK(read_key(json, "loss", what, r.loss));
  TRY_OK(read_key(json, "plain_loss", what, r.plain_loss));
  TRY_OK(read_key(json, "accuracy", what, r.accuracy));
  TRY_OK(read_key(json, "rate", what, r.rate));
  TRY_OK(read_key(json, "gradient_norm", what, r.gradient_norm));
  TRY_OK(read_key(json, "tokens", what, r.tokens));
  TRY_OK(read_key(json, "seconds", what, r.seconds));
  TRY_OK(read_key(json, "layer_gradients", what, r.layer_gradients));
  TRY_OK(read_key(json, "layer_updates", what, r.layer_updates));
  return r;
}

Json held_out_to_json(const HeldOut& h) {
  return {{"step", h.step}, {"loss", h.loss}, {"plain_loss", h.plain_loss}, {"accuracy", h.accuracy}};
}

Result<HeldOut> held_out_from_json(const Json& json, const std::string& what) {
  HeldOut h;
  if (!json.is_object()) return wrong("held_out", what, "a list of tables");
  TRY_OK(read_key(json, "step", what, h.step));
  TRY_OK(read_key(json, "loss", what, h.loss));
  TRY_OK(read_key(json, "plain_loss", what, h.plain_loss));
  TRY_OK(read_key(json, "accuracy", what, h.accuracy));
  return h;
}

}  // namespace attnscope
