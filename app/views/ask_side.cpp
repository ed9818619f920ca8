// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_side.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/text_lines.h"
#include "app/views/ask_grid.h"
#include "app/views/ask_prompts.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "core/base/agreement.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kScatter = 150.f, kLeastScatter = 56.f;
constexpr float kAskSideLeastColumn = 140.f;  // units

void pair_line(const char* key, const std::string& value, ImU32 ink, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  text_line(fonts().small, theme().text_dim, tr(key));
  draw_text(Canvas(), fonts().mono_small, ImVec2(at.x + width - text_size(fonts().mono_small, value).x, at.y),
            ink, value);
}

// "40 min", "3 h 20 min".
std::string duration_text(double seconds) {
  const auto minutes = static_cast<std::int64_t>(seconds / 60 + 0.5);
  if (minutes < 1) return tr("ask.time.seconds", {format("%.0f", seconds)});
  if (minutes < 60) return tr("ask.time.minutes", {std::to_string(minutes)});
  return tr("ask.time.hours", {std::to_string(minutes / 60), std::to_string(minutes % 60)});
}

std::string seconds_text(double seconds) {
  return format(seconds < 0.1 ? "%.3f" : seconds < 10 ? "%.2f" : "%.0f", seconds);
}

// Over a data set: the prompts whose values are exact.
void draw_prompts_progress(const SweepAnswer& answer, bool still, float width) {
  const std::int64_t done = answer.prompts_done(), all = answer.prompts();
  const std::string time = seconds_text(answer.seconds), count = format_count(done),
                    total = format_count(all);
  if (!answer.done)
    ImGui::ProgressBar(static_cast<float>(done) / static_cast<float>(std::max<std::int64_t>(1, all)),
                       ImVec2(width, scaled(8)), "");
  if (answer.asks) {
    const ColourScope ink(ImGuiCol_Text, theme().warning);
    const FontScope face(fonts().small);
    figure_text(tr("ask.data.progress.asks", {count, total, duration_text(*answer.asks)}), 0);
    return note_item("ask_asks");
  }
  if (done == 0 && !answer.done)
    caption(kept_tr("ask.data.progress.estimated", {format_count(answer.estimated), total}));
  else if (answer.done && !still)
    caption(kept_tr("ask.data.progress.done", {prompts_words(answer), time}));
  else
    caption(kept_tr("ask.data.progress.over", {prompts_words(answer)}));
  note_item("ask_data_progress");
  if (answer.other_length() == 0) return;
  caption(kept_tr("ask.data.other_length", {format_count(answer.other_length())}));
  note_item("ask_data_other_length");
}

void draw_progress(const SweepAnswer& answer, bool still, float width) {
  if (answer.over_data()) return draw_prompts_progress(answer, still, width);
  const std::int64_t known = answer.known(), all = std::ssize(answer.values);
  const std::string count = format_count(known), total = format_count(all),
                    time = seconds_text(answer.seconds);
  if (!answer.done) {
    const float share = all > 0 ? static_cast<float>(known) / static_cast<float>(all) : 0.f;
    ImGui::ProgressBar(share, ImVec2(width, scaled(8)), "");
  }
  const double left =
      known > 0 ? answer.seconds / static_cast<double>(known) * static_cast<double>(all - known) : 0;
  if (answer.asks) {
    const ColourScope ink(ImGuiCol_Text, theme().warning);
    const FontScope face(fonts().small);
    figure_text(tr("ask.progress.asks", {count, total, time, duration_text(*answer.asks)}), 0);
    note_item("ask_asks");
  } else if (answer.done)
    caption(
        still ? kept_tr("ask.progress.still", {count, total})
              : kept_tr(answer.stopped ? "ask.progress.stopped" : "ask.progress.done", {count, total, time}));
  else if (known > 0)
    caption(left < 90 ? tr("ask.progress.left", {count, total, seconds_text(left)})
                      : tr("ask.progress.left_long", {count, total, duration_text(left)}));
  else
    caption(tr("ask.progress.first", {total}));
}

void draw_self(const SweepAnswer& answer) {
  if (!answer.request.other) return;
  if (!answer.self) {
    if (!answer.done) caption(tr("ask.self.waiting"));
    return;
  }
  const bool same = answer.self->largest == 0;
  const ColourScope ink(ImGuiCol_Text, same ? theme().ok : theme().error);
  const FontScope face(fonts().small);
  const std::string text = tr(same ? "ask.self.same" : "ask.self.moved",
                              {std::to_string(answer.self->cells), significant(answer.self->largest, 2)});
  figure_text(text, 0);
  note_item("ask_self");
}

