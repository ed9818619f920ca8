#include "app/views/steps_extra.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_words.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/patch_picture.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr int kSamples = 97;
constexpr float kLeastDialWidth = 48.f;  // units

void arrow(const Canvas& canvas, ImVec2 from, ImVec2 to, ImU32 colour) {
  const float unit = ui_scale(), length = std::hypot(to.x - from.x, to.y - from.y);
  canvas.line(from, to, colour, 2 * unit);
  if (length < 4 * unit) return;
  const ImVec2 d((to.x - from.x) / length, (to.y - from.y) / length);
  const float head = std::min(8 * unit, length * 0.6f);
  canvas.fill_triangle(
      to, ImVec2(to.x - d.x * head - d.y * head * 0.45f, to.y - d.y * head + d.x * head * 0.45f),
      ImVec2(to.x - d.x * head + d.y * head * 0.45f, to.y - d.y * head - d.x * head * 0.45f), colour);
}

double aside(const Explanation& why, const char* name) {
  for (const Aside& aside : why.asides)
    if (aside.name == name) return aside.value;
  return 0;
}

}  // namespace

void draw_rotation_dial(const Trace& trace, const Explanation& why, ImVec2 position, ImVec2 room) {
  if (why.rule != Rule::rotate || why.terms.size() < 2) return;
  const Canvas canvas;
  const float unit = ui_scale(), line = text_size(fonts().mono_small, "X").y;
  if (room.x < kLeastDialWidth * unit) return;
  const bool roomy = room.y > 220 * unit;
  const float side = std::min(room.x, std::clamp(room.y - (roomy ? 5 : 2) * (line + 2 * unit) - 8 * unit,
                                                 kLeastDialWidth * unit, 140 * unit));
  const Source &self = why.terms[0].factors[0], &partner = why.terms[1].factors[0];
  const bool lower = self.index[2] < partner.index[2];
  const Source &x = lower ? self : partner, &y = lower ? partner : self;
  const auto turned_x = static_cast<double>(trace.cell(why.cell.site, x.index));
  const auto turned_y = static_cast<double>(trace.cell(why.cell.site, y.index));
  const double longest = std::max({std::hypot(x.value, y.value), std::hypot(turned_x, turned_y), 1e-12});
  const ImVec2 centre(position.x + side / 2, position.y + side / 2);
  const float radius = side / 2 - 4 * unit;
  canvas.circle(centre, radius, theme().border, 48, unit);
  canvas.line(ImVec2(centre.x - radius, centre.y), ImVec2(centre.x + radius, centre.y), theme().border);
  canvas.line(ImVec2(centre.x, centre.y - radius), ImVec2(centre.x, centre.y + radius), theme().border);
  const auto tip = [&](double a, double b) {
    return ImVec2(centre.x + static_cast<float>(a / longest) * radius,
                  centre.y - static_cast<float>(b / longest) * radius);
  };
  const ImU32 colour = hue_colour(step_of(why.cell.site.slot).hue);
  arrow(canvas, centre, tip(x.value, y.value), theme().text_dim);
  arrow(canvas, centre, tip(turned_x, turned_y), colour);
  float at = position.y + side + 6 * unit;
  const auto row = [&](const std::string& text, ImU32 ink) {
    if (text_size(fonts().mono_small, text).x > room.x) return;
    draw_text(canvas, fonts().mono_small, ImVec2(position.x, at), ink, text);
    at += line + 2 * unit;
  };
  row(tr("steps.dial.pair", {std::to_string(x.index[2]), std::to_string(y.index[2])}), theme().text_dim);
  row(tr("steps.dial.angle", {precise(aside(why, "angle"))}), theme().text);
  if (!roomy) return;
  const double sine = lower ? -aside(why, "sin") : aside(why, "sin");
  row(tr("steps.dial.cos_sin", {precise(aside(why, "cos")), precise(sine)}), theme().text);
  row(tr("steps.dial.before", {precise(x.value), precise(y.value)}), theme().text_dim);
  row(tr("steps.dial.after", {precise(turned_x), precise(turned_y)}), colour);
}

