#include "app/views/residual_additions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/residual_lens.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

struct Chart {
  const ModelConfig& config;
  ImVec2 p0, p1;                        // rectangle of the bars
  float step = 0, top = 1, bottom = 0;  // pixels per bar; values at the ends
  float x(std::size_t i) const { return p0.x + step * (static_cast<float>(i) + 0.5f); }
  float y(double value) const {
    return p1.y - (p1.y - p0.y) * (static_cast<float>(value) - bottom) / (top - bottom);
  }
};

ImU32 part_colour(StreamPart part) {
  switch (part) {
    case StreamPart::embed: return theme().residual;
    case StreamPart::cross: return theme().k;
    case StreamPart::attention: return theme().attention;
    default: return theme().mlp;
  }
}

void draw_scale(const Canvas& canvas, const Chart& chart) {
  ImFont* font = fonts().mono_small;
  const float line = text_size(font, "0").y;
  const bool two_sided = chart.bottom < -0.02f * chart.top;  // otherwise its label would overlap that of 0
  float free_above = 1e9f;
  for (const float at :
       two_sided ? std::array{chart.bottom, 0.f, chart.top} : std::array{0.f, chart.top * 0.5f, chart.top}) {
    const double value = static_cast<double>(at);
    const float y = chart.y(value);
    canvas.line(ImVec2(chart.p0.x, y), ImVec2(chart.p1.x, y), theme().border);
    const std::string text = short_number(value);
    if (y + line / 2 > free_above) continue;
    free_above = y - line / 2;
    draw_text(canvas, font, ImVec2(chart.p0.x - text_size(font, text).x - scaled(6), y - line / 2),
              theme().text_dim, text);
  }
}

// Labels below: "0 attn" if it fits, else the block's number at its attention, as often as it fits.
void draw_names(const Canvas& canvas, const Chart& chart, const std::vector<Addition>& parts) {
  const auto fit = [&](ImFont* font) {
    return std::all_of(parts.begin(), parts.end(), [&](const Addition& part) {
      return text_size(font, part_label(chart.config, part.site)).x + scaled(5) <= chart.step;
    });
  };
  ImFont* const font = !fit(fonts().mono_small) && fit(fonts().small) ? fonts().small : fonts().mono_small;
  const bool full = fit(font);
  float free_from = -1e9f;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Site& site = parts[i].site;
    const bool first = site.layer >= 0 && (i == 0 || parts[i - 1].site.layer != site.layer);
    if (!full && !first) continue;
    const std::string text = full ? part_label(chart.config, site) : std::to_string(site.layer);
    const float width = text_size(font, text).x, x = chart.x(i) - width / 2;
    if (x < free_from) continue;
    draw_text(canvas, font, ImVec2(x, chart.p1.y + scaled(5)), theme().text_dim, text);
    free_from = x + width + scaled(5);
  }
}

void residual_additions_draw_bar(const Canvas& canvas, const Chart& chart, std::size_t i,
                                 const Addition& part, bool lit) {
  const float half = std::clamp(chart.step * 0.34f, scaled(1), scaled(28));
  const ImVec2 p0(chart.x(i) - half, std::min(chart.y(part.norm), chart.p1.y - scaled(1)));
  const ImU32 colour = part_colour(stream_part(chart.config, part.site));
  const ImDrawFlags round = ImDrawFlags_RoundCornersTop;
  canvas.fill_rect(p0, ImVec2(chart.x(i) + half, chart.p1.y), lit ? mix(colour, theme().text, 0.25f) : colour,
                   std::min(half, scaled(3)), round);
  const std::string text = short_number(part.norm);
  const float width = text_size(fonts().mono_small, text).x, line = text_size(fonts().mono_small, "0").y;
  if (width + scaled(2) > chart.step) return;
  const bool inside = chart.p1.y - p0.y > line + scaled(5) && width + scaled(2) < 2 * half;
  // Above a low bar, and above the stream's dot if that would overlap.
  const float dot = chart.y(part.stream);
  float y = inside ? p0.y + scaled(dot > p0.y - scaled(5) ? 7 : 3) : p0.y - line - scaled(2);
  if (!inside && dot > y - scaled(4) && dot < p0.y + scaled(4)) y = dot - line - scaled(5);
  draw_text(canvas, fonts().mono_small, ImVec2(chart.x(i) - width / 2, y),
            inside ? ink_on(colour) : theme().text, text);
}

