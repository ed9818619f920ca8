// Runs attnscope-cli as people do, and keeps what it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/temp_folder.h"

namespace attnscope::testing {

using Json = nlohmann::json;

struct Ran {
  int exit_code = -1;
  std::string out, err;
  Json json() const {
    Json value = Json::parse(out, nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << out << err;
    return value;
  }
};

inline std::string source_path(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name;
}
inline std::string model_path(const std::string& name) { return source_path("tests/golden/models/" + name); }

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// `arguments` and `environment` as a shell reads them.
inline Ran cli(const std::string& arguments, const std::string& environment = "LC_ALL=C") {
  const TempFolder folder;
  const std::string command =
      environment + " " + std::string(ATTNSCOPE_CLI) + " " + arguments + " 2>" + (folder / "err");
  Ran ran;
  FILE* pipe = ::popen(command.c_str(), "r");
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) ran.out.append(block, n);
  const int status = ::pclose(pipe);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.err = read_text(folder / "err");
  return ran;
}

/// One sentence on stderr that holds `part`, nothing on stdout, and this exit code.
inline void expect_refused(const std::string& arguments, int exit_code, const std::string& part) {
  const Ran ran = cli(arguments);
  EXPECT_EQ(ran.exit_code, exit_code) << arguments << "\n" << ran.err;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_EQ(ran.err.rfind("attnscope-cli: ", 0), 0u) << arguments << "\n" << ran.err;
  EXPECT_NE(ran.err.find(part), std::string::npos) << arguments << "\n" << ran.err;
  if (exit_code == 1) {
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

}  // namespace attnscope::testing
