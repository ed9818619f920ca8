#include "app/shell/stage_compare.h"

#include <bit>

#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/widgets/places.h"
#include "core/session/session.h"

namespace attnscope {
namespace {

std::uint64_t compare_key(const ViewState& state, std::string_view id, std::uint64_t a, std::uint64_t b,
                          ImVec2 room) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return key_of({key_of(id), a, b, number(state.place.stack), number(state.place.part), number(state.layer),
                 number(state.head), number(state.row), key_of(language()),
                 number(std::bit_cast<std::uint32_t>(room.x)), number(std::bit_cast<std::uint32_t>(room.y))});
}

}  // namespace

bool StageCompare::draw(const ViewContext& context, std::string_view id) {
  const Cursor& cursor = context.workspace.cursor;
  std::shared_ptr<const Trace> before = context.older(cursor.sequence);
  if (!before) return false;
  const Result<const ViewSpec*> view = find_view(id);
  if (!view || !(*view)->compares) return false;
  ViewState state = first_state(*context.run.document.opened, context.run.shared(cursor.sequence));
  state.before = std::move(before);
  look_at_cursor(state, cursor);
  state.opened_before = context.before->document.opened.get(), state.compare = true;
  const ImVec2 corner = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  if (room.x < 1 || room.y < 1) return false;
  const std::uint64_t key = compare_key(state, id, context.before->version, context.run.version, room);
  if (failed_key_ == key) return false;
  const bool presented = context.workspace.presenting;
  if (box_.stale(key, room, presented)) {
    auto figure = draw_view(**view, state, false);
    const bool three = figure && figure::find_part(*figure, "a") != nullptr;
    if (!three || !box_.show(*std::move(figure), key, room, presented)) {
      failed_key_ = key;
      return false;
    }
  }
  hit_area("###compared", room);
  note_item("compared");
  box_.draw(corner);
  hands_.follow({context.run, context.workspace, context.commands, box_});
  return true;
}

}  // namespace attnscope
