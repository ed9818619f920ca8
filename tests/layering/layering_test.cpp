// Reads every source of core/ and app/ and holds it to the rules of source_rules.h. The second half feeds the
// rules made-up lines, so that a rule that has stopped working fails as well.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/layering/files.h"
#include "tests/layering/source_rules.h"

namespace attnscope::layering {
namespace {

namespace fs = std::filesystem;

bool layering_is_source(const fs::path& path) {
  const fs::path extension = path.extension();
  return extension == ".h" || extension == ".cpp" || extension == ".inc" || extension == ".c" ||
         extension == ".hpp";
}

// Paths relative to the repository of every source under core/ and app/.
std::vector<std::string> sources() {
  std::vector<std::string> paths;
  for (const char* top : {"core", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (entry.is_regular_file() && layering_is_source(entry.path())) {
        paths.push_back(fs::relative(entry.path(), kRoot).generic_string());
      }
    }
  }
  return paths;
}

TEST(Layering, EverySourceKeepsTheRules) {
  const std::vector<std::string> paths = sources();
  ASSERT_GT(paths.size(), 5U) << "no sources under " << kRoot;
  std::vector<Finding> findings;
  for (const std::string& path : paths) {
    const std::vector<Finding> more = check_file(path, read(kRoot / path));
    findings.insert(findings.end(), more.begin(), more.end());
  }
  EXPECT_TRUE(findings.empty()) << print(findings);
}

TEST(Layering, BuildFileHasTheSameRanks) {
  const std::string text = read(kRoot / "CMakeLists.txt");
  const std::regex room(R"(attnscope_room\((\S+) (\d+))");
  int rooms = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), room), none; found != none; ++found, ++rooms) {
    const std::string name = (*found)[1];
    EXPECT_EQ(rank_of(name), std::stoi((*found)[2])) << "CMakeLists.txt, room " << name;
  }
  EXPECT_GE(rooms, 12);
}

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz_0123456789";

// The steps that a source mentions as Slot::name.
std::set<std::string> steps_in(const std::string& text) {
  constexpr std::string_view kMark = "Slot::";
  std::set<std::string> out;
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
    const std::size_t begin = at + kMark.size(), end = text.find_first_not_of(kLower, begin);
    if (end > begin) out.insert(text.substr(begin, end - begin));
  }
  return out;
}

bool hides_steps(const std::string& text) {
  return std::regex_search(text, std::regex(R"(using (\w+ = |enum )(attnscope::)?Slot;)"));
}

// "file: step step", continued on lines that begin with a blank.
std::map<std::string, std::set<std::string>> allowed_mentions() {
  std::istringstream lines(read(kRoot / "tests/layering/step_mentions.txt"));
  std::map<std::string, std::set<std::string>> out;
  std::string line, file;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    if (line[0] != ' ' && words >> file) file.pop_back();
    for (std::string step; words >> step;) out[file].insert(step);
  }
  return out;
}

// The pairs "first::a, second::b" that a text has: "rotated key".
std::set<std::string> pairs_in(const std::string& text, const std::string& first, const std::string& second) {
  const std::regex pair(first + R"(::(\w+),\s*)" + second + R"(::(\w+))");
  std::set<std::string> out;
  for (std::sregex_iterator found(text.begin(), text.end(), pair), none; found != none; ++found)
    out.insert((*found)[1].str() + " " + (*found)[2].str());
  return out;
}

