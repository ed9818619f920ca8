#include "tests/fuzz/format.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/base/text.h"

namespace attnscope::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = 300;  // of an error with its hint, in characters

// What only the library that a reader is built on would say.
constexpr std::string_view kOthersWords[] = {
    "json.exception", "std::", "basic_string", "vector::", "stoul",     "bad_alloc", "libpng",
    "libjpeg",        "zlib",  "nlohmann",     "errno",    "exception", "what()",    "U_REGEX"};

// Not inside another word: a message quotes what the file says, "patterrnok" too.
bool is_said_by_a_library(const std::string& text) {
  return std::any_of(std::begin(kOthersWords), std::end(kOthersWords), [&](std::string_view word) {
    const std::size_t at = text.find(word);
    return at != std::string::npos &&
           (at == 0 || std::isalpha(static_cast<unsigned char>(text[at - 1])) == 0);
  });
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  must(file.good(), "the fuzzer cannot write " + path);
}

}  // namespace

std::vector<Format> all_formats(const std::string& only) {
  std::vector<Format> out;
  for (const auto make :
       {formats_of_io, formats_of_text, formats_of_models, formats_of_runs, formats_of_training,
        formats_of_words, formats_of_lessons, formats_of_records, formats_of_disks, formats_of_window})
    for (Format& format : make())
      if (starts_with(format.name, only)) out.push_back(std::move(format));
  return out;
}

void must(bool condition, const std::string& sentence) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", sentence.c_str());
  std::abort();
}

std::string& last_refusal() {
  static std::string text;
  return text;
}

bool refused(const Error& error, const std::string& named) {
  must(!error.hint().empty(), "an error without a hint: " + error.sentence());
  (void)told(error);
  must(named.empty() || last_refusal().find(named) != std::string::npos,
       "an error that does not name " + named + ": " + last_refusal());
  return false;
}

bool told(const Error& error) {
  const std::string text = error.sentence() + " | " + error.hint();
  must(!error.sentence().empty(), "an error without a sentence");
  must(text == printable(text, text.size()), "an error that cannot be printed: " + text);
  must(utf8_length(error.text()) <= kMostText, "a longer error than anybody reads: " + text);
  must(!is_said_by_a_library(text), "an error in the words of a library: " + text);
  last_refusal() = text;
  return false;
}

std::string repository_file(const std::string& name) {
  std::ifstream file(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name, std::ios::binary);
  must(file.good(), "the repository has no " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::shared_ptr<const std::vector<std::byte>> exact_bytes(const std::string& text) {
  const auto* from = reinterpret_cast<const std::byte*>(text.data());
  return std::make_shared<const std::vector<std::byte>>(from, from + text.size());
}

std::string on_disk(const Files& files) {
  static const std::string folder = [] {
    std::string pattern = (fs::temp_directory_path() / "attnscope-fuzz-XXXXXX").string();
    must(::mkdtemp(pattern.data()) != nullptr,
         "no folder could be made in " + fs::temp_directory_path().string());
    return pattern;
  }();
  static Files there;
  std::vector<fs::path> others;  // of the input before, and what a reader of another format wrote here
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory() && files.find(entry.path().lexically_relative(folder).string()) == files.end())
      others.push_back(entry.path());
  for (const fs::path& other : others) fs::remove(other);
  for (const auto& [name, bytes] : files) {
    const auto before = there.find(name);
    const bool kept = before != there.end() && before->second == bytes && fs::exists(folder + "/" + name);
    if (!kept) write_file(folder + "/" + name, bytes);
  }
  there = files;
  return folder;
}

const std::string& only_file(const Files& files) {
  static const std::string none;
  return files.empty() ? none : files.begin()->second;
}

void use(double value) {
  if (value == 0.1234567) std::fputc(0, stderr);
}

}  // namespace attnscope::fuzz
