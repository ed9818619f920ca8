#include "app/shell/frame.h"

#include <algorithm>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/look/pointed.h"
#include "app/panels/lesson/lecture_panel.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/shell/banners.h"
#include "app/shell/class_list.h"
#include "app/shell/dialogs.h"
#include "app/shell/keyboard.h"
#include "app/shell/presenter_sheet.h"
#include "app/shell/toolbar.h"
#include "app/state/controls.h"
#include "app/state/cursor.h"
#include "app/state/fault.h"
#include "app/widgets/matrix_lens.h"
#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kToolbarHeight = 44.f;
constexpr float kLeastStage = 320.f;
constexpr float kFrameLeastSide = 120.f, kFrameMostSide = 520.f;
constexpr float kLeastTimeline = 64.f, kMostTimeline = 260.f;
// In windows smaller than this (units) the network map is hidden, or the timeline has its minimum height, to
// leave room for the stage.
constexpr float kNarrow = 1200.f, kLow = 480.f;
constexpr float kSlimTimeline = 44.f;
// Smaller than this (units), a window gives the room of both to the figure of a lesson's page.
constexpr float kLessonWide = 1500.f, kLessonHigh = 820.f, kLessonAlone = 400.f;
constexpr double kSmallModel = 1e6;  // parameters x tokens
constexpr ImGuiWindowFlags kFixed =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
    ImGuiWindowFlags_NoBackground;  // the framebuffer is cleared to this colour

/// A lesson of the easy window has no other panel; in small windows only those pages have one that name it.
bool stage_alone(const LessonPlayer& lessons, ImVec2 window) {
  if (!lessons.open()) return false;
  if (lessons.lesson().easy) return true;
  return (window.x < px(kLessonWide) || window.y < px(kLessonHigh)) && !lessons.page().panels;
}

void line(ImVec2 from, ImVec2 to) {
  ImGui::GetWindowDrawList()->AddLine(from, to, theme().border, metric::kHairline);
}

/// A draggable line: adds the mouse movement along x or y, in units, to `value`.
void splitter(const char* id, ImVec2 from, ImVec2 to, float& value, float sign, float least, float most) {
  const bool upright = from.x == to.x;
  const float half = px(3);
  ImGui::SetCursorScreenPos(upright ? ImVec2(from.x - half, from.y) : ImVec2(from.x, from.y - half));
  const ImVec2 size = upright ? ImVec2(2 * half, std::max(1.f, to.y - from.y))
                              : ImVec2(std::max(1.f, to.x - from.x), 2 * half);
  hit_area(id, size);
  note_item(id);
  const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (lit) ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  if (ImGui::IsItemActive() && !ImGui::IsItemActivated()) {  // ignore movement before the press
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    value = std::clamp(value + sign * (upright ? moved.x : moved.y) / ui_scale(), least, most);
  }
  ImGui::GetWindowDrawList()->AddLine(from, to, lit ? theme().accent : theme().border,
                                      lit ? px(2) : metric::kHairline);
}

bool is_small(const Document& document) {
  if (!document.model) return false;
  double tokens = 0;
  for (const Sequence& sequence : document.sequences) tokens += static_cast<double>(sequence.input.length());
  return tokens * static_cast<double>(document.model->weights().parameter_count()) < kSmallModel;
}

}  // namespace

void Frame::draw(Painter& painter) {
  const UiMark mark;
  const Status drawn = guarded(Text::of("fault.frame"), [&] { draw_all(painter); });
  if (drawn) return;
  mark.restore();
  state_.session.report(drawn.error());
}

void Frame::draw_all(Painter& painter) {
  take_news();
  tell_progress();
  state_.poll_writing();
  state_.follow_reading();
  weight_check_.follow(state_);
  twin_.follow(state_.session);
  follow_backward();
  state_.workspace.asking.follow(state_.session.workers(), run_, state_.workspace.cursor.sequence,
                                 state_.session.pinned());
  if (run_) state_.workspace.shipped_check.follow(state_.session.workers());
  const auto measured = state_.workspace.asking.measure.newest();
  if (std::exchange(seen_measure_, measured) != measured && measured && measured->failed)
    state_.session.report(*measured->error);
  state_.run = run_;
  state_.walked = walked_;
  begin_items();
  begin_pointing();
  const bool closed = follow_popups();
  follow_key_pointer();
  follow_digits();
  const bool keys_heard = !state_.hand_plays && (!closed || !compat::key_pressed(compat::Key::escape, false));
  if (keys_heard) handle_keys(state_);
  set_matrix_lens(state_.presenter.magnifier.on);
  play();
  state_.workspace.moving = false;  // set again by views that animate
  motion_.follow(state_.workspace, walked_.get(), ImGui::GetIO().DeltaTime);
  draw_window(painter);
  if (run_) state_.take_choices();
  edit_menu_.draw(state_.session, run_.get(), state_.workspace, state_.commands);
  measure_menu_.draw(run_.get(), state_.workspace);
  draw_dialogs();
  finish();
}

