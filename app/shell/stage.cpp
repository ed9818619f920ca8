#include "app/shell/stage.h"

#include <algorithm>
#include <utility>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/shade.h"
#include "app/shell/blocks_so_far.h"
#include "app/shell/compare_bar.h"
#include "app/shell/view_tabs.h"
#include "app/shell/welcome.h"
#include "app/state/controls.h"
#include "app/state/cursor.h"
#include "app/state/fault.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/edit_words.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kTabsHeight = 39.f;
constexpr float kNarrowHalf = 460.f, kLowHalf = 560.f;  // units: smaller halves have one-line headings
constexpr double kPatienceSeconds = 0.1;                // shorter runs show no progress
constexpr float kLeastHalf = 0.2f;
constexpr float kLeastView = 440.f;  // minimum height of a view, units: in a lower window it scrolls

/// Button for one view or two: a rectangle, divided when there are two.
bool split_button(bool two) {
  const float side = px(26);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = hit_area("###two_views", ImVec2(side, side));
  note_item("two_views");
  const ImU32 colour = two ? theme().accent : ImGui::IsItemHovered() ? theme().text : theme().text_dim;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 p0(at.x + px(5), at.y + px(6)), p1(at.x + side - px(5), at.y + side - px(6));
  list->AddRect(p0, p1, colour, px(2), 0, px(1.4f));
  list->AddLine(ImVec2((p0.x + p1.x) / 2, p0.y), ImVec2((p0.x + p1.x) / 2, p1.y), colour, px(1.4f));
  compat::item_tooltip(tr(two ? "frame.one_view" : "frame.two_views"));
  return clicked;
}

/// Chip with the run of this half, A or B; a click switches. Returns its width in pixels.
float run_chip(const char* id, bool& pinned, ImVec2 position) {
  const WithId scope(id);
  ImGui::SetCursorScreenPos(ImVec2(position.x + px(12), position.y + px(10)));
  const ImU32 colour = pinned ? theme().q : theme().k;
  const WithColour ink(ImGuiCol_Text, colour);
  if (raised_button(tr(pinned ? "compare.a" : "compare.b") + std::string("###which_run"))) pinned = !pinned;
  compat::item_tooltip(tr(pinned ? "compare.shows_a" : "compare.shows_b"));
  return ImGui::GetItemRectSize().x + px(8);
}

}  // namespace

void Stage::draw_tabs(FrameState& state, const Half& half, ImVec2 position, float width) {
  Workspace& workspace = state.workspace;
  const float height = px(kTabsHeight - 9);
  const std::string id = std::string(half.id) + "_tabs";
  const View* shown = state.view(half.shown, half.second);
  const bool chooses = state.session.pinned() && (half.pinned || !shown || shown->shows_runs());
  const float left = chooses ? run_chip(half.id, half.pinned, position) : 0.f;
  ImGui::SetCursorScreenPos(ImVec2(position.x + left, position.y + px(9)));
  compat::begin_child(id.c_str(), ImVec2(width - left - px(40), height + 1), false,
                      ImGuiWindowFlags_NoScrollbar);
  ImGui::SetCursorPosX(px(12));
  if (const std::string view = draw_view_tabs(state, half.shown, width - left - px(54), height);
      !view.empty())
    state.show_view(view, half.second);
  ImGui::NewLine();
  ImGui::EndChild();
  ImGui::SetCursorScreenPos(ImVec2(position.x + width - px(36), position.y + px(7)));
  const WithId scope(id.c_str());
  if (!split_button(!workspace.second_view.empty())) return;
  if (workspace.second_view.empty()) {
    state.open_second_view(half.shown);
  } else {
    workspace.view = std::string(half.shown);  // keep the view beside this button
    workspace.shows_pinned = {half.pinned, false};
    workspace.second_view.clear();
  }
}

