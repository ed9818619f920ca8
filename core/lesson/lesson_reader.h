// The fields of one page while a lesson is read: errors have file, page and field. Private to lesson_file.cpp
// and lesson_asks.cpp.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/arch/edit_json.h"
#include "core/lesson/lesson_file.h"

namespace attnscope {

/// One page while it is read: errors have its place.
struct LessonReader {
  const Lesson& lesson;
  std::string page;

  template <class... Arguments>
  Error refuse(const std::string& field, const char* key, Arguments... arguments) const {
    return at_field(lesson, page, field, fail(Code::bad_format, key, {Text(arguments)...}));
  }
  Error told(const std::string& field, const Error& error) const {
    return at_field(lesson, page, field, error);
  }

  Status only(const nlohmann::json& object, const std::string& field,
              std::initializer_list<const char*> known) const {
    if (!object.is_object()) return refuse(field, "error.lesson.wants_object");
    for (const auto& [key, value] : object.items()) {
      const auto same = [&name = key](const char* word) { return name == word; };
      if (std::any_of(known.begin(), known.end(), same)) continue;
      std::string list;
      for (const char* word : known) list += (list.empty() ? "" : ", ") + std::string(word);
      return refuse(field.empty() ? key : field + "." + key, "error.lesson.unknown_field", list);
    }
    return Done{};
  }
  Result<std::string> text(const nlohmann::json& object, const char* key, const std::string& field,
                           bool needed = true) const {
    const auto found = object.find(key);
    if (found == object.end() && !needed) return std::string();
    if (found == object.end() || !found->is_string() || found->get<std::string>().empty())
      return refuse(field, "error.lesson.wants_text");
    return found->get<std::string>();
  }
  /// The name of a lesson or a page: progress, files and keys of texts are called by it.
  Result<std::string> name(const nlohmann::json& object) const {
    TRY(std::string out, text(object, "id", "id"));
    const auto apart = [](unsigned char sign) { return sign < 0x20 || sign == '/' || sign == '\\'; };
    if (std::any_of(out.begin(), out.end(), apart)) return refuse("id", "error.lesson.wants_name");
    return out;
  }
  Result<std::vector<std::string>> texts(const nlohmann::json& object, const char* key,
                                         const std::string& field) const {
    std::vector<std::string> out;
    const auto found = object.find(key);
    if (found == object.end()) return out;
    if (!found->is_array()) return refuse(field, "error.lesson.wants_texts");
    for (const nlohmann::json& entry : *found) {
      if (!entry.is_string()) return refuse(field, "error.lesson.wants_texts");
      out.push_back(entry.get<std::string>());
    }
    return out;
  }
  Result<bool> flag(const nlohmann::json& object, const char* key, const std::string& field) const {
    const auto found = object.find(key);
    if (found == object.end()) return false;
    if (!found->is_boolean()) return refuse(field, "error.lesson.wants_flag");
    return found->get<bool>();
  }
  Result<Expression> expression(const nlohmann::json& object, const char* key,
                                const std::string& field) const {
    TRY(const std::string words, text(object, key, field));
    Result<Expression> parsed = Expression::parse(words);
    if (!parsed) return told(field, parsed.error());
    return parsed;
  }
  Result<Edits> edits(const nlohmann::json& object, const char* key, const std::string& field) const {
    if (!object.contains(key)) return Edits{};
    Result<Edits> read = edits_from_json(nlohmann::json{{"edits", object[key]}}, lesson.file);
    if (!read) return told(field, read.error());
    return read;
  }
};

/// The question of a page; monostate where it has none.
Result<AskKind> read_ask(const LessonReader& reader, const nlohmann::json& page);

}  // namespace attnscope
