// The rules one by one; check_file() at the end runs them all on a file.
#include "tests/layering/source_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>
#include <utility>

namespace attnscope::layering {
namespace {

constexpr int kMaxLines = 500;
constexpr int kHighestCoreRank = 7;
constexpr std::string_view kCommandLine = "app/cli";

constexpr std::array<std::pair<std::string_view, int>, 35> kRanks{{
    {"core/base", 0},
    {"core/system", 1},
    {"core/tensor", 1},
    {"core/ops", 2},
    {"core/step", 2},
    {"core/figure", 2},
    {"core/io", 2},
    {"core/export", 3},
    {"core/text", 2},
    {"core/trace", 3},
    {"core/model", 4},
    {"core/arch", 5},
    {"core/lens", 5},
    {"core/train", 5},
    {"core/sample", 5},
    {"core/calc", 6},
    {"core/session", 6},
    {"core/lab", 6},
    {"core/lesson", 7},
    {"core/view", 7},
    {"app/look", 8},
    {"app/gpu", 9},
    {"app/figure", 10},
    {"app/widgets", 11},
    {"app/views", 12},
    {"app/state", 13},
    {"app/panels/input", 14},
    {"app/panels/inspector", 14},
    {"app/panels/network", 14},
    {"app/panels/timeline", 14},
    {"app/panels/lesson", 14},
    {"app/dialogs", 14},
    {"app/shell", 15},
    {"app", 16},
    {"app/cli", 16},
}};

// Rooms that are made of specs and names of steps, and so know no model family.
constexpr std::array<std::string_view, 4> kNamelessRooms{"core/model", "core/trace", "core/step", "core/ops"};
constexpr std::array<std::string_view, 12> kFamilies{"gpt2",  "llama", "qwen",      "mistral",
                                                     "gemma", "bert",  "bart",      "marian",
                                                     "t5",    "vit",   "paligemma", "roberta"};

bool begins(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool ends(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return begins(text, prefix); });
}

// An include of the project: "" when allowed, else the reason why not.
std::string quoted_include_fault(std::string_view room, std::string_view target) {
  const std::string named = "\"" + std::string(target) + "\"";
  if (begins(target, "shaders/")) {
    return begins(room, "app") && room != kCommandLine ? "" : "only the window includes shaders/: " + named;
  }
  if (!begins_with_any(target, {"core/", "app/"})) {
    return "write the include from the repository's root (core/..., app/...): " + named;
  }
  const std::string_view other = room_of(target);
  const std::optional<int> own_rank = rank_of(room);
  const std::optional<int> other_rank = rank_of(other);
  if (other == room || !own_rank) {
    return "";
  }
  if (!other_rank) {
    return "no such room: " + named;
  }
  if (room == kCommandLine) {
    return *other_rank <= kHighestCoreRank ? "" : "app/cli links core alone: " + named;
  }
  if (*other_rank < *own_rank) {
    return "";
  }
  return std::string(room) + " (rank " + std::to_string(*own_rank) + ") may not include " +
         std::string(other) + " (rank " + std::to_string(*other_rank) + "): " + named;
}

// Rules that name libraries; they hold for both spellings, <...> and "...".
std::string library_fault(std::string_view path, std::string_view target) {
  const std::string_view room = room_of(path);
  const std::string named = "<" + std::string(target) + ">";
  const bool raw_gl = begins_with_any(target, {"glad/", "GL/", "GLES", "EGL/", "KHR/"});
  const bool window =
      raw_gl || begins_with_any(target, {"imgui", "backends/imgui", "GLFW/", "misc/freetype/imgui"});
  if (begins(path, "core/") && window) {
    return "core has never heard of windows: " + named;
  }
  if (raw_gl && room != "app/gpu") {
    return "raw OpenGL lives in app/gpu only: " + named;
  }
  const bool eigen = begins_with_any(target, {"Eigen/", "unsupported/Eigen/"});
  if (eigen && (room != "core/ops" || ends(path, ".h"))) {
    return "Eigen stays inside the .cpp and .inc files of core/ops: " + named;
  }
  if (target == "random" && begins(path, "app/")) {
    return "the app draws no random numbers: " + named;
  }
  return "";
}

std::string include_fault(const std::string& path, const std::string& line) {
  static const std::regex directive(R"(^\s*#\s*include\s*(.*)$)");
  static const std::regex target(R"(^([<"])([^>"]+)[>"].*$)");
  std::smatch found;
  if (!std::regex_match(line, found, directive)) {
    return "";
  }
  const std::string rest = found[1];
  if (!std::regex_match(rest, found, target)) {
    return "an include must name its file: " + rest;
  }
  const std::string name = found[2];
  const std::string fault = library_fault(path, name);
  return fault.empty() && found[1] == "\"" ? quoted_include_fault(room_of(path), name) : fault;
}

