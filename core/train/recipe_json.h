// Recipes, sizes and other lists of fields as JSON: for cards and checkpoints. Absent fields keep their
// defaults. Error: a value of the wrong type, with its key.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/train/task.h"

namespace attnscope {

nlohmann::json recipe_to_json(const Recipe& recipe);
nlohmann::json sizes_to_json(const TaskSizes& sizes);

/// `what` is the name of the file in errors.
Result<Recipe> recipe_from_json(const nlohmann::json& json, const std::string& what);
Result<TaskSizes> sizes_from_json(const nlohmann::json& json, const std::string& what);

/// Reads one value of an object into `to`, where the key stands in it. Errors: a value of another kind.
Status read_key(const nlohmann::json& json, const char* key, const std::string& what, int& to);
Status read_key(const nlohmann::json& json, const char* key, const std::string& what, std::int64_t& to);
Status read_key(const nlohmann::json& json, const char* key, const std::string& what, std::uint64_t& to);
Status read_key(const nlohmann::json& json, const char* key, const std::string& what, double& to);
Status read_key(const nlohmann::json& json, const char* key, const std::string& what, std::string& to);

/// Both take each(value, visit), which visits every field of a value with its key. Reading errs as read_key.
template <class Value, class Each>
Status read_fields(const nlohmann::json& json, const std::string& what, Value& value, const Each& each) {
  Status read = Done{};
  each(value, [&](const char* key, auto& field) {
    if (read) read = read_key(json, key, what, field);
  });
  return read;
}
template <class Value, class Each>
void write_fields(const Value& value, nlohmann::json& json, const Each& each) {
  each(value, [&](const char* key, const auto& field) { json[key] = field; });
}

}  // namespace attnscope
