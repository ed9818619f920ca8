#include "app/shell/easy_try.h"

#include <algorithm>
#include <utility>

#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/look/scopes.h"
#include "app/look/text_lines.h"
#include "app/shell/try_card.h"
#include "app/shell/try_place.h"
#include "app/state/controls.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/model/measure.h"

namespace attnscope {
namespace {

constexpr float kPresented = 72.f;  // units
constexpr float kMostWait = 3.f;    // seconds until the picture stands still

float height_in_lines(const std::string& text, float width) {
  const std::string_view lines = in_lines(text, width);
  return ImGui::CalcTextSize(lines.data(), lines.data() + lines.size()).y;
}

// What it changes is on the screen: words are above every view, numbers in their own one.
bool fits(const TryThis& thing, const std::string& view) {
  return (thing.edits.empty() && thing.masks.empty() && !(thing.temperature > 0)) || thing.view.empty() ||
         thing.view == view;
}

// What is said of the answer at `row`, where the picture has that of another place; < 0: it has the same.
std::string said_of_row(const RunResult& run, std::int64_t row, std::string said) {
  const Trace& trace = run.trace(0);
  if (row < 0 || row >= trace.length || trace.logits_row(row).empty()) return said;
  if (row == prediction_row(trace)) return tr("easy.try.at_end", {said});
  return tr("easy.try.at", {said, run.label(0, row)});
}

}  // namespace

void EasyTry::follow(FrameState& state, const RunResult& run) {
  const std::uint64_t opened = state.session.opened_version() + 1;
  if (opened_ != opened) {
    opened_ = opened, now_ = 0, shown_at_ = 0;
    hand_.stop(), before_.reset(), changed_.reset(), run_before_.reset();
    state.workspace.shown_token.reset();
    auto read = things_to_try(*run.document.opened);
    if (!read) state.session.report(read.error());
    things_ = read ? *std::move(read) : std::vector<TryThis>();
    made_.forget(), own_ = false;
    begin(state);
  }
  follow_text(state, run);
  if (std::exchange(view_, state.workspace.view) != state.workspace.view && !shown(state)) suit(state);
  if (!looks_ || things_.empty() || run.undo_point != state.session.history().point()) return;
  looks_ = false;
  const TryThis* thing = now();
  if (thing && (own_ || !elsewhere(run) || shown(state))) look(state, *thing, run);
}

// On a text of one's own what is to be tried is made for it; where nothing can be made, it is that of the
// text that the table speaks of.
void EasyTry::follow_text(const FrameState& state, const RunResult& run) {
  if (things_.empty() || hand_.playing() || run.undo_point != state.session.history().point()) return;
  if (own_ && shown(state)) return;
  const bool mine = elsewhere(run) && !run.recorded();
  if (own_ && !mine) own_ = false;
  if (mine && (own_ || !shown(state))) {
    made_.follow(state, run);
    own_ = !made_.none();
  }
}

const TryThis* EasyTry::now() const {
  if (own_) return made_.thing();
  return things_.empty() ? nullptr : &things_[now_];
}

// What the thing changes.
Document EasyTry::subject(const FrameState& state) const {
  return own_ ? made_.before() : new_document(state.session.document().opened);
}

// A document as it was opened is looked at where its first thing is; a session or a slide has its own place.
void EasyTry::begin(const FrameState& state) {
  const Document& opened = state.session.document();
  const Document first = new_document(opened.opened);
  first_ = first.sequences.empty() ? Input() : first.sequences.front().input;
  looks_ = !state.lecture.walking() && !state.took_session_cursor() && !state.session.history().can_undo() &&
           !things_.empty() && same_computation(opened, first);
}

// The place that the thing is about: block and head, and the row whose answer it speaks of.
void EasyTry::look(FrameState& state, const TryThis& thing, const RunResult& run) {
  Cursor& cursor = state.workspace.cursor;
  cursor.sequence = 0;
  const Trace& trace = run.trace(0);
  if (const auto place = parse_place(thing.at)) {
    if (const auto site = parse_site(place->name)) go_to_site(state.workspace, run, *site);
    if (const AxisRange* head = range_on(place->at, "head")) cursor.head = static_cast<int>(head->begin);
    if (const AxisRange* query = range_on(place->at, "query")) cursor.query = query->begin;
  }
  const std::int64_t row = thing.row < 0 ? prediction_row(trace) : thing.row;
  if (row < 0 || row >= trace.length || trace.logits_row(row).empty()) return;
  if (cursor.stack != trace.config().stack)
    go_to_site(state.workspace, run, trace.main(StepRole::pattern, std::max(0, cursor.layer)));
  cursor.query = row;
}

// By the hand, or at once where nothing is to move.
void EasyTry::show(FrameState& state) {
  const TryThis thing = *now();
  gesture_ = "try_show_" + std::to_string(++gestures_);
  looks_ = true, presents_ = state.presenter.on;
  alone_ = !state.session.worth_keeping();
  state.workspace.playing = false;
  if (!fits(thing, state.workspace.view)) state.workspace.view = thing.view;
  Document before = subject(state);
  const auto changed = try_changed(before, thing);
  if (!state.workspace.animate || !changed) return finish(state);  // which says why it cannot be done
  before_ = std::move(before), changed_ = *changed;
  begun_ = true, waited_ = 0;
  hand_.begin(state.presenter.on ? ImVec2(ImGui::GetIO().DisplaySize.x / 2, state.stage_max.y - px(60))
                                 : button_);
  if (same_try(*before_, state.session.document())) return;
  state.commands.edit(thing.sentence, gesture_, [before = *before_](Document& document) -> Status {
    document = before;
    return Done{};
  });
}

void EasyTry::toggle(FrameState& state) {
  if (now() == nullptr || hand_.playing()) return;
  if (shown(state))
    state.commands.act([](Session& session) { session.undo(); });
  else
    show(state);
}

// All of it is done, in one undo point with what the hand did so far.
void EasyTry::finish(FrameState& state) {
  state.commands.act([this, thing = *now(), from = subject(state), gesture = gesture_](Session& session) {
    const Status done = session.edit(thing.sentence, gesture, [&](Document& document) -> Status {
      TRY(document, try_changed(from, thing));
      return Done{};
    });
    session.end_gesture();
    shown_at_ = done ? session.history().point() : 0;
    if (done && alone_) session.take_as_tried();
  });
  before_.reset(), changed_.reset(), run_before_.reset();
  state.workspace.shown_token.reset();
}

// Once the place is looked at and the picture stands still, the hand knows its way.
void EasyTry::set_out(const RunResult& run, const FigureBox& box, const Cursor& cursor) {
  const auto way = try_way(*now(), run, *changed_, box, cursor);
  if (!way) return;
  run_before_ = run.traces.front(), share_ = 0;
  hand_.go(*way);
}

void EasyTry::go_on(FrameState& state, const RunResult& run, const FigureBox& box, bool still) {
  const TryThis thing = *now();
  const bool newest = run.undo_point == state.session.history().point() && !state.session.running();
  if (!thing.tokens.empty() && !hand_.done())
    state.workspace.shown_token = std::pair(thing.tokens.front().enc ? Stack::enc : Stack::single,
                                            static_cast<std::int64_t>(thing.tokens.front().pos));
  if (hand_.waits() && newest && !looks_ && still && !box.empty()) set_out(run, box, state.workspace.cursor);
  if (hand_.waits() && (waited_ += ImGui::GetIO().DeltaTime) > kMostWait) {  // no picture to show it in
    hand_.stop();
    return finish(state);
  }
  hand_.step(ImGui::GetIO().DeltaTime);
  const float share = hand_.share();
  if (hand_.done() && share_ < 1) {
    share_ = 1;
    return finish(state);
  }
  if (hand_.done() || !newest || share <= share_) return;
  share_ = share;
  Document part = try_partly(*before_, *changed_, static_cast<double>(share), *run_before_);
  if (same_try(part, state.session.document())) return;  // what is done at once
  state.commands.edit(thing.sentence, gesture_, [part = std::move(part)](Document& document) -> Status {
    document = part;
    return Done{};
  });
}

void EasyTry::play(FrameState& state, const RunResult& run, const FigureBox& box, bool still) {
  if (!things_.empty()) state.show_try = [this](FrameState& frame) { toggle(frame); };
  const bool pressed = ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1);
  ends_press_ = ends_press_ && pressed;
  if (!hand_.playing()) return;
  const bool clicked = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  if (!begun_ && (clicked || compat::any_key_pressed())) {
    const bool before_end = !hand_.done();
    ends_press_ = clicked;
    hand_.stop();
    if (before_end) finish(state);
    return;
  }
  begun_ = false;
  go_on(state, run, box, still);
  hand_.draw();
  state.workspace.moving |= hand_.playing(), state.hand_plays = hand_.playing();
}

