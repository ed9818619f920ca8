// The output view: the distribution over all outputs. Decoders: next token, on four pages: sampling steps
// from logits to a token, continuations side by side, a hundred samples, perplexity of the text.
// Bidirectional models: the token at each position; classifiers: the class of the input. Sampling itself is
// in core/sample.
#include "app/views/output_view.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/views/output_bars.h"
#include "app/views/output_text.h"
#include "app/views/steps_figure.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/training_arm.h"

namespace attnscope {
namespace {

constexpr std::size_t kOutputListed = 24, kLeastListed = 5;
constexpr float kOutputLeastRow = 22.f, kOutputMostRow = 38.f, kWantedRows = 12.f;  // units; rows of a page
constexpr std::int64_t kTellingRows = 256;  // number of last rows searched for the least certain one

constexpr float kSettingsFoot = 58.f, kRunningShare = 0.34f;  // units; of the width

bool has_logits(const Trace& trace) { return trace.find(trace.main(StepRole::logits)) != nullptr; }

}  // namespace

std::string OutputView::unavailable(const RunResult& run) const {
  if (run.traces.empty() || has_logits(run.trace(0))) return run.traces.empty() ? "output.none" : "";
  return run.recorded() ? "output.none.recorded" : "output.none";
}

OutputView::Says OutputView::says(const RunResult& run) {
  const ModelConfig& config = run.trace(0).config();
  if (config.head.first_row_only || !run.document.opened->output_names.empty()) return Says::classes;
  const bool next = std::all_of(config.blocks.begin(), config.blocks.end(), [](const BlockSpec& block) {
    return block.attention.causal || !block.attention.mask.empty();
  });
  return next ? Says::next : Says::masked;
}

// Finds the least certain row once probabilities are computed; of long texts only the end is searched.
void OutputView::find_telling(const ViewContext& context, const std::shared_ptr<const Trace>& trace) {
  telling_ = -1;
  if (says_ != Says::next) return;
  const std::int64_t rows = predicted_rows(*trace);
  const std::uint64_t key =
      key_of({context.run.version, static_cast<std::uint64_t>(context.workspace.cursor.sequence)});
  const auto chances = chances_.get(key, context.workers(), [=](const std::atomic<bool>& cancel) {
    return row_chances(*trace, {std::max<std::int64_t>(0, rows - kTellingRows), rows}, &cancel);
  });
  const std::int64_t last = prediction_row(*trace);
  if (!chances) return;
  std::vector<RowChance>& asked = asked_;
  asked.assign(chances->begin(), chances->end());
  const std::int64_t first = last - kArmActions;
  if (answered_) std::erase_if(asked, [&](const RowChance& it) { return it.row < first || it.row >= last; });
  const std::int64_t row = telling_row(asked, answered_ ? first : last);
  telling_ = row == last ? -1 : row;
  for (const RowChance& it : asked)
    if (it.row == telling_) telling_prob_ = it.best_prob;
}

OutputPage OutputView::page(const ViewContext& context) const {
  if (says_ != Says::next) return OutputPage::next;
  const OutputPage asked = context.workspace.output_page;
  return recorded_ && asked != OutputPage::text ? OutputPage::next : asked;
}

void OutputView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const auto trace = context.run.shared(cursor.sequence);
  says_ = says(context.run);
  recorded_ = context.run.recorded();
  const std::int64_t last_row = std::max<std::int64_t>(0, predicted_rows(*trace) - 1);
  const auto& tokenizer = context.run.document.opened->tokenizer;
  answered_ = tokenizer && !recorded_ && arm_actions_left(*tokenizer, trace->ids) == 0;
  if (at_of_ != context.run.opened_version)  // a new model opens at its last row, unless that was not trained
    at_of_ = context.run.opened_version, at_ = answered_ ? At::telling : At::last, chosen_ = false;
  find_telling(context, trace);
  // If the cursor's step is the logits or probabilities, its row is shown.
  const bool walked = is_over_vocabulary(cursor.step.slot);
  const bool at_cursor =
      at_ == At::cursor || says_ == Says::masked || (at_ == At::last && !chosen_ && walked);
  pos_ = at_cursor                             ? main_row(cursor, *trace)
         : at_ == At::telling && telling_ >= 0 ? telling_
                                               : prediction_row(*trace);
  pos_ = std::min(pos_, last_row);
  // No sampling for masked language models, classifiers and recordings.
  const Sampling sampling = draws() ? context.session.document().sampling : Sampling{};
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence)});
  const std::uint64_t key =
      key_of({subject, context.run.version, static_cast<std::uint64_t>(pos_), sampling_key(sampling)});
  summary_ = next_.get_or_before(subject, key, context.workers(), [=, pos = pos_](const std::atomic<bool>&) {
    const auto count = std::min<std::ptrdiff_t>(std::ssize(trace->ids), pos + 1);
    const std::span<const int> said(trace->ids.data(), static_cast<std::size_t>(count));
    return summarise(next_tokens(trace->logits_row(pos), sampling, said), sampling, kOutputListed);
  });
}

