// The calculator's numbers as lines of a table: the window's panes, its figure and its data are made of
// these. Texts are in assets/strings/*/calculator_view.json.
#pragma once

#include <cstdint>
#include <vector>

#include "core/calc/calculation.h"
#include "core/calc/machine.h"
#include "core/calc/training.h"

namespace attnscope {

/// One number, and how it is written for people.
struct CalcNumber {
  /// memory: bytes in powers of 1024; large: with a metric prefix; ratio: with `digits` digits.
  enum class As : std::uint8_t { count, bytes, memory, seconds, large, ratio, word } as = As::count;
  std::int64_t whole = 0;  ///< of count, bytes and memory
  double real = 0;         ///< of seconds, large and ratio
  Text word;
  int digits = 4;
};
/// All its digits, as a number that reads back; of a word the word.
std::string exact_number(const CalcNumber& number);

struct CalcLine {
  Text name;
  std::vector<CalcNumber> numbers;
  bool strong = false;
};
struct CalcTable {
  std::vector<Text> header;  ///< of the numbers
  std::vector<CalcLine> lines;
};

/// The KV cache as it is, and of the same model with other kinds of attention; empty where nothing is kept.
CalcTable cache_lines(const Described& described, const Calculation& calc);
/// FLOPs and bytes of the prompt and of the next token; with a machine also how long they take on it.
CalcTable flops_lines(const Calculation& calc, const Workload& work, const Machine* machine);
/// Training and serving; with a machine also the days at its peak.
CalcTable training_lines(const TrainingCost& cost, const Machine* machine);

}  // namespace attnscope
