#include "app/shell/easy_window.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/figure/canvas.h"
#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/look/scopes.h"
#include "app/look/text_lines.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/shell/banners.h"
#include "app/shell/toolbar.h"
#include "app/shell/welcome.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/state/fault.h"
#include "app/views/output_settings.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"
#include "core/lens/attention_row.h"
#include "core/model/measure.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr float kUsualWidth = 1280.f, kUsualHeight = 720.f, kMostEasyScale = 3.f;  // of easy_scale()
constexpr float kWriting = 52.f;  // units: the slider of the temperature and its button
constexpr int kEasyWords = 12;    // written at once
constexpr std::string_view kLabsView = "labs";
constexpr float kEasyBar = 44.f, kQuestion = 40.f, kEasyEdge = 24.f;  // units

std::uint64_t key_number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::uint64_t key_of_state(const ViewState& state, const RunResult& run, std::uint64_t sequence,
                           ImVec2 size) {
  Hash hash;
  hash.take(run.version);
  hash.take(sequence);
  hash.take(std::bit_cast<std::uint32_t>(size.x));
  hash.take(std::bit_cast<std::uint32_t>(size.y));
  hash.take(reinterpret_cast<std::uintptr_t>(state.before.get()));
  hash.take(key_number(static_cast<int>(state.place.stack)));
  hash.take(key_number(static_cast<int>(state.place.part)));
  hash.take(key_number(state.layer));
  hash.take(key_number(state.head));
  hash.take(std::bit_cast<std::uint64_t>(state.temperature));
  return hash.value();
}
// The same with what a motion goes between.
std::uint64_t key_of_figure(std::uint64_t still, const ViewState& state, const ViewSpec& view) {
  Hash hash;
  if (view.id == kLabsView) hash.take(reinterpret_cast<std::uintptr_t>(state.lab_picture.get()));
  hash.take(reinterpret_cast<std::uintptr_t>(state.slow.get()));
  hash.take(key_number(state.slow_pending ? 1 : 0));
  return key_of({still, key_number(state.row), key_of(view.id), key_of(state.page),
                 key_number(state.compare ? 1 : 0), hash.value()});
}

// In the order of their keys.
std::ptrdiff_t place_of_view(const std::string& id) { return find_action("view." + id) - actions().data(); }

}  // namespace

bool shows_easy(const FrameState& state) { return shown_level(state) == Level::easy; }

float easy_scale(float width, float height) {
  constexpr float kSteps = 8;
  const float share = std::clamp(std::min(width / kUsualWidth, height / kUsualHeight), 1.f, kMostEasyScale);
  return std::floor(share * kSteps) / kSteps;
}

// A token at the end, or another text: the row that predicts is looked at. Where one token was changed, put
// in or taken out, the cursor stays at its own.
void EasyWindow::follow_text(FrameState& state, const RunResult& run) {
  Cursor& cursor = state.workspace.cursor;
  const Trace& trace = run.trace(cursor.sequence);
  const std::vector<int>& now = trace.input.ids;
  const bool same_model = std::exchange(read_of_, run.opened_version) == run.opened_version;
  if (same_model && now == read_) return;
  const std::vector<int> before = std::exchange(read_, now);
  if (!same_model || before.empty() || cursor.stack != trace.config().stack) return;
  const auto same = static_cast<std::size_t>(
      std::mismatch(before.begin(), before.end(), now.begin(), now.end()).first - before.begin());
  const auto same_end = static_cast<std::size_t>(
      std::mismatch(before.rbegin(), before.rend(), now.rbegin(), now.rend()).first - before.rbegin());
  const bool longer = same == before.size();
  const bool other = same + same_end + 1 < std::max(before.size(), now.size());
  if (longer || other) cursor.query = first_row(*run.document.opened, trace);
}

