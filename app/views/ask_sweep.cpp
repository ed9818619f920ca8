// The Ask view's knock-outs, patches and paths: when a sweep starts, and where its grid, facts and lists
// stand.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/views/ask_side.h"
#include "app/views/ask_view.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

namespace {

constexpr double kAskAtOnce = 3e9;  // cost below which a sweep starts without a click
constexpr float kAskSide = 196.f, kWideSide = 230.f, kAskFoot = 104.f, kMostFoot = 190.f,
                kNarrowStage = 440.f;  // units

}  // namespace

// Starts cheap sweeps without a click, unless the current result is up to date.
void AskView::answer_at_once(const ViewContext& context) {
  Asking& asking = context.workspace.asking;
  if (!asking.request() || context.session.training().running() || asking.effort() > kAskAtOnce) return;
  const auto answer = asking.answer();
  if (answer && asking.is_fresh(*answer)) return;
  context.commands.act([&asking](Session& session) { asking.start(session.workers()); });
}

// The question is not answered by itself.
bool AskView::needs_start(const ViewContext& context) {
  const Asking& asking = context.workspace.asking;
  return asking.over_data() || (asking.request() && asking.effort() > kAskAtOnce);
}

// String key of why nothing can be started; null if it can.
const char* AskView::why_nothing(const ViewContext& context) {
  const Asking& asking = context.workspace.asking;
  if (context.run.recorded()) return "ask.recorded";
  if (asking.settings.page == AskPage::patch && asking.settings.other.empty() && !asking.over_data())
    return "ask.no_other";
  return nullptr;
}

void AskView::draw_sweep(const ViewContext& context, ImVec2 at, ImVec2 room) {
  Asking& asking = context.workspace.asking;
  answer_at_once(context);
  const auto answer = asking.answer();
  const AskPage page = asking.settings.page;
  const bool kind = answer && answer->request.patches() == (page == AskPage::patch) &&
                    answer->request.path.has_value() == (page == AskPage::links);
  ImGui::SetCursorScreenPos(at);
  const char* why = why_nothing(context);
  if (why || !asking.request() || !answer || !kind) {
    const ChildScope child("ask_nothing", room);
    ImGui::Dummy(ImVec2(1, scaled(12)));
    const bool wrong = !why && !asking.request() && !asking.request().error().sentence().empty();
    caption(wrong ? asking.request().error().text().c_str() : tr(why ? why : "ask.press"));
    note_item(why ? why : "ask.press");
    return;
  }
  if (!asking.is_fresh(*answer)) {
    text_line(fonts().small, theme().warning, tr("ask.earlier"));
    note_item("ask.earlier");
    const float used = ImGui::GetCursorScreenPos().y - at.y;
    at.y += used, room.y -= used;
  }
  if (!answer->sweep) {  // its error, or that it is starting
    const ChildScope child("ask_side", room);
    return draw_ask_side(context, *answer, grid_.style(), std::min(room.x - scaled(4), scaled(520)), false);
  }
  if (const auto chosen = answer->over_data() || answer->request.path ? grid_.chosen(*answer) : std::nullopt)
    return draw_with_list(context, answer, *chosen, at, room);
  if (below(context, *answer, room)) {
    const float foot = scaled(kAskFoot);
    const float y = std::min(grid_.draw(context, *answer, at, ImVec2(room.x, room.y - foot)) + scaled(14),
                             at.y + room.y - foot);
    ImGui::SetCursorScreenPos(ImVec2(at.x, y));
    const ChildScope child("ask_foot", ImVec2(room.x, std::min(at.y + room.y - y, scaled(kMostFoot))));
    return draw_ask_side(context, *answer, grid_.style(), room.x - scaled(4), true);
  }
  if (room.x < scaled(kNarrowStage)) {
    const float height = std::max(scaled(110), room.y * 0.5f);
    (void)grid_.draw(context, *answer, at, ImVec2(room.x, height));
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + scaled(6)));
    const ChildScope child("ask_under", ImVec2(room.x, std::max(scaled(20), room.y - height - scaled(6))));
    return draw_ask_side(context, *answer, grid_.style(), room.x - scaled(14), false);
  }
  const float side = scaled(room.x > scaled(900) ? kWideSide : kAskSide), gap = scaled(18);
  const ImVec2 left(room.x - side - gap, room.y);
  (void)grid_.draw(context, *answer, at, left);
  ImGui::SetCursorScreenPos(ImVec2(at.x + left.x + gap, at.y));
  const ChildScope child("ask_side", ImVec2(side + scaled(8), room.y));
  draw_ask_side(context, *answer, grid_.style(), side, false);
}

// The grid, below it its facts in short, and beside both what is behind the chosen cell: its prompts, or the
// senders of its receiver.
void AskView::draw_with_list(const ViewContext& context, const std::shared_ptr<const SweepAnswer>& answer,
                             std::size_t chosen, ImVec2 at, ImVec2 room) {
  const auto list_at = [&](ImVec2 place, ImVec2 size) {
    if (answer->over_data())
      prompts_.draw(context, answer, chosen, place, size);
    else
      links_.draw(context, answer, chosen, place, size);
  };
  const float gap = scaled(18), list = std::clamp(room.x * 0.46f, scaled(230), scaled(480)),
              foot = scaled(kAskFoot);
  const bool narrow = room.x < scaled(kNarrowStage);
  const float left = narrow ? room.x : room.x - list - gap,
              high = narrow ? std::max(scaled(110), room.y * 0.45f) : std::max(scaled(80), room.y - foot);
  const float bottom = grid_.draw(context, *answer, at, ImVec2(left, high));
  if (narrow) {
    const float y = std::min(bottom, at.y + high) + scaled(8);
    return list_at(ImVec2(at.x, y), ImVec2(room.x, std::max(scaled(40), at.y + room.y - y)));
  }
  const float y = std::min(bottom + scaled(14), at.y + high);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  {
    const ChildScope child("ask_foot", ImVec2(left, at.y + room.y - y));
    draw_ask_side(context, *answer, grid_.style(), left - scaled(4), true);
  }
  list_at(ImVec2(at.x + left + gap, at.y), ImVec2(list, room.y));
}

// True if the facts have to be above the heatmap, to leave its cells room for numbers.
bool AskView::below(const ViewContext& context, const SweepAnswer& answer, ImVec2 room) {
  const ImVec2 need = grid_.readable(context, answer);
  const bool beside = need.x <= room.x - scaled((room.x > scaled(900) ? kWideSide : kAskSide) + 18);
  return !beside && need.y + scaled(kAskFoot) <= room.y;
}

}  // namespace attnscope
