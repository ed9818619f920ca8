// Opening a page of a lesson, with its views and cursor, and showing them again.
#include <nlohmann/json.hpp>

#include "app/state/cursor.h"
#include "app/state/frame_state.h"
#include "app/state/session_look.h"
#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

// Everything that the page does not set has its default value, so that a page looks the same whatever was
// shown before.
nlohmann::json whole_look(const PageState& page) {
  nlohmann::json look = look_of(Workspace{});
  look.erase("cursor");
  if (page.look().is_object()) look.update(page.look());
  return look;
}

}  // namespace

void FrameState::look_at_page(const PageState& page, const RunResult& shown) {
  const nlohmann::json look = whole_look(page);
  take_look(look, workspace);
  workspace.cursor = first_cursor(shown);
  take_cursor(look, shown, workspace);
  choices_ = look;
  look_file_ = "";
}

void FrameState::open_page(const PageState& page) {
  note_leaving();
  asked_session_.reset();
  asked_path_.clear();
  nlohmann::json look = whole_look(page);
  take_look(look, workspace);
  workspace.cursor = {};
  workspace.playing = false;
  page_look_ = std::move(look);
  session.open_document([page](const std::atomic<bool>& cancel) { return page_document(page, &cancel); },
                        OpenedAs::page);
}

}  // namespace attnscope
