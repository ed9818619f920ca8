// What can be asked of positions as numbers: the rotation that moves an encoding, dot products against the
// distance, how alike two positions are, how far a pair of dimensions tells positions apart, and a head that
// looks k back (Vaswani et al. 2017, section 3.5). Refuses models: it works on tables and frequencies.
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

/// How the same heads would turn with another scaling of their frequencies (RopeSpec::Kind), stretched by
/// `factor` from the trained length on, and read over a text of that stretched length.
Rotary rotary_variant(const ModelConfig& stack, int layer, RopeSpec::Kind kind, double factor);

/// What a hand that turns by `frequency` radians per token tells apart.
struct PairReach {
  double finest = 0;  ///< fewest tokens that move the hand by a twelfth of a turn
  double turn = 0;    ///< tokens after which it stands where it stood: farther ones look alike
};
PairReach pair_reach(double frequency);

/// The pattern of a head with W_Q = R(-k) and W_K = I on the table: softmax over the keys up to the query of
/// sharpness * (R(-k) PE(query)) · PE(key) -> [query, key], 0 for keys after the query.
Tensor look_back(const Tensor& table, std::int64_t distance, double sharpness, bool halves = false,
                 double base = 10000);

}  // namespace attnscope
