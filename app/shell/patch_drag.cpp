#include "app/shell/patch_drag.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/shade.h"
#include "app/state/controls.h"
#include "app/widgets/edit_words.h"
#include "core/base/words.h"
#include "core/lens/donor.h"
#include "core/model/reach.h"
#include "core/session/edit_places.h"
#include "core/session/edit_values.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

// For weights no rows are aligned: the edit takes the same numbers of A's model.
Result<NumberEdit> weight_edit(const Trace& b, const Trace& a, const Place& place) {
  const Target where = places_of(b, place.weight, place.index).front();
  TRY(Tensor values, numbers_in(a, where));
  NumberEdit out{where, EditOp::set, Frozen{std::move(values), "run:A"}};
  TRY_OK(check_edit(b, out));
  return out;
}

}  // namespace

void PatchDrag::pick(const std::optional<Place>& pointed) {
  if (!ImGui::IsMouseClicked(0) || !pointed || ImGui::GetIO().KeyShift) return;
  place_ = pointed;
  edit_.reset();
}

void PatchDrag::make(const FrameState& state, const RunResult& b) {
  if (edit_ && run_ == b.version) return;
  run_ = b.version;
  const int sequence = state.workspace.cursor.sequence;
  const auto from = state.session.pinned()->shared(sequence), into = b.shared(sequence);
  if (b.recorded() || state.session.pinned()->recorded())
    edit_.emplace(fail(Code::unsupported, "compare.patch.recorded"));
  else if (place_->is_weight())
    edit_.emplace(weight_edit(*into, *from, *place_));
  else
    edit_.emplace(Donor(into, from).edit(place_->cell, "run:A"));
}

void PatchDrag::label(const FrameState& state, bool over) const {
  const std::string name = place_->is_weight() ? place_->weight : to_text(place_->cell);
  std::string text = tr(over ? "compare.patch.drop" : "compare.patch.drag", {name});
  if (over && !*edit_) text = edit_->error().text();
  note_item("patch_drag", {state.stage_min, state.stage_max});
  ImGui::SetTooltip("%s", text.c_str());
}

void PatchDrag::put(FrameState& state, const RunResult& b) {
  const int sequence = b.traces.size() > 1 ? state.workspace.cursor.sequence : -1;
  put_ = make_edit(**edit_, sequence);
  state.commands.edit(Text::of("compare.patch.did", {target_words((*edit_)->where)}), {},
                      [edit = put_](Document& document) -> Status {
                        document.edits.push_back(edit);
                        return Done{};
                      });
}

// The shading of a dropped patch stays until the next mouse press or until it is undone.
void PatchDrag::fade(const FrameState& state) {
  const Edits& edits = state.session.document().edits;
  const bool there = put_ && std::find(edits.begin(), edits.end(), put_) != edits.end();
  const bool pressed = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  if (there && !pressed) return;
  put_.reset();
  (void)shade({});
}

void PatchDrag::draw(FrameState& state, const RunResult* b, ImVec2 b0, ImVec2 b1) {
  const bool both =
      b && !b->traces.empty() && state.session.pinned() && !state.session.pinned()->traces.empty();
  if (!both || compat::key_pressed(compat::Key::escape, false)) put_.reset(), place_.reset();
  if (!place_) return fade(state);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = mouse.x >= b0.x && mouse.x < b1.x && mouse.y >= b0.y && mouse.y < b1.y;
  if (ImGui::IsMouseDown(0)) {
    (void)shade({});
    if (!ImGui::IsMouseDragging(0)) return;
    if (over) make(state, *b);
    label(state, over);
    if (!over || !*edit_ || place_->is_weight()) return;
    const auto reach = std::make_shared<const Reach>(b->shared(state.workspace.cursor.sequence), **edit_);
    (void)shade([reach](const Site& site, std::int64_t head) { return reach->rows(site, head); });
    return;
  }
  if (over && edit_ && *edit_) put(state, *b);
  place_.reset();
}

}  // namespace attnscope
