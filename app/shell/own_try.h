// What there is to try on a text of one's own: made by runs beside the frame, one kind after the other.
#pragma once

#include <string_view>

#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "core/base/computed.h"
#include "core/session/made_try.h"

namespace attnscope {

class OwnTry {
 public:
  /// Asks for the thing of this run, where it is not that of the document that is known already.
  void follow(const FrameState& state, const RunResult& run);
  /// Of the kind that is done in this view, where there is one.
  void suit(std::string_view view);
  /// The next kind.
  void next();
  void forget();
  /// Null while it is made.
  const TryThis* thing() const { return has() ? &*known_->thing : nullptr; }
  /// The document that it changes; of a thing that is there.
  const Document& before() const { return known_->before; }
  /// Nothing can be made for this text.
  bool none() const { return known_ && !known_->thing; }
  std::uint64_t serial() const { return serial_; }  ///< no other thing has it

 private:
  struct Known {
    Document before;
    std::size_t kind = 0;  ///< in try_kinds()
    std::optional<TryThis> thing;
  };
  static Result<Known> make(const Document& document, const std::shared_ptr<const Trace>& run,
                            std::int64_t row, std::size_t first, const std::atomic<bool>& cancel);
  bool has() const { return known_ && known_->thing; }

  std::size_t kind_ = 0;  ///< that is wanted
  Computed<Result<Known>> making_;
  std::shared_ptr<const Known> known_;  ///< null while it is made
  std::uint64_t serial_ = 0;
  std::size_t known_kind_ = 0;  ///< for which known_ was made
  Kept<bool> same_;             ///< the run's document is that of known_
};

}  // namespace attnscope