// Keyboard navigation of ImGui is on in lists and menus, and in dialogs opened by a key; elsewhere arrow
// keys move through the steps. Returns true if a popup has closed: Dear ImGui may have used Escape for
// that.
bool Frame::follow_popups() {
  const int open = open_popups();
  const bool closed = open < popups_before_;
  if (open == 0 && closed) state_.popup_by_key = false;
  popups_before_ = open;
  ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
  flags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  if (open > 0 && (state_.popup_by_key || !dialog_open())) flags |= ImGuiConfigFlags_NavEnableKeyboard;
  return closed;
}

void Frame::draw_window(Painter& painter) {
  rest_pointer(state_);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(size);
  {  // for this window only, not for popups opened in it
    const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    const WithVar rounding(ImGuiStyleVar_WindowRounding, 0.f);
    const WithVar border(ImGuiStyleVar_WindowBorderSize, 0.f);
    ImGui::Begin("attnscope", nullptr, kFixed);
  }
  begin_no_tab();  // our Tab visits all controls
  state_.workspace.told = presents_words(state_);
  state_.film = nullptr, state_.show_try = nullptr, state_.hand_plays = false;  // set by the easy window
  state_.workspace.holds_back = state_.lessons.holds_back();
  state_.workspace.hides = state_.lessons.hides();
  state_.workspace.hidden = state_.lessons.hidden();
  state_.workspace.keeps_stage = state_.lessons.open() && !state_.presenter.on;
  state_.workspace.hides_roles = state_.lessons.hides_roles();
  state_.workspace.hides_loss = state_.lessons.hides_loss();
  state_.workspace.hides_shapes = state_.lessons.hides_shapes();
  state_.workspace.hides_code = state_.lessons.hides_code();
  state_.workspace.hides_doing = state_.lessons.hides_doing();
  state_.easy_spec = nullptr, state_.easy_view = nullptr;
  if (shows_easy(state_)) {
    const PanelContext context{state_.session,   run_.get(),      before_.get(),
                               state_.workspace, state_.commands, painter};
    easy_.draw(state_, input_bar_, context);
    const float words = presented_words_height(state_);
    if (words > 0) {
      draw_part(
          state_, "lesson", [] { return tr("fault.lesson"); },
          [&] { draw_presented_words(state_, ImVec2(0, size.y - words), size); });
    } else if (state_.lessons.open() && !state_.presenter.on) {
      draw_right(context, ImVec2(state_.stage_max.x, px(kToolbarHeight)),
                 ImVec2(size.x - state_.stage_max.x, size.y - px(kToolbarHeight)));
    }
  } else if (state_.presenter.on) {
    draw_presented(painter);
  } else {
    draw_panels(painter);
  }
  draw_lesson_overlay(state_);
  draw_lecture_trouble(state_);
  end_no_tab();
  ImGui::End();
  draw_key_pointer();
  draw_presenter(state_);
}

void Frame::draw_side(const char* id, ImVec2 position, ImVec2 size, void (*panel)(const PanelContext&),
                      const PanelContext& context) {
  const bool low = size.y < px(140);  // the timeline
  const ImVec2 pad(px(metric::kPadding), px(low ? 7 : 10));
  ImGui::SetCursorScreenPos(ImVec2(position.x + pad.x, position.y + pad.y));
  compat::begin_child(
      id, ImVec2(std::max(1.f, size.x - pad.x - px(4)), std::max(1.f, size.y - pad.y - (low ? 0.f : px(4)))),
      false);
  draw_part(
      state_, id, [&] { return tr(Label("fault.", id)); }, [&] { panel(context); });
  ImGui::EndChild();
}

