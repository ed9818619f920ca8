// All commands of attnscope-cli in one parser: of the command line, and of the words that an answer keeps of
// its command.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/command.h"

namespace attnscope::cli {

struct Program {
  /// Where `first`, the first word behind the name of the program, is a command, that one alone is declared:
  /// declaring all of them takes longer than a small question.
  explicit Program(std::string_view first = {});
  CLI::App app;
  Action action;  ///< of the command that was parsed
  std::string memory_limit, lora;
  bool allow_outside = false;

 private:
  std::string language_;  // read before anything is said
};

}  // namespace attnscope::cli
