// A task from a text file: a small decoder-only model learns to say the next word of its lines. Words stand
// between white space; the vocabulary is that of the file, or of a second file with one word per line. A
// tenth of the different lines is held out, chosen by their content. Refuses empty lines, words outside the
// vocabulary, lines that are too long, and files with fewer than two different lines.
#pragma once

#include "core/train/task.h"

namespace attnscope {

/// `vocabulary`: path, or empty. Errors name the file and the number of the line.
Result<std::shared_ptr<const Task>> task_of_file(const std::string& path, const std::string& vocabulary = {});
/// The same from texts that are in memory already; `what` and `vocabulary_what` name them in sentences.
Result<std::shared_ptr<const Task>> task_of_text(const std::string& text, const std::string& what,
                                                 const std::string& vocabulary = {},
                                                 const std::string& vocabulary_what = {});

}  // namespace attnscope