// The inspector, the open lesson, or the list of slides; the lesson can show the inspector when no cell is
// covered.
void Frame::draw_right(const PanelContext& context, ImVec2 position, ImVec2 size) {
  const bool lesson = state_.lessons.open();
  if (!lesson && !state_.lecture.panel)
    return draw_side("inspector", position, size, draw_inspector, context);
  const float tabs = px(34);
  ImGui::SetCursorScreenPos(ImVec2(position.x + px(metric::kPadding), position.y + px(7)));
  lesson ? draw_lesson_switch(state_) : draw_lecture_switch(state_);
  const ImVec2 below(position.x, position.y + tabs), rest(size.x, size.y - tabs);
  if (lesson ? state_.lessons.inspecting : state_.lecture.inspecting)
    return draw_side("inspector", below, rest, draw_inspector, context);
  const ImVec2 pad(px(metric::kPadding), px(6));
  ImGui::SetCursorScreenPos(ImVec2(below.x + pad.x, below.y + pad.y));
  compat::begin_child("lesson", ImVec2(std::max(1.f, rest.x - pad.x - px(4)), std::max(1.f, rest.y - pad.y)),
                      false);
  draw_part(
      state_, "lesson", [] { return tr("fault.lesson"); },
      [&] { lesson ? draw_lesson_panel(state_) : draw_lecture_panel(state_); });
  ImGui::EndChild();
}

// Input bar and compare bar; returns the y below them, pixels.
float Frame::draw_bars(const PanelContext& context, float toolbar) {
  const float width = ImGui::GetIO().DisplaySize.x;
  float input = toolbar + px(kToolbarHeight);
  ImGui::SetCursorScreenPos(ImVec2(px(8), toolbar + px(8)));
  draw_part(
      state_, "input", [] { return tr("fault.input"); },
      [&] { input = toolbar + input_bar_.draw(context, state_, ImVec2(0, toolbar), width); });
  line(ImVec2(0, input), ImVec2(width, input));
  draw_part(
      state_, "compare", [] { return tr("fault.compare"); },
      [&] { input += compare_bar_.draw(state_, run_.get(), ImVec2(0, input), width); });
  return input;
}

void Frame::draw_panels(Painter& painter) {
  Workspace& workspace = state_.workspace;
  const PanelContext context{state_.session, run_.get(), before_.get(), workspace, state_.commands, painter};
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float toolbar = px(kToolbarHeight);
  ImGui::SetCursorScreenPos(ImVec2(px(8), px(8)));
  draw_part(
      state_, "toolbar", [] { return tr("fault.toolbar"); },
      [&] { draw_toolbar(state_, ImVec2(0, 0), ImVec2(size.x, toolbar)); });
  line(ImVec2(0, toolbar), ImVec2(size.x, toolbar));
  const View* shown = state_.view(workspace.view);
  // Without a document there is nothing to show beside the stage; a lesson of the easy window wants it alone.
  const bool empty = !state_.session.document().opened && !state_.session.opening() && !state_.lessons.open();
  const bool whole = empty || (shown && shown->wants_all() && workspace.second_view.empty());
  const bool text = !empty && shown && shown->reads_text();
  const float input = whole && !text ? toolbar : draw_bars(context, toolbar);
  const float top = input + draw_banners(state_, ImVec2(0, input), size.x);

  const bool guided = stage_alone(state_.lessons, size);
  if (whole || guided) {
    const float sides = std::max(0.f, size.x - px(kLeastStage));
    const float own = guided && !state_.lessons.lesson().easy ? kLessonAlone : kLessonWidth;
    const float wanted = guided ? px(own) : px(std::max(workspace.inspector_width, kLessonWidth));
    const float wide = state_.lessons.open() || state_.lecture.panel ? std::min(wanted, sides * 0.6f) : 0;
    state_.stage_min = ImVec2(0, top);
    state_.stage_max = ImVec2(size.x - wide, size.y);
    stage_.draw(state_, run_.get(), before_.get(), painter);
    if (wide > 0) draw_right(context, ImVec2(size.x - wide, top), ImVec2(wide, size.y - top));
    return;
  }
  const bool narrow = size.x < px(kNarrow);
  const float highest = size.y < px(kLow) ? kLeastTimeline : kMostTimeline;
  const bool slim = size.y < px(kVeryLow);
  const float bottom =
      size.y - px(slim ? kSlimTimeline : std::clamp(workspace.timeline_height, kLeastTimeline, highest));
  const float sides = std::max(0.f, size.x - px(kLeastStage));
  const float left = narrow ? 0.f : std::min(px(workspace.map_width), sides * 0.4f);
  const bool lesson = state_.lessons.open() || state_.lecture.panel;
  const float wanted = lesson ? std::max(workspace.inspector_width, kLessonWidth) : workspace.inspector_width;
  const float right = size.x - std::min(px(wanted), sides * 0.6f);
  if (!narrow) draw_side("map", ImVec2(0, top), ImVec2(left, bottom - top), draw_network_map, context);
  state_.stage_min = ImVec2(left, top);
  state_.stage_max = ImVec2(right, bottom);
  stage_.draw(state_, run_.get(), before_.get(), painter);
  // A lesson reaches down to the window's edge on every page, with a timeline or without: its buttons stand
  // still.
  const float below = lesson ? size.y : bottom, across = lesson ? right : size.x;
  draw_right(context, ImVec2(right, top), ImVec2(size.x - right, below - top));
  const PanelContext walk{state_.session, walked_.get(), before_.get(), workspace, state_.commands, painter};
  draw_side("timeline", ImVec2(0, bottom), ImVec2(across, size.y - bottom), draw_timeline, walk);
  if (!narrow)
    splitter("###split_map", ImVec2(left, top), ImVec2(left, bottom), workspace.map_width, 1.f,
             kFrameLeastSide, kFrameMostSide);
  splitter("###split_inspector", ImVec2(right, top), ImVec2(right, below), workspace.inspector_width, -1.f,
           kFrameLeastSide, kFrameMostSide);
  if (!slim)
    splitter("###split_timeline", ImVec2(0, bottom), ImVec2(across, bottom), workspace.timeline_height, -1.f,
             kLeastTimeline, kMostTimeline);
}