// In another view: a thing that can be done there, where there is one.
void EasyTry::suit(const FrameState& state) {
  const std::string& view = state.workspace.view;
  made_.suit(view);
  const auto own = [&](const TryThis& thing) { return thing.view == view; };
  const auto fit = [&](const TryThis& thing) { return fits(thing, view); };
  if (things_.empty() || own(things_[now_]) || view == "steps") return;  // a film passes all places
  auto found = std::find_if(things_.begin(), things_.end(), own);
  if (found == things_.end() && fit(things_[now_])) return;
  if (found == things_.end()) found = std::find_if(things_.begin(), things_.end(), fit);
  if (found != things_.end()) now_ = static_cast<std::size_t>(found - things_.begin());
}

// What was shown is taken back: the next thing, too, speaks of the text that it begins with.
void EasyTry::next(FrameState& state) {
  if (shown(state)) state.commands.act([](Session& session) { session.undo(); });
  shown_at_ = 0;
  if (own_) return made_.next();
  now_ = (now_ + 1) % things_.size();
  looks_ = true;
}

bool EasyTry::shown(const FrameState& state) {
  const History& history = state.session.history();
  // A drag changes the document many times within one undo point.
  return (shown_at_ != 0 && shown_at_ == history.point()) ||
         by_hand_.get({opened_, of_thing(), history.version()}, [&] {
           const Document& document = state.session.document();
           if (now() == nullptr || document.opened == nullptr || !history.can_undo()) return false;
           const auto changed = try_changed(subject(state), *now());
           return changed && same_try(document, *changed);
         });
}

