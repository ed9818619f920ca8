// The rules of the Korean texts: spellings of the glossary (assets/strings/ko/glossary.json), particles that
// follow their word, one level of speech, no English left standing, no blank before %.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace attnscope::layering {

/// What may and what may not stand in a Korean text.
struct Glossary {
  struct Spelling {
    std::string instead;   // what to write
    std::string spelling;  // forbidden; with "…" before it, inside words too
  };
  std::vector<Spelling> forbidden;
  std::set<std::string> latin;                            // names and terms that stay in Latin letters
  std::map<std::string, std::set<std::string>> literals;  // by file; "errors_" is every file that begins so
};
/// Throws what nlohmann::json throws where the file is no glossary.
Glossary read_glossary(const std::string& json);

/// The Latin words of a text, two letters or longer, outside placeholders, quotes and code (a run of signs
/// with one of _ = / * in it, an option, a file name, a step).
std::vector<std::string> latin_words(const std::string& text);

/// What is wrong with one text of a file ("cli", "errors_io"), each as a sentence; none where all is well.
std::vector<std::string> korean_faults(const Glossary& glossary, const std::string& file,
                                       const std::string& text);

}  // namespace attnscope::layering
