// What a page of Ask shows as a table, in words and numbers with all their digits, for a file of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnscope {

struct ShownTable {
  std::uint64_t key = 0;  ///< of what is shown: another key, another table
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< one cell for each column
  bool whole = true;                           ///< false: some of it is still being computed, or was stopped
};

/// With nine digits, so that a float reads back; empty where it is no finite number.
std::string table_number(double value);

}  // namespace attnscope