void EasyWindow::follow(FrameState& state, const RunResult& run) {
  follow_text(state, run);
  if (!state.lessons.open()) try_.follow(state, run);
  Cursor& cursor = state.workspace.cursor;
  if (const auto& trace = run.shared(cursor.sequence); view_.run != trace) {
    view_ = first_state(*run.document.opened, trace);
    view_.level = Level::easy;
  }
  compare_with(state, run);
  look_at_cursor(view_, cursor);
  view_.temperature = static_cast<double>(state.session.document().sampling.temperature);
  if (const Site pattern = view_.place.pattern(view_.layer); view_.run->find(pattern))
    cursor.key = strongest_.get(
        {run.version, key_number(cursor.sequence), key_number(static_cast<int>(view_.place.stack)),
         key_number(static_cast<int>(view_.place.part)), key_number(view_.layer), key_number(view_.head),
         key_number(view_.row)},
        [&] { return strongest_key(*view_.run, pattern, view_.head, view_.row); });
  view_.lab = state.workspace.view == kLabsView ? &EasyLab::shown(state.workspace) : nullptr;
  if (view_.lab)
    if (const LabValues& values = EasyLab::values(state.workspace, *view_.lab);
        values.all() != view_.values.all())
      view_.values = values;
  offer(state);
  leave_for_full(state, run);
  open_row(state);
  if (state.workspace.holds_back) {  // an open bet is answered from its own picture
    const Page& page = state.lessons.page();
    film_.hold(state, page_view(page), page.state.look().value("station", std::string()));
  }
  film_.begin_before(EasyTraining::shown(state));
  film_.follow(state, view_, chosen(state),
               key_of({run.version, key_number(static_cast<int>(view_.place.stack)),
                       key_number(static_cast<int>(view_.place.part)), key_number(view_.layer),
                       key_number(view_.row), key_of(language())}));
  view_.page = film_.page(state);
  if (const ViewSpec* shown = chosen(state); shown && !shown->aside.empty())
    if (state.workspace.station == shown->aside) view_.page = shown->aside;
}

// A view that has a row of its own begins there; a lesson, a slide and a session say where to look.
void EasyWindow::open_row(FrameState& state) {
  const ViewSpec* view = chosen(state);
  if (!view || state.lessons.open() || state.lecture.walking()) return;
  Cursor& cursor = state.workspace.cursor;
  if (view != std::exchange(opened_view_, view) && view->own_text && view_.place.part == Part::cross) {
    view_.place.part = cursor.part = Part::attn;
    if (is_score_plane(cursor.step.slot)) cursor.step.part = Part::attn;
  }
  const std::int64_t usual = first_row(*view_.opened, *view_.run);
  view_.row = cursor.query =
      opened_row_.follow(view->id, view_, state.session.opened_version(), view_.row, usual);
  if (const int layer = opened_row_.layer(view_); layer != view_.layer) {
    view_.layer = cursor.layer = layer;
    if (cursor.step.layer >= 0) cursor.step.layer = layer;
  }
}

void EasyWindow::offer(const FrameState& state) {
  const std::uint64_t opened = state.session.opened_version() + 1;
  if (offered_for_ == opened) return;
  offered_for_ = opened;
  offered_.clear();
  ViewState quick = view_;
  quick.slow_pending = true;
  ViewState own = quick;
  own.place.part = Part::attn;
  for (const ViewSpec* view : view_specs())
    if (view->id == kLabsView || (view->model && view->draw(view->own_text ? own : quick)))
      offered_.push_back(view);
  std::stable_sort(offered_.begin(), offered_.end(), [](const ViewSpec* a, const ViewSpec* b) {
    return place_of_view(a->id) < place_of_view(b->id);
  });
}

// A view that this window has no picture of is opened in the full one; where that has none either, a sentence
// says why.
void EasyWindow::leave_for_full(FrameState& state, const RunResult& run) const {
  Workspace& workspace = state.workspace;
  const auto is_it = [&](const ViewSpec* one) { return one->id == workspace.view; };
  const View* view = state.view(workspace.view);
  if (!view || state.lessons.open() || offered_.empty() ||
      std::any_of(offered_.begin(), offered_.end(), is_it))
    return;
  const std::string why = view->unavailable(run);
  state.notify(Notice::Kind::info,
               why.empty() ? Text::of("easy.in_full", {Text::of("view." + workspace.view)}) : Text::of(why));
  if (why.empty())
    workspace.level = Level::full;
  else
    workspace.view = offered_.front()->id;
}

const ViewSpec* EasyWindow::chosen(const FrameState& state) const {
  for (const ViewSpec* view : offered_)
    if (view->id == state.workspace.view) return view;
  return offered_.empty() ? nullptr : offered_.front();
}