void OutputView::draw_head(const ViewContext& context, float width) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const std::string count = format_count(trace.config().outputs()), pos = std::to_string(pos_);
  if (says_ == Says::classes)
    return view_heading(tr("output.title.classes"), kept_tr("output.sentence.classes", {count}), width);
  if (says_ == Says::masked)
    return view_heading(tr("output.title.masked"),
                        kept_tr(recorded_ ? "output.sentence.masked.recorded" : "output.sentence.masked",
                                {count, pos, context.main_row_name(pos_)}),
                        width);
  if (recorded_)
    return view_heading(tr("output.title"),
                        tr("output.sentence.recorded", {count, pos, context.main_row_name(pos_)}), width);
  const char* sentence[] = {"output.sentence", "output.ways.sentence", "output.draws.sentence",
                            "output.text.sentence"};
  view_heading(tr("output.title"),
               kept_tr(sentence[static_cast<int>(page(context))], {count, pos, context.main_row_name(pos_)}),
               width);
}

// Chips for the pages, and for the row to show.
void OutputView::draw_pages(const ViewContext& context, float width) {
  if (says_ != Says::next) return;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  ChipRow line(width, 5);
  for (const auto& [name, it] : kOutputPages) {
    if (recorded_ && (it == OutputPage::ways || it == OutputPage::draws)) continue;  // nothing can be run
    const Label key("output.page.", name);
    if (line(Label(tr(key), "###", key), page(context) == it, tr(Label(key, ".help"))))
      context.workspace.output_page = it;
  }
  if (page(context) == OutputPage::text) return;
  line.part();
  if (line(Label(tr("output.last"), "###output_last"), pos_ == prediction_row(trace), tr("output.last.help")))
    at_ = At::last, chosen_ = true;
  const std::int64_t row = main_row(context.workspace.cursor, trace);
  if (row != prediction_row(trace) &&
      line(Label(kept_tr("output.cursor", {std::to_string(row), context.main_row_name(row)}),
                 "###output_cursor"),
           pos_ == row, tr("output.cursor.help")))
    at_ = At::cursor;
  if (telling_ >= 0 && telling_ != row &&
      line(Label(kept_tr(answered_ ? "output.telling.answer" : "output.telling",
                         {std::to_string(telling_), context.main_row_name(telling_),
                          number_text(telling_prob_, 2)}),
                 "###output_telling"),
           pos_ == telling_, tr(answered_ ? "output.telling.answer.help" : "output.telling.help")))
    at_ = At::telling;
}

