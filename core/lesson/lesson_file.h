// Reads lessons: plain JSON in assets/lessons, or a file of one's own. Every field has a meaning: one that is
// not known is refused, and so is whatever can be seen to be wrong without a run. Errors name file, page and
// field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lesson/lesson.h"

namespace attnscope {

/// `file` names it in sentences.
Result<Lesson> lesson_from_text(std::string_view text, const std::string& file);
Result<Lesson> read_lesson(const std::string& path);
/// The shipped lesson of that id. Errors: lists those that there are.
Result<Lesson> shipped_lesson(const std::string& id);
/// All that travel with the program, in the order of their numbers. Errors: of the first broken one.
Result<std::vector<Lesson>> shipped_lessons();

/// An error about one field of one page.
Error at_field(const Lesson& lesson, const std::string& page, const std::string& field, const Error& error);

}  // namespace attnscope