// slot_of and near stop the program where no row of the catalog has both columns.
TEST(Layering, PairsOfColumnsThatAreWrittenAreInTheCatalog) {
  const std::string table = read(kRoot / "core/step/catalog.cpp");
  const std::regex row(R"(\{S::\w+, "[^"]*", P::\w+, R::(\w+), H::(\w+), G::\w+, W::(\w+),)");
  std::set<std::string> by_hue, by_rule;
  for (std::sregex_iterator found(table.begin(), table.end(), row), none; found != none; ++found) {
    by_rule.insert((*found)[3].str() + " " + (*found)[1].str());
    by_hue.insert((*found)[3].str() + " " + (*found)[2].str());
  }
  ASSERT_GT(by_rule.size(), 20U);
  std::size_t pairs = 0;
  for (const std::string& path : sources()) {
    const std::string text = read(kRoot / path);
    for (const auto& [column, known] : {std::pair{"Hue", &by_hue}, std::pair{"Rule", &by_rule}})
      for (const std::string& pair : pairs_in(text, "StepRole", column)) {
        ++pairs;
        EXPECT_TRUE(known->count(pair) > 0) << path << " goes by StepRole and " << column << ": " << pair;
      }
  }
  EXPECT_GT(pairs, 10U);
  EXPECT_EQ(by_hue.count("rotated value"), 0U);
  EXPECT_EQ(pairs_in("near(StepRole::a,\n  Hue::b)", "StepRole", "Hue"), std::set<std::string>{"a b"});
}

TEST(Layering, OnlyTheFilesThatAreNamedKnowAStep) {
  const std::set<std::string> own{"core/step/site.h",
                                  "core/step/catalog.cpp",
                                  "core/step/catalog_backward.cpp",
                                  "core/model/forward.cpp",
                                  "core/trace/provenance.cpp",
                                  "core/model/backward.cpp",
                                  "core/model/gradient_provenance.cpp"};
  auto allowed = allowed_mentions();
  ASSERT_GT(allowed.size(), 5U);
  for (const std::string& path : sources()) {
    if (own.count(path) > 0) continue;
    const std::string text = read(kRoot / path);
    EXPECT_FALSE(hides_steps(text)) << path << " gives Slot another name, under which steps are not counted";
    const std::set<std::string> mentioned = steps_in(text), named = std::exchange(allowed[path], {});
    for (const std::string& step : mentioned)
      EXPECT_TRUE(named.count(step) > 0)
          << path << " mentions the step " << step << ": see tests/layering/step_mentions.txt";
    for (const std::string& step : named)
      EXPECT_TRUE(mentioned.count(step) > 0)
          << path << " no longer mentions " << step << ": take it off the list";
  }
  for (const auto& [path, steps] : allowed) EXPECT_TRUE(steps.empty()) << path << " is not there";
  EXPECT_EQ(steps_in("case Slot::z: Slot::mlp_up; slot::q").size(), 2U);
  EXPECT_TRUE(hides_steps("  using S = Slot;") && hides_steps("using enum Slot;"));
}

// ---- the rules on made-up lines ------------------------------------------------------------------

std::string faults(const std::string& path, const std::string& text) { return print(check_file(path, text)); }

void expect_fault(const std::string& path, const std::string& line, const std::string& words) {
  const std::string found = faults(path, "// A file.\n" + line + "\n");
  EXPECT_NE(found.find(path + ":2: "), std::string::npos) << path << " | " << line << " | " << found;
  EXPECT_NE(found.find(words), std::string::npos) << path << " | " << line << " | " << found;
}

void expect_good(const std::string& path, const std::string& line) {
  EXPECT_EQ(faults(path, line + "\n"), "");
}

TEST(Rules, ARoomIncludesItselfAndLowerRanks) {
  expect_good("core/ops/softmax.cpp", "#include \"core/ops/ops.h\"");
  expect_good("core/ops/softmax.cpp", "#include \"core/tensor/tensor.h\"");
  expect_good("core/ops/softmax.cpp", "#include <vector>");
  expect_good("app/main.cpp", "#include \"app/views/view.h\"");
  expect_good("app/gpu/painter.h", "#include \"shaders/parameters.h\"");
}

TEST(Rules, ARoomDoesNotLookUpOrAside) {
  expect_fault("core/ops/a.cpp", "#include \"core/trace/trace.h\"", "core/trace (rank 3)");
  expect_fault("core/ops/a.cpp", "#include \"core/io/json.h\"", "core/io (rank 2)");
  expect_fault("core/lens/a.h", "  #  include \"core/arch/family.h\"  // why", "core/arch (rank 5)");
  expect_fault("core/session/a.h", "#include \"app/look/theme.h\"", "app/look (rank 8)");
  expect_fault("app/gpu/a.inc", "#include \"app/views/view.h\"", "app/views (rank 12)");
  expect_fault("app/views/a.cpp", "#include \"app/window.h\"", "app (rank 16)");
  expect_fault("core/base/a.h", "#include \"core/nowhere/b.h\"", "no such room");
  expect_fault("core/base/a.h", "#include \"text.h\"", "repository's root");
  expect_fault("core/base/a.h", "#include \"../tensor/tensor.h\"", "repository's root");
  expect_fault("core/base/a.h", "#include HEADER", "name its file");
  expect_fault("core/ops/a.cpp", "#include \"shaders/parameters.h\"", "only the window");
}

TEST(Rules, TheCommandLineKnowsCoreAlone) {
  expect_good("app/cli/trace.cpp", "#include \"core/session/session.h\"");
  expect_good("app/cli/trace.cpp", "#include \"app/cli/commands.h\"");
  expect_fault("app/cli/trace.cpp", "#include \"app/look/strings.h\"", "core alone");
  expect_fault("app/cli/trace.cpp", "#include \"app/commands.h\"", "core alone");
  expect_fault("app/main.cpp", "#include \"app/cli/commands.h\"", "app/cli (rank 16)");
}

TEST(Rules, CoreKnowsNoWindowAndOnlyTheGpuRoomRawOpenGl) {
  expect_fault("core/io/a.cpp", "#include <imgui.h>", "never heard of windows");
  expect_fault("core/io/a.cpp", "#include <GLFW/glfw3.h>", "never heard of windows");
  expect_fault("core/io/a.cpp", "#include <EGL/egl.h>", "never heard of windows");
  expect_fault("core/io/a.cpp", "#include \"imgui_stdlib.h\"", "never heard of windows");
  expect_fault("app/views/a.cpp", "#include <glad/gl.h>", "raw OpenGL");
  expect_fault("app/window.cpp", "#include <GL/gl.h>", "raw OpenGL");
  expect_good("app/gpu/a.cpp", "#include <glad/gl.h>");
  expect_good("app/window.cpp", "#include <GLFW/glfw3.h>");
}

TEST(Rules, EigenStaysInsideTheOperations) {
  expect_good("core/ops/a.cpp", "#include <Eigen/Core>");
  expect_good("core/ops/kernels.inc", "#include <Eigen/Core>");
  expect_fault("core/ops/ops.h", "#include <Eigen/Core>", "Eigen stays");
  expect_fault("core/lens/a.cpp", "#include <Eigen/Dense>", "Eigen stays");
}

TEST(Rules, TheMiddleKnowsNoModelFamily) {
  expect_fault("core/model/a.cpp", "if (name == \"GPT2\") {", "gpt2");
  expect_fault("core/trace/a.h", "bool is_llama = false;", "llama");
  expect_fault("core/ops/a.cpp", "// as T5 does", "t5");
  expect_fault("core/step/a.cpp", "vit", "vit");
  expect_good("core/arch/a.cpp", "if (name == \"gpt2\") {");
  expect_good("core/model/a.cpp", "// inviting, robert, 0xt51");
}

TEST(Rules, TheAppDrawsNoRandomNumbers) {
  expect_fault("app/views/a.cpp", "float x = rand() / 2.0F;", "random");
  expect_fault("app/widgets/a.cpp", "std::mt19937 engine;", "mt19937");
  expect_fault("app/cli/a.cpp", "std::random_device device;", "random_device");
  expect_fault("app/main.cpp", "#include <random>", "random");
  expect_good("app/views/a.cpp", "draw_brand(x);  // never rand()");
}

TEST(Rules, ThreadsBeginInTheBaseAloneAndNoFrameSleeps) {
  expect_fault("app/views/a.cpp", "std::thread thread([] {});", "std::thread");
  expect_fault("core/session/a.h", "  std::jthread thread_;", "std::jthread");
  expect_fault("core/lens/a.cpp", "auto later = std::async(work);", "std::async");
  expect_fault("core/session/a.h", "std::condition_variable changed_;", "condition_variable");
  expect_fault("app/shell/frame.cpp", "std::this_thread::sleep_for(ms);", "sleep_for");
  expect_good("core/base/a.cpp", "std::thread thread([] {});");
  expect_good("app/shell/app.cpp", "std::this_thread::get_id();  // of a std::thread");
}

TEST(Rules, TheFirstBlockStandsForNoOther) {
  expect_fault("core/view/a.cpp", "return config.blocks.front().attention;", "first block");
  expect_good("core/trace/a.cpp", "return config.blocks.front().attention;");
}

TEST(Rules, AnAreaToClickHasASize) {
  expect_fault("app/views/a.cpp", "if (ImGui::InvisibleButton(id, size)) return;", "hit_area");
  expect_good("app/look/item_map.cpp", "  return ImGui::InvisibleButton(id, size, flags);");
  expect_good("app/views/a.cpp", "if (hit_area(id, size)) return;");
}

TEST(Rules, NoProgramSaysWhereOrWhenItWasBuilt) {
  expect_fault("core/base/a.h", "check_failed(__FILE__, __LINE__)", "__FILE__");
  expect_fault("core/trace/a.cpp", "auto at = std::source_location::current();", "source_location");
  expect_fault("app/shell/a.cpp", "const char* built = __DATE__;", "__DATE__");
  expect_good("core/base/a.h", "check_failed(__FILE_NAME__, __LINE__)  // no __FILE__");
}

TEST(Rules, FilesAreShortAndRoomsKnown) {
  std::string long_text;
  for (int line = 0; line < 500; ++line) {
    long_text += "\n";
  }
  EXPECT_EQ(faults("core/base/a.cpp", long_text), "");
  EXPECT_EQ(faults("core/base/a.cpp", long_text + "\n"),
            "core/base/a.cpp:501: a file has at most 500 lines\n");
  EXPECT_EQ(faults("core/extra/a.cpp", ""), "core/extra/a.cpp:0: the design has no room core/extra\n");
  EXPECT_NE(faults("core/a.cpp", ""), "");
  EXPECT_NE(faults("core/ops/deep/a.cpp", ""), "");
}

}  // namespace
}  // namespace attnscope::layering
