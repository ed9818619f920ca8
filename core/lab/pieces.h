// What labs are made of: controls and numbers in short form, random rows, a clock, models that are shipped.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/arch/open.h"
#include "core/lab/lab.h"

namespace attnscope {

// ---- controls ------------------------------------------------------------------------------------
LabControl real_control(std::string key, double least, double most, double initial, bool log = false);
LabControl whole_control(std::string key, double least, double most, double initial, bool log = false);
/// 0 .. `most`, whole, from 0; can run by itself, at the steps per second of the control `pace`.
LabControl paced_control(std::string key, double most, std::string pace);
LabControl choice_control(std::string key, std::vector<std::string> keys, int initial = 0);
LabControl switch_control(std::string key, bool initial);
LabControl words_control(std::string key, std::string initial);

// ---- numbers as text -----------------------------------------------------------------------------
/// `digits` significant digits: "22.63", "1,048,576", "1.1·10⁻⁷"; U+2212 as minus sign, ∞ and NaN.
std::string shown(double value, int digits = 4);
/// "3.2 ms", "41 µs".
std::string shown_seconds(double seconds);
/// "12.5 %"
Text shown_share(double share);

// ---- pieces --------------------------------------------------------------------------------------
/// `count` values from `least` to `most` in equal factors, both included; least > 0.
std::vector<double> powers_between(double least, double most, int count);
/// A row of a table with a name and what stands behind it.
std::vector<Text> fact(Text name, std::vector<Text> values);
/// Rows of N(0, 1) -> [rows, cols]: the same for the same seed.
Tensor normal_rows(std::uint64_t seed, std::int64_t rows, std::int64_t cols);
/// Mean and variance (of the population) of all values.
struct MeanVariance {
  double mean = 0, variance = 0;
};
MeanVariance spread_of(const Tensor& values);
/// -sum p ln p of one row of shares; 0 ln 0 = 0.
double entropy_of(const std::vector<double>& shares);
/// How long something took, in seconds, when it was done several times: a single number would promise more
/// than a machine that does other things too can keep.
struct Timing {
  double median = 0, least = 0, most = 0;
};
/// Of these times, at least one.
Timing timing_of(std::vector<double> seconds);
/// `work` is done `rounds` times.
Timing timed(int rounds, const std::function<void()>& work);
/// "1.2 ms (1.1…1.5 ms)".
std::string shown_timing(const Timing& timing);

/// A piece that the full window alone shows.
LabPiece in_full(LabPiece piece);

// ---- models --------------------------------------------------------------------------------------
/// A trained model of assets/models, opened once and kept. Errors: the program was built without it.
Result<std::shared_ptr<const OpenedModel>> shipped_model(const std::string& name);
/// The words of ids.
std::vector<Text> words_of(const OpenedModel& opened, const std::vector<int>& ids);
/// "The cat sat on the mat because it was tired", and the like, as the model reads it.
Result<Input> text_input(const OpenedModel& opened, const std::string& text);
/// Blocks of `heads` heads and an MLP four times as wide, LayerNorm before both, a head of its own; what a
/// lab is about is set on top of it. Without weights.
ModelConfig lab_config(int width, int heads, int vocab, int blocks);
/// For loops that take long: Code::cancelled once `cancel` is set.
Status go_on(const std::atomic<bool>& cancel);

}  // namespace attnscope