// A bar upwards from 0 for a positive contribution to the logit, downwards for a negative one.
void draw_push(const Canvas& canvas, const Chart& chart, std::size_t i, double push, bool lit) {
  const float half = std::clamp(chart.step * 0.34f, scaled(1), scaled(40));
  const float zero = chart.y(0), end = chart.y(push);
  const ImU32 colour = push < 0 ? theme().negative : theme().positive;
  canvas.fill_rect(ImVec2(chart.x(i) - half, std::min(zero, end)),
                   ImVec2(chart.x(i) + half, std::max({zero, end, std::min(zero, end) + scaled(1)})),
                   lit ? mix(colour, theme().text, 0.25f) : colour, std::min(half, scaled(2)));
  const std::string text = number_text(static_cast<float>(push), 2);
  ImFont* font = text_size(fonts().mono, text).x + scaled(4) < chart.step ? fonts().mono : fonts().mono_small;
  const ImVec2 size = text_size(font, text);
  if (size.x + scaled(2) > chart.step) return;
  const float y = push < 0 ? end + scaled(1) : end - size.y - scaled(1);
  draw_text(canvas, font, ImVec2(chart.x(i) - size.x / 2, y), theme().text, text);
}

void draw_stream(const Canvas& canvas, const Chart& chart, const std::vector<Addition>& parts) {
  std::vector<ImVec2> line;
  for (std::size_t i = 0; i < parts.size(); ++i) line.emplace_back(chart.x(i), chart.y(parts[i].stream));
  canvas.polyline(line, with_alpha(theme().residual, 0.9f), false, scaled(1.6f));
  if (chart.step < scaled(10)) return;
  for (const ImVec2 point : line) {
    canvas.fill_circle(point, scaled(3.4f), theme().ground);
    canvas.circle(point, scaled(3.4f), theme().residual, 0, scaled(1.6f));
  }
}

void explain(const Chart& chart, const Addition& part) {
  const std::string norm = short_number(part.norm), stream = short_number(part.stream);
  const std::string cosine = number_text(static_cast<float>(part.cosine), 3),
                    name = part_label(chart.config, part.site);
  const std::string text = part.site.layer < 0       ? tr("residual.part.embed", {norm})
                           : std::isnan(part.cosine) ? tr("residual.part.alone", {name, norm, stream})
                                                     : tr("residual.part.help", {name, norm, stream, cosine});
  ImGui::SetTooltip("%s", text.c_str());
}

}  // namespace

AdditionEvent draw_additions(const ModelConfig& config, const std::vector<Addition>& parts,
                             const Pushes* pushes, ImVec2 at, ImVec2 size) {
  if (parts.empty() || size.x < scaled(80) || size.y < scaled(60)) return {};
  if (pushes && pushes->of.size() != parts.size()) pushes = nullptr;
  Chart chart{config, {}, {}};
  double most = 0, least = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const double value :
         pushes ? std::array{pushes->of[i], 0.0} : std::array{parts[i].norm, parts[i].stream})
      if (std::isfinite(value)) most = std::max(most, value), least = std::min(least, value);
  const float line = text_size(fonts().mono_small, "0").y,
              number = text_size(fonts().mono, "0").y + scaled(2);
  chart.p0 = ImVec2(at.x + text_size(fonts().mono_small, "−0.000").x + scaled(8),
                    at.y + (pushes ? number : line + scaled(4)));
  chart.p1 = ImVec2(at.x + size.x - scaled(4), at.y + size.y - line - scaled(8));
  if (pushes && least < 0) chart.p1.y -= number;
  if (!(most > least)) most = least + 1;
  chart.top = static_cast<float>(most), chart.bottom = static_cast<float>(least);
  chart.step = (chart.p1.x - chart.p0.x) / static_cast<float>(parts.size());
  ImGui::SetCursorScreenPos(ImVec2(chart.p0.x, at.y));
  const bool clicked = hit_area("###residual_parts", ImVec2(chart.p1.x - chart.p0.x, size.y));
  note_item("residual_parts");
  int hovered = -1;
  if (ImGui::IsItemHovered())
    hovered = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - chart.p0.x) / chart.step), 0,
                         static_cast<int>(parts.size()) - 1);
  const Canvas canvas;
  draw_scale(canvas, chart);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (pushes)
      draw_push(canvas, chart, i, pushes->of[i], static_cast<int>(i) == hovered);
    else
      residual_additions_draw_bar(canvas, chart, i, parts[i], static_cast<int>(i) == hovered);
  if (!pushes) draw_stream(canvas, chart, parts);
  Chart names = chart;
  names.p1.y = at.y + size.y - line - scaled(8);
  draw_names(canvas, names, parts);
  if (hovered >= 0) explain(chart, parts[static_cast<std::size_t>(hovered)]);
  return {hovered, clicked};
}

}  // namespace attnscope
