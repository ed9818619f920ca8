// Positional encodings in numbers: tables and their wavelengths, the rotation that shifts an encoding
// by k (Vaswani et al. 2017, section 3.5: "PE(pos+k) can be represented as a linear function of PE(pos)"),
// RoPE's property that q . k depends on the distance alone, and the distance biases of T5 and ALiBi.
#pragma once

#include <vector>

#include "core/trace/rotary.h"

namespace attnscope {

/// What a stack adds at positions 0, 1, ...: learned rows from its offset on, or the sinusoids in its order
/// of dimensions -> [pos, dim]; empty for stacks that rotate or have none. `count` rows at most.
Tensor position_table(const ModelConfig& config, const Weights& weights, std::int64_t count);
/// The sinusoids of any width, to compare with -> [pos, dim]; `halves`: all sines, then all cosines; `base`:
/// the 10000 of the paper.
Tensor sinusoid_table(std::int64_t count, std::int64_t width, bool halves = false, double base = 10000);

/// The two dimensions of the pair that dimension `dim` belongs to: neighbours, or one of each half.
struct SinusoidPair {
  std::int64_t sine = 0, cosine = 0;
};
SinusoidPair sinusoid_pair(std::int64_t dim, std::int64_t width, bool halves = false);
/// Tokens per turn of that pair: 2 pi base^(2i/d).
double sinusoid_wavelength(std::int64_t dim, std::int64_t width, bool halves = false, double base = 10000);

/// PE(p) shifted by k with the rotation R(k), which depends on k alone.
struct Shift {
  std::vector<double> moved;   ///< R(k) PE(p)
  std::vector<double> actual;  ///< PE(p + k) of the table
  double error = 0;            ///< largest |moved - actual|
};
/// `table` [pos, dim] has at least p + k + 1 rows. For a learned table the error shows how far it is from
/// sinusoids.
Shift shift_encoding(const Tensor& table, std::int64_t pos, std::int64_t distance, bool halves = false,
                     double base = 10000);

/// Tokens per turn of each pair.
std::vector<double> wavelengths_of(const Rotary& rotary);

/// One pair of a query and a key rotated to their positions.
struct RotaryPair {
  double q[2], k[2];  ///< as projected
  double rotated_q[2], rotated_k[2];
  double angle_q = 0, angle_k = 0;  ///< radians
  double dot = 0;                   ///< of the rotated pairs
};
/// Pair `pair` of q and k [d_head] at positions p and r.
RotaryPair rotary_pair(const Tensor& q, const Tensor& k, const Rotary& rotary, std::int64_t pair,
                       double query_pos, double key_pos);
/// q . k after rotating both to their positions, in double.
double rotary_dot(const Tensor& q, const Tensor& k, const Rotary& rotary, double query_pos, double key_pos);

/// What an attention adds to the scores of one head for the distance between query and key -> [query, key];
/// `any_site_of_it` names the attention. Empty where it adds nothing. Ranges are clamped.
Tensor bias_rectangle(const Trace& trace, const Site& any_site_of_it, std::int64_t head, Range queries,
                      Range keys);
/// The same with -inf where the run's mask hides the key from the query.
Tensor bias_in_sight(const Trace& trace, const Site& any_site_of_it, std::int64_t head, Range queries,
                     Range keys);
/// The distances key - query that share a bucket of T5's table: first to last, both included.
struct BucketRange {
  std::int64_t bucket = 0, first = 0, last = 0;
  bool open = false;  ///< goes on to any distance beyond
};
/// All buckets that have distances, from keys far before the query to keys far after it.
std::vector<BucketRange> bucket_ranges(const ScoreBias& bias);

}  // namespace attnscope
