// The output view: the distribution over all outputs. Decoders say the next token: with sampling settings and
// buttons that append the choice. Models that see both ways say what stands at each position, classifiers
// which class the input is. Refuses to draw a token itself: core/sample does.
#include <algorithm>
#include <bit>

#include "app/look/item_map.h"
#include "app/views/output_bars.h"
#include "app/views/steps_figure.h"
#include "app/views/view.h"
#include "app/widgets/deferred.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kListed = 24, kLeastListed = 5;
constexpr int kMany = 10;
constexpr float kMostTemperature = 2.f;

/// What the outputs are.
enum class Says : std::uint8_t { next, masked, classes };

Says says(const RunResult& run) {
  const ModelConfig& config = run.trace(0).config();
  if (config.head.first_row_only || !run.document.opened->output_names.empty()) return Says::classes;
  const AttentionSpec& attention = config.blocks.front().attention;
  return attention.causal || !attention.mask.empty() ? Says::next : Says::masked;
}

bool has_logits(const Trace& trace) { return trace.find(trace.main(Slot::logits)) != nullptr; }

constexpr float kNarrowHalf = 460.f, kLowerPart = 440.f;  // units

class OutputView : public View {
 public:
  const char* id() const override { return "output"; }
  int order() const override { return 5; }
  std::string unavailable(const RunResult& run) const override {
    if (run.traces.empty() || has_logits(run.trace(0))) return run.traces.empty() ? "output.none" : "";
    return run.recorded() ? "output.none.recorded" : "output.none";
  }
  void draw(const ViewContext& context) override;

 private:
  void follow(const ViewContext& context);
  void draw_head(const ViewContext& context, float width);
  void draw_text_so_far(const ViewContext& context, float width);
  void draw_list(const ViewContext& context, ImVec2 at, ImVec2 room);
  void draw_settings(const ViewContext& context, float width);
  void draw_seed(const ViewContext& context, float width);
  void draw_buttons(const ViewContext& context, float width);
  void draw_running_sum(const ViewContext& context, ImVec2 room);
  void change(const ViewContext& context, const SliderEvent& event, Text sentence, const Sampling& wanted);
  void append(const ViewContext& context, int id);
  void choose(const ViewContext& context, std::int64_t pos);
  void put_in_place(const ViewContext& context, int id);
  std::string name(const ViewContext& context, std::int64_t pos) const;
  bool draws() const { return says_ == Says::next && !recorded_; }
  void generate(const ViewContext& context, int count, const Text& sentence);

  Says says_ = Says::next;
  bool recorded_ = false;
  bool at_cursor_ = false;
  std::int64_t pos_ = 0;
  std::int64_t lit_from_ = 0;  // tokens from here on were appended here,
  Text lit_sentence_;          // by the edit of this sentence
  Deferred<NextSummary> next_;
  Made<NextSummary> summary_;
};

void OutputView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const int last = static_cast<int>(context.run.traces.size()) - 1;
  const auto trace = context.run.traces[static_cast<std::size_t>(std::clamp(cursor.sequence, 0, last))];
  says_ = says(context.run);
  recorded_ = context.run.recorded();
  const std::int64_t last_row = std::max<std::int64_t>(0, predicted_rows(*trace) - 1);
  pos_ = std::min(at_cursor_ || says_ == Says::masked ? main_row(cursor, *trace) : prediction_row(*trace),
                  last_row);
  // Nobody draws from what only says what stands here, nor from a recording.
  const Sampling sampling = draws() ? context.session.document().sampling : Sampling{};
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(cursor.sequence)});
  const std::uint64_t key =
      key_of({subject, context.run.version, static_cast<std::uint64_t>(pos_),
              std::bit_cast<std::uint32_t>(sampling.temperature), static_cast<std::uint64_t>(sampling.top_k),
              std::bit_cast<std::uint32_t>(sampling.top_p), sampling.seed});
  summary_ = next_.get_or_before(
      subject, key, "next_tokens", context.commands, [=, pos = pos_](const std::atomic<bool>&) {
        return summarise(next_tokens(trace->logits_row(pos), sampling), sampling, kListed);
      });
}

