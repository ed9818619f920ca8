// A campaign: worker processes read changed files until their time is over. A worker that dies, takes too
// long or asks for too much memory gives up its input, which is written to a folder, and another worker goes
// on behind it. An input is a pure function of seed, format and number, so that it can be made again.
#pragma once

#include <cstdint>
#include <string>

#include "tests/fuzz/format.h"

namespace attnscope::fuzz {

struct Campaign {
  std::string only;  ///< formats whose name begins so; empty = all
  std::string out;   ///< folder of inputs that failed; empty = they are only named
  std::uint64_t seed = 1;
  double seconds = 0;  ///< to run; 0: `runs` inputs of each format
  std::uint64_t runs = 100;
  int workers = 1;
};

/// Input `number` of a format: its seeds come first, unchanged, then changed ones.
Files input_of(const Format& format, std::uint64_t seed, std::uint64_t number);
/// The inputs that once failed, from tests/fuzz/corpus/FORMAT/NAME/: they run before all others.
std::vector<Files> corpus_of(const std::string& format);

/// Runs it and prints a table. The number of inputs that failed.
int run(const Campaign& campaign);

/// Adds the counted lines of this process to gcov's files; nothing in a build without counters.
void write_lines();

}  // namespace attnscope::fuzz
