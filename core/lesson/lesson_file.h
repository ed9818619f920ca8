// Reads lessons: plain JSON in assets/lessons, or a file of one's own. Errors: unknown
// fields, and everything that can be checked without a run; with file, page and
// field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace attnscope {

/// `file` is its name in errors; `path` is where it lies, empty for what is no file of one's own.
Result<Lesson> lesson_from_text(std::string_view text, const std::string& file, const std::string& path = {});
Result<Lesson> read_lesson(const std::string& path);
/// The shipped lesson of that id. Errors: lists the ids.
Result<Lesson> shipped_lesson(const std::string& id);
/// All that travel with the program, in the order of their numbers. Errors: of the first broken one.
Result<std::vector<Lesson>> shipped_lessons();

/// An error about one field of one page.
Error at_field(const Lesson& lesson, const std::string& page, const std::string& field, const Error& error);

}  // namespace attnscope
