// A format: what is read, valid files to begin with, and the reading itself, with what must hold whatever
// comes in. Faults end the process (abort), like everything else that a sanitizer finds.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tests/fuzz/random.h"

namespace attnscope::fuzz {

/// The files of one input, by name. Most formats have one.
using Files = std::map<std::string, std::string>;

struct Format {
  std::string name;
  /// Valid files: each must open.
  std::function<std::vector<Files>()> seeds;
  /// True where the files open; false where they are refused (see refused()).
  std::function<bool(const Files&)> read;
  /// Worth inserting: names and keys that the reader knows.
  std::vector<std::string> words = {};
  /// Files that are refused for reasons which chance seldom finds; changed like the seeds.
  std::function<std::vector<Files>()> near_misses = {};
};

std::vector<Format> formats_of_io();
std::vector<Format> formats_of_text();
std::vector<Format> formats_of_models();
std::vector<Format> formats_of_runs();
std::vector<Format> formats_of_training();
std::vector<Format> formats_of_words();
std::vector<Format> formats_of_lessons();
std::vector<Format> formats_of_records();
std::vector<Format> formats_of_disks();
std::vector<Format> formats_of_window();

/// All of them, or those whose name begins with `only`.
std::vector<Format> all_formats(const std::string& only);

// ---- what must hold ----
/// Prints the sentence and aborts unless `condition`.
void must(bool condition, const std::string& sentence);
/// An error says something to a person: a sentence and a hint, in one printable line each, not endless; where
/// `named` is given, the file is named. Always false.
bool refused(const Error& error, const std::string& named = {});
/// The same of an answer to somebody who is asking: a sentence without a hint is enough. Always false.
bool told(const Error& error);
/// What refused() was told last.
std::string& last_refusal();

// ---- files ----
/// A file of the repository; aborts where there is none.
std::string repository_file(const std::string& name);
/// Bytes in memory of exactly their size: a sanitizer sees every read beyond the end.
std::shared_ptr<const std::vector<std::byte>> exact_bytes(const std::string& text);
/// Puts the files into a folder that this process uses again for every input; what is there already is not
/// written anew. Gives the folder.
std::string on_disk(const Files& files);
/// The only file; empty where there is none.
const std::string& only_file(const Files& files);
/// Keeps the compiler from leaving out what gives `value`.
void use(double value);

}  // namespace attnscope::fuzz