// Below the cards of the output: the slider of the temperature that they are drawn at, and what goes on
// writing with it.
void EasyWindow::draw_writing(FrameState& state, ImVec2 at, float width) {
  const bool writes = is_possible(*find_action("run.generate"), state), busy = state.session.generating();
  const bool words = says_words_.get({state.session.opened_version()}, [&] {
    return answer_title(view_, answer_row(view_)).front().key() == "figure.answer.word";
  });
  const Label button(busy ? tr("output.cancel") : tr(words ? "easy.write" : "easy.write.tokens"),
                     "###write_words");
  const float beside = writes || busy ? button_width(button) + px(24) : 0.f;
  ImGui::SetCursorScreenPos(at);
  draw_temperature(state.session.document().sampling, state.commands, width - beside, fonts().reading);
  if (beside <= 0) return;
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - beside + px(24), at.y + px(6)));
  if (raised_button(button, !busy))
    state.commands.act([busy, sequence = state.workspace.cursor.sequence](Session& session) {
      if (busy) return session.cancel_generating();
      session.generate(sequence, kEasyWords, Text::of("output.edit.generate_many", {kEasyWords}));
    });
  note_item("write_words");
}

void EasyWindow::draw_figure(FrameState& state, const PanelContext& context, ImVec2 at, ImVec2 size) {
  const ViewSpec* view = chosen(state);
  const bool presented = state.presenter.on;
  if (view && view->id == "attention" && !view_.compare) {
    const float margin = px(14),
                beside = sight_.draw(context, view_, ImVec2(at.x + margin, at.y + margin), size);
    at.x += beside, size.x -= beside;
  }
  ImGui::SetCursorScreenPos(at);
  hit_area("###figure", ImVec2(std::max(1.f, size.x), std::max(1.f, size.y)));
  note_item("figure");
  if (!view) {
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + size.y * 0.4f));
    return centred_text(tr("easy.nothing"), theme().text_dim, fonts().body);
  }
  if (view->id == kLabsView && !compute_lab(state)) return;
  const std::uint64_t still =
      key_of_state(view_, *context.run, key_number(state.workspace.cursor.sequence), size);
  const bool waits = !compute_slow(state, *view, context.run->version) ||
                     (!view_.page.empty() && !differentiate(state, *view, context.run->version));
  const std::uint64_t key = key_of_figure(still, view_, *view);
  if (!waits && box_.stale(key, size, presented) && (!failed_ || failed_key_ != key)) {
    auto figure = draw_view(*view, view_, presented);
    comparable_ = figure && shows_matrix(*figure);
    changes_ = figure ? largest_changes(*figure) : std::vector<RowChange>();
    failed_.reset();
    const bool moves = state.workspace.animate && still == std::exchange(still_key_, still) && !box_.empty();
    if (moves) motion_.leave(box_.on_screen(), *view_.run);
    motion_.stop();
    failed_key_ = key, shown_ = view;
    const float zoom = presented ? state.presenter.zoom : 1.f;
    if (!figure) {
      box_.clear();
      failed_ = figure.error();
    } else if (!box_.show(std::move(*figure), key, size, presented, zoom)) {
      failed_ = fail(Code::out_of_range, "easy.no_room");
    } else if (moves) {
      motion_.enter({box_.on_screen().figure, box_.on_screen().drawing, at.x, at.y, box_.on_screen().unit},
                    *view_.run);
    }
  }
  if (failed_) {
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + size.y * 0.4f));
    const std::string& why = why_.get({key}, [&] { return failed_->text(); });
    return centred_text(why, theme().text_dim, fonts().body);
  }
  const DrawRecording recording(state.recording);
  state.workspace.moving |= motion_.step(ImGui::GetIO().DeltaTime);
  box_.draw(at, motion_);
  hands_.follow({*context.run, state.workspace, state.commands, box_, appends(state), replaces()});
  if (const auto output = hands_.take_output()) append(state, *output);
  if (const auto word = hands_.take_word()) replace(state, *word);
  if (const auto clicked = hands_.take_clicked()) ask_for_sum(*clicked);
  draw_sum();
}

