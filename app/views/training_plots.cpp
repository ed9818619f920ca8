// Curves of a training run, and the norms of its layers as heatmaps of layer x step.
#include <algorithm>
#include <cmath>

#include "app/views/training_panes.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/session/training_difference.h"

namespace attnscope {
namespace {

constexpr int kTrainingPlotsPoints = 400, kStretches = 120;
constexpr float kLeastLoss = 118.f, kLeastAccuracy = 88.f, kLeastRate = 74.f, kStripRow = 15.f;  // units

LineSeries labelled(const std::vector<CurvePoint>& points, ImU32 colour, std::string label,
                    bool dashed = false) {
  LineSeries out;
  for (const CurvePoint& point : points)
    out.points.emplace_back(static_cast<float>(point.step), static_cast<float>(point.value));
  out.colour = colour;
  out.label = std::move(label);
  out.dashed = dashed;
  return out;
}
LineSeries series(const std::vector<CurvePoint>& points, ImU32 colour, const char* key, bool dashed = false) {
  return labelled(points, colour, tr(key), dashed);
}

std::vector<CurvePoint> held_out(const TrainingCurves& curves, double HeldOut::*what) {
  std::vector<CurvePoint> out;
  for (const HeldOut& point : curves.held_out) out.push_back({static_cast<double>(point.step), point.*what});
  return out;
}

bool differs(const std::vector<double>& a, const std::vector<double>& b) {
  return !std::equal(a.begin(), a.end(), b.begin(), b.end());
}

LinePlot plot_of(const TrainingScene& scene, const char* id, const char* title) {
  const TrainingCurves& curves = *scene.snapshot->curves;
  LinePlot plot;
  plot.key = id;
  plot.title = tr(title);
  plot.x0 = static_cast<float>(std::max(0, curves.first_step - 1));
  plot.x1 = plot.x0 + static_cast<float>(std::max(10, curves.steps()));
  plot.left = text_size(fonts().mono_small, "0.0000").x + 10 * ui_scale();  // common left edge
  plot.readout = true;
  plot.x_name = tr("training.step");
  if (!scene.newest) plot.x_marks.push_back(static_cast<float>(scene.shown.step));
  return plot;
}

std::string layer_label(const std::string& name) {
  const std::size_t blocks = name.find("blocks.");
  if (blocks == std::string::npos) return name;
  return name.substr(0, blocks) + name.substr(blocks + 7);
}

}  // namespace

// Keeps the run shown before this one as a curve to compare with.
void TrainingPlots::follow(const TrainingScene& scene) {
  if (last_ == scene.snapshot) return;
  const TrainingSettings& now = scene.snapshot->settings;
  if (last_ && last_->run != scene.snapshot->run) {
    const bool same = last_->settings.task == now.task && last_->settings.data == now.data;
    before_.reset();
    if (same && last_->curves->steps() > 0) before_ = Before{last_->settings, last_->curves, {}};
  }
  last_ = scene.snapshot;
  if (!before_) return;
  const std::string other = other_settings(before_->settings, now);
  before_->label = other.empty() ? std::string(tr("training.before")) : tr("training.before.other", {other});
}

void TrainingPlots::draw_loss(const TrainingScene& scene, ImVec2 at, ImVec2 size) {
  const TrainingCurves& curves = *scene.snapshot->curves;
  const Theme& t = theme();
  LinePlot plot = plot_of(scene, "training_loss", "training.loss");
  plot.log_y = log_;
  const bool smoothed = differs(curves.loss, curves.plain_loss);
  const auto line = [&](const std::vector<CurvePoint>& points, ImU32 colour, const char* key, bool dashed) {
    plot.series.push_back(series(points, dashed ? with_alpha(colour, 0.75f) : colour, key, dashed));
  };
  const auto steps = [&](const std::vector<double>& values) {
    return shortened_curve(values, curves.first_step, kTrainingPlotsPoints);
  };
  line(steps(curves.plain_loss), t.accent, "training.train", false);
  if (smoothed) line(steps(curves.loss), t.accent, "training.smoothed", true);
  if (before_)
    plot.series.push_back(labelled(
        shortened_curve(before_->curves->plain_loss, before_->curves->first_step, kTrainingPlotsPoints),
        t.text_dim, before_->label));
  line(held_out(curves, &HeldOut::plain_loss), t.residual, "training.held_out", false);
  plot.series.back().dots = true;
  if (smoothed) line(held_out(curves, &HeldOut::loss), t.residual, "training.smoothed", true);
  fit_y(plot);
  const Label label(tr("training.log"), "###train_log");
  plot.legend_inset = text_size(fonts().small, tr("training.log")).x + scaled(18);
  draw_line_plot(plot, at, size);
  const FontScope face(fonts().small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(6), scaled(1)));
  ImGui::SetCursorScreenPos(ImVec2(at.x + size.x - chip_width(label) - scaled(8), at.y));
  if (chip(label, log_, tr("training.log.help"))) log_ = !log_;
}

