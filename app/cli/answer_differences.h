// Two answers to one question, number by number: what rerun compares.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace attnscope::cli {

struct AnswerDifferences {
  std::int64_t numbers = 0;
  double largest = 0, beyond = 0;  ///< of all; the largest above the tolerance
  std::string at;                  ///< where the largest is, of those above the tolerance if there are any
  std::string other;               ///< where they are of another form; empty: nowhere
};

/// All but what is said of the run. A number differs where it is off by more than `tolerance` times itself,
/// of numbers below 1 by more than `tolerance`; a text that is a number is compared as one.
void compare_answers(const nlohmann::json& before, const nlohmann::json& now, double tolerance,
                     AnswerDifferences& out);
/// What an answer says of its run against what is said of it now: texts, ids, measure, method, seeds. The
/// words, the version and the place of a file may be others; what is new since then is not looked at.
void compare_runs(const nlohmann::json& before, const nlohmann::json& now, AnswerDifferences& out);

}  // namespace attnscope::cli