void EasyWindow::draw(FrameState& state, InputBar& input, const PanelContext& context) {
  state.easy_spec = context.run ? chosen(state) : nullptr;
  state.easy_view = &view_;
  if (state.presenter.on) return draw_presented(state, context);
  ImVec2 size = ImGui::GetIO().DisplaySize;
  const float edge = px(kEasyEdge);
  draw_part(
      state, "toolbar", [] { return tr("fault.toolbar"); },
      [&] { draw_easy_toolbar(state, ImVec2(0, 0), ImVec2(size.x, px(kEasyBar))); });
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine(ImVec2(0, px(kEasyBar)), ImVec2(size.x, px(kEasyBar)), theme().border, metric::kHairline);
  if (state.lessons.open()) {  // its panel stands at the right
    size.x -= px(kLessonWidth);
    list->AddLine(ImVec2(size.x, px(kEasyBar)), size, theme().border, metric::kHairline);
  }
  float top = px(kEasyBar + 6);
  const bool lab = state.workspace.view == kLabsView;  // which read no text of one's own
  if (!lab || !state.session.document().opened)
    draw_part(
        state, "input", [] { return tr("fault.input"); },
        [&] { top += input.draw_easy(context, state, ImVec2(edge, top), size.x - 2 * edge); });
  top += draw_banners(state, ImVec2(0, top), size.x);
  top += training_.draw_elsewhere(state, ImVec2(0, top), size.x) + px(4);
  state.stage_min = ImVec2(0, top), state.stage_max = size;
  if (!state.session.document().opened && !state.session.opening()) {
    ImGui::SetCursorScreenPos(ImVec2(edge, top));
    compat::begin_child("welcome", ImVec2(size.x - 2 * edge, size.y - top), false);
    draw_welcome(state);
    return ImGui::EndChild();
  }
  if (!context.run) {
    ImGui::SetCursorScreenPos(ImVec2(0, size.y * 0.45f));
    if (!state.session.error()) centred_text(tr("frame.computing"), theme().text_dim, fonts().body);
    return;
  }
  draw_part(
      state, "easy", [] { return tr("fault.easy"); },
      [&] {
        follow(state, *context.run);
        draw_question(state, ImVec2(edge - px(8), top));
        const bool trains = EasyTraining::shown(state), front = trains && film_.before_first(state);
        float right = size.x - edge;
        if (lab) right = EasyLab::draw_list(state.workspace, right, top);
        if (!front) right = draw_head(state, right, top) - px(8);
        if (trains && !front) right = training_.draw_return(state, right, top);
        if (!lab) draw_compare(state, right, top);  // which shows no run
        top += px(kQuestion);
        if (front)
          return training_.draw(state, context.run, ImVec2(edge, top),
                                ImVec2(size.x - 2 * edge, size.y - top));
        const float offer =
            state.lessons.open() || trains || lab ? 0.f : try_.height();  // a lesson says what to do
        const float below = size.y - (lab ? EasyLab::height() : film_.height());
        const float rules = rules_.height(state, view_), writing = writes(state) ? px(kWriting) : rules;
        draw_figure(state, context, ImVec2(edge - px(14), top - px(10)),
                    ImVec2(size.x - 2 * edge + px(28), below - top - offer - writing));
        if (rules > 0)
          rules_.draw(state, view_, *context.run, ImVec2(edge, below - offer - rules), size.x - 2 * edge);
        else if (writing > 0)
          draw_writing(state, ImVec2(edge, below - offer - writing), size.x - 2 * edge);
        if (offer > 0) try_.draw(state, *context.run, ImVec2(edge, below - offer), size.x - 2 * edge);
        if (lab) return lab_.draw(state, ImVec2(edge, below), size.x - 2 * edge);
        film_.draw(state, ImVec2(edge, below), size.x - 2 * edge);
        if (offer > 0) try_.play(state, *context.run, box_, !motion_.moving());
      });
}

namespace {

// On a projector nothing else says why there is no picture.
void draw_why_nothing(const FrameState& state, ImVec2 size) {
  std::string said;
  if (const auto error = state.session.error())
    said = error->text();
  else if (!state.notices.empty())
    said = state.notices.back().text.str();
  ImGui::SetCursorScreenPos(ImVec2(0, size.y * 0.45f));
  if (!said.empty()) centred_text(said, theme().text, fonts().title);
}

}  // namespace

void EasyWindow::draw_presented(FrameState& state, const PanelContext& context) {
  ImVec2 size = ImGui::GetIO().DisplaySize;
  size.y -= presented_words_height(state);
  state.stage_min = ImVec2(0, 0), state.stage_max = size;
  if (!context.run) return draw_why_nothing(state, size);
  draw_part(
      state, "easy", [] { return tr("fault.easy"); },
      [&] {
        follow(state, *context.run);
        const float says = state.lessons.open() ? 0.f : try_.presented_height(state);
        draw_figure(state, context, ImVec2(0, 0), ImVec2(size.x, size.y - says));
        if (says > 0) try_.draw_presented(state, *context.run, ImVec2(0, size.y - says), size.x);
        if (!state.lessons.open()) try_.play(state, *context.run, box_, !motion_.moving());
      });
}

}  // namespace attnscope
