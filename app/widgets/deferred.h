// A value computed by a background job for a key. get() is called every frame and never blocks: it returns
// the value of this key, or null (get_or_before: an older value marked as not fresh) while the job runs. One
// key is computed once. An exception in the job is rethrown by the next get(), where the frame shows it as an
// error in place of the part that needs the value.
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

/// A value, and whether it belongs to the requested key.
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
  /// The value of `key`, or null while `work` (called with a cancel flag) runs as a job of `tag`, one job per
  /// Deferred. `work` must own all it reads: it outlives this frame.
  template <class Work>
  std::shared_ptr<const Value> get(std::uint64_t key, std::string_view tag, Commands& commands, Work&& work) {
    return get_or_before(key, key, tag, commands, std::forward<Work>(work)).value;
  }
  /// The same, but while `work` runs it returns the previous value, not fresh, if that was computed for the
  /// same `subject`, for instance the same model.
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
      state_->ever_asked = false;  // computed again when this part is drawn again
      std::rethrow_exception(std::exchange(state_->thrown, nullptr));
    }
    if (!state_->value) return {};
    const bool fresh = state_->key == key;
    return fresh || state_->subject == subject ? Made<Value>{state_->value, fresh} : Made<Value>{};
  }
  /// Cancels the running job; the next get() starts anew.
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

/// Hashes numbers into a key.
inline std::uint64_t key_of(std::initializer_list<std::uint64_t> parts) {
  Hash hash;
  for (const std::uint64_t part : parts) hash.take(part);
  return hash.value();
}
/// Hashes a text into a key.
inline std::uint64_t key_of(std::string_view text) {
  Hash hash;
  hash.take(text);
  return hash.value();
}

}  // namespace attnscope