void TrainingPlots::draw_accuracy(const TrainingScene& scene, ImVec2 at, ImVec2 size) const {
  const TrainingCurves& curves = *scene.snapshot->curves;
  LinePlot plot = plot_of(scene, "training_accuracy", "training.accuracy");
  plot.series.push_back(series(shortened_curve(curves.accuracy, curves.first_step, kTrainingPlotsPoints),
                               theme().accent, "training.train"));
  if (before_)
    plot.series.push_back(labelled(
        shortened_curve(before_->curves->accuracy, before_->curves->first_step, kTrainingPlotsPoints),
        theme().text_dim, before_->label));
  plot.series.push_back(series(held_out(curves, &HeldOut::accuracy), theme().residual, "training.held_out"));
  plot.series.back().dots = true;
  plot.y0 = 0;
  plot.y1 = 1.02f;
  draw_line_plot(plot, at, size);
}

void TrainingPlots::draw_learning_rate(const TrainingScene& scene, ImVec2 at, ImVec2 size) const {
  const TrainingCurves& curves = *scene.snapshot->curves;
  LinePlot plot = plot_of(scene, "training_rate", "training.rate.title");
  plot.series.push_back(series(shortened_curve(curves.learning_rate, curves.first_step, kTrainingPlotsPoints),
                               theme().accent, "training.rate"));
  fit_y(plot);
  plot.y0 = 0;
  plot.series.back().label = tr("training.rate.used");
  draw_line_plot(plot, at, size);
}

void TrainingPlots::draw_strip(const ViewContext& context, const TrainingScene& scene, bool updates,
                               ImVec2 at, ImVec2 size) {
  const Tensor& values = strips_[updates ? 1 : 0];
  const float line = text_size(fonts().body_bold, "X").y + scaled(4);
  draw_text(Canvas(), fonts().body_bold, at, theme().text,
            tr(updates ? "training.updates" : "training.gradients"));
  if (values.empty()) return;
  const TrainingCurves& curves = *scene.snapshot->curves;
  const auto [lo, hi] = positive_range(values);
  MatrixPlot plot;
  plot.key = updates ? "training_updates" : "training_gradients";
  plot.values = values;
  plot.style.lo = lo;
  plot.style.hi = std::max(hi, lo * 1.01f);
  plot.style.log_scale = true;
  plot.show_numbers = false;
  plot.cols.show_labels = false;
  for (auto layer = curves.layers.rbegin(); layer != curves.layers.rend(); ++layer) {
    plot.rows.labels.push_back(layer_label(*layer));
    plot.row_label_width =
        std::max(plot.row_label_width, text_size(fonts().mono_small, plot.rows.labels.back()).x + scaled(12));
  }
  plot.cell = ImVec2((size.x - plot.row_label_width - scaled(14)) / static_cast<float>(values.size(1)),
                     scaled(kStripRow));
  const float height = plot.cell.y * static_cast<float>(values.size(0)) + scaled(2);
  const MatrixEvent event =
      draw_matrix(context.painter, plot, ImVec2(at.x, at.y + line), ImVec2(size.x, height));
  const std::string range =
      tr("training.range", {short_number(static_cast<double>(lo)), short_number(static_cast<double>(hi))});
  const float wide = text_size(fonts().small, range).x;
  const float title = text_size(fonts().body_bold, tr(updates ? "training.updates" : "training.gradients")).x;
  if (title + wide < size.x - scaled(24))
    draw_text(Canvas(), fonts().small, ImVec2(at.x + size.x - wide - scaled(14), at.y + scaled(2)),
              theme().text_dim, range);
  if (!event.hovered()) return;
  const std::int64_t cols = values.size(1), steps = curves.steps();
  const std::int64_t first = event.col * steps / cols, last = (event.col + 1) * steps / cols - 1;
  ImGui::SetTooltip("%s",
                    tr("training.strip.help",
                       {plot.rows.labels[static_cast<std::size_t>(event.row)],
                        std::to_string(curves.first_step + first), std::to_string(curves.first_step + last),
                        short_number(static_cast<double>(values.at(event.row, event.col)))})
                        .c_str());
}

float TrainingPlots::draw(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size) {
  follow(scene);
  const TrainingCurves& curves = *scene.snapshot->curves;
  const auto version = key_of({scene.snapshot->run, scene.snapshot->version});
  if (version != strips_version_) {
    strips_version_ = version;
    strips_[0] = layer_strip(curves.gradients, kStretches);
    strips_[1] = layer_strip(curves.updates, kStretches);
  }
  const float rows = static_cast<float>(std::max<std::size_t>(1, curves.layers.size()));
  const float strips = scaled(kStripRow) * rows + text_size(fonts().body_bold, "X").y + scaled(10);
  const float gap = scaled(6);
  const float least = scaled(kLeastLoss + kLeastAccuracy + kLeastRate);
  const float room = std::max(least, size.y - strips - 3 * gap), spare = room - least;
  const float loss = scaled(kLeastLoss) + spare * 0.5f, accuracy = scaled(kLeastAccuracy) + spare * 0.32f;
  const float rate = room - loss - accuracy;
  float y = at.y;
  draw_loss(scene, ImVec2(at.x, y), ImVec2(size.x, loss));
  y += loss + gap;
  draw_accuracy(scene, ImVec2(at.x, y), ImVec2(size.x, accuracy));
  y += accuracy + gap;
  draw_learning_rate(scene, ImVec2(at.x, y), ImVec2(size.x, rate));
  y += rate + gap;
  const float half = size.x / 2;
  draw_strip(context, scene, false, ImVec2(at.x, y), ImVec2(half, strips));
  draw_strip(context, scene, true, ImVec2(at.x + half, y), ImVec2(half, strips));
  return y + strips - at.y;
}

}  // namespace attnscope