// The input as tokens on one line, scrolled to its end; appended tokens are highlighted, later ones dimmed.
void OutputView::draw_text_so_far(const ViewContext& context, float width) {
  const Cursor& cursor = context.workspace.cursor;
  const Theme& t = theme();
  const Canvas canvas;
  const float height = scaled(30), gap = scaled(7);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(width, height));
  canvas.fill_rect(at, ImVec2(at.x + width, at.y + height), t.panel_raised, scaled(6));
  canvas.rect(at, ImVec2(at.x + width, at.y + height), t.border, scaled(6));
  const bool mine =
      !lit_sentence_.empty() && context.session.history().undo_sentence() == lit_sentence_.str();
  const OpenedModel& opened = *context.run.document.opened;
  float left = at.x + scaled(10), right = at.x + width - scaled(10);
  const float text_y = at.y + (height - text_size(fonts().mono, "X").y) / 2;
  const auto place = [&](const std::string& text, ImU32 ink, ImU32 ground) {
    const float wide = text_size(fonts().mono, text).x;
    if (right - wide < left) return false;
    right -= wide;
    if (ground)
      canvas.fill_rect(ImVec2(right - scaled(3), at.y + scaled(4)),
                       ImVec2(right + wide + scaled(3), at.y + height - scaled(4)), ground, scaled(4));
    draw_text(canvas, fonts().mono, ImVec2(right, text_y), ink, text);
    right -= gap;
    return true;
  };
  // Right-aligned, so that the end is visible; short texts are left-aligned.
  float total = 0;
  const std::int64_t length = context.run.trace(cursor.sequence).length;
  for (std::int64_t first = length; first > 0 && total < width;) {
    const std::string label = context.main_row_name(--first);
    note_text(label);
    total += text_size(fonts().mono, label).x + gap;
  }
  const bool next = says_ == Says::next;
  const std::string choice = draws() && summary_.fresh && summary_->choice >= 0
                                 ? output_name(opened, summary_->choice)
                                 : std::string();
  note_text(choice);
  right = std::min(right, at.x + scaled(total < width - scaled(120) ? 12.f : 24.f) + total +
                              text_size(fonts().mono, choice).x + scaled(4));
  if (total >= width - scaled(120)) left += text_size(fonts().mono, "…").x;  // for what does not fit
  if (pos_ == length - 1 && !choice.empty()) (void)place(choice, with_alpha(t.accent, 0.75f), 0);
  std::int64_t pos = length;
  while (pos > 0) {
    const std::string label = context.main_row_name(pos - 1);
    const bool lit = mine && pos > lit_from_;
    const bool here = !next && pos - 1 == pos_;
    const float end = right;
    if (!place(label, next && pos - 1 > pos_ ? with_alpha(t.text_dim, 0.6f) : t.text,
               lit || here ? t.accent_soft : 0))
      break;
    --pos;
    ImGui::SetCursorScreenPos(ImVec2(right + gap - scaled(3), at.y));
    const Label id("###output_pos_", std::to_string(pos));
    if (hit_area(id.c_str(), ImVec2(std::max(1.f, end - right - gap + scaled(6)), height)))
      choose(context, pos);
    note_item(id);
    if (!ImGui::IsItemHovered()) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("%s", tr("output.pos.help", {std::to_string(pos), label}).c_str());
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height));
  ImGui::Dummy(ImVec2(1, ImGui::GetStyle().ItemSpacing.y));
  if (pos > 0) draw_text(canvas, fonts().mono, ImVec2(at.x + scaled(8), text_y), t.text_dim, "…");
}

void OutputView::choose(const ViewContext& context, std::int64_t pos) {
  Cursor& cursor = context.workspace.cursor;
  cursor.stack = context.run.trace(cursor.sequence).config().stack;
  cursor.part = Part::attn;
  cursor.query = pos;
  at_ = At::cursor;
}