// Scatter plot of estimate (x) against exact value (y); they agree on the diagonal.
void draw_scatter(const SweepAnswer& answer, float side) {
  double least = answer.base(), most = answer.base();
  for (std::size_t i = 0; i < answer.values.size(); ++i)
    for (const double value : {answer.values[i], answer.estimates[i]})
      if (std::isfinite(value) && !std::isnan(answer.values[i]))
        least = std::min(least, value), most = std::max(most, value);
  if (!(most > least)) return;
  const ImVec2 at = ImGui::GetCursorScreenPos(), end(at.x + side, at.y + side);
  hit_area("###ask_scatter", ImVec2(side, side));
  note_item("ask_scatter");
  compat::item_tooltip(tr("ask.scatter.help"));
  const Canvas canvas;
  const Theme& t = theme();
  canvas.rect(at, end, t.border);
  canvas.line(ImVec2(at.x, end.y), ImVec2(end.x, at.y), t.border);
  const auto share = [&](double value) { return static_cast<float>((value - least) / (most - least)); };
  const std::string x_title = tr("ask.scatter.x"), y_title = tr("ask.scatter.y");
  const ImVec2 wide = text_size(fonts().small, x_title);
  const float band = wide.y + scaled(5), inside = side - 2 * band;  // no point lies on a title
  const auto point = [&](double x, double y) {
    return ImVec2(at.x + band + share(x) * inside, end.y - band - share(y) * inside);
  };
  draw_text(canvas, fonts().small, ImVec2(end.x - wide.x - scaled(4), end.y - wide.y - scaled(2)), t.text_dim,
            x_title);
  draw_text(canvas, fonts().small, ImVec2(at.x + scaled(4), at.y + scaled(2)), t.text_dim, y_title);
  const ImVec2 base = point(answer.base(), answer.base());
  canvas.circle(base, scaled(4), t.text_dim, 0, scaled(1.2f));
  for (std::size_t i = 0; i < answer.values.size(); ++i)
    if (std::isfinite(answer.values[i]) && std::isfinite(answer.estimates[i]))
      canvas.fill_circle(point(answer.estimates[i], answer.values[i]), scaled(2.4f),
                         with_alpha(t.accent, 0.85f));
}

void draw_agreement(const SweepAnswer& answer, float width) {
  if (answer.no_estimate) {
    caption(tr("ask.estimate.none", {answer.no_estimate->text()}));
    return;
  }
  const auto r = answer.correlation();
  const char* const words = r && *r < kTrustedAgreement ? "ask.estimate.r.low" : "ask.estimate.r";
  caption(r ? std::string_view(kept_tr(words, {number_text(static_cast<float>(*r), 2)}))
            : tr("ask.estimate.few"));
  const float side = std::min({width, scaled(kScatter), ImGui::GetContentRegionAvail().y - scaled(2)});
  const float title =  // both stand inside
      std::max(text_size(fonts().small, tr("ask.scatter.x")).x,
               text_size(fonts().small, tr("ask.scatter.y")).x);
  if (side < std::max(scaled(kLeastScatter), title + scaled(8)) || answer.known() == 0) return;
  draw_scatter(answer, side);
}

void draw_colours(const ViewContext& context, const SweepAnswer& answer, const HeatStyle& style,
                  float width) {
  const bool change = context.workspace.asking.settings.change;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float title = text_size(fonts().small, "X").y + scaled(6);
  const bool data = answer.over_data(),
             spread = data && context.workspace.asking.settings.over == AskOver::spread;
  const char* legend = spread ? (change ? "ask.data.legend.spread.change" : "ask.data.legend.spread")
                       : data ? (change ? "ask.data.legend.change" : "ask.data.legend.value")
                              : (change ? "ask.legend.change" : "ask.legend.value");
  const bool normalised = !spread && context.workspace.asking.settings.normalised && answer.can_normalise();
  const std::string_view words =
      normalised ? std::string_view(kept_tr("ask.legend.normalised",
                                            {signed_number(answer.corrupt()), signed_number(answer.clean())}))
                 : std::string_view(tr(legend));
  draw_legend(style, words, at, ImVec2(width - scaled(4), title + scaled(10)), false);
  ImGui::Dummy(ImVec2(width, title + scaled(26)));
  if (context.workspace.asking.settings.page == AskPage::links) caption(tr("ask.legend.no_path"));
  if (answer.no_estimate || spread || answer.data || (answer.done && !answer.stopped))
    return;  // all are exact
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float side = text_size(fonts().small, "X").y;
  draw_estimate_swatch(low, ImVec2(low.x + side * 1.4f, low.y + side));
  ImGui::Dummy(ImVec2(side * 1.4f, side));
  ImGui::SameLine();
  text_line(fonts().small, theme().text_dim, tr("ask.legend.estimate"));
}

}  // namespace