void draw_cut_picture(const ViewContext& context, const Site& site, std::int64_t row, ImVec2 position,
                      ImVec2 size) {
  const int sequence = context.workspace.cursor.sequence;
  const Trace& trace = context.run.trace(sequence);
  const PatchSpec& patch = trace.config().of(site.stack).patch;
  PatchPicture picture;
  picture.id = "steps.picture";
  picture.picture = upload_model_picture(context.painter, context.run, sequence);
  picture.rows = patch.rows, picture.cols = patch.cols;
  picture.chosen = row;
  const PatchEvent event = draw_patch_picture(context.painter, picture, position, size);
  if (event.patch < 0) return;
  const std::string name =
      row_name(context.run, sequence, site.stack, stack_row(trace.config(), site, event.patch));
  ImGui::SetTooltip("%s", tr("steps.picture", {std::to_string(event.patch), name}).c_str());
  if (event.clicked) pin_cell(context.workspace, context.run, cell_at(trace, site, {event.patch, 0}));
}

void draw_activation_curve(const Trace& trace, const Explanation& why, ImVec2 position, ImVec2 size) {
  const bool bends = why.rule == Rule::cap;
  if ((why.rule != Rule::activation && !bends) || why.terms.empty()) return;
  const Activation kind = activation_at(trace.config(), why.cell.site);
  const auto cap = static_cast<float>(aside(why, "cap"));
  const auto curve = [&](float x) {
    return bends ? soft_cap(Tensor::from({x}, {{Axis::unit, 1}}), cap).at(0) : activate(kind, x);
  };
  const float value = static_cast<float>(why.terms[0].factors[0].value), unit = ui_scale();
  const float least = bends ? 2 * cap : 3.f;
  const float reach = std::isfinite(value) ? std::max(least, std::fabs(value) * 1.15f) : least;
  const float low = std::min(bends ? 0.f : -0.35f, curve(-reach)), high = curve(reach);
  const Canvas canvas;
  const auto place = [&](float x, float y) {
    return ImVec2(position.x + (x + reach) / (2 * reach) * size.x,
                  position.y + (high - y) / (high - low) * size.y);
  };
  canvas.rect(position, ImVec2(position.x + size.x, position.y + size.y), theme().border, 4 * unit);
  canvas.line(place(-reach, 0), place(reach, 0), theme().border);
  canvas.line(place(0, low), place(0, high), theme().border);
  std::vector<ImVec2> points;
  for (int i = 0; i < kSamples; ++i) {
    const float x = -reach + 2 * reach * static_cast<float>(i) / (kSamples - 1);
    points.push_back(place(x, curve(x)));
  }
  canvas.polyline(points, theme().mlp, false, 2 * unit);
  const float line = text_size(fonts().mono_small, "X").y;
  draw_text(canvas, fonts().small, ImVec2(position.x, position.y - line - 4 * unit), theme().text_dim,
            bends ? tr("steps.curve.cap", {short_number(static_cast<double>(cap))})
                  : tr("steps.curve.title", {activation_name(kind)}));
  const std::string end = short_number(static_cast<double>(reach));
  draw_text(
      canvas, fonts().mono_small,
      ImVec2(position.x + size.x - text_size(fonts().mono_small, end).x, position.y + size.y + 3 * unit),
      theme().text_dim, end);
  draw_text(canvas, fonts().mono_small, ImVec2(position.x, position.y + size.y + 3 * unit), theme().text_dim,
            short_number(static_cast<double>(-reach)));
  if (!std::isfinite(value)) return;
  const ImVec2 dot = place(value, curve(value));
  canvas.line(ImVec2(dot.x, place(0, 0).y), dot, theme().accent, unit);
  canvas.fill_circle(dot, 4.5f * unit, theme().accent);
}

}  // namespace attnscope
