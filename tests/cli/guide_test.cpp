// The handbook at the command line: its pages, the table of every command and flag, and the commands that its
// pages and README show.
#include "core/base/guide.h"

#include <regex>
#include <set>

#include "core/step/place.h"
#include "tests/cli/program.h"
#include "tests/guide_tables.h"

namespace attnscope::testing {
namespace {

TEST(Guide, PrintsItsPages) {
  const Ran list = cli("guide");
  EXPECT_EQ(list.exit_code, 0) << list.err;
  std::size_t pages = 0;
  for (const GuideChapter& chapter : guide_contents())
    for (const GuidePage& page : chapter.pages) {
      ++pages;
      EXPECT_NE(list.out.find("  " + page.id + " "), std::string::npos) << page.id;
    }
  EXPECT_GE(pages, 20u);
  EXPECT_EQ(cli("guide mask").out, guide_text("en", "mask"));
  EXPECT_EQ(cli("guide mask --lang ko").out, guide_text("ko", "mask"));
  expect_refused("guide masks", 1, "no page \"masks\"");
}

TEST(Guide, NamesEveryCommandAndFlag) {
  each_guide([](const std::string& language) {
    const std::string flags = cli("guide --flags --lang " + language).out;
    EXPECT_NE(flags.find("### lesson print\n"), std::string::npos) << "commands of commands too";
    expect_guide_table(
        language, "flags", "attnscope-cli",
        [&](const std::vector<std::string>&) { return flags.substr(0, flags.find_last_not_of('\n') + 2); },
        without_takes);
  });
}

// A flag that --help of a command knows stands in the section of that command, however it is declared.
TEST(Guide, NamesWhatHelpShows) {
  const std::string page = guide_text("en", "flags");
  const std::regex heading("### ([a-z ]+)\n"), flag("(?:^|\n) +(?:-[a-z],)?(--[a-z-]+)");
  std::size_t commands = 0, flags = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), heading), none; at != none; ++at, ++commands) {
    const std::string command = (*at)[1], help = cli(command + " --help").out;
    const auto from = static_cast<std::size_t>(at->position());
    const std::string section = page.substr(from, page.find("\n### ", from) - from);
    for (std::sregex_iterator one(help.begin(), help.end(), flag); one != none; ++one, ++flags)
      EXPECT_TRUE((*one)[1] == "--help" || section.find((*one)[1].str()) != std::string::npos)
          << command << " " << (*one)[1];
  }
  EXPECT_GE(commands, 20u);
  EXPECT_GE(flags, 100u);
}

// Fenced and quoted commands of a Markdown text, their lines joined.
std::set<std::string> commands_of(std::string text) {
  for (std::size_t at; (at = text.find("\\\n")) != std::string::npos;) text.replace(at, 2, " ");
  std::set<std::string> out;
  const std::regex line("\n(attnscope-cli [^\n]*)"), quoted("`(attnscope-cli [^`]*)`");
  for (const std::regex& shown : {line, quoted})
    for (std::sregex_iterator at(text.begin(), text.end(), shown), none; at != none; ++at) {
      std::string command = (*at)[1];
      std::replace(command.begin(), command.end(), '\n', ' ');
      out.insert(command.substr(0, command.find("  #")));
    }
  return out;
}

std::set<std::string> shown_commands() {
  std::set<std::string> out = commands_of(read_text(source_path("README.md")));
  for (const char* language : {"en", "ko"})
    for (const auto& entry : std::filesystem::directory_iterator(guide_folder(language)))
      out.merge(commands_of(read_text(entry.path())));
  return out;
}

// Every command that is shown is one of the program's, and every flag of it one of the command's.
TEST(Guide, ItsCommandsAreUnderstood) {
  const std::set<std::string> commands = shown_commands();
  EXPECT_GE(commands.size(), 40u);
  std::map<std::string, std::string> helps;
  for (const std::string& command : commands) {
    const std::vector<std::string> words = split(command, ' ');
    ASSERT_GE(words.size(), 2u) << command;
    std::string name = words[1];
    if (name == "lesson") name += " " + words.at(2);
    const auto known = helps.find(name);
    if (known == helps.end()) {
      const Ran help = cli(name + " --help");
      EXPECT_EQ(help.exit_code, 0) << command;
      helps[name] = help.out + cli("--help").out;
    }
    const std::regex flag(" (--[a-z-]+)");
    for (std::sregex_iterator at(command.begin(), command.end(), flag), none; at != none; ++at)
      EXPECT_NE(helps[name].find((*at)[1].str()), std::string::npos) << command;
  }
}

// Those that ask something of a shipped model are answered as they stand there.
TEST(Guide, ItsQuestionsAreAnswered) {
  const TempFolder folder;
  const std::regex asks("attnscope-cli ((ablate|patch|attribute|heads|rollout|probe|tokenize|try) model:.*)");
  std::set<std::string> seen;
  for (std::string command : shown_commands()) {
    std::smatch parts;
    if (!std::regex_match(command, parts, asks)) continue;
    std::string arguments = parts[1];
    if (const std::size_t file = arguments.find("graph.json"); file != std::string::npos)
      arguments.replace(file, 10, folder / "graph.json");
    seen.insert(parts[2]);
    const Ran ran = cli(arguments);
    EXPECT_EQ(ran.exit_code, 0) << command << "\n" << ran.err;
    EXPECT_FALSE(ran.out.empty() && command.find("--graph") == std::string::npos) << command;
  }
  for (const char* name : {"ablate", "patch", "attribute", "heads", "rollout", "probe"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

// The selectors and cells that it shows are understood.
TEST(Guide, ItsSelectorsParse) {
  int found = 0;
  std::string text = read_text(source_path("README.md"));
  for (const auto& entry : std::filesystem::directory_iterator(guide_folder("en")))
    text += read_text(entry.path());
  for (const std::regex& shown :
       {std::regex("--steps \"([^\"]+)\""), std::regex("`([a-z0-9.]*blocks[^`= ]+\\])`")})
    for (std::sregex_iterator at(text.begin(), text.end(), shown), none; at != none; ++at, ++found)
      EXPECT_TRUE(Selector::parse((*at)[1].str())) << (*at)[1];
  EXPECT_GE(found, 4);
}

}  // namespace
}  // namespace attnscope::testing
