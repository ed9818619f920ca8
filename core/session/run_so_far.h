// What is known of a run while it is computed: the share that is done, the time that is left, and the
// patterns of the blocks that are behind it as small pictures. The run adds to it on its own thread, anyone
// may read.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/session/document.h"

namespace attnscope {

/// The pattern of one head, shrunk: the largest weight of each cell among the queries that were read.
struct HeadSoFar {
  int layer = 0, head = 0;
  Tensor cells;  ///< [query blocks, key blocks]; -inf: all masked
};

/// The heads of the first sequence's main stack, block by block.
struct PicturesSoFar {
  std::vector<HeadSoFar> heads;
  int layers = 0, of_layers = 0;  ///< blocks that are computed, and blocks of the stack
  int widest = 1;                 ///< most heads of a block
  std::int64_t row_stride = 1;    ///< every so many queries were read
};

class RunSoFar {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  /// `news` is called on the run's thread when there are more pictures.
  explicit RunSoFar(const Document& document, std::function<void()> news = {},
                    Clock clock = std::chrono::steady_clock::now);

  /// A block of a sequence is behind the run.
  void took(int sequence, const Trace& trace, Stack stack, int layer);

  /// Share of the blocks that is done, 0..1.
  float share() const { return share_; }
  /// As the blocks so far went; none before the first.
  std::optional<double> seconds_left() const;
  /// Null before the first block, and where the input is short (kLeastPictured).
  std::shared_ptr<const PicturesSoFar> pictures() const;

  /// Shorter inputs are there before a picture would be.
  static constexpr std::int64_t kLeastPictured = 256;

 private:
  void picture(const Trace& trace, int layer);

  std::function<void()> news_;
  Clock clock_;
  std::chrono::steady_clock::time_point began_;
  int sequences_ = 1, blocks_ = 1, first_ = -1;  ///< blocks of a sequence; the first that was computed
  std::atomic<float> share_{0}, from_{0};
  mutable std::mutex mutex_;
  std::shared_ptr<const PicturesSoFar> pictures_;
};

}  // namespace attnscope