std::string OutputView::name(const ViewContext& context, std::int64_t pos) const {
  const int sequence = context.workspace.cursor.sequence;
  return row_name(context.run, sequence, context.run.trace(sequence).config().stack, pos);
}

void OutputView::draw_head(const ViewContext& context, float width) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const std::string count = format_count(trace.config().outputs()), pos = std::to_string(pos_);
  if (says_ == Says::classes)
    return view_heading(tr("output.title.classes"), tr("output.sentence.classes", {count}), width);
  if (says_ == Says::masked)
    return view_heading(tr("output.title.masked"),
                        tr(recorded_ ? "output.sentence.masked.recorded" : "output.sentence.masked",
                           {count, pos, name(context, pos_)}),
                        width);
  view_heading(
      tr("output.title"),
      tr(recorded_ ? "output.sentence.recorded" : "output.sentence", {count, pos, name(context, pos_)}),
      width);
  if (chip(std::string(tr("output.last")) + "###output_last", !at_cursor_, tr("output.last.help")))
    at_cursor_ = false;
  ImGui::SameLine();
  const std::int64_t row = main_row(context.workspace.cursor, trace);
  if (chip(tr("output.cursor", {std::to_string(row), name(context, row)}) + "###output_cursor", at_cursor_,
           tr("output.cursor.help")))
    at_cursor_ = true;
}

// The input as tokens on one line, its end in sight; what was appended here is lit, what comes later is dim.
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
  float right = at.x + width - scaled(10);
  const float text_y = at.y + (height - text_size(fonts().mono, "X").y) / 2;
  const auto place = [&](const std::string& text, ImU32 ink, ImU32 ground) {
    const float wide = text_size(fonts().mono, text).x;
    if (right - wide < at.x + scaled(10)) return false;
    right -= wide;
    if (ground)
      canvas.fill_rect(ImVec2(right - scaled(3), at.y + scaled(4)),
                       ImVec2(right + wide + scaled(3), at.y + height - scaled(4)), ground, scaled(4));
    draw_text(canvas, fonts().mono, ImVec2(right, text_y), ink, text);
    right -= gap;
    return true;
  };
  // From the right, so that the end is in sight; a text that is short starts at the left instead.
  std::vector<std::string> labels;
  float total = 0;
  const std::int64_t length = context.run.trace(cursor.sequence).length;
  std::int64_t first = length;
  while (first > 0 && total < width) {
    labels.push_back(name(context, --first));
    note_text(labels.back());
    total += text_size(fonts().mono, labels.back()).x + gap;
  }
  const bool next = says_ == Says::next;
  const std::string choice = draws() && summary_.fresh && summary_->choice >= 0
                                 ? output_name(opened, summary_->choice)
                                 : std::string();
  note_text(choice);
  right = std::min(right, at.x + scaled(total < width - scaled(120) ? 12.f : 24.f) + total +
                              text_size(fonts().mono, choice).x + scaled(4));
  if (pos_ == length - 1 && !choice.empty()) (void)place(choice, with_alpha(t.accent, 0.75f), 0);
  std::int64_t pos = length;
  for (const std::string& label : labels) {
    --pos;
    const bool lit = mine && pos >= lit_from_;
    const bool here = !next && pos == pos_;
    const float end = right;
    if (!place(label, next && pos > pos_ ? with_alpha(t.text_dim, 0.6f) : t.text,
               lit || here ? t.accent_soft : 0))
      break;
    ImGui::SetCursorScreenPos(ImVec2(right + gap - scaled(3), at.y));
    const std::string id = "###output_pos_" + std::to_string(pos);
    if (ImGui::InvisibleButton(id.c_str(), ImVec2(std::max(1.f, end - right - gap + scaled(6)), height)))
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
  at_cursor_ = true;
}

void OutputView::put_in_place(const ViewContext& context, int id) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const auto where = static_cast<std::size_t>(pos_);
  context.commands.edit(
      Text::of("output.edit.put", {output_name(*context.run.document.opened, id), std::to_string(pos_)}), {},
      [=](Document& document) { return replace_token(document, sequence, where, id); });
}

