// Checks a lesson completely: every page is opened, every name and sentence looked up, every
// answer computed, given, and a wrong one given too. For authors, before a lesson is used. Error:
// the first fault, with page and field.
#pragma once

#include "core/lesson/lesson.h"

namespace attnscope {

struct AuditResult {
  int pages = 0, asks = 0;
};
/// Errors: the first fault, with file, page and field.
Result<AuditResult> audit_lesson(const Lesson& lesson);

}  // namespace attnscope
