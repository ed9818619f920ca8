// Positional encodings without a model, as numbers: the rotation that shifts an encoding, dot products by
// distance, similarity of two positions, how far apart a pair of dimensions can resolve positions, and a head
// that attends k tokens back (Vaswani et al. 2017, section 3.5). Works on tables and frequencies alone.
#pragma once

#include <vector>

#include "core/lens/positions.h"

namespace attnscope {

/// R(k) with R(k) PE(p) = PE(p + k) for sinusoids of this width -> [dim, dim]; block diagonal in 2 x 2
/// rotations where sine and cosine are neighbours. The lone sine of an odd width only shrinks.
Tensor shift_matrix(std::int64_t width, double distance, bool halves = false, double base = 10000);
/// PE(pos) · PE(p) for every row p of the table; of sinusoids the sum of cos(wave * (p - pos)) over the
/// pairs.
std::vector<double> dot_products(const Tensor& table, std::int64_t pos);
/// Cosine of any two of the first `most` rows -> [pos, pos]; 0 beside a row of zeros.
Tensor similarity(const Tensor& table, std::int64_t most);
/// The bits of 0, 1, ... count - 1, the fastest first -> [bit, pos]: what waves are a smooth form of.
Tensor binary_counter(std::int64_t count, std::int64_t bits);

/// The rotation of the same heads with another scaling of their frequencies (RopeSpec::Kind), stretched by
/// `factor` from the trained length on, for a text of that stretched length.
Rotary rotary_variant(const ModelConfig& stack, int layer, RopeSpec::Kind kind, double factor);

/// The resolution of a pair that rotates by `frequency` radians per token.
struct PairReach {
  double finest = 0;  ///< fewest tokens that rotate it by a twelfth of a turn
  double turn = 0;    ///< tokens per full turn: positions this far apart look alike
};
PairReach pair_reach(double frequency);

/// The pattern of a head with W_Q = R(-k) and W_K = I on the table: softmax over the keys up to the query of
/// sharpness * (R(-k) PE(query)) · PE(key) -> [query, key], 0 for keys after the query.
Tensor look_back(const Tensor& table, std::int64_t distance, double sharpness, bool halves = false,
                 double base = 10000);

}  // namespace attnscope
