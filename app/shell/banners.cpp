#include "app/shell/banners.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/state/kept_sessions.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

struct Line {
  ImU32 colour;
  const std::string& text;
  std::string action = {};  ///< label of a button, or empty
  bool closes = true;
  std::string other = {};  ///< label of a second button, or empty
};
enum class Asked { nothing, dismiss, act, other };

ImU32 notice_colour(Notice::Kind kind) {
  switch (kind) {
    case Notice::Kind::good: return theme().ok;
    case Notice::Kind::warning: return theme().warning;
    case Notice::Kind::info: break;
  }
  return theme().accent;
}

std::string with_hint(const std::string& text, const std::string& hint) {
  return hint.empty() ? text : text + "  " + hint;
}

/// Draws one line at y; adds its height to y.
Asked draw_line(const Line& line, const char* id, float x, float& y, float width) {
  const auto button_room = [](const std::string& label) {
    return label.empty() ? 0.f : button_width(label) + px(8);
  };
  const float actions = px(40) + button_room(line.action) + button_room(line.other);
  const float room = std::max(px(80), width - px(32) - actions);
  const std::string_view lines = in_lines(line.text, room);
  const float text_height = ImGui::CalcTextSize(begin_of(lines), end_of(lines), false, room).y;
  const float height = std::max(px(34), text_height + px(14));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + width, y + height), mix(theme().ground, line.colour, 0.13f));
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + px(4), y + height), line.colour);
  list->AddLine(ImVec2(x, y + height), ImVec2(x + width, y + height), theme().border);
  const WithId scope(id);
  ImGui::SetCursorScreenPos(ImVec2(x + px(16), y + (height - text_height) / 2));
  text_in_lines(line.text, room);
  Asked asked = Asked::nothing;
  if (!line.action.empty()) {
    ImGui::SetCursorScreenPos(ImVec2(x + width - actions, y + (height - ImGui::GetFrameHeight()) / 2));
    if (ImGui::Button((line.action + "###act").c_str())) asked = Asked::act;
    note_item((std::string(id) + ".act").c_str());
  }
  if (!line.other.empty()) {
    ImGui::SameLine(0, px(8));
    if (ImGui::Button((line.other + "###other").c_str())) asked = Asked::other;
    note_item((std::string(id) + ".other").c_str());
  }
  ImGui::SetCursorScreenPos(ImVec2(x + width - px(34), y + (height - ImGui::GetFrameHeight() * 0.8f) / 2));
  if (line.closes && close_button("###dismiss")) asked = Asked::dismiss;
  y += height;
  return asked;
}

void draw_error(FrameState& state, float x, float& y, float width) {
  const Error error = *state.session.error();
  note_text(error.sentence());
  note_text(error.hint());
  // The open model has no run yet: running it again may help.
  const auto result = state.session.result();
  const bool open =
      state.session.document().model && (!result || result->undo_point != state.session.history().point());
  const std::string said = with_hint(error.sentence(), error.hint());
  const Asked asked =
      draw_line({theme().error, said, open ? tr("frame.run_again") : ""}, "error", x, y, width);
  if (asked == Asked::act) state.commands.act([](Session& session) { session.run(); });
  if (asked == Asked::dismiss) state.commands.act([](Session& session) { session.dismiss_error(); });
}

// A file of the open model has changed on disk since it was read.
void draw_changed_file(FrameState& state, float x, float& y, float width) {
  const Session& session = state.session;
  const bool mixed = session.mixed().has_value();
  if (!mixed && session.newer_file().empty()) return;
  const std::string said = mixed ? with_hint(session.mixed()->sentence(), tr("files.mixed.hint"))
                                 : tr("files.newer", {session.newer_file()});
  note_text(said);
  const Asked asked =
      draw_line({mixed ? theme().error : theme().warning, said, tr("files.read_again"), !mixed},
                "changed_file", x, y, width);
  if (asked == Asked::act) state.commands.act([](Session& s) { s.read_again(); });
  if (asked == Asked::dismiss) state.commands.act([](Session& s) { s.dismiss_newer_file(); });
}

// Which slide of a lecture is shown, where the list of slides does not say it.
void draw_walk(FrameState& state, float x, float& y, float width) {
  const LecturePlayer& player = state.lecture;
  const bool listed = player.panel && !player.inspecting && state.workspace.level != Level::easy;
  if (!player.walking() || listed) return;
  const std::string title = player.title(), slide = player.slide_title(player.at());
  const std::string said = tr("lecture.walk.where",
                              {std::to_string(player.at() + 1), std::to_string(player.size()), title, slide});
  note_text(said);
  Line line{theme().accent, said, tr("lecture.button.present"), false};
  line.other = tr("lecture.button.end");
  const Asked asked = draw_line(line, "lecture", x, y, width);
  if (asked == Asked::act) perform(state, "view.present");
  if (asked == Asked::other) perform(state, "lecture.end");
}

// Offers the sessions kept by earlier runs, one at a time.
void draw_offer(FrameState& state, float x, float& y, float width) {
  if (state.offers.empty()) return;
  const std::string path = state.offers.front();
  const bool kept = is_kept_session(path);
  const std::string said = tr(kept ? "files.unsaved" : "files.last", {path.substr(path.rfind('/') + 1)});
  Line line{theme().accent, said, tr("files.unsaved.open")};
  if (kept) line.other = tr("files.unsaved.discard");
  const Asked asked = draw_line(line, "unsaved", x, y, width);
  if (asked == Asked::nothing) return;
  if (asked == Asked::dismiss) return state.offers.clear();  // offered again at the next start
  state.offers.erase(state.offers.begin());
  if (asked == Asked::act)
    state.open(path);
  else
    remove_session(path);
}

}  // namespace

float draw_banners(FrameState& state, ImVec2 position, float width) {
  float y = position.y;
  draw_changed_file(state, position.x, y, width);
  if (state.session.error()) draw_error(state, position.x, y, width);
  draw_offer(state, position.x, y, width);
  draw_walk(state, position.x, y, width);
  const std::uint64_t version = state.session.history().version();
  std::erase_if(state.notices, [&](const Notice& one) { return one.version.value_or(version) != version; });
  int number = 0;
  for (Notice& notice : state.notices) {
    const bool timed = notice.seconds_left > 0;
    const std::string id = "notice" + std::to_string(number++);
    const std::string& said = notice.said.get(
        {1}, [&] { return with_hint(printable(notice.text.str(), kMostOfSentence), notice.hint.str()); });
    const Line line{notice_colour(notice.kind), said};
    const bool dismissed = draw_line(line, id.c_str(), position.x, y, width) == Asked::dismiss;
    if (timed) notice.seconds_left -= static_cast<double>(ImGui::GetIO().DeltaTime);
    if (dismissed || (timed && notice.seconds_left <= 0)) notice.text = Text();
  }
  std::erase_if(state.notices, [](const Notice& notice) { return notice.text.empty(); });
  return y - position.y;
}

}  // namespace attnscope
