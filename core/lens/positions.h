// What positional encodings do, in numbers: tables and their wavelengths, the rotation that moves an encoding
// by k (Vaswani et al. 2017, section 3.5: "PE(pos+k) can be represented as a linear function of PE(pos)"),
// and RoPE's promise that q . k depends on the distance alone.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The table that a model adds: learned rows, or the sinusoids -> [pos, dim]; empty for models that rotate or
/// have none. `count` rows at most.
Tensor position_table(const ModelConfig& config, const Weights& weights, std::int64_t count);
/// The sinusoids of any width, to compare with -> [pos, dim].
Tensor sinusoid_table(std::int64_t count, std::int64_t width);

/// Tokens per turn of the pair that dimension `dim` belongs to: 2 pi 10000^(2i/d) for sinusoids.
double sinusoid_wavelength(std::int64_t dim, std::int64_t width);
/// Tokens per turn of each rotary pair: 2 pi / frequency.
std::vector<double> rope_wavelengths(const RopeSpec& spec, std::int64_t d_head);

/// PE(p) moved by k with the rotation R(k) that knows only k.
struct Shift {
  std::vector<double> moved;   ///< R(k) PE(p)
  std::vector<double> actual;  ///< PE(p + k) of the table
  double error = 0;            ///< largest |moved - actual|
};
/// `table` [pos, dim] has at least p + k + 1 rows. For a learned table the error tells how far it is from
/// sinusoids.
Shift shift_encoding(const Tensor& table, std::int64_t pos, std::int64_t distance);

/// One pair of a query and a key turned to their positions.
struct RotaryPair {
  double q[2], k[2];  ///< as projected
  double rotated_q[2], rotated_k[2];
  double angle_q = 0, angle_k = 0;  ///< radians
  double dot = 0;                   ///< of the rotated pairs
};
/// Pair `pair` of q and k [d_head] at positions p and r.
RotaryPair rotary_pair(const Tensor& q, const Tensor& k, const std::vector<double>& frequencies,
                       std::int64_t pair, double query_pos, double key_pos);
/// q . k after rotating both to their positions, in double.
double rotary_dot(const Tensor& q, const Tensor& k, const std::vector<double>& frequencies, double query_pos,
                  double key_pos);

}  // namespace attnscope