// The text is another one than that which the thing changes, or the model another one by an adapter.
bool EasyTry::elsewhere(const RunResult& run) const {
  if (run.document.opened->lora.acts()) return true;
  if (run.document.sequences.empty()) return false;
  const Input& now = run.document.sequences.front().input;
  return first_.ids != now.ids || first_.source != now.source;
}

// The thing speaks of the model as it was opened, and the run has changes; as it was before, while something
// is dragged.
bool EasyTry::changed_here(const RunResult& run) {
  if (!hand_.playing() && !ImGui::IsMouseDown(ImGuiMouseButton_Left))
    told_edited_ = edited_.get({opened_, run.version},
                               [&] { return !same_try(run.document, new_document(run.document.opened)); });
  return told_edited_;
}

// The row whose answer the thing speaks of, where the view shows that of another row; else -1.
std::int64_t EasyTry::row_not_shown(const FrameState& state, const RunResult& run) const {
  const Trace& trace = run.trace(0);
  const Cursor& cursor = state.workspace.cursor;
  const std::int64_t last = prediction_row(trace), own = now()->row < 0 ? last : now()->row;
  const std::int64_t seen = cursor.stack == trace.config().stack ? cursor.query : last;
  return cursor.sequence != 0 || seen == own ? -1 : own;
}

// What came of the thing that is shown; null before it is known.
const TryOutcome* EasyTry::outcome(const FrameState& state) {
  if (!shown(state)) return nullptr;
  const std::uint64_t key = key_of({opened_, of_thing()});
  if (!outcome_.asked(key))
    outcome_.begin(key, key, state.session.workers(), [from = subject(state), thing = *now()](const auto&) {
      auto out = play_try(from, thing);
      wake_window();
      return out;
    });
  const auto played = outcome_.made(key, key);
  return played.fresh && *played ? &**played : nullptr;
}

float EasyTry::presented_height(const FrameState& state) {
  const bool tells = presents_ && now() != nullptr && (hand_.playing() || shown(state));
  return tells ? px(kPresented) : 0.f;
}

// What the hand does; once it is done, what came of it.
void EasyTry::draw_presented(FrameState& state, const RunResult& run, ImVec2 at, float width) {
  const TryOutcome* came = outcome(state);
  const std::int64_t row = row_not_shown(state, run);
  const std::uint64_t key =
      key_of({opened_, of_thing(), run.undo_point, came != nullptr, static_cast<std::uint64_t>(row)});
  const std::string& said = came_.get({key, 1}, [&] {
    std::string whole = said_of_row(run, row, (came ? came->sentence : now()->sentence).str());
    note_text(whole);
    return whole;
  });
  const WithFont face(fonts().title);
  const float room = width - 2 * px(24), high = height_in_lines(said, room);
  ImGui::SetCursorScreenPos(ImVec2(at.x + px(24), at.y + std::max(0.f, (px(kPresented) - high) / 2)));
  text_in_lines(said, room);
  note_item("try_sentence");
}

