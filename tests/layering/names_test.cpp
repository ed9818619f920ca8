// The unity build compiles several files as one, of all rooms that share a library: what a file keeps to
// itself (an anonymous namespace) has a name that no other of these files gives to something else of its own.
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <regex>
#include <sstream>

#include "tests/layering/files.h"
#include "tests/layering/source_rules.h"

namespace attnscope::layering {
namespace {

namespace fs = std::filesystem;

// "std::string_view text, int n = 0" -> "text number ": what a call can give. Texts and numbers turn into
// each other, so that a call of one function may become one of the other without a word of the compiler.
std::string kinds_of(const std::string& parameters) {
  static const std::regex text("std::string(_view)?|char|const char\\*"),
      number("int|float|double|bool|long|unsigned|ImU32|std::u?int\\d+_t|std::size_t"),
      type(R"(^(\S+)( \w+)?$)");
  std::string out, one;
  int depth = 0;
  const auto take = [&] {
    one = std::regex_replace(one.substr(0, one.find(" = ")),
                             std::regex(R"(^ +|\bconst |&|\*| +$|\[\[\w+\]\] )"), "");
    std::smatch found;
    if (std::regex_match(one, found, type)) one = found[1];
    if (!one.empty())
      out += (std::regex_match(one, text) ? "text" : std::regex_match(one, number) ? "number" : one) + " ";
    one.clear();
  };
  for (const char c : parameters) {
    depth += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
    if (depth == 0) break;
    if (c == ',' && depth == 1)
      take();
    else if (c != '(' || depth > 1)
      one += c;
  }
  take();
  return out;
}

// Name -> how it is declared, of everything that stands at the left margin of the anonymous namespaces of a
// file.
std::map<std::string, std::string> own_names(const std::string& text) {
  static const std::regex type("^(?:struct|class|enum class|enum) (\\w+)"), alias("^using (\\w+) = "),
      function("^[A-Za-z][^(={;]*[ *&](\\w+)(\\(.*)"),
      constant("^(?:constexpr|const|static|thread_local) [^(=]*[ *&](\\w+)(?:\\[.*\\])?(?: =| ?\\{)( |.*|$)");
  std::map<std::string, std::string> out;
  std::istringstream lines(text);
  std::string line;
  bool inside = false, constants = false;  // constants: a declaration of several goes on in this line
  const auto take_constants = [&] {
    static const std::regex one(R"(\b(k[A-Z]\w*)(?:\[[^\]]*\])? ?[={])");
    const std::string code = line.substr(0, line.find("//"));
    for (std::sregex_iterator at(code.begin(), code.end(), one), end; at != end; ++at)
      out[(*at)[1]] = "a constant";
    constants = code.find(';') == std::string::npos;
  };
  for (std::smatch found; std::getline(lines, line);) {
    if (line == "namespace {") inside = true;
    if (line.rfind("}  // namespace", 0) == 0) inside = false;
    if (inside && constants && line.find_first_not_of(' ') > 0) take_constants();
    if (!inside || line.empty() || !std::isalpha(static_cast<unsigned char>(line[0])) ||
        line.rfind("TEST", 0) == 0 || line.rfind("INSTANTIATE_", 0) == 0)
      continue;
    // A forward declaration of a function or type counts as well: the same line in two files is two things.
    constants = false;
    if (std::regex_search(line, found, constant)) {
      out[found[1]] = "a constant";
      take_constants();
    } else if (std::regex_search(line, found, type)) {
      out[found[1]] = "a type";
    } else if (std::regex_search(line, found, alias)) {
      out[found[1]] = line;  // the same alias twice is no harm
    } else if (line.starts_with("using ") && !line.starts_with("using namespace ")) {
      static const std::regex one(R"(\b((?:\w+::)+(\w+))[,;])");
      for (std::sregex_iterator at(line.begin(), line.end(), one), end; at != end; ++at)
        out[(*at)[2]] = "using " + (*at)[2].str() + " = " + (*at)[1].str() + ";";  // as an alias
    } else if (std::regex_search(line, found, function)) {
      out[found[1]] = "a function " + kinds_of(found[2]);
    }
  }
  return out;
}

// The types and constants that a header declares in the namespace of all sources.
std::vector<std::string> types_and_constants(const std::string& header) {
  // `struct X;` and `enum class X : int;` are none; an alias and an enum in one line are.
  static const std::regex declared("^(?:struct|class|enum class|enum|using) (\\w+)(?: .*)?$"),
      constant(R"(^inline (?:const|constexpr) [^(={]*[ *&](\w+)(?:\[.*\])?(?: =|\{|$).*)"),
      one(R"(\b(k[A-Z]\w*)(?:\[[^\]]*\])? ?[={])");
  std::vector<std::string> out;
  std::istringstream lines(header);
  std::string line;
  bool ours = false, several = false;  // several: a declaration of constants goes on in this line
  for (std::smatch found; std::getline(lines, line);) {
    if (line.starts_with("namespace ")) ours = line == "namespace attnscope {";
    if (line.empty() || !ours) continue;
    if (line.starts_with("enum") && line.find('{') == std::string::npos) continue;
    if (std::regex_match(line, found, declared)) out.push_back(found[1]);
    const std::string code = line.substr(0, line.find("//"));
    const bool begins = std::regex_match(line, found, constant);
    if (begins && !std::regex_search(code, one)) out.push_back(found[1]);
    if (begins || several) {
      for (std::sregex_iterator at(code.begin(), code.end(), one), end; at != end; ++at)
        out.push_back((*at)[1]);
      several = code.find(';') == std::string::npos && code.find('{') == std::string::npos;
    }
  }
  return out;
}

bool meet(const std::string& one, const std::string& other) {
  const auto is = [](const std::string& what, const char* kind) { return what.rfind(kind, 0) == 0; };
  if (is(one, "using ") && is(other, "using ")) return one != other;
  if (is(one, "a function ") && is(other, "a function ")) return one == other;  // else overloads
  return true;
}

// Rooms that may be compiled as one (attnscope_room in CMakeLists.txt): those of a rank of the core, those of
// the window; of the tests and of the command line each folder.
std::string library_of(const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/'));
  if (file.rfind("core/", 0) == 0) return "core";
  return file.rfind("app/", 0) == 0 && folder != "app/cli" && folder != "app" ? "app" : folder;
}

TEST(Names, WhatAFileKeepsToItselfIsItsOwnInTheWholeLibrary) {
  std::map<std::string, std::map<std::string, std::pair<std::string, std::string>>>
      libraries;  // library -> name -> file, how
  int names = 0;
  for (const char* top : {"core", "app", "tests"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string file = fs::relative(entry.path(), kRoot).generic_string();
      for (const auto& [name, how] : own_names(read(entry.path()))) {
        ++names;
        auto& library = libraries[library_of(file)];
        const auto [before, is_new] = library.try_emplace(name, file, how);
        EXPECT_TRUE(is_new || !meet(before->second.second, how))
            << name << " is " << how << " in " << file << ", and " << before->second.second << " in "
            << before->second.first << ": give one of them another name";
      }
    }
  EXPECT_GT(names, 3000);
}

// The same for types and constants: none that a file keeps to itself is called like one of a header that a
// file of its library may include. In one unit with it not even the header would compile.
TEST(Names, NoOwnTypeOrConstantIsCalledLikeOneOfAHeader) {
  std::multimap<std::string, std::string> headers;  // type -> header
  std::map<std::string, std::string> sources;       // file -> text
  for (const char* top : {"core", "app"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const std::string file = fs::relative(entry.path(), kRoot).generic_string();
      if (entry.path().extension() == ".cpp") sources[file] = read(entry.path());
      if (entry.path().extension() != ".h") continue;
      for (const std::string& name : types_and_constants(read(entry.path()))) headers.emplace(name, file);
    }
  EXPECT_GT(headers.size(), 300u);
  for (auto at = headers.begin(); std::next(at) != headers.end(); ++at)
    EXPECT_NE(at->first, std::next(at)->first) << at->second << " and " << std::next(at)->second;
  for (const auto& [file, text] : sources)
    for (const auto& [name, how] : own_names(text))
      for (auto [at, end] = headers.equal_range(name); at != end; ++at) {
        if (how.starts_with("a function ")) continue;
        const bool reaches =
            rank_of(room_of(at->second)).value_or(99) <= rank_of(room_of(file)).value_or(0) &&
            (!file.starts_with("app/cli/") || at->second.starts_with("core/"));
        EXPECT_FALSE(reaches || library_of(at->second) == library_of(file))
            << name << " in " << file << " is a name of " << at->second << " too: give it another one";
      }
}

// A source that reads a whole namespace of ours would take another file's own constant for one of its names:
// that one is nearer, and no compiler says a word.
TEST(Names, NoSourceReadsAWholeNamespaceOfOurs) {
  static const std::regex whole(R"((^|\n) *using namespace (?!std::)([\w:]+);)");
  for (const char* top : {"core", "app"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const std::string text = read(entry.path());
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, whole))
          << entry.path() << ": name what is read of " << found[2] << " (using network::kGap;)";
    }
}

// And for functions: a call of the header's would become one of the file's own.
TEST(Names, NoOwnFunctionTakesWhatOneOfAHeaderTakes) {
  static const std::regex declared(R"(^(?:inline |constexpr )*[A-Za-z_][\w:<>,&* ]*[ &*](\w+)(\(.*))");
  std::multimap<std::string, std::pair<std::string, std::string>> headers;  // function -> header, kinds
  std::map<std::string, std::string> sources;
  for (const char* top : {"core", "app"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const std::string file = fs::relative(entry.path(), kRoot).generic_string();
      if (entry.path().extension() == ".cpp") sources[file] = read(entry.path());
      if (entry.path().extension() != ".h" || file.starts_with("app/cli/")) continue;
      std::istringstream lines(read(entry.path()));
      std::string line;
      for (std::smatch found; std::getline(lines, line);)
        if (!line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) &&
            std::regex_match(line, found, declared))
          headers.emplace(found[1], std::pair(file, kinds_of(found[2])));
    }
  EXPECT_GT(headers.size(), 1000u);
  for (const auto& [file, text] : sources)
    for (const auto& [name, how] : own_names(text))
      for (auto [at, end] = headers.equal_range(name); at != end; ++at)
        EXPECT_FALSE(how == "a function " + at->second.second &&
                     (!file.starts_with("app/cli/") || at->second.first.starts_with("core/")) &&
                     rank_of(room_of(at->second.first)).value_or(99) <= rank_of(room_of(file)).value_or(0))
            << name << " in " << file << " takes what that of " << at->second.first << " takes: another name";
}

// A header's constant that a test file hides with one of its own would be the other's in one unit with it:
// the tests of a room read names of attnscope::testing without their namespace, so no compiler says a word.
TEST(Names, NoOwnConstantOfATestHidesOneOfItsHeaders) {
  static const std::regex declared(
      "^inline (?:const|constexpr) [^(={]*[ *&](\\w+)(?:\\[.*\\])?(?: =|\\{|$).*");
  std::map<std::string, std::string> headers;  // constant -> header
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
    if (entry.path().extension() != ".h") continue;
    std::istringstream lines(read(entry.path()));
    std::string line;
    for (std::smatch found; std::getline(lines, line);)
      if (std::regex_match(line, found, declared))
        headers[found[1]] = fs::relative(entry.path(), kRoot).generic_string();
  }
  EXPECT_GT(headers.size(), 5u);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    for (const auto& [name, how] : own_names(read(entry.path())))
      EXPECT_TRUE(how != "a constant" || !headers.contains(name))
          << name << " in " << entry.path() << " is a constant of " << headers[name]
          << " too: give it another name";
  }
}

TEST(Names, TheRuleSeesWhatMeets) {
  const auto names = own_names(
      "namespace {\nconstexpr int kRow = 3;\nconstexpr int kA = 1, kB = 2,\n              kC = 3;  // kD = "
      "4\nusing Kind = A::Kind;\nusing a::kX, a::b::kY;\nvoid draw(int x) {\n}\n}  // "
      "namespace\nint far(int y) {\n");
  EXPECT_EQ(names.size(), 8u);
  EXPECT_TRUE(meet(names.at("kX"), "a constant"));
  EXPECT_FALSE(meet(names.at("kY"), "using kY = a::b::kY;"));
  EXPECT_EQ(names.count("kC"), 1u);
  EXPECT_TRUE(meet(names.at("kRow"), names.at("kRow")));
  EXPECT_TRUE(meet(names.at("draw"), names.at("draw")));
  EXPECT_EQ(kinds_of("(const std::string& name, std::int64_t at = 0, Tensor b) {"), "text number Tensor ");
  EXPECT_FALSE(meet(names.at("draw"), "a function (float x) {"));
  EXPECT_FALSE(meet(names.at("Kind"), names.at("Kind")));
  EXPECT_TRUE(meet(names.at("Kind"), "using Kind = B::Kind;"));
}

}  // namespace
}  // namespace attnscope::layering
