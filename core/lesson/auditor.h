// A page of a lesson while it is looked at by the audit (audit.h).
#pragma once

#include <string>
#include <vector>

#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"

namespace attnscope {

/// One page while it is looked at.
struct Auditor {
  const Lesson& lesson;
  const Page& page;
  PageRun run;

  ExpressionScope scope() const { return scope_of(page, run); }
  Error at(const std::string& field, const Error& error) const {
    return at_field(lesson, page.id, field, error);
  }
  Error at(const std::string& field, const char* key, std::vector<Text> arguments = {}) const {
    return at(field, fail(Code::bad_format, key, std::move(arguments)));
  }
};

/// A text of the page ("title", "text"); empty where it has none.
std::string page_text(const Auditor& auditor, std::string_view what);
/// What is right is not said beforehand: by the sentences of the page before (`told`), or by its own.
Status check_told(const Auditor& auditor, const std::string& told);
/// What is right is right, and something else is not.
Status check_typed(const Auditor& auditor);

}  // namespace attnscope
