// Pseudo-random numbers, the same on every machine: SplitMix64 (Steele, Lea & Flood 2014), seeded by
// their purpose, so that example 7 of a seed needs no example before it. Not cryptographic.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

enum class Split : std::uint8_t;  // core/train/task.h

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}
  std::uint64_t next();
  /// A whole number in [0, bound); bound >= 1.
  int below(int bound);
  /// A number in [0, 1).
  double uniform();
  /// True in `share` of all cases.
  bool chance(double share) { return uniform() < share; }
  /// N(0, 1).
  double normal();
  /// One of the values; there must be one.
  template <class Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }
  /// Shuffles the values.
  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (int i = static_cast<int>(values.size()) - 1; i > 0; --i)
      std::swap(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(below(i + 1))]);
  }

 private:
  std::uint64_t state_;
};

/// The numbers of one purpose: a seed, a stream of it (a split, a table of weights), a number in the stream.
SplitMix64 random_of(std::uint64_t seed, std::uint64_t stream, std::uint64_t number);
/// Those of example `number` of a split; `purpose`: what else is drawn for it.
inline SplitMix64 random_of(std::uint64_t seed, Split split, std::int64_t number, std::uint64_t purpose = 0) {
  return random_of(seed, purpose + static_cast<std::uint64_t>(split), static_cast<std::uint64_t>(number));
}

/// A fingerprint of content (FNV-1a, then mixed), the same on every machine.
std::uint64_t fingerprint(std::string_view content);
std::uint64_t fingerprint(const std::vector<int>& content);
/// True for `share` of all fingerprints: what is held out is decided by the content alone.
bool falls_into(std::uint64_t content_fingerprint, double share);

}  // namespace attnscope
