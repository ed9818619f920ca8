#include "app/views/position_order.h"

#include <algorithm>

#include "app/gpu/gl_context.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/table.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kPositionOrderRow = 26.f;  // units
constexpr double kNothing = 1e-4;

// Change of every token's last vector, with and without positions; leaves the ImGui cursor below.
void position_order_draw_bars(const ViewContext& context, const WordOrder& order, ImVec2 at, ImVec2 room) {
  const Theme& t = theme();
  double most = 1e-9;
  for (const WordOrder::Word& word : order.words) most = std::max({most, word.with, word.without});
  Table table;
  table.columns = {{.width = std::min(room.x * 0.24f, scaled(150))},
                   {TableColumn::Kind::bar_number, tr("position.order.with"), 0, 1, most},
                   {TableColumn::Kind::bar_number, tr("position.order.without"), 0, 1, most}};
  table.title_row = text_size(fonts().small, "X").y + scaled(4);
  table.row =
      std::min(scaled(kPositionOrderRow),
               (room.y - table.title_row) / static_cast<float>(std::max<std::size_t>(1, order.words.size())));
  table.words = table.row >= scaled(20) ? fonts().mono : fonts().mono_small,
  table.digits = fonts().mono_small;
  const auto bar = [&](double value, ImU32 colour) {
    const bool none = value < kNothing;
    return TableCell{none ? format("%.0e", value) : number_text(static_cast<float>(value), 3),
                     none ? t.ok : t.text, value, colour};
  };
  const Cursor& cursor = context.workspace.cursor;
  for (const WordOrder::Word& word : order.words) {
    if (table.row < scaled(9)) break;
    const bool moved = word.from != word.to;
    const std::string text = row_name(context.run, cursor.sequence, cursor.stack, word.from) +
                             (moved ? " " + std::to_string(word.from) + "→" + std::to_string(word.to) : "");
    table.rows.push_back(
        {{}, {{text, moved ? t.accent : t.text}, bar(word.with, t.attention), bar(word.without, t.mlp)}});
  }
  (void)draw_table(table, at, room.x);
  end_at(ImVec2(at.x, at.y + table_height(table) + scaled(8)));
}

// Predictions for both orders, with and without positions.
void draw_answers(const ViewContext& context, const WordOrder& order, ImVec2 at, float width) {
  const auto said = [&](const WordOrder::Answer& one) {
    return in_quotes(output_name(*context.run.document.opened, one.id)) + ' ' + percent_text(one.probability);
  };
  const auto line = [&](const char* key, const auto& answers) {
    draw_text(Canvas(), fonts().body, at, theme().text,
              middle_truncated(fonts().body, tr(key, {said(answers[0]), said(answers[1])}), width));
    at.y += text_size(fonts().body, "X").y + scaled(4);
  };
  line("position.order.answer.with", order.with);
  line("position.order.answer.without", order.without);
}

}  // namespace

// The tokens as chips; on the first line a click selects the ones to swap.
float OrderPage::draw_sentence(const ViewContext& context, bool swapped, ImVec2 at, float width) {
  const Cursor& cursor = context.workspace.cursor;
  const std::int64_t count = context.run.trace(cursor.sequence).length;
  ChipRow row(at, width, {.font = fonts().mono});
  for (std::int64_t place = 0; place < count; ++place) {
    const std::int64_t word = !swapped           ? place
                              : place == first_  ? second_
                              : place == second_ ? first_
                                                 : place;
    const std::string label = row_name(context.run, cursor.sequence, cursor.stack, word) +
                              "###position_word_" + (swapped ? "b" : "a") + std::to_string(place);
    const bool on = word == first_ || word == second_;
    if (row(label, on, swapped ? nullptr : tr("position.order.choose")) && !swapped && !on) {
      (next_is_first_ ? first_ : second_) = place;
      next_is_first_ = !next_is_first_;
    }
  }
  return row.height();
}

bool OrderPage::possible(const RunResult& run) {
  const auto& model = run.document.model;
  return model && !run.recorded() && model->config().has_positions() && model->config().encoders.empty();
}

void OrderPage::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const auto model = context.run.document.model;
  ImGui::SetCursorScreenPos(at);
  if (!model || context.run.recorded() || trace.ids.size() < 2) return caption(tr("position.order.none"));
  const std::uint64_t subject = choose_words(context, trace);
  float y = at.y + draw_sentence(context, false, at, room.x) + scaled(6);
  y += draw_sentence(context, true, ImVec2(at.x, y), room.x) + scaled(10);
  const auto& sequence =
      context.run.document.sequences[static_cast<std::size_t>(std::max(0, cursor.sequence))];
  const std::uint64_t key = key_of({context.run.version, subject, static_cast<std::uint64_t>(first_),
                                    static_cast<std::uint64_t>(second_)});
  const auto answer = made_.get_or_before(
      subject, key, context.workers(),
      [model, input = sequence.input, a = first_, b = second_](const std::atomic<bool>& cancel) {
        auto out = word_order(*model, input, a, b, &cancel);
        wake_window();
        return out;
      });
  ImGui::SetCursorScreenPos(ImVec2(at.x, y));
  if (!answer) return caption(tr("position.pending"));
  if (!answer->ok()) return caption(answer->error().sentence());
  const WordOrder& order = **answer;
  const float answers = order.with[0].id >= 0 ? scaled(64) : 0, bottom = at.y + room.y - answers;
  position_order_draw_bars(context, order, ImVec2(at.x, y), ImVec2(room.x, bottom - scaled(28) - y));
  double without = 0;
  for (const WordOrder::Word& word : order.words) without = std::max(without, word.without);
  caption(tr(without < kNothing ? "position.order.same" : "position.order.causal"));
  if (answers > 0) draw_answers(context, order, ImVec2(at.x, bottom + scaled(8)), room.x);
}

// For a new text selects the first token after BOS and the one two positions later.
std::uint64_t OrderPage::choose_words(const ViewContext& context, const Trace& trace) {
  const auto last = static_cast<std::int64_t>(trace.ids.size()) - 1;
  const std::uint64_t subject = key_of({context.run.opened_version, trace.ids.size(),
                                        static_cast<std::uint64_t>(context.workspace.cursor.sequence)});
  if (subject != subject_) {
    subject_ = subject;
    first_ = trace.ids.front() == trace.config().bos ? 1 : 0;
    second_ = std::min(last, first_ + 2);
    if (first_ == second_) first_ = 0;
  }
  first_ = std::min(first_, last), second_ = std::min(second_, last);
  return subject;
}

}  // namespace attnscope
