// A task from a text file: a small decoder-only model learns next-word prediction on its lines. Words stand
// between white space; the vocabulary is that of the file, or of a second file with one word per line. A
// tenth of the different lines is held out, by a hash of their content. Errors: empty lines, words not in the
// vocabulary, lines that are too long, and files with fewer than two different lines.
#pragma once

#include "core/train/task.h"

namespace attnscope {

/// `vocabulary`: path, or empty. Errors have the file and the number of the line.
Result<std::shared_ptr<const Task>> task_of_file(const std::string& path, const std::string& vocabulary = {});
/// The same from texts that are in memory already; `what` and `vocabulary_what` are their names in errors.
Result<std::shared_ptr<const Task>> task_of_text(const std::string& text, const std::string& what,
                                                 const std::string& vocabulary = {},
                                                 const std::string& vocabulary_what = {});

}  // namespace attnscope
