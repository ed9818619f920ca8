// Tables of the handbook that the program's own tables make: between "<!-- table: NAME; TITLE; TITLE -->" and
// "<!-- end of table -->" stands what a test expects. ATTNSCOPE_WRITE_GUIDE=1 writes it there
// (scripts/guide.sh).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope::testing {

inline std::filesystem::path guide_folder(const std::string& language) {
  return std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/guide" / language;
}
/// The whole page; "" when it cannot be read.
inline std::string guide_text(const std::string& language, const std::string& page) {
  std::ifstream file(guide_folder(language) / (page + ".md"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Calls it for every language that has a handbook, in that language.
inline void each_guide(const std::function<void(const std::string& language)>& check) {
  const std::string before = language();
  for (const auto& entry : std::filesystem::directory_iterator(guide_folder(""))) {
    const std::string folder = entry.path().filename();
    ASSERT_TRUE(set_language(folder)) << folder;
    check(folder);
  }
  ASSERT_TRUE(set_language(before));
}

inline std::string table_row(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}
inline std::string table_head(const std::vector<std::string>& titles) {
  std::string rule = "|";
  for (std::size_t i = 0; i < titles.size(); ++i) rule += "---|";
  return table_row(titles) + rule + "\n";
}

/// Tables without their second column: how CLI11 names the types of values differs between its versions.
inline std::string without_takes(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t from = line.find(" | "), to = line.find(" | ", from + 3);
    if (starts_with(line, "| ") && to != std::string::npos) line.erase(from, to - from);
    out += line + "\n";
  }
  return out;
}
inline std::string whole(const std::string& text) { return text; }

/// What the table of that name holds is what `make` gives for the titles of its columns.
inline void expect_guide_table(const std::string& language, const std::string& page, const std::string& name,
                               const std::function<std::string(const std::vector<std::string>& titles)>& make,
                               std::string (*as_compared)(const std::string&) = whole) {
  const std::string begin = "<!-- table: " + name, end = "<!-- end of table -->";
  std::string text = guide_text(language, page);
  const std::size_t from = text.find(begin), marked = text.find(" -->\n", from), to = text.find(end, marked);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos)
      << language << "/" << page << ".md has no table " << name;
  std::vector<std::string> titles;
  for (const std::string& title : split(text.substr(from + begin.size(), marked - from - begin.size()), ';'))
    if (!title.empty()) titles.push_back(title.substr(title.find_first_not_of(' ')));
  const std::string table = "\n" + make(titles) + "\n";
  const std::size_t first = marked + 5;
  if (std::getenv("ATTNSCOPE_WRITE_GUIDE"))
    std::ofstream(guide_folder(language) / (page + ".md"), std::ios::binary)
        << text.replace(first, to - first, table);
  else
    EXPECT_EQ(as_compared(text.substr(first, to - first)), as_compared(table))
        << "the table " << name << " of " << language << "/" << page
        << ".md is older than the program: scripts/guide.sh";
}

}  // namespace attnscope::testing
