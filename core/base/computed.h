// Computed<T>: a value that is computed beside the frame. It is asked for by a key, in every frame; while the
// value of a new key is computed, that of the last one stands for it, marked as older. What a computation
// throws becomes an Error. One owner asks, from one thread; the computation runs in core/base/workers.h and
// owns all that it reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/caught.h"
#include "core/base/hash.h"
#include "core/base/workers.h"

namespace attnscope {

/// A value and whether it is the one that was asked for.
template <class Value>
struct Made {
  std::shared_ptr<const Value> value;
  bool fresh = false;        ///< of the key that was asked for
  std::uint64_t serial = 0;  ///< no other value has it: the key of what is made from it
  explicit operator bool() const { return value != nullptr; }
  const Value& operator*() const { return *value; }
  const Value* operator->() const { return value.get(); }
};

/// What becomes of the computation under way when a newer one is asked for: it is cancelled or, while a
/// number is dragged, completed, so that something is seen to move.
enum class Older : std::uint8_t { stops, finishes };

/// What a computation of a T comes to: its value, or why there is none.
template <class T>
struct OutcomeOf {
  using type = Result<T>;
  static constexpr bool is_result = false;
};
template <class T>
struct OutcomeOf<Result<T>> {
  using type = Result<T>;
  static constexpr bool is_result = true;
};

/// A computation, and what its value is where it throws: for values that carry an Error themselves.
template <class Work, class Failed>
struct OrFailed {
  Work work;
  Failed failed;  ///< of an Error
  template <class Progress>
  auto operator()(const Progress& progress) const {
    return work(progress);
  }
};
template <class Work, class Failed>
OrFailed(Work, Failed) -> OrFailed<Work, Failed>;

/// Called before each computation, where tests set it: what it throws is what the computation threw.
inline std::atomic<void (*)()> before_computation{nullptr};

template <class T>
class Computed {
  struct State;

 public:
  /// What a computation gets: whether it should end (as the cancel flag that models take), and where it puts
  /// what is known so far.
  class Progress {
   public:
    // NOLINTNEXTLINE(google-explicit-constructor): most computations take the cancel flag alone
    operator const std::atomic<bool>&() const { return going_->wanted->ends; }
    const std::atomic<bool>& cancel() const { return going_->wanted->ends; }
    /// Share of the work that is done, 0..1.
    void share(float share) const { going_->share = share; }
    /// What is known so far takes the place of the value.
    void show(T value) const { state_->publish(*this, std::make_shared<T>(std::move(value)), std::nullopt); }
    /// What was shown last has been taken: it is worth while to show more.
    bool taken() const { return !state_->arrived; }

   private:
    friend class Computed;
    std::shared_ptr<State> state_;
    std::shared_ptr<Going> going_;
    std::uint64_t subject_ = 0, key_ = 0;
  };

  Computed() = default;
  Computed(Computed&&) noexcept = default;
  Computed& operator=(Computed&& other) noexcept {
    cancel();
    state_ = std::move(other.state_);
    going_ = std::move(other.going_);
    now_ = std::move(other.now_);
    return *this;
  }
  ~Computed() { cancel(); }

  // ---- by a key, in every frame ----
  /// The value of `key`, or null while `work` (of a cancel flag, of Progress, or of nothing) computes it. A T
  /// that is no Result: what the computation threw is thrown here as ErrorThrown, so that the part of the
  /// frame that needs it says so; it is computed once more when it is asked for again.
  template <class Work>
  std::shared_ptr<const T> get(std::uint64_t key, Workers& workers, Work&& work) {
    const Made<T> made = get_or_before(key, key, workers, std::forward<Work>(work));
    return made.fresh ? made.value : nullptr;
  }
  /// The same; where it is `cheap`, it is computed at once.
  template <class Work>
  std::shared_ptr<const T> get(std::uint64_t key, bool cheap, Workers& workers, Work&& work) {
    if (cheap && !asked(key)) compute(std::forward<Work>(work), key);
    return get(key, workers, std::forward<Work>(work));
  }
  /// The same, but until it is there the value before it, not fresh, where that is of the same `subject`: the
  /// model, say, whose words the asker would give it.
  template <class Work>
  Made<T> get_or_before(std::uint64_t subject, std::uint64_t key, Workers& workers, Work&& work,
                        Older older = Older::stops) {
    take_news();
    if (!asked(key)) begin(subject, key, workers, std::forward<Work>(work), older);
    return of(subject, key);
  }
  /// What get_or_before() gives, without asking for anything new.
  Made<T> made(std::uint64_t subject, std::uint64_t key) {
    take_news();
    return of(subject, key);
  }
  /// This key's value is there or under way.
  bool asked(std::uint64_t key) const { return now_.ever_asked && now_.asked == key; }
  /// Computes the value of a key whether or not it was asked for.
  template <class Work>
  void begin(std::uint64_t subject, std::uint64_t key, Workers& workers, Work&& work,
             Older older = Older::stops) {
    take_news();
    start(next(subject, key, older), workers, std::forward<Work>(work));
  }

  // ---- begun once, taken once ----
  template <class Work>
  void begin(Workers& workers, Work&& work, Older older = Older::stops) {
    start(next(0, now_.asked + 1, older), workers, std::forward<Work>(work));
  }
  /// The same on this thread, before it returns: what is small.
  template <class Work>
  void compute(const Work& work) {
    compute(work, now_.asked + 1);
  }
  /// The newest value or its Error, once. A computation that shows what it knows may give several.
  std::optional<typename OutcomeOf<T>::type> take() {
    take_news();
    if (now_.error) return *std::exchange(now_.error, std::nullopt);
    const auto value = std::move(now_.value);
    if (!value) return std::nullopt;
    return std::optional<typename OutcomeOf<T>::type>(std::move(*value));
  }

