// The way through a lesson: from page to page, to its end and the next lesson, and back from what was looked
// at beside it; and what a page keeps to itself.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/state/frame_state.h"
#include "app/state/lesson_player.h"
#include "core/lesson/leaks.h"

namespace attnscope {

void LessonPlayer::next(FrameState& state) {
  if (!lesson_ || at_end_) return;
  if (page_ + 1 < static_cast<int>(lesson_->pages.size())) return go(state, page_ + 1);
  at_end_ = true;
  reveal = -1;
}

void LessonPlayer::back(FrameState& state) {
  if (!std::exchange(at_end_, false)) go(state, page_ - 1);
}

const Lesson* LessonPlayer::following() {
  const std::vector<Lesson>& all = lessons();
  for (std::size_t i = 0; lesson_ && i + 1 < all.size(); ++i)
    if (all[i].id == lesson_->id) return &all[i + 1];
  return nullptr;
}

void LessonPlayer::explore(FrameState& state, const Explore& what) {
  state.workspace.level = Level::full;
  state.workspace.view = what.view;
  state.workspace.second_view.clear();
  if (what.lab.empty()) return;
  state.workspace.lab = what.lab;
  if (!what.values.all().empty()) state.workspace.lab_values[what.lab] = what.values;
}

bool LessonPlayer::wandered(const FrameState& state) const {
  if (!lesson_ || !ready()) return false;
  const Workspace& workspace = state.workspace;
  if (state.session.opened_version() != now_->opened_version) return true;
  if (workspace.view != page_view(page())) return true;
  if (!asks_for_change() && changed_document()) return true;
  if (other_choices(state)) return true;
  if (workspace.backward != opened_backward_ || workspace.second_view != opened_second_) return true;
  const nlohmann::json& look = page().state.look();
  const bool easy = lesson_->easy && look.is_object() && look.value("level", std::string()) == "easy";
  if (easy && workspace.level == Level::full) return true;
  // A page that asks for a cell or a head is answered by going there; the film of the easy window has no
  // steps.
  const Cursor& now = workspace.cursor;
  const bool clicked =
      std::holds_alternative<CellAsk>(page().ask) || std::holds_alternative<HeadAsk>(page().ask);
  if (now.sequence != cursor_.sequence) return true;
  if (!easy && !clicked && workspace.view != "labs")
    if (!(now.step == cursor_.step) || now.layer != cursor_.layer || now.head != cursor_.head) return true;
  return workspace.view == "labs" && look.is_object() && look.value("lab", workspace.lab) != workspace.lab;
}

// Another page or picture of the view is open than the one that the page names.
bool LessonPlayer::other_choices(const FrameState& state) const {
  const nlohmann::json& look = page().state.look();
  const std::string& view = state.workspace.view;
  if (!look.is_object() || !look.contains("views") || !look["views"].contains(view)) return false;
  const nlohmann::json& named = look["views"][view];
  if (std::none_of(named.begin(), named.end(), [](const nlohmann::json& one) { return one.is_string(); }))
    return false;
  const nlohmann::json shown = state.chosen_in_view(view);
  for (const auto& [name, value] : named.items())
    if (value.is_string() && shown.contains(name) && shown[name] != value) return true;
  return false;
}

void LessonPlayer::return_to_page(FrameState& state) {
  if (!ready() || state.session.opened_version() != now_->opened_version) return go(state, page_);
  at_end_ = false;
  if (!asks_for_change() && changed_document())
    state.commands.edit(Text::of("lessons.back_to_page"), {}, [first = first_](Document& document) {
      document.sequences = first->document.sequences;
      document.edits = first->document.edits;
      document.padding = first->document.padding;
      return Done{};
    });
  state.look_at_page(page().state, *now_);
  state.workspace.backward = opened_backward_;
  state.workspace.second_view = opened_second_;
}

// An answer that can be checked for the page as it was opened, and not now: what is asked about is not in the
// learner's own text.
Error LessonPlayer::why_not(const Error& error, bool as_opened) const {
  return now_ != first_ && as_opened ? fail(Code::not_found, "error.lesson.not_in_own") : error;
}

ExpressionScope LessonPlayer::first_scope() const { return {*first_, nullptr, cursor_.sequence, {}}; }

bool LessonPlayer::changed_document() const {
  return now_ != first_ && !same_computation(now_->document, first_->document);
}

// Cells are uncovered by the right answer or the second wrong one; for a number to compute, only by the right
// one; where a shape is asked for, by none: they belong to a later page. The end of a lesson uncovers
// nothing: its last page may be open still.
bool LessonPlayer::covers() {
  if (std::holds_alternative<ShapeAsk>(page().ask)) return true;
  return !draft().shown && !draft().uncovered;
}

bool LessonPlayer::holds_back() { return lesson_ && is_prediction(page()) && covers(); }

bool LessonPlayer::hides() {
  if (!lesson_ || !ready() || !covers()) return false;
  return !page().hides.empty() || !hidden().empty();
}

const std::vector<Target>& LessonPlayer::hidden() {
  static const std::vector<Target> none;
  if (!lesson_ || !ready() || !covers()) return none;
  if (hidden_of_ != now_ || hidden_page_ != page().id) {
    auto found = hidden_targets(page(), scope());
    hidden_ = found ? *std::move(found) : std::vector<Target>{};
    hidden_of_ = now_, hidden_page_ = page().id;
  }
  return hidden_;
}

Result<Target> LessonPlayer::place(const std::string& text) const { return lesson_place(text, scope()); }

bool LessonPlayer::asks() {
  if (!lesson_ || at_end_ || page().ask.index() == 0) return false;
  const PageDraft& here = draft();
  return !(here.verdict && here.verdict->right);
}

bool LessonPlayer::takes_typing() {
  const auto typed = [&](const AskKind& ask) {
    return std::holds_alternative<NumberAsk>(ask) || std::holds_alternative<ShapeAsk>(ask);
  };
  return asks() && ready() && typed(page().ask);
}

bool LessonPlayer::choose(int number, const Workspace& workspace) {
  const auto* ask = asks() && ready() ? std::get_if<ChoiceAsk>(&page().ask) : nullptr;
  if (!ask || number < 1 || number > static_cast<int>(ask->choices.size())) return false;
  draft().choice = ask->choices[static_cast<std::size_t>(number) - 1].id;
  check(workspace);
  return true;
}

bool LessonPlayer::hides_shapes() {
  if (!lesson_) return false;
  for (std::size_t i = static_cast<std::size_t>(page_); i < lesson_->pages.size(); ++i) {
    const Page& one = lesson_->pages[i];
    const auto here = drafts_.find(one.id);
    const bool answered = here != drafts_.end() && here->second.verdict && here->second.verdict->right;
    if (std::holds_alternative<ShapeAsk>(one.ask) && !answered) return true;
  }
  return false;
}

bool LessonPlayer::hides_code() { return asks() && std::holds_alternative<NumberAsk>(page().ask); }

bool LessonPlayer::hides_doing() { return holds_back() && std::holds_alternative<ChoiceAsk>(page().ask); }

bool LessonPlayer::hides_roles() { return asks() && std::holds_alternative<HeadAsk>(page().ask); }

bool LessonPlayer::hides_stations() {
  const auto* order = asks() ? std::get_if<OrderAsk>(&page().ask) : nullptr;
  return order && !order->stations.empty();
}

bool LessonPlayer::hides_loss() {
  if (!asks()) return false;
  const auto reads = [](const Expression& one) { return one.text().find("loss(") != std::string::npos; };
  if (const auto* number = std::get_if<NumberAsk>(&page().ask)) return reads(number->answer);
  const auto* choice = std::get_if<ChoiceAsk>(&page().ask);
  return choice && is_prediction(page()) &&
         std::any_of(choice->choices.begin(), choice->choices.end(),
                     [&](const ChoiceAsk::Choice& one) { return reads(one.when); });
}

bool LessonPlayer::hides_measure() const {
  if (!lesson_) return false;
  const nlohmann::json& look = page().state.look();
  if (look.is_object() && look.contains("ask")) return false;
  const auto* number = std::get_if<NumberAsk>(&page().ask);
  return !number || number->answer.text().find("measure(") == std::string::npos;
}

bool LessonPlayer::takes_arrows() {
  return lesson_ && !at_end_ && ready() && std::holds_alternative<BarsAsk>(page().ask) && draft().bar >= 0;
}

void LessonPlayer::take_look(const ChoiceAsk::Look& look) {
  auto told = ready() ? look_told(look, scope()) : Result<LookTold>(Error{});
  if (told) draft().looked.emplace(look.id, *std::move(told));
}

void LessonPlayer::show_fault(FrameState& state) {
  const auto* probe = lesson_ ? std::get_if<ChoiceAsk>(&page().ask) : nullptr;
  if (!probe) return;
  state.commands.edit(Text::of("lessons.edit.fault"), {}, [fault = probe->fault](Document& document) {
    for (const auto& edit : fault) put_edit(document, edit);
    return Done{};
  });
}

const SharesRow* LessonPlayer::bars() {
  const auto* ask = lesson_ && ready() ? std::get_if<BarsAsk>(&page().ask) : nullptr;
  if (!ask) return nullptr;
  if (bars_of_ != now_ || bars_page_ != page().id) {
    auto row = bar_row(*ask, scope());
    bars_ = row ? std::optional<SharesRow>(*std::move(row)) : std::nullopt;
    bars_of_ = now_, bars_page_ = page().id;
  }
  return bars_ ? &*bars_ : nullptr;
}

}  // namespace attnscope
