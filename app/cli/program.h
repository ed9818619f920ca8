// All commands of attnscope-cli in one parser: of the command line, and of the words that an answer keeps of
// its command.
#pragma once

#include <string>

#include "app/cli/command.h"

namespace attnscope::cli {

struct Program {
  Program();
  CLI::App app;
  Action action;  ///< of the command that was parsed
  std::string memory_limit, lora;
  bool allow_outside = false;

 private:
  std::string language_;  // read before anything is said
};

}  // namespace attnscope::cli
