// What this process prints meanwhile is kept instead, so that a command can be run for its text: standard
// output and standard error lead to files without a name, and standard input is empty. One at a time.
#pragma once

#include <string>

#include "core/base/result.h"

namespace attnscope {

class CapturedOutput {
 public:
  /// Errors: no file could be made for it.
  static Result<CapturedOutput> begin();
  /// Standard input and outputs are again what they were.
  ~CapturedOutput();
  CapturedOutput(CapturedOutput&& other) noexcept;
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  CapturedOutput& operator=(CapturedOutput&&) = delete;

  /// All that was printed so far.
  std::string out();
  std::string err();

 private:
  CapturedOutput() = default;
  int before_[3] = {-1, -1, -1};  // what the three led to
  int kept_[2] = {-1, -1};        // where the outputs lead
};

}  // namespace attnscope