void Stage::draw_view(FrameState& state, const Half& half, Painter& painter) {
  View* view = state.view(half.shown, half.second);
  if (!half.pinned && draw_blocks_so_far(state, painter)) return;
  if (!half.run || !view) {
    if (view && draw_run_stopped(state)) return;
    ImGui::Dummy(ImVec2(1, ImGui::GetContentRegionAvail().y * 0.4f));
    if (state.session.mixed())
      centred_text(tr("files.nothing_shown"), theme().text_dim, fonts().body);
    else if (!state.session.error())
      centred_text(tr("frame.computing"), theme().text_dim, fonts().body);
    return;
  }
  const bool of_a = half.pinned && state.session.pinned();
  const auto draw = [&](const RunResult* before, Commands& commands) {
    const std::string& why = why_[half.second].get(
        {half.run->version, reinterpret_cast<std::uintptr_t>(view), of_a},
        [&] { return of_a && !view->shows_runs() ? "compare.no_a" : view->unavailable(*half.run); });
    if (!why.empty()) {
      ImGui::Dummy(ImVec2(1, ImGui::GetContentRegionAvail().y * 0.35f));
      centred_text(view_title(*view), theme().text, fonts().title);
      centred_text(tr(why), theme().text_dim, fonts().body);
      return;
    }
    const DrawRecording recording(state.recording);
    const DrawGroupScope group("view");
    const ViewContext context{state.session, *half.run, before, state.workspace, commands, painter};
    if (of_a || !compare_[half.second].draw(context, view->id())) view->draw(context);
  };
  const Label part(half.second ? "second_view_" : "view_", view->id());
  const auto name = [&] { return tr("fault.view", {view_title(*view)}); };
  if (!of_a) return draw_part(state, part, name, [&] { draw(half.before, state.commands); });
  // The shared cursor refers to B: A's half uses the nearest valid cursor, and its edits are dropped.
  Workspace& workspace = state.workspace;
  const Cursor shared = workspace.cursor;
  const auto edit_at = workspace.edit_at;
  const bool difference = std::exchange(workspace.show_difference, false);
  tidy_cursor(workspace.cursor, *half.run);
  const Cursor own = workspace.cursor;
  Commands commands;
  commands.refuse_edits();
  (void)take_offered();
  const ShadedRows reached = shade({});
  draw_part(state, part, name, [&] { draw(nullptr, commands); });
  (void)shade(reached);
  patch_.pick(take_offered());
  if (workspace.cursor == own) workspace.cursor = shared;
  workspace.show_difference = difference;
  const bool wanted = workspace.edit_at && !edit_at;
  workspace.edit_at = edit_at;
  if (state.commands.take_but_edits(std::move(commands)) || wanted)
    state.notify(Notice::Kind::info, Text::of("compare.read_only"));
}

namespace {

// "edited: blocks.1.attn.z[head=3] = 0", shown above the view, also in pictures. Empty: no edits. Those with
// which a page of a lesson was opened are its model, not the learner's change.
std::string edits_told(const FrameState& state, const View* view, const RunResult* run) {
  if (!run || !view || view->group() == ViewGroup::learn) return {};
  const bool page = state.lessons.open() && state.lessons.ready();
  const Edits none, &own = page ? state.lessons.first_run()->document.edits : none;
  std::vector<std::string> edits;
  for (const auto& edit : run->document.edits)
    if (edit->enabled && std::find(own.begin(), own.end(), edit) == own.end())
      edits.push_back(edit_words(*edit).str());
  return edits.empty() ? std::string() : tr("frame.edited", {join(edits, "; ")});
}

}  // namespace

// Name of the run, A "The cat sat", above each half in presenter mode, which hides the chip and compare bar.
void Stage::name_run(const FrameState& state, const Half& half, ImVec2 at, float width) {
  if (!half.run) return;
  const DrawRecording recording(state.recording);
  const char* const letter = tr(half.pinned ? "compare.a" : "compare.b");
  draw_text(Canvas(), fonts().small, at, half.pinned ? theme().q : theme().k, letter);
  const float beside = text_size(fonts().small, letter).x + px(8);
  const std::string name =
      pinned_name(*half.run, half.pinned ? state.run.get() : state.session.pinned().get(),
                  state.workspace.cursor.sequence);
  draw_text(Canvas(), fonts().small, ImVec2(at.x + beside, at.y), theme().text_dim,
            middle_truncated(fonts().small, name, width - beside));
}

