// What the model says, beside every view: the likeliest outputs at the row that is looked at. Beside Output,
// which shows these itself, how sure it is of them.
#include <cmath>

#include "app/figure/canvas.h"
#include "app/gpu/gl_context.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/places.h"
#include "core/session/document.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr std::size_t kAnswers = 5;
constexpr float kAnswerHeight = 400.f;  // units, at most
constexpr std::int64_t kMostAnswers =
    4096;  // outputs; of more it is computed beside the frame, without a ghost

std::optional<figure::Figure> answer_figure(const RunResult& run, int sequence, std::int64_t row,
                                            std::shared_ptr<const Trace> before, bool sure) {
  ViewState state = first_state(*run.document.opened, run.shared(sequence));
  state.row = row, state.place.stack = state.run->config().stack;
  if (before && before->rows(state.place.stack) == state.run->rows(state.place.stack))
    state.before = std::move(before);
  const auto answer = sure ? sureness_table(state, row) : answer_table(state, row, kAnswers);
  if (!answer) return std::nullopt;
  std::vector<Text> title = answer_title(state, row);
  if (sure)
    title = {Text::of("figure.sure.title", {row_label(*state.opened, *state.run, state.place.stack, row)})};
  const Text name = title.front();
  return figure::Figure{name, figure::leaf({"answer", *answer, 2, std::move(title), ""})};
}

}  // namespace

void draw_answer(const PanelContext& context) {
  const Workspace& workspace = context.workspace;
  if (!context.run || context.run->traces.empty() || workspace.hides || workspace.holds_back) return;
  const int sequence = context.run->nearest(workspace.cursor.sequence);
  const Trace& trace = context.run->trace(sequence);
  if (!context.run->document.opened) return;
  const bool small = trace.config().outputs() <= kMostAnswers;
  AnswerCard& card = inspector_cache(context.workspace).answer;
  const std::shared_ptr<const Trace> before =
      small ? card.unedited.of(context.session, *context.run, sequence) : nullptr;
  const std::int64_t row = main_row(workspace.cursor, trace);
  const float width = ImGui::GetContentRegionAvail().x;
  const bool sure = workspace.view == "output";
  const std::uint64_t key = key_of(
      {context.run->version, sure, static_cast<std::uint64_t>(sequence), static_cast<std::uint64_t>(row),
       static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(before.get()))});
  const auto answered = card.made.get(key, small, context.session.workers(), [=, run = context.run] {
    auto out = answer_figure(*run, sequence, row, before, sure);
    wake_window();
    return out;
  });
  const bool known =
      !answered || (card.key == key && card.width == width &&
                    (card.height == 0 || !card.box.stale(key, ImVec2(width, card.height), false)));
  if (!known) {
    card.key = key, card.width = width, card.height = 0;
    const std::optional<figure::Figure>& drawn = *answered;
    if (drawn && card.box.show_at(*drawn, key, ImVec2(width, px(kAnswerHeight)), false, ui_scale())) {
      const float natural = std::ceil(card.box.natural_height());
      if (card.box.show_at(*drawn, key, ImVec2(width, natural), false, ui_scale())) card.height = natural;
    }
  }
  if (card.height <= 0) return;
  card.box.draw(ImGui::GetCursorScreenPos());
  ImGui::Dummy(ImVec2(width, card.height));
}

}  // namespace attnscope
