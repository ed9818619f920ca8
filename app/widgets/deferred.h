// A value that is computed off the UI thread for a key: asked every frame, answered with the newest that is
// ready. Refuses to wait, and to compute the same key twice.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "app/widgets/commands.h"

namespace attnscope {

template <class Value>
class Deferred {
 public:
  using Work = std::function<Value(const std::atomic<bool>& cancel)>;

  /// The value of `key`, or of the key before while `work` runs as a job of `tag`, or null before the first.
  /// `work` must own all it reads: it outlives this frame.
  std::shared_ptr<const Value> get(std::uint64_t key, const std::string& tag, Commands& commands, Work work) {
    if (asked_ != key || !ever_asked_) {
      ever_asked_ = true;
      asked_ = key;
      commands.act([state = state_, key, tag, work = std::move(work)](Session& session) {
        session.jobs().submit(tag, [state, key, work](const std::atomic<bool>& cancel) {
          auto value = std::make_shared<const Value>(work(cancel));
          if (cancel) return;
          const std::lock_guard lock(state->mutex);
          state->value = std::move(value);
          state->key = key;
        });
      });
    }
    const std::lock_guard lock(state_->mutex);
    return state_->value;
  }
  /// The value belongs to the key that was asked last.
  bool fresh() const {
    const std::lock_guard lock(state_->mutex);
    return state_->value && state_->key == asked_;
  }

 private:
  struct State {
    std::mutex mutex;
    std::uint64_t key = 0;
    std::shared_ptr<const Value> value;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::uint64_t asked_ = 0;
  bool ever_asked_ = false;
};

/// Mixes numbers into a key (FNV-1a over their bytes, eight at a time).
inline std::uint64_t key_of(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t hash = 14695981039346656037ull;
  for (std::uint64_t part : parts)
    for (int byte = 0; byte < 8; ++byte, part >>= 8) hash = (hash ^ (part & 255u)) * 1099511628211ull;
  return hash;
}

}  // namespace attnscope
