// Checks a lesson completely: every page is opened, every name and sentence looked up, every
// answer computed, given, and a wrong one given too. For authors, before a lesson is used. Error:
// the first fault, with page and field.
#pragma once

#include <functional>

#include "core/lesson/check.h"

namespace attnscope {

struct AuditResult {
  int pages = 0, asks = 0;
};
/// What the figure of a page says in words and tables; empty: its view has none, or shows it otherwise.
using PageFigure =
    std::function<std::string(const Lesson& lesson, const Page& page, const ExpressionScope& scope)>;
/// Errors: the first fault, with file, page and field. `figure`: looked through for what the page hides;
/// empty: only texts are.
Result<AuditResult> audit_lesson(const Lesson& lesson, const PageFigure& figure = {});

}  // namespace attnscope
