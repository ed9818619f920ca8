#include "core/train/random.h"

#include <cmath>

namespace attnscope {
namespace {

constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::uint64_t with_byte(std::uint64_t hash, unsigned byte) { return (hash ^ byte) * 0x100000001B3ULL; }

constexpr std::uint64_t kFnvBasis = 0xCBF29CE484222325ULL;

}  // namespace

std::uint64_t SplitMix64::next() {
  state_ += kGamma;
  return mixed(state_);
}

int SplitMix64::below(int bound) {
  // The high half of a product: the bias is below 2^-32 for bounds that fit an int.
  return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

double SplitMix64::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double SplitMix64::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

SplitMix64 random_of(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  return SplitMix64(mixed(mixed(mixed(seed + kGamma) + stream + kGamma) + number + kGamma));
}

std::uint64_t fingerprint(std::string_view content) {
  std::uint64_t hash = kFnvBasis;
  for (const char c : content) hash = with_byte(hash, static_cast<unsigned char>(c));
  return mixed(hash);
}

std::uint64_t fingerprint(const std::vector<int>& content) {
  std::uint64_t hash = kFnvBasis;
  for (const int value : content)
    for (int shift = 0; shift < 32; shift += 8)
      hash = with_byte(hash, (static_cast<unsigned>(value) >> shift) & 0xFFU);
  return mixed(hash);
}

bool falls_into(std::uint64_t content_fingerprint, double share) {
  return static_cast<double>(content_fingerprint >> 11) * 0x1.0p-53 < share;
}

}  // namespace attnscope
