// What the easy window's pictures take long for, computed beside its frames.
#include "app/gpu/gl_context.h"
#include "app/shell/easy_window.h"
#include "app/shell/welcome.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

std::uint64_t beside_number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

// The backward pass that a view shows. False while it is computed: what is shown stays.
bool EasyWindow::differentiate(FrameState& state, const ViewSpec& view, std::uint64_t version) {
  view_.gradients.reset();
  if (!view.gradients) return true;
  const std::uint64_t key =
      key_of({version, beside_number(state.workspace.cursor.sequence),
              beside_number(static_cast<int>(view_.place.stack)), beside_number(view_.row)});
  if (!gradients_.asked(key))
    gradients_.begin(key, key, state.session.workers(), [view = &view, of = view_, run = state.run] {
      auto out = view->gradients(of);
      wake_window();
      return out;
    });
  const auto made = gradients_.made(key, key);
  if (made.fresh && *made.value) view_.gradients = **made.value;
  return made.fresh;
}

// The picture of the lab that is open. False where there is none yet: after a moment a line says so.
bool EasyWindow::compute_lab(FrameState& state) {
  constexpr float kSoon = 0.25f;  // seconds in which the picture before stays
  (void)EasyLab::values(state.workspace, *view_.lab);
  view_.lab_picture = lab_.picture(state, *view_.lab);
  if (state.workspace.holds_back) view_.lab_picture.reset();  // a bet on it is open
  if (view_.lab_picture) {
    lab_waited_ = 0, pictured_ = view_.lab;
    return true;
  }
  lab_waited_ += ImGui::GetIO().DeltaTime;
  state.workspace.moving = true;
  if (lab_waited_ < kSoon && !box_.empty() && pictured_ && shown_ && shown_->id == "labs" &&
      !state.workspace.holds_back) {
    box_.draw(ImGui::GetItemRectMin(), motion_);
    return false;
  }
  box_.clear(), failed_.reset(), pictured_ = nullptr;
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetItemRectMin().x, ImGui::GetItemRectMin().y + px(20)));
  centred_text(tr(state.workspace.holds_back ? "labs.held" : "labs.pending"), theme().text_dim, fonts().body);
  return false;
}

// What a view has runs of its own for. False while it is computed and the picture that is shown is of this
// view: it stays.
bool EasyWindow::compute_slow(FrameState& state, const ViewSpec& view, std::uint64_t version) {
  view_.slow.reset(), view_.slow_pending = false;
  if (!view.slow) return true;
  const std::uint64_t key =
      key_of({version, beside_number(state.workspace.cursor.sequence),
              beside_number(static_cast<int>(view_.place.stack)), beside_number(view_.row), key_of(view.id),
              reinterpret_cast<std::uintptr_t>(view_.before.get())});
  view_.slow = slow_.get(key, state.session.workers(), [view = &view, of = view_, run = state.run] {
    SlowPart out = view->slow(of);
    wake_window();
    return out;
  });
  view_.slow_pending = !view_.slow;
  return view_.slow || shown_ != &view || box_.empty();
}

}  // namespace attnscope
