#include "core/train/recipe_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

Error wrong(const char* key, const std::string& what, const Text& kind) {
  return fail(Code::bad_format, "error.train.recipe_field", {what, key, kind});
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
    return wrong(key, what, Text::of("error.train.wanted.whole"));
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
  if (!value->is_number()) return wrong(key, what, Text::of("error.train.wanted.number"));
  to = value->get<double>();
  return Done{};
}

Status read_key(const Json& json, const char* key, const std::string& what, std::string& to) {
  const Json* value = find(json, key);
  if (!value) return Done{};
  if (!value->is_string()) return wrong(key, what, Text::of("error.train.wanted.text"));
  to = value->get<std::string>();
  return Done{};
}

namespace {

// Every field under its key, for writing and reading alike.
constexpr auto kRecipeFields = [](auto& r, auto&& visit) {
  visit("steps", r.steps);
  visit("batch", r.batch);
  visit("rate", r.learning_rate);
  visit("schedule", r.schedule);
  visit("warmup", r.warmup);
  visit("smoothing", r.smoothing);
  visit("clip", r.clip);
  visit("beta1", r.beta1);
  visit("beta2", r.beta2);
  visit("epsilon", r.epsilon);
  visit("decay", r.decay);
};

constexpr auto kSizesFields = [](auto& s, auto&& visit) {
  visit("layers", s.layers);
  visit("heads", s.heads);
  visit("kv_heads", s.kv_heads);
  visit("d_model", s.d_model);
  visit("d_mlp", s.d_mlp);
  visit("order", s.order);
  visit("mask", s.mask);
};

template <class Value, class Each>
Result<Value> value_of(const Json& json, const char* name, const std::string& what, const Each& each) {
  if (!json.is_object()) return wrong(name, what, Text::of("error.train.wanted.table"));
  Value value;
  TRY_OK(read_fields(json, what, value, each));
  return value;
}

}  // namespace

Json recipe_to_json(const Recipe& recipe) {
  Json out;
  write_fields(recipe, out, kRecipeFields);
  return out;
}

Json sizes_to_json(const TaskSizes& sizes) {
  Json out;
  write_fields(sizes, out, kSizesFields);
  return out;
}

Result<Recipe> recipe_from_json(const Json& json, const std::string& what) {
  return value_of<Recipe>(json, "recipe", what, kRecipeFields);
}

Result<TaskSizes> sizes_from_json(const Json& json, const std::string& what) {
  return value_of<TaskSizes>(json, "sizes", what, kSizesFields);
}

}  // namespace attnscope