  // ---- what is known ----
  /// The newest value of any key; the same pointer while nothing new is known. Throws as get().
  std::shared_ptr<const T> newest() const {
    take_news();
    raise();
    return now_.value;
  }
  /// Takes the place of the newest value.
  void put(T value) {
    take_news();
    now_.value = std::make_shared<T>(std::move(value));
    now_.serial = Workers::new_number();
  }
  /// The value is being computed. Of one that is begun and taken once: neither taken nor given up.
  bool under_way() const { return going_ && !going_->wanted->dropped && !going_->done; }
  bool waits() const { return under_way() || arrived(); }
  /// Share of the work under way that is done, 0..1.
  float share() const { return going_ ? going_->share.load() : 0; }
  /// Something new is there that was not taken yet.
  bool arrived() const { return state_ && state_->arrived; }

  /// Gives up what is under way: it is never seen, and what is asked for next is computed anew. What is known
  /// stays.
  void cancel() {
    if (!going_) return;
    const bool unseen = waits();
    {
      const std::lock_guard lock(state_->mutex);
      going_->wanted->dropped = going_->wanted->ends = true;
      state_->arrived = false;
      state_->value.reset();
      state_->error.reset();
    }
    if (unseen) now_.ever_asked = false;
  }
  /// The same, and nothing is known any more.
  void forget() {
    cancel();
    now_ = {};
  }

 private:
  struct State {
    // Of a computation that was given up nothing is kept.
    void publish(const Progress& by, std::shared_ptr<T> made, std::optional<Error> why) {
      const std::lock_guard lock(mutex);
      if (by.going_->wanted->dropped) return;
      value = std::move(made);
      error = std::move(why);
      subject = by.subject_;
      key = by.key_;
      arrived = true;
    }
    const std::uint64_t lane = Workers::new_number();
    std::atomic<bool> arrived{false};  ///< what follows was not taken yet
    std::mutex mutex;
    std::shared_ptr<T> value;
    std::optional<Error> error;
    std::uint64_t subject = 0, key = 0;
  };
  // Of the owner's thread alone: no lock where nothing arrived.
  struct Now {
    std::shared_ptr<T> value;
    std::optional<Error> error;
    std::uint64_t asked = 0, subject = 0, key = 0, serial = 0;
    bool ever_asked = false;
  };

  template <class Work>
  void compute(const Work& work, std::uint64_t key) {
    carry_out(next(key, key, Older::stops), work);
  }
  // A key that takes the place of the one under way.
  Progress next(std::uint64_t subject, std::uint64_t key, Older older) {
    if (!state_) state_ = std::make_shared<State>();
    if (older == Older::stops) cancel();
    now_.asked = key;
    now_.ever_asked = true;
    now_.error.reset();
    const bool joins = older == Older::finishes && going_ && !going_->wanted->dropped;
    auto wanted = joins ? going_->wanted : std::make_shared<Wanted>();
    going_ = std::make_shared<Going>();
    going_->wanted = std::move(wanted);
    Progress out;
    out.state_ = state_;
    out.going_ = going_;
    out.subject_ = subject;
    out.key_ = key;
    return out;
  }
  template <class Work>
  void start(const Progress& progress, Workers& workers, Work&& work) {
    try {
      workers.submit(state_->lane, going_,
                     [progress, work = std::forward<Work>(work)] { carry_out(progress, work); });
    } catch (...) {
      cancel();
      throw;
    }
  }
  template <class Work>
  static T result_of(const Work& work, const Progress& progress) {
    if constexpr (std::is_invocable_v<const Work&>)
      return work();
    else
      return work(progress);
  }
  template <class Work>
  static void carry_out(const Progress& progress, const Work& work) {
    std::shared_ptr<T> value;
    std::optional<Error> error;
    const Status done = guarded(Text::of("error.work.background"), [&] {
      if (const auto before = before_computation.load()) before();
      value = std::make_shared<T>(result_of(work, progress));
    });
    if constexpr (requires { work.failed(Error{}); }) {
      if (!done) value = std::make_shared<T>(work.failed(done.error()));
    } else if constexpr (OutcomeOf<T>::is_result) {
      if (!done) value = std::make_shared<T>(done.error());
    } else if (!done) {
      error = done.error();
    }
    progress.state_->publish(progress, std::move(value), std::move(error));
    progress.going_->done = true;
  }
  void take_news() const {
    if (!arrived()) return;
    const std::lock_guard lock(state_->mutex);
    state_->arrived = false;
    now_.error = std::exchange(state_->error, std::nullopt);
    if (now_.error) return;
    now_.value = std::move(state_->value);
    now_.subject = state_->subject;
    now_.key = state_->key;
    now_.serial = Workers::new_number();
  }
  void raise() const {
    if (!now_.error) return;
    now_.ever_asked = false;
    throw ErrorThrown{*std::exchange(now_.error, std::nullopt)};
  }
  Made<T> of(std::uint64_t subject, std::uint64_t key) {
    raise();
    if (!now_.value) return {};
    const bool fresh = now_.key == key;
    return fresh || now_.subject == subject ? Made<T>{now_.value, fresh, now_.serial} : Made<T>{};
  }

  std::shared_ptr<State> state_;
  std::shared_ptr<Going> going_;  ///< the newest
  mutable Now now_;
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
