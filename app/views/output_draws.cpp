#include "app/views/output_draws.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/output_settings.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kDraws = 100, kOutputDrawsPoints = 21;
constexpr float kOutputDrawsHottest = 2.f;
constexpr std::size_t kOutputDrawsOffered = 6;

}  // namespace

void OutputDraws::draw_plot(const Drawn& drawn, float temperature, ImVec2 at, ImVec2 room) const {
  LinePlot plot;
  plot.key = "output_draws";
  plot.x0 = 0, plot.x1 = kOutputDrawsHottest;
  plot.y0 = 0, plot.y1 = static_cast<float>(kDraws);
  plot.x_title = tr("output.draws.temperature");
  plot.x_name = tr("output.temperature");
  plot.readout = true;
  LineSeries right, right_expected, distinct, distinct_expected;
  right.label = tr("output.draws.right");
  distinct.label = tr("output.draws.distinct");
  right.colour = right_expected.colour = theme().ok;
  distinct.colour = distinct_expected.colour = theme().mlp;
  right.dots = distinct.dots = true;
  right.line = distinct.line = false;
  for (const TemperatureDraws& one : drawn.grid) {
    right.points.emplace_back(one.temperature, static_cast<float>(one.right));
    distinct.points.emplace_back(one.temperature, static_cast<float>(one.distinct));
    right_expected.points.emplace_back(one.temperature, static_cast<float>(kDraws * one.chance_right));
    distinct_expected.points.emplace_back(one.temperature, static_cast<float>(one.expected_distinct));
  }
  plot.series = {right, distinct, right_expected, distinct_expected};
  if (temperature <= kOutputDrawsHottest) plot.x_marks.push_back(temperature);
  (void)draw_line_plot(plot, at, room);
}

void OutputDraws::draw(const ViewContext& context, std::int64_t pos, const NextSummary& summary, ImVec2 at,
                       ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("output_draws_page", room);
  if (summary.top.empty()) return caption(tr("output.pending"));
  const OpenedModel& opened = *context.run.document.opened;
  const auto sequence = static_cast<std::size_t>(std::max(0, context.workspace.cursor.sequence));
  const auto trace = context.run.shared(context.workspace.cursor.sequence);
  const Sampling sampling = context.session.document().sampling;
  const std::uint64_t subject =
      key_of({context.run.opened_version, context.run.version, sequence, static_cast<std::uint64_t>(pos)});
  if (right_of_ != subject) right_of_ = subject, right_ = -1;
  const auto best = std::max_element(summary.top.begin(), summary.top.end(),
                                     [](const auto& a, const auto& b) { return a.logit < b.logit; });
  const int right = right_ >= 0 ? right_ : best->id;
  const std::uint64_t key = key_of({subject, sampling_key(sampling), static_cast<std::uint64_t>(right)});
  const Made<Drawn> drawn =
      drawn_.get_or_before(subject, key, context.workers(), [=](const std::atomic<bool>& cancel) {
        std::vector<float> temperatures;
        for (int i = 0; i < kOutputDrawsPoints; ++i)
          temperatures.push_back(kOutputDrawsHottest * static_cast<float>(i) /
                                 static_cast<float>(kOutputDrawsPoints - 1));
        temperatures.push_back(sampling.temperature);
        const std::vector<int> said(
            trace->ids.begin(),
            trace->ids.begin() + std::min<std::ptrdiff_t>(std::ssize(trace->ids), pos + 1));
        const Tensor logits = without_suppressed(trace->config(), trace->logits_row(pos));
        Drawn out;
        out.grid = draw_many(logits, sampling, said, right, kDraws, temperatures, &cancel);
        if (out.grid.empty()) return out;
        out.now = out.grid.back();
        out.grid.pop_back();
        return out;
      });
  text_line(fonts().small, theme().text_dim, tr("output.draws.which"));
  {
    const FontScope face(fonts().small);
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(2)));
    ImGui::SameLine(0, scaled(8));
    ChipRow line(at.x + room.x - scaled(12) - ImGui::GetCursorScreenPos().x, 5);
    for (std::size_t i = 0; i < std::min(kOutputDrawsOffered, summary.top.size()); ++i) {
      const int id = summary.top[i].id;
      const std::string name = output_name(opened, id);
      note_text(name);
      if (line(name + "###right_" + std::to_string(i), id == right)) right_ = id;
    }
  }
  if (!drawn || drawn->grid.empty()) return caption(tr("output.pending"));
  const TemperatureDraws& now = drawn->now;
  figure_text(tr("output.draws.now",
                 {number_text(now.temperature, 2), std::to_string(kDraws), std::to_string(now.right),
                  output_name(opened, right), std::to_string(now.distinct),
                  number_text(static_cast<float>(kDraws * now.chance_right), 1),
                  number_text(static_cast<float>(now.expected_distinct), 1)}),
              room.x - scaled(12));
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const ImVec2 left(room.x - scaled(12), std::max(scaled(80), ImGui::GetContentRegionAvail().y - scaled(4)));
  draw_plot(*drawn, now.temperature, from, left);
  if (!drawn.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
}

}  // namespace attnscope