void Stage::draw_half(FrameState& state, const Half& half, ImVec2 min, ImVec2 max, Painter& painter) {
  if (half.second) {
    painter.set_scope("second.");
    if (state.workspace.view == state.workspace.second_view) set_item_scope("second.");
  }
  float line = min.y;
  if (!state.presenter.on) {
    draw_tabs(state, half, min, max.x - min.x);
    line += px(kTabsHeight);
    ImGui::GetWindowDrawList()->AddLine(ImVec2(min.x, line), ImVec2(max.x, line), theme().border,
                                        metric::kHairline);
  }
  const bool low = ImGui::GetIO().DisplaySize.y < px(kVeryLow);
  const bool small = max.x - min.x < px(kNarrowHalf) && max.y - line < px(kLowHalf);
  set_headings_told(state.workspace.told || low || small);
  const std::string edits = edits_told(state, state.view(half.shown, half.second), half.run);
  const bool named = state.presenter.on && state.session.pinned() && (half.pinned || presents_pair(state));
  const float note = edits.empty() && !named ? 0.f : text_size(fonts().small, "X").y + px(4);
  const ImVec2 pad(px(24), std::max(note, px(low ? 4 : state.presenter.on ? 8 : 18)));
  if (!edits.empty()) {
    const DrawRecording recording(state.recording);
    const std::string_view shown = middle_truncated(fonts().small, edits, (max.x - min.x) * 0.7f);
    const ImVec2 at(max.x - px(14) - text_size(fonts().small, shown).x, line + px(2));
    draw_text(Canvas(), fonts().small, at, theme().warning, shown);
    note_text(edits);
  }
  if (named)
    name_run(state, half, ImVec2(min.x + pad.x, line + px(2)),
             (max.x - min.x) * (edits.empty() ? 0.9f : 0.4f));
  ImGui::SetCursorScreenPos(ImVec2(min.x + pad.x, line + pad.y));
  const ImVec2 size(std::max(1.f, max.x - min.x - pad.x - px(10)),
                    std::max(1.f, max.y - line - pad.y - px(8)));
  compat::begin_child(half.id, size, false);
  const bool scrolls = low && !state.presenter.on && size.y < px(kLeastView);
  if (scrolls) compat::begin_child("view", ImVec2(0, px(kLeastView)), false);
  const bool nothing = !state.session.document().opened && !state.session.opening();
  if (nothing) {
    const DrawRecording recording(state.recording);
    draw_welcome(state);
  } else {
    draw_view(state, half, painter);
  }
  if (scrolls) ImGui::EndChild();
  ImGui::EndChild();
  painter.set_scope({});
  set_item_scope({});
}

// The half in which the mouse moves or clicks gets the keys.
void Stage::follow_active(FrameState& state, float x) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 at = io.MousePos, min = state.stage_min, max = state.stage_max;
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || ImGui::IsMouseClicked(0);
  if (!moved || open_popups() > 0 || at.x < min.x || at.x >= max.x || at.y < min.y || at.y >= max.y) return;
  state.second_active = at.x >= x;
}

void Stage::draw_active(const FrameState& state, float x) {
  const ImVec2 min = state.stage_min, max = state.stage_max;
  const ImVec2 from(state.second_active ? x + px(4) : min.x, min.y + px(1)),
      to(state.second_active ? max.x : x - px(4), min.y + px(1));
  ImGui::GetWindowDrawList()->AddLine(from, to, theme().accent, px(2));
}

void Stage::draw_split(FrameState& state, float x) {
  ImGui::SetCursorScreenPos(ImVec2(x - px(3), state.stage_min.y));
  hit_area("###split_stage", ImVec2(px(6), std::max(1.f, state.stage_max.y - state.stage_min.y)));
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActive() && !ImGui::IsItemActivated()) {
    const float moved = ImGui::GetIO().MouseDelta.x / std::max(1.f, state.stage_max.x - state.stage_min.x);
    state.workspace.stage_share = std::clamp(state.workspace.stage_share + moved, kLeastHalf, 1 - kLeastHalf);
  }
  ImGui::GetWindowDrawList()->AddLine(ImVec2(x, state.stage_min.y), ImVec2(x, state.stage_max.y),
                                      lit ? theme().accent : theme().border, lit ? px(2) : metric::kHairline);
}

