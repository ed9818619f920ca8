#include "app/shell/own_try.h"

#include <algorithm>

#include "app/gpu/gl_context.h"
#include "core/view/view.h"

namespace attnscope {

// The first kind from `first` on that the text has something for.
Result<OwnTry::Known> OwnTry::make(const Document& document, const std::shared_ptr<const Trace>& run,
                                   std::int64_t row, std::size_t first, const std::atomic<bool>& cancel) {
  Known out{document, first, std::nullopt};
  const std::size_t count = try_kinds().size();
  for (std::size_t at = 0; at < count && !out.thing; ++at) {
    out.kind = (first + at) % count;
    TRY(out.thing, made_try(document, run, row, try_kinds()[out.kind], &cancel));
  }
  return out;
}

void OwnTry::follow(const FrameState& state, const RunResult& run) {
  const bool same = known_ && known_kind_ == kind_ && same_.get({serial_, run.version}, [&] {
    return known_->before.opened == run.document.opened && same_try(known_->before, run.document);
  });
  if (same) return;
  const std::uint64_t key = key_of({run.opened_version, run.version, kind_});
  if (!making_.asked(key))
    making_.begin(key, key, state.session.workers(),
                  [document = run.document, trace = run.traces.front(), kind = kind_,
                   row = first_row(*run.document.opened, run.trace(0))](const std::atomic<bool>& cancel) {
                    auto out = make(document, trace, row, kind, cancel);
                    wake_window();
                    return out;
                  });
  const auto made = making_.made(key, key);
  known_.reset();
  if (!made.fresh) return;
  known_ = *made.value ? std::shared_ptr<const Known>(made.value, &**made.value)
                       : std::make_shared<const Known>(Known{run.document, kind_, std::nullopt});
  serial_ = made.serial, known_kind_ = kind_;
}

void OwnTry::suit(std::string_view view) {
  if (view == "steps") return;  // a film passes all places
  const TryKind wanted = try_kind_in(view).value_or(TryKind::hide);
  const auto found = std::find(try_kinds().begin(), try_kinds().end(), wanted);
  kind_ = static_cast<std::size_t>(found - try_kinds().begin());
}

void OwnTry::next() {
  if (known_) kind_ = (known_->kind + 1) % try_kinds().size();
}

void OwnTry::forget() {
  making_.forget();
  known_.reset();
  kind_ = 0;
}

}  // namespace attnscope
