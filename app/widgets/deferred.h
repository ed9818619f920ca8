// A value that is computed off the UI thread for a key: asked every frame, answered with the value of that
// key alone, or, where the asker says so, with an older one that is marked as older. What the computation
// throws is thrown where it is asked, so that the part of the frame that needs it says so. Refuses to wait,
// to compute the same key twice, and to hand out a value as that of another key.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "app/widgets/commands.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace attnscope {

/// A value and whether it is the one that was asked for.
template <class Value>
struct Made {
  std::shared_ptr<const Value> value;
  bool fresh = false;
  explicit operator bool() const { return value != nullptr; }
  const Value& operator*() const { return *value; }
  const Value* operator->() const { return value.get(); }
};

template <class Value>
class Deferred {
 public:
  /// The value of `key`, or null while `work` (of a cancel flag) runs as a job of `tag`, one for each
  /// Deferred. `work` must own all it reads: it outlives this frame.
  template <class Work>
  std::shared_ptr<const Value> get(std::uint64_t key, std::string_view tag, Commands& commands, Work&& work) {
    return get_or_before(key, key, tag, commands, std::forward<Work>(work)).value;
  }
  /// The same, but while `work` runs the value before it, not fresh, where that was made for the same
  /// `subject`: the model, say, whose words the asker would give it.
  template <class Work>
  Made<Value> get_or_before(std::uint64_t subject, std::uint64_t key, std::string_view tag,
                            Commands& commands, Work&& work) {
    const std::lock_guard lock(state_->mutex);
    if (state_->asked != key || !state_->ever_asked) {
      state_->ever_asked = true;
      state_->asked = key;
      commands.act([state = state_, subject, key, tag = own_tag(std::string(tag), state_.get()),
                    work = std::forward<Work>(work)](Session& session) {
        session.jobs().submit(tag, [state, subject, key, work](const std::atomic<bool>& cancel) {
          std::shared_ptr<const Value> value;
          std::exception_ptr thrown;
          try {
            value = std::make_shared<const Value>(work(cancel));
          } catch (...) {
            thrown = std::current_exception();
          }
          const std::lock_guard keep(state->mutex);
          if (cancel || state->asked != key) return;
          state->thrown = thrown;
          if (thrown) return;
          state->value = std::move(value);
          state->subject = subject;
          state->key = key;
        });
      });
    }
    if (state_->thrown) {
      state_->ever_asked = false;  // asked once more when the part is drawn again
      std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    }
    if (!state_->value) return {};
    const bool fresh = state_->key == key;
    return fresh || state_->subject == subject ? Made<Value>{state_->value, fresh} : Made<Value>{};
  }
  /// Stops the work that is under way; what is asked next begins anew.
  void stop(const std::string& tag, Commands& commands) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->ever_asked || (state_->value && state_->key == state_->asked)) return;
    state_->ever_asked = false;
    commands.act([tag = own_tag(tag, state_.get())](Session& session) { session.jobs().cancel(tag); });
  }

 private:
  struct State {
    std::mutex mutex;
    std::uint64_t asked = 0, subject = 0, key = 0;
    bool ever_asked = false;
    std::shared_ptr<const Value> value;
    std::exception_ptr thrown;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Mixes numbers into a key.
inline std::uint64_t key_of(std::initializer_list<std::uint64_t> parts) {
  Hash hash;
  for (const std::uint64_t part : parts) hash.take(part);
  return hash.value();
}
/// The same for what is spelled out.
inline std::uint64_t key_of(std::string_view text) {
  Hash hash;
  hash.take(text);
  return hash.value();
}

}  // namespace attnscope
