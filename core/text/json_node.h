// A JSON value and its path in the file, so that errors name the place: typed reading of files that may
// hold anything. Does not throw: a wrong type is an error (bad_format).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  /// False for an absent key, for null and where this is no object.
  bool has(const char* key) const;
  /// The member `key`, which has() has found.
  JsonNode at(const char* key) const;
  JsonNode at(std::size_t index) const;
  std::size_t size() const { return value_->size(); }

  Status expect_object() const;
  Status expect_array() const;
  Result<std::string> text() const;
  Result<std::int64_t> integer() const;
  /// Members with the value to take where they are absent or null.
  Result<bool> flag(const char* key, bool fallback) const;
  Result<std::string> text(const char* key, std::string_view fallback) const;
  Result<std::int64_t> integer(const char* key, std::int64_t fallback) const;
  /// Members that must be there.
  Result<std::string> text(const char* key) const;
  Result<JsonNode> array(const char* key) const;
  Result<JsonNode> object(const char* key) const;
  /// The "type" of a component; empty where there is none.
  Result<std::string> type() const { return text("type", ""); }

  /// "pre_tokenizer.pattern must be a string, found 12".
  Error wrong(const Text& wanted) const;

 private:
  Error missing(const char* key, const Text& wanted) const;

  const nlohmann::json* value_;
  std::string path_;
};

/// The error with a full stop at the end of its sentence: for functions that return to other rooms.
Error with_full_stop(const Error& error);

/// Parses JSON text. Errors: where it breaks off, or nesting deeper than 64 levels.
Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace attnscope
