#include "core/text/json_node.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

namespace {

constexpr int kMaxDepth = 64;

// Deepest nesting, counted by brackets outside of strings before the parser runs.
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

Text found(const nlohmann::json& value) {
  if (value.is_object()) return Text::of("error.text.wanted.object");
  if (value.is_array()) return Text::of("error.text.wanted.list");
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

Error JsonNode::wrong(const Text& wanted) const {
  const Text place = path_.empty() ? Text::of("error.text.the_file") : Text(path_);
  return fail(Code::bad_format, "error.text.wrong", {place, wanted, found(*value_)});
}

Error JsonNode::missing(const char* key, const Text& wanted) const {
  const std::string place = path_.empty() ? std::string(key) : path_ + "." + key;
  return fail(Code::bad_format, "error.text.missing", {place, wanted});
}

Status JsonNode::expect_object() const {
  if (!value_->is_object()) return wrong(Text::of("error.text.wanted.object"));
  return Done{};
}

Status JsonNode::expect_array() const {
  if (!value_->is_array()) return wrong(Text::of("error.text.wanted.list"));
  return Done{};
}

Result<std::string> JsonNode::text() const {
  if (!value_->is_string()) return wrong(Text::of("error.text.wanted.string"));
  return value_->get_ref<const std::string&>();
}

Result<std::int64_t> JsonNode::integer() const {
  if (!value_->is_number_integer()) return wrong(Text::of("error.text.wanted.whole"));
  if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > INT64_MAX)
    return wrong(Text::of("error.text.wanted.whole_64"));
  return value_->get<std::int64_t>();
}

Result<bool> JsonNode::flag(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!at(key).value().is_boolean()) return at(key).wrong(Text::of("error.text.wanted.flag"));
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
  if (!has(key)) return missing(key, Text::of("error.text.wanted.string"));
  return at(key).text();
}

Result<JsonNode> JsonNode::array(const char* key) const {
  if (!has(key)) return missing(key, Text::of("error.text.wanted.list"));
  TRY_OK(at(key).expect_array());
  return at(key);
}

Result<JsonNode> JsonNode::object(const char* key) const {
  if (!has(key)) return missing(key, Text::of("error.text.wanted.object"));
  TRY_OK(at(key).expect_object());
  return at(key);
}

Error with_full_stop(const Error& error) {
  const std::string sentence = error.sentence();
  if (sentence.empty() || sentence.back() == '.') return error;
  return error.saying(Text::of("error.with_stop", {error.what()}));
}

Result<nlohmann::json> parse_json(std::string_view text) {
  if (depth_of(text) > kMaxDepth) {
    return fail(Code::bad_format, "error.text.json.depth", {kMaxDepth});
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return fail(Code::bad_format, "error.text.json.breaks_off", {error.byte});
  } catch (const std::exception&) {
    return fail(Code::bad_format, "error.text.json.number");
  }
}

}  // namespace attnscope
