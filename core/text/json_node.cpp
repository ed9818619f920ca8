#include "core/text/json_node.h"

#include "core/base/text.h"

namespace attnscope {

namespace {

constexpr int kMaxDepth = 64;

// Deepest nesting, by brackets outside strings; the parser is not asked to find out.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

std::string found(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() > 60 ? valid_utf8(text.substr(0, 60)) + "..." : text;
}

}  // namespace

bool JsonNode::has(const char* key) const {
  if (!value_->is_object()) return false;
  const auto member = value_->find(key);
  return member != value_->end() && !member->is_null();
}

JsonNode JsonNode::at(const char* key) const {
  const auto member = value_->find(key);
  CHECK(member != value_->end());
  return {*member, path_.empty() ? std::string(key) : path_ + "." + key};
}

JsonNode JsonNode::at(std::size_t index) const {
  CHECK(value_->is_array() && index < value_->size());
  return {(*value_)[index], path_ + "[" + std::to_string(index) + "]"};
}

Error JsonNode::wrong(std::string_view wanted) const {
  const std::string place = path_.empty() ? "the file" : path_;
  return fail_words(Code::bad_format, place + " must be " + std::string(wanted) + ", found " + found(*value_),
                    "Compare it with the tokenizer.json that the tokenizer's author published.");
}

Error JsonNode::missing(const char* key, std::string_view wanted) const {
  const std::string place = path_.empty() ? std::string(key) : path_ + "." + key;
  return fail_words(Code::bad_format, place + " is missing; it must be " + std::string(wanted),
                    "Compare it with the tokenizer.json that the tokenizer's author published.");
}

Status JsonNode::expect_object() const {
  if (!value_->is_object()) return wrong("an object");
  return Done{};
}

Status JsonNode::expect_array() const {
  if (!value_->is_array()) return wrong("a list");
  return Done{};
}

Result<std::string> JsonNode::text() const {
  if (!value_->is_string()) return wrong("a string");
  return value_->get_ref<const std::string&>();
}

Result<std::int64_t> JsonNode::integer() const {
  if (!value_->is_number_integer()) return wrong("a whole number");
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX)
    return wrong("a whole number of 64 bits");
  return value_->get<std::int64_t>();
}

Result<bool> JsonNode::flag(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!at(key).value().is_boolean()) return at(key).wrong("true or false");
  return at(key).value().get<bool>();
}

Result<std::string> JsonNode::text(const char* key, std::string_view fallback) const {
  if (!has(key)) return std::string(fallback);
  return at(key).text();
}

Result<std::int64_t> JsonNode::integer(const char* key, std::int64_t fallback) const {
  if (!has(key)) return fallback;
  return at(key).integer();
}

Result<std::string> JsonNode::text(const char* key) const {
  if (!has(key)) return missing(key, "a string");
  return at(key).text();
}

Result<JsonNode> JsonNode::array(const char* key) const {
  if (!has(key)) return missing(key, "a list");
  TRY_OK(at(key).expect_array());
  return at(key);
}

Result<JsonNode> JsonNode::object(const char* key) const {
  if (!has(key)) return missing(key, "an object");
  TRY_OK(at(key).expect_object());
  return at(key);
}

Error with_full_stop(Error error) {
  const std::string sentence = error.sentence();
  if (!sentence.empty() && sentence.back() != '.') error.what = Text::of("error.with_stop", {error.what});
  return error;
}

Result<nlohmann::json> parse_json(std::string_view text) {
  if (depth_of(text) > kMaxDepth) {
    return fail_words(Code::bad_format, format("the JSON is nested deeper than %d levels", kMaxDepth),
                      "A tokenizer.json has fewer than ten.");
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return fail_words(Code::bad_format, format("the JSON breaks off at byte %zu", error.byte),
                      "The file may be cut short or no JSON at all; download it again.");
  } catch (const std::exception&) {
    return fail_words(Code::bad_format,
                      "the JSON holds a number that is too large, or does not fit into memory",
                      "Download the file again.");
  }
}

}  // namespace attnscope
