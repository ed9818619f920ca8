#include "core/io/json_file.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

// Line and column of the byte before `position` (nlohmann counts the bytes it has read).
Text place(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position > 0 ? position - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t column = 1 + utf8_length(before.substr(start));
  return Text::of("error.io.line_column", {line, column});
}

// A string whose end was not reached.
bool is_open_string(std::string_view token) {
  if (!token.starts_with('"')) return false;
  for (std::size_t at = 1; at < token.size(); at += token[at] == '\\' ? 2 : 1)
    if (token[at] == '"') return false;
  return true;
}

// What is wrong with the byte before `position`, at which the parser gave up while it read `token`.
Text reason(std::string_view text, std::size_t position, const std::string& token, bool range) {
  if (range) return Text::of("error.io.json.why.number", {in_quotes(token, 40)});
  if (position == 0 || position > text.size()) return Text::of("error.io.json.why.end");
  const bool in_string = is_open_string(token);
  const auto last = static_cast<unsigned char>(text[position - 1]);
  if (in_string && last < 0x20) return Text::of("error.io.json.why.control");
  if (in_string && !is_valid_utf8(text.substr(0, position))) return Text::of("error.io.json.why.utf8");
  if (in_string) return Text::of("error.io.json.why.escape");
  return Text::of("error.io.json.why.unexpected", {in_quotes(token, 40)});
}

// Builds the value while the text is read, one stack entry per open object or list.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::string& what, TwiceKeys twice, std::size_t most_values)
      : text_(text), what_(what), twice_(twice), most_values_(most_values) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return descend(Json::value_t::object); }
  bool start_array(std::size_t) override { return descend(Json::value_t::array); }
  bool end_object() override { return ascend(); }
  bool end_array() override { return ascend(); }

  bool key(string_t& name) override {
    auto& object = open_.back()->get_ref<Json::object_t&>();
    const auto [slot, fresh] = object.try_emplace(name, nullptr);
    slot_ = &slot->second;
    if (fresh || twice_ == TwiceKeys::last_wins) return true;
    error_ = fail(Code::bad_format, "error.io.json.twice", {what_, in_quotes(name)});
    return false;
  }

  bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
    constexpr int kNumberOutOfRange = 406;
    error_ =
        fail(Code::bad_format, "error.io.json.at",
             {what_, place(text_, position), reason(text_, position, token, error.id == kNumberOutOfRange)});
    return false;
  }

  Result<Json> take(bool complete) {
    if (complete) return std::move(root_);
    return error_.value_or(fail(Code::bad_format, "error.io.json", {what_}));
  }

 private:
  // Stores a value at the current place and records where it went.
  bool put(Json value) {
    if (++values_ > most_values_) {
      error_ = fail(Code::unsupported, "error.io.json.values", {what_, most_values_});
      return false;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      last_ = &root_;
    } else if (open_.back()->is_array()) {
      last_ = &open_.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
    } else {
      *slot_ = std::move(value);
      last_ = slot_;
    }
    return true;
  }

  bool descend(Json::value_t kind) {
    if (static_cast<int>(open_.size()) >= kMaxJsonDepth) {
      error_ = fail(Code::unsupported, "error.io.json.depth", {what_, kMaxJsonDepth});
      return false;
    }
    if (!put(Json(kind))) return false;
    open_.push_back(last_);
    return true;
  }

  bool ascend() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& what_;
  TwiceKeys twice_;
  std::size_t most_values_, values_ = 0;
  Json root_;
  std::vector<Json*> open_;
  Json* slot_ = nullptr;
  Json* last_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& what, TwiceKeys twice,
                        std::size_t most_values) {
  if (text.empty()) return fail(Code::bad_format, "error.io.json.empty", {what});
  try {
    Builder builder(text, what, twice, most_values);
    return builder.take(Json::sax_parse(text.data(), text.data() + text.size(), &builder));
  } catch (const std::exception&) {
    return fail(Code::no_memory, "error.io.json.memory", {what, format_bytes(text.size())});
  }
}

Result<Json> read_json_file(const std::string& path, std::uint64_t max_bytes) {
  TRY(const std::string text, read_file(path, max_bytes));
  return parse_json(text, quoted_path(path));
}

}  // namespace attnscope
