// A lesson on paper: text and question of each page with room to write on, its numbers or its picture, and,
// for the teacher, the answers, hints and notes. Answers are computed from the page's own run. Draws no
// pictures itself: the caller passes them as SVG.
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
/// The right answer of a page, in the current language: for masks and changes, what makes it so. Empty for
/// a page to read. Errors: as right_answer.
Result<std::string> answer_in_words(const Lesson& lesson, const Page& page, const ExpressionScope& scope);
/// The notes of the page for the teacher; empty where there are none.
std::string page_notes(const Lesson& lesson, const Page& page);

}  // namespace attnscope