namespace {

// What the cells show; a patch has a scale between its two prompts, too.
void ask_side_draw_switch(AskSettings& settings, const SweepAnswer& answer, float width) {
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
  const FontScope face(fonts().small);
  const bool scale = answer.can_normalise() && !(answer.over_data() && settings.over == AskOver::spread),
             normalised = scale && settings.normalised;
  ChipRow line(width);
  const auto choose = [&](const char* key, bool on, bool change, bool to_scale) {
    if (!line(Label(tr(key), "###", key), on, tr(Label(key, ".help")))) return;
    settings.normalised = to_scale;
    if (!to_scale) settings.change = change;
  };
  choose("ask.show.change", !normalised && settings.change, true, false);
  choose("ask.show.value", !normalised && !settings.change, false, false);
  if (scale) choose("ask.show.normalised", normalised, false, true);
}

void draw_runs(const ViewContext& context, const SweepAnswer& answer, float width) {
  if (answer.request.patches() && answer.over_data()) {
    pair_line("ask.data.base.clean", signed_number(answer.clean()), theme().text, width);
    return pair_line("ask.data.base.corrupt", signed_number(answer.corrupt()), theme().text, width);
  }
  if (!answer.request.other)
    return pair_line(answer.over_data() ? "ask.data.base" : "ask.base", signed_number(answer.base()),
                     theme().text, width);
  const Asking& asking = context.workspace.asking;
  const bool fresh = asking.is_fresh(answer);
  const bool into_other = fresh ? asking.settings.into_other : answer.request.into_other;
  const std::string base = signed_number(answer.base()), donor = signed_number(answer.donor.value_or(0));
  pair_line("ask.base.own", into_other ? donor : base, theme().text, width);
  pair_line("ask.base.other", into_other ? base : donor, theme().text, width);
}

void draw_error(const SweepAnswer& answer) {
  const ColourScope ink(ImGuiCol_Text, theme().error);
  text_in_lines(answer.error->text());
  note_item("ask_error");
}

}  // namespace

void draw_ask_side(const ViewContext& context, const SweepAnswer& answer, const HeatStyle& style, float width,
                   bool beside) {
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(6), scaled(4)));
  if (answer.error) draw_error(answer);
  if (!answer.sweep) return answer.error ? void() : caption(tr("ask.progress.begins"));
  AskSettings& settings = context.workspace.asking.settings;
  const bool more = context.workspace.shows_ask_more();
  if (!beside) {
    if (more) ask_side_draw_switch(settings, answer, width);
    draw_runs(context, answer, width);
    draw_progress(answer, context.workspace.still, width);
    draw_self(answer);
    draw_colours(context, answer, style, width);
    return more ? draw_agreement(answer, width) : void();
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float gap = scaled(20), height = ImGui::GetContentRegionAvail().y;
  const bool three =
      more && width - 2 * gap >= 3 * scaled(kAskSideLeastColumn);  // else the scatter plot is omitted
  const float third = three ? (width - 2 * gap) / 3 : (width - gap) / 2;
  {
    const ChildScope child("ask_runs", ImVec2(third, height));
    draw_runs(context, answer, third);
    draw_progress(answer, context.workspace.still, third);
    draw_self(answer);
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x + third + gap, at.y));
  {
    const ChildScope child("ask_colours", ImVec2(third, height));
    if (more) ask_side_draw_switch(settings, answer, third);
    draw_colours(context, answer, style, third);
  }
  if (!three) return;
  ImGui::SetCursorScreenPos(ImVec2(at.x + 2 * (third + gap), at.y));
  const ChildScope child("ask_agreement", ImVec2(third, height));
  draw_agreement(answer, third);
}

}  // namespace attnscope