void Stage::draw_progress(FrameState& state) {
  Session& session = state.session;
  const auto now = std::chrono::steady_clock::now();
  const bool computing_model =
      session.running() && !session.shows_training();  // training has its own progress
  if (!computing_model && !session.opening() && !session.generating()) {
    quiet_since_ = now;
    return;
  }
  if (std::chrono::duration<double>(now - quiet_since_).count() < kPatienceSeconds) return;
  const bool computing = session.running() && !session.opening();
  const bool pictured = computing && has_blocks_so_far(session);  // the blocks so far stay in sight
  const std::string left = computing ? run_time_left(session) : std::string();
  const ImVec2 min = state.stage_min, max = state.stage_max, card(px(left.empty() ? 300 : 340), px(84));
  ImGui::SetCursorScreenPos(min);
  compat::begin_child("progress", ImVec2(max.x - min.x, max.y - min.y), false, ImGuiWindowFlags_NoScrollbar);
  if (!pictured) ImGui::GetWindowDrawList()->AddRectFilled(min, max, with_alpha(theme().ground, 0.55f));
  const ImVec2 at((min.x + max.x - card.x) / 2,
                  pictured ? max.y - card.y - px(16) : (min.y + max.y - card.y) / 2);
  const ImVec2 end(at.x + card.x, at.y + card.y);
  ImGui::GetWindowDrawList()->AddRectFilled(at, end, theme().panel, px(8));
  ImGui::GetWindowDrawList()->AddRect(at, end, theme().border, px(8));
  ImGui::SetCursorScreenPos(ImVec2(at.x + px(14), at.y + px(12)));
  const char* what = session.opening()   ? "frame.opening"
                     : session.running() ? "frame.computing"
                                         : "frame.generating";
  ImGui::TextUnformatted(tr(what));
  if (!left.empty()) {
    ImGui::SameLine();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme().text_dim), "%s", left.c_str());
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x + px(14), at.y + px(44)));
  const std::string share = computing ? percent_text(session.progress(), 0) : std::string();
  const float button = button_width(tr("frame.cancel"));
  ImGui::ProgressBar(computing ? static_cast<float>(session.progress()) : 0.f,
                     ImVec2(card.x - px(36) - button, px(26)), share.c_str());
  ImGui::SameLine();
  if (ImGui::Button(Label(tr("frame.cancel"), "###cancel_run").c_str()))
    state.commands.act([](Session& s) {
      s.cancel_opening();
      s.cancel_run();
      s.cancel_generating();
    });
  ImGui::EndChild();
}

// The mask is opened where it hides something, as in the easy window; a lesson, a slide and a session say
// where to look.
void Stage::open_row(FrameState& state, const RunResult& run) {
  const std::pair now{state.workspace.view == "mask", state.session.opened_version()};
  if (now == row_of_ || state.lessons.open() || state.lecture.walking() || state.took_session_cursor())
    return;
  row_of_ = now;
  Cursor& cursor = state.workspace.cursor;
  ViewState there = first_state(*run.document.opened, run.shared(cursor.sequence));
  const std::int64_t usual = there.row;
  there.place = cursor_place(cursor, *there.run);
  there.layer = cursor.layer, there.head = cursor.head, there.row = cursor.query;
  if (check_state(there))
    cursor.query =
        opened_row_.follow(now.first ? "mask" : std::string(), there, now.second, cursor.query, usual);
}

void Stage::draw(FrameState& state, const RunResult* run, const RunResult* before, Painter& painter) {
  Workspace& workspace = state.workspace;
  if (run && !run->traces.empty()) open_row(state, *run);
  const ImVec2 min = state.stage_min, max = state.stage_max;
  if (!state.view(workspace.view) && !state.views.empty()) workspace.view = state.views.front()->id();
  if (!state.view(workspace.second_view)) workspace.second_view.clear();
  const auto pinned = state.session.pinned();
  const bool two = !workspace.second_view.empty() && (!state.presenter.on || presents_pair(state));
  const auto half = [&](bool second) {
    bool& shows_pinned = workspace.shows_pinned[second ? 1 : 0];
    return Half{second ? "stage2" : "stage",
                second,
                second ? workspace.second_view : workspace.view,
                shows_pinned,
                shows_pinned && pinned ? pinned.get() : run,
                before};
  };
  const float middle = two ? min.x + (max.x - min.x) * workspace.stage_share : max.x;
  if (two) follow_active(state, middle);
  draw_half(state, half(false), min, ImVec2(middle, max.y), painter);
  if (two) {
    if (!workspace.second_view.empty()) draw_half(state, half(true), ImVec2(middle, min.y), max, painter);
    draw_split(state, middle);
    if (!workspace.second_view.empty()) draw_active(state, middle);
  }
  const bool both = two && pinned && workspace.shows_pinned[0] != workspace.shows_pinned[1];
  const bool b_first = workspace.shows_pinned[1];
  patch_.draw(state, both ? run : nullptr, b_first ? min : ImVec2(middle, min.y),
              b_first ? ImVec2(middle, max.y) : max);
  const std::array<std::string, 2> now = {workspace.view, two ? workspace.second_view : std::string()};
  for (const bool second : {false, true}) {
    std::string& shown = shown_[second ? 1 : 0];
    if (shown == now[second ? 1 : 0]) continue;
    if (View* view = state.view(shown, second)) view->leave();
    shown = now[second ? 1 : 0];
  }
  draw_progress(state);
}

}  // namespace attnscope