float EasyTry::height() const { return things_.empty() ? 0.f : px(kTryCardHeight); }

void EasyTry::draw(FrameState& state, const RunResult& run, ImVec2 at, float width) {
  if (things_.empty()) return;
  const bool done = shown(state);
  const ImVec2 end(at.x + width, at.y + px(kTryCardHeight - 8));
  const float left = draw_try_frame(at, end);
  const float middle = (at.y + end.y) / 2, line = ImGui::GetFrameHeight();
  float right = end.x - px(12);
  const auto button = [&](const char* key, const char* name, bool lit) {
    const Label label(tr(key), "###", name);
    right -= button_width(label);
    ImGui::SetCursorScreenPos(ImVec2(right, middle - line / 2));
    right -= px(8);
    return raised_button(label, lit);
  };
  if (button("easy.try.next", "try_next", false) && !ends_press_) next(state);
  if (button(done ? "easy.try.back" : "easy.try.show", "try_show", !done) && !ends_press_) toggle(state);
  button_ = ImVec2((ImGui::GetItemRectMin().x + ImGui::GetItemRectMax().x) / 2,
                   (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y) / 2);
  draw_words(state, run, ImVec2(left, at.y), ImVec2(right, end.y));
}

// What is to be done; once it is done, what came of it below.
void EasyTry::draw_words(FrameState& state, const RunResult& run, ImVec2 at, ImVec2 end) {
  if (now() == nullptr) {
    const WithFont face(fonts().body);
    ImGui::SetCursorScreenPos(ImVec2(at.x, (at.y + end.y - ImGui::GetTextLineHeight()) / 2));
    return dim_text(tr("frame.computing"));
  }
  const TryOutcome* came = outcome(state);
  const float width = end.x - at.x, middle = (at.y + end.y) / 2;
  const std::int64_t row = row_not_shown(state, run);
  const std::uint64_t key = key_of({opened_, of_thing(), run.undo_point, static_cast<std::uint64_t>(row)});
  constexpr const char* kOf[] = {"", "easy.try.elsewhere", "easy.try.unchanged"};
  const std::size_t of = own_ || shown(state)               ? 0
                         : run.document.opened->lora.acts() ? 2
                         : elsewhere(run)                   ? 1
                         : changed_here(run)                ? 2
                                                            : 0;
  if (came) {
    const std::string& done = sentence_.get({key, 1}, [&] { return now()->sentence.str(); });
    const std::string& said = came_.get({key}, [&] {
      std::string whole = said_of_row(run, row, came->sentence.str());
      note_text(whole);
      return whole;
    });
    // What was to be done, whole: in two small lines where one has no room.
    const WithFont face(text_size(fonts().body, done.c_str()).x > width ? fonts().small : fonts().body);
    const float high = height_in_lines(done, width);
    const float both = high + px(2) + text_size(fonts().reading, said.c_str()).y;
    ImGui::SetCursorScreenPos(ImVec2(at.x, middle - both / 2));
    {
      const WithColour ink(ImGuiCol_Text, theme().text_dim);
      text_in_lines(done, width);
    }
    note_item("try_done");
    const WithFont large(fonts().reading);
    ImGui::SetCursorScreenPos(ImVec2(at.x, middle - both / 2 + high + px(2)));
    ImGui::TextUnformatted(said.c_str());
    note_item("try_sentence");
    if (row >= 0) note_item("try_row");
    return;
  }
  const std::string& sentence = sentence_.get({key, 2, of}, [&] {
    const std::string whole = said_of_row(run, of == 0 ? row : -1, now()->sentence.str());
    return of == 0 ? whole : tr(kOf[of], {whole});
  });
  note_text(sentence);
  const auto height_in = [&](ImFont* font) {
    const WithFont face(font);
    return height_in_lines(sentence, width);
  };
  const WithFont face(height_in(fonts().reading) > end.y - at.y ? fonts().body : fonts().reading);
  ImGui::SetCursorScreenPos(ImVec2(at.x, middle - height_in_lines(sentence, width) / 2));
  text_in_lines(sentence, width);
  note_item("try_sentence");
  if (row >= 0) note_item("try_row");
  if (of != 0) note_item("try_of_before");
}

}  // namespace attnscope