void OutputView::append(const ViewContext& context, int id) {
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const auto where = static_cast<std::size_t>(pos_ + 1);
  const std::string label = output_name(*context.run.document.opened, id);
  lit_from_ = pos_ + 1;
  lit_sentence_ = Text::of("output.edit.append", {label});
  context.commands.edit(lit_sentence_, {},
                        [=](Document& document) { return insert_token(document, sequence, where, id); });
}

void OutputView::generate(const ViewContext& context, int count, const Text& sentence) {
  const int sequence = context.workspace.cursor.sequence;
  lit_from_ = context.run.trace(sequence).length;
  lit_sentence_ = sentence;
  context.commands.act([=](Session& session) { session.generate(sequence, count, sentence); });
}

void OutputView::draw_list(const ViewContext& context, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("output_list", room);
  if (!summary_) return caption(tr("output.pending"));
  const float head = text_size(fonts().small, "X").y + scaled(4);
  const auto fits = static_cast<std::size_t>(std::max(0.f, (room.y - head) / output_row_height()));
  const std::size_t shown = std::clamp(fits > 1 ? fits - 1 : 0, kLeastListed, kListed);
  OutputRows rows;
  if (says_ == Says::masked) rows = {"output.row.help.masked", "output.column.token", false};
  if (says_ == Says::classes) rows = {"output.row.help.classes", "output.column.class", false};
  if (recorded_) rows.help = "output.row.help.recorded", rows.sampled = false;
  rows.offer = [&](int id) { offer_measure(context.workspace, id); };
  const int clicked = draw_next_tokens(*summary_, *context.run.document.opened, shown, rows,
                                       ImGui::GetCursorScreenPos(), room.x - scaled(8));
  if (!summary_.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
  if (clicked < 0 || !summary_.fresh || recorded_) return;
  const int id = summary_->top[static_cast<std::size_t>(clicked)].id;
  if (says_ == Says::next) append(context, id);
  if (says_ == Says::masked) put_in_place(context, id);
}

void OutputView::change(const ViewContext& context, const SliderEvent& event, Text sentence,
                        const Sampling& wanted) {
  if (event.changed)
    context.commands.edit(std::move(sentence), "sampling", [wanted](Document& document) -> Status {
      TRY_OK(check_sampling(wanted));
      document.sampling = wanted;
      return Done{};
    });
  if (event.released) context.commands.end_gesture();
}

void OutputView::draw_settings(const ViewContext& context, float width) {
  const Sampling now = context.session.document().sampling;
  Sampling wanted = now;
  const char* shape = now.temperature > 0 ? "%.2f" : tr("output.greedy");
  const SliderEvent heat = slider_real("###temperature", tr("output.temperature"), wanted.temperature, 0.f,
                                       kMostTemperature, shape, width, tr("output.temperature.help"));
  change(context, heat, Text::of("output.edit.temperature", {number_text(wanted.temperature, 2)}), wanted);
  wanted = now;
  std::int64_t top_k = now.top_k;
  const std::int64_t vocab = context.run.trace(0).config().outputs();
  const SliderEvent most = slider_int("###top_k", tr(top_k > 0 ? "output.top_k" : "output.top_k.off"), top_k,
                                      0, vocab, width, tr("output.top_k.help"), true);
  wanted.top_k = static_cast<int>(top_k);
  change(context, most, Text::of("output.edit.top_k", {std::to_string(top_k)}), wanted);
  wanted = now;
  const SliderEvent share = slider_real("###top_p", tr("output.top_p"), wanted.top_p, 0.f, 1.f, "%.2f", width,
                                        tr("output.top_p.help"));
  change(context, share, Text::of("output.edit.top_p", {number_text(wanted.top_p, 2)}), wanted);
}

void OutputView::draw_seed(const ViewContext& context, float width) {
  Sampling wanted = context.session.document().sampling;
  const FontScope face(fonts().small);
  ImGui::AlignTextToFramePadding();
  text_line(fonts().small, theme().text_dim, tr("output.seed"));
  ImGui::SameLine(scaled(50));
  ImGui::SetNextItemWidth(width - scaled(50));
  const std::uint64_t step = 1;
  SliderEvent event;
  {
    const FontScope mono(fonts().mono_small);
    event.changed = ImGui::InputScalar("###seed", ImGuiDataType_U64, &wanted.seed, &step, nullptr, "%llu");
    event.released = ImGui::IsItemDeactivatedAfterEdit();
  }
  note_item("seed");
  compat::item_tooltip(tr("output.seed.help"));
  change(context, event, Text::of("output.edit.seed", {std::to_string(wanted.seed)}), wanted);
}

void OutputView::draw_buttons(const ViewContext& context, float width) {
  const Theme& t = theme();
  const bool busy = context.session.generating();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  if (busy) {
    if (ImGui::Button((std::string(tr("output.cancel")) + "###generate_cancel").c_str(), ImVec2(width, 0)))
      context.commands.act([](Session& session) { session.cancel_generating(); });
    return;
  }
  const std::string many = tr("output.many", {std::to_string(kMany)}) + "###generate_many";
  const float wide = width - chip_width(many) - scaled(8) - gap;
  {
    const ColourScope ground(ImGuiCol_Button, t.accent),
        over(ImGuiCol_ButtonHovered, mix(t.accent, t.text, 0.2f));
    const ColourScope ink(ImGuiCol_Text, t.on_accent);
    if (ImGui::Button((std::string(tr("output.generate")) + "###generate").c_str(), ImVec2(wide, 0)))
      generate(context, 1, Text::of("output.edit.generate"));
  }
  note_item("generate");
  compat::item_tooltip(tr("output.generate.help"));
  ImGui::SameLine();
  if (ImGui::Button(many.c_str(), ImVec2(chip_width(many) + scaled(8), 0)))
    generate(context, kMany, Text::of("output.edit.generate_many", {kMany}));
  note_item("generate_many");
  compat::item_tooltip(tr("output.many.help"));
}

void OutputView::draw_running_sum(const ViewContext& context, ImVec2 room) {
  if (!summary_ || room.y < scaled(80)) return;
  const Sampling sampling = draws() ? context.session.document().sampling : Sampling{};
  section_heading(tr("output.running"));
  if (draws()) caption(tr("output.kept", {format_count(summary_->kept), format_count(summary_->vocab)}));
  LinePlot plot;
  plot.key = "output_running";
  plot.x0 = 1;
  plot.x1 = std::max(2.f, static_cast<float>(summary_->vocab));
  plot.log_x = true;
  if (room.y > scaled(180))
    plot.x_title = tr(says_ == Says::classes ? "output.running.classes" : "output.running.rank");
  LineSeries series;
  series.colour = theme().attention;
  for (const RunningSum& point : summary_->running)
    series.points.emplace_back(static_cast<float>(point.rank), static_cast<float>(point.prob));
  plot.series.push_back(std::move(series));
  if (sampling.top_p < 1) plot.y_marks.push_back(sampling.top_p);
  if (sampling.top_k > 0) plot.x_marks.push_back(static_cast<float>(sampling.top_k));
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

void OutputView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  const bool below = width < scaled(kNarrowHalf);  // the settings stand below the list, and are scrolled to
  const float side = below ? width - scaled(10) : scaled(width > scaled(780) ? 230.f : 190.f);
  draw_head(context, width);
  if (says_ != Says::classes) draw_text_so_far(context, width);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4), height = origin.y + room.y - begin;
  const float list = below ? std::max(scaled(200), height) : height;
  draw_list(context, ImVec2(origin.x, begin), ImVec2(below ? width : width - side - scaled(20), list));
  ImGui::SetCursorScreenPos(below ? ImVec2(origin.x, begin + list + scaled(10))
                                  : ImVec2(origin.x + width - side, begin));
  const ChildScope child("output_side", ImVec2(side + scaled(10), below ? scaled(kLowerPart) : height));
  if (draws()) {
    draw_settings(context, side);
    draw_seed(context, side);
    draw_buttons(context, side);
  }
  ImGui::Dummy(ImVec2(1, scaled(4)));
  draw_running_sum(context, ImVec2(side, ImGui::GetContentRegionAvail().y));
}

}  // namespace

std::unique_ptr<View> make_output_view();
std::unique_ptr<View> make_output_view() { return std::make_unique<OutputView>(); }

}  // namespace attnscope
