// The dice of the fuzzer: SplitMix64 (Steele et al. 2014), so that the same seed throws the same on every
// machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope::fuzz {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Of one input: it depends on the run's seed, the format's name and the input's number alone.
  Random(std::uint64_t seed, std::string_view format, std::uint64_t number) : state_(seed) {
    for (const char c : format) state_ = next() ^ static_cast<unsigned char>(c);
    state_ = next() ^ number;
  }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// 0 .. limit - 1; 0 where there is nothing to choose from.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : static_cast<std::size_t>(next() % limit); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace attnscope::fuzz
