// A lesson on paper: what each page tells and asks with room to write on, its numbers or its picture, and,
// for the teacher, the answers, hints and notes. Answers are computed from the page's own run. Refuses to
// draw: pictures come from whoever can.
#pragma once

#include <string>
#include <vector>

#include "core/lesson/check.h"

namespace attnscope {

/// One page of HTML that prints well and needs nothing beside itself. `pictures`: an SVG for each page of the
/// lesson, or an empty text, where the numbers of the step stand instead. Errors: a page that cannot be
/// opened or answered.
Result<std::string> worksheet_html(const Lesson& lesson, bool answers,
                                   const std::vector<std::string>& pictures = {});
/// What is right on a page, in the language of the moment: for masks and changes, what makes it so. Empty for
/// a page to read. Errors: as right_answer.
Result<std::string> answer_in_words(const Lesson& lesson, const Page& page, const ExpressionScope& scope);
/// What the page has for the one who teaches it; empty where nothing was written.
std::string page_notes(const Lesson& lesson, const Page& page);

}  // namespace attnscope