void OutputView::draw_list(const ViewContext& context, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("output_list", room);
  if (!summary_) return caption(tr("output.pending"));
  const float head = output_head_height(), left = std::max(0.f, room.y - head);
  const float row = std::clamp(left / kWantedRows, scaled(kOutputLeastRow), scaled(kOutputMostRow));
  const auto fits = static_cast<std::size_t>(left / row);
  const std::size_t shown = std::clamp(fits > 1 ? fits - 1 : 0, kLeastListed, kOutputListed);
  OutputRows rows;
  if (says_ == Says::masked) rows = {"output.row.help.masked", "output.column.token", false};
  if (says_ == Says::classes) rows = {"output.row.help.classes", "output.column.class", false};
  if (recorded_) rows.help = "output.row.help.recorded", rows.sampled = false;
  rows.sampling = context.session.document().sampling;
  rows.height = row;
  rows.named = movement_names(context, *summary_, pos_);
  rows.offer = [&](int id) { offer_measure(context.workspace, id); };
  const int clicked = draw_next_tokens(*summary_, *context.run.document.opened, shown, rows,
                                       ImGui::GetCursorScreenPos(), room.x - scaled(8));
  if (!summary_.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
  if (clicked < 0 || !summary_.fresh || recorded_) return;
  const int id = summary_->top[static_cast<std::size_t>(clicked)].id;
  // A whole answer takes no further token: what it says next is exchanged.
  if (says_ == Says::next) answered_ ? put_in_place(context, id, pos_ + 1) : append(context, id);
  if (says_ == Says::masked) put_in_place(context, id, pos_);
}

void OutputView::draw_running_sum(const ViewContext& context, ImVec2 room) {
  if (!summary_ || room.y < scaled(80)) return;
  const Sampling sampling = draws() ? context.session.document().sampling : Sampling{};
  section_heading(tr("output.running"));
  const bool titled = room.y > scaled(180);
  const LinePlot& plot = running_.get({reinterpret_cast<std::uintptr_t>(summary_.value.get()), titled}, [&] {
    LinePlot made;
    made.key = "output_running";
    made.x0 = 1;
    made.x1 = std::max(2.f, static_cast<float>(summary_->vocab));
    made.log_x = true;
    if (titled) made.x_title = tr(says_ == Says::classes ? "output.running.classes" : "output.running.rank");
    LineSeries series;
    series.colour = theme().attention;
    for (const RunningSum& point : summary_->running)
      series.points.emplace_back(static_cast<float>(point.rank), static_cast<float>(point.prob));
    made.series.push_back(std::move(series));
    if (sampling.top_p < 1) made.y_marks.push_back(sampling.top_p);
    if (sampling.top_k > 0) made.x_marks.push_back(static_cast<float>(sampling.top_k));
    return made;
  });
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetContentRegionAvail().y;
  const LineEvent event = draw_line_plot(plot, at, ImVec2(room.x, std::min(left, scaled(220))));
  if (!event.hovered) return;
  const auto& sums = summary_->running;
  const auto after = std::find_if(sums.begin(), sums.end(),
                                  [&](const RunningSum& s) { return static_cast<float>(s.rank) >= event.x; });
  const RunningSum& nearest = after == sums.end() ? sums.back() : *after;
  ImGui::SetTooltip("%s", tr("output.running.help",
                             {format_count(nearest.rank), number_text(static_cast<float>(nearest.prob), 4)})
                              .c_str());
}

// The bars over the whole width, below them one setting; of one that cuts, the running sum beside the bars.
void OutputView::draw_next(const ViewContext& context, ImVec2 origin, ImVec2 room, float begin) {
  const float width = room.x - scaled(14), bottom = origin.y + room.y;
  const bool sampled = draws() && !answered_;
  const bool cuts = sampled && (setting_ == OutputSetting::top_k || setting_ == OutputSetting::top_p ||
                                setting_ == OutputSetting::min_p);
  const float list = std::max(scaled(120), bottom - begin - (sampled ? scaled(kSettingsFoot) : 0)),
              side = cuts ? width * kRunningShare : 0;
  draw_list(context, ImVec2(origin.x, begin), ImVec2(width - side - (cuts ? scaled(16) : 0), list));
  if (cuts) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x + width - side, begin));
    const ChildScope child("output_side", ImVec2(side, list));
    draw_running_sum(context, ImVec2(side, ImGui::GetContentRegionAvail().y));
  }
  if (!sampled) return;
  ImGui::SetCursorScreenPos(ImVec2(origin.x, begin + list + scaled(4)));
  draw_output_settings(context, setting_, width,
                       [&](int count, const Text& sentence) { generate(context, count, sentence); });
  if (!summary_) return;
  ImGui::SetCursorScreenPos(ImVec2(origin.x, begin + list + scaled(kSettingsFoot - 18)));
  caption(kept_tr("output.kept", {format_count(summary_->kept), format_count(summary_->vocab)}));
}

void OutputView::draw_page(const ViewContext& context, ImVec2 at, ImVec2 room) {
  if (page(context) == OutputPage::ways) {
    if (const auto chosen = ways_.draw(context, pos_, at, room)) replace_rest(context, *chosen);
    return;
  }
  if (page(context) == OutputPage::draws) {
    if (summary_) draws_.draw(context, pos_, *summary_, at, room);
    return;
  }
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const auto trace = context.run.shared(context.workspace.cursor.sequence);
  const auto rows = text_.get(key_of({context.run.version, sequence}), context.workers(),
                              [=](const std::atomic<bool>& cancel) {
                                return row_chances(*trace, {0, predicted_rows(*trace)}, &cancel);
                              });
  ImGui::SetCursorScreenPos(at);
  if (!rows) return caption(tr("output.pending"));
  if (const std::int64_t row = draw_output_text(context, *rows, pos_, at, room); row >= 0) {
    choose(context, row);
    context.workspace.output_page = OutputPage::next;
  }
}

void OutputView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  draw_head(context, width);
  draw_pages(context, width);
  if (says_ != Says::classes && page(context) != OutputPage::text) draw_text_so_far(context, width);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4);
  if (answered_ && page(context) != OutputPage::text &&
      pos_ == prediction_row(context.run.trace(context.workspace.cursor.sequence))) {
    ImGui::SetCursorScreenPos(ImVec2(origin.x, begin));
    return caption(tr("output.answered"));
  }
  if (page(context) == OutputPage::next) return draw_next(context, origin, room, begin);
  draw_page(context, ImVec2(origin.x, begin),
            ImVec2(width, std::max(scaled(120), origin.y + room.y - begin)));
}

std::unique_ptr<View> make_output_view();
std::unique_ptr<View> make_output_view() { return std::make_unique<OutputView>(); }

}  // namespace attnscope
