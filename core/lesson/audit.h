// Plays a lesson as nobody would want to: every page is opened, every name and sentence looked up, every
// answer computed, given, and a wrong one given too. What an author runs before forty people see it. Refuses
// the first thing that does not work, with page and field.
#pragma once

#include "core/lesson/lesson.h"

namespace attnscope {

struct AuditResult {
  int pages = 0, asks = 0;
};
/// Errors: the first fault, with file, page and field.
Result<AuditResult> audit_lesson(const Lesson& lesson);

}  // namespace attnscope