std::string family_fault(std::string_view room, std::string_view line) {
  if (std::find(kNamelessRooms.begin(), kNamelessRooms.end(), room) == kNamelessRooms.end()) {
    return "";
  }
  for (const std::string_view family : kFamilies) {
    if (has_word(line, family)) {
      return "a model family's name belongs in core/arch: " + std::string(family);
    }
  }
  return "";
}

std::string random_fault(std::string_view path, const std::string& line) {
  static const std::regex source(
      R"(\b(s?rand|[dlm]rand48)\s*\(|mt19937|random_device|default_random_engine|minstd_rand)");
  const std::string code = line.substr(0, line.find("//"));
  std::smatch found;
  if (!begins(path, "app/") || !std::regex_search(code, found, source)) {
    return "";
  }
  return "the app draws no random numbers: " + found.str();
}

// Outside of a frame: while pictures are taken, on the command line, and when the program ends.
constexpr std::array<std::string_view, 4> kMaySleep = {"app/shell/app.cpp", "app/shell/picture.cpp",
                                                       "app/state/autosave.cpp", "core/session/session.cpp"};

std::string thread_fault(std::string_view path, const std::string& line) {
  static const std::regex thread(
      R"(std::(thread|jthread|async|promise|condition_variable\w*)\b|pthread_create)");
  static const std::regex sleep(R"(\b(sleep_for|sleep_until|usleep|nanosleep)\b)");
  const std::string code = line.substr(0, line.find("//"));
  std::smatch found;
  if (begins(path, "core/base/")) {
    return "";
  }
  if (std::regex_search(code, found, thread)) {
    return "threads begin in core/base alone, behind Computed, Workers and Worker: " + found.str();
  }
  if (std::find(kMaySleep.begin(), kMaySleep.end(), path) == kMaySleep.end() &&
      std::regex_search(code, found, sleep)) {
    return "nobody sleeps in a frame: " + found.str();
  }
  return "";
}

// A model's blocks may differ; what holds for the first one need not hold for the next.
std::string first_block_fault(std::string_view path, const std::string& line) {
  const std::string code = line.substr(0, line.find("//"));
  const bool first = !begins(path, "core/trace/") && code.find("blocks.front()") != std::string::npos;
  return first ? "the first block stands for none of the others: ask the block that is meant" : "";
}

// Dear ImGui's own ends the program where a window has no room for it.
std::string area_fault(std::string_view path, const std::string& line) {
  const std::string code = line.substr(0, line.find("//"));
  const bool own = code.find("ImGui::InvisibleButton(") != std::string::npos;
  return own && path != "app/look/item_map.cpp" ? "hit_area() of app/look/item_map.h: InvisibleButton" : "";
}

// The same source gives the same bytes in any folder and at any time.
std::string place_fault(const std::string& line) {
  static const std::regex place(
      R"(__(FILE|BASE_FILE|DATE|TIME|TIMESTAMP)__|\bsource_location\b|__builtin_FILE\b)");
  const std::string code = line.substr(0, line.find("//"));
  std::smatch found;
  return std::regex_search(code, found, place) ? "it says where or when it was built: " + found.str() : "";
}

}  // namespace

std::string_view room_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::optional<int> rank_of(std::string_view room) {
  for (const auto& [name, rank] : kRanks) {
    if (name == room) {
      return rank;
    }
  }
  return std::nullopt;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto alnum = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (auto from = text.begin();; ++from) {
    from = std::search(from, text.end(), word.begin(), word.end(), same);
    if (from == text.end()) {
      return false;
    }
    const auto after = from + static_cast<std::ptrdiff_t>(word.size());
    if ((from == text.begin() || !alnum(*(from - 1))) && (after == text.end() || !alnum(*after))) {
      return true;
    }
  }
}

std::vector<Finding> check_file(const std::string& path, const std::string& text) {
  std::vector<Finding> findings;
  const std::string_view room = room_of(path);
  if (!rank_of(room)) {
    findings.push_back({path, 0, "the design has no room " + std::string(room)});
  }
  std::istringstream lines(text);
  std::string line;
  int number = 0;
  while (std::getline(lines, line)) {
    ++number;
    for (std::string fault : {include_fault(path, line), family_fault(room, line), random_fault(path, line),
                              thread_fault(path, line), first_block_fault(path, line), area_fault(path, line),
                              place_fault(line)}) {
      if (!fault.empty()) {
        findings.push_back({path, number, std::move(fault)});
      }
    }
  }
  if (number > kMaxLines) {
    findings.push_back({path, number, "a file has at most " + std::to_string(kMaxLines) + " lines"});
  }
  return findings;
}

std::string print(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.file + ":" + std::to_string(finding.line) + ": " + finding.what + "\n";
  }
  return text;
}

}  // namespace attnscope::layering