// Presenter mode: the stage alone, with a line of help below it.
void Frame::draw_presented(Painter& painter) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float line = ImGui::GetTextLineHeight() + px(12);
  state_.stage_min = ImVec2(0, 0);
  const bool lab = state_.workspace.view == "labs" && !state_.pages;  // labs need the room
  const bool own_line = state_.workspace.view == "steps" || !has_pages(state_) || lab;
  const float words = presented_words_height(state_);
  state_.stage_max = ImVec2(size.x, size.y - (words > 0 ? words : own_line ? px(8) : line + px(4)));
  stage_.draw(state_, run_.get(), before_.get(), painter);
  if (words > 0)
    return draw_part(
        state_, "lesson", [] { return tr("fault.lesson"); },
        [&] { draw_presented_words(state_, ImVec2(0, size.y - words), size); });
  if (lab || !has_pages(state_)) return;
  const char* hint = tr("present.hint");
  const WithFont small(fonts().small);
  ImGui::GetWindowDrawList()->AddText(ImVec2(size.x - ImGui::CalcTextSize(hint).x - px(26), size.y - line),
                                      theme().text_dim, hint);
}

void Frame::ask_for_files() {
  if (state_.ask_open)
    state_.browse = BrowseRequest{
        false, "browser.title_open", {}, [this](const std::string& path) { state_.open(path); }, false, true};
  if (state_.ask_save_as)
    state_.browse = BrowseRequest{true, "browser.title_save", state_.save_name(),
                                  [this](const std::string& path) { state_.save_as(path); }};
  state_.ask_open = state_.ask_save_as = false;
  const FigureFormat as = state_.commands.take_figure();
  if (as == FigureFormat::text) state_.export_request = ExportRequest{{}, 1.f, true, CopyAs::text};
  if (as == FigureFormat::picture) state_.export_request = ExportRequest{{}, 2.f, true, CopyAs::picture};
  if (as == FigureFormat::svg)
    state_.browse = BrowseRequest{true, "edit_menu.figure.title", state_.workspace.view + ".svg",
                                  [this](const std::string& path) {
                                    const bool named = path.size() > 4 && path.ends_with(".svg");
                                    state_.export_request = ExportRequest{named ? path : path + ".svg"};
                                  }};
  if (auto question = state_.commands.take_question())
    state_.browse =
        BrowseRequest{question->save, question->title, question->name,
                      [this, chosen = question->chosen](const std::string& path) {
                        state_.commands.act([chosen, path](Session& session) { chosen(session, path); });
                      }};
}

void Frame::draw_dialogs() {
  ask_for_files();
  browser_.draw(state_);
  export_.draw(state_);
  draw_lesson_list(state_);
  draw_class(state_);
  handbook_.draw(state_);
  course_.draw(state_, run_.get());
  draw_settings(state_);
  draw_about(state_);
  draw_outside(state_);
  draw_leaving(state_);
  palette_.draw(state_);
}

void Frame::finish() {
  answered_ = false;
  const bool acted = !state_.commands.empty();
  state_.session.run_at_once(is_small);
  state_.commands.carry_out(state_.session);
  state_.session.run_at_once({});
  answered_ = acted && is_small(state_.session.document()) && !state_.session.running();
}

}  // namespace attnscope
