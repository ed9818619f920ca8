#include "app/views/training_series.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/views/training_panes.h"
#include "app/widgets/pieces.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kSeriesAtOnce = std::uint64_t{64} << 20;  // bytes of all files: read without a click
constexpr float kSeriesLeast = 130.f;                             // units: height of a plot
constexpr std::size_t kSeriesLabels = 12;                         // heads with an entry in the legend

std::string measure_title(const std::string& measure) {
  return tr(measure == kLossMeasure ? "training.series.loss" : "training.series.measure");
}

float share_of(int member, std::size_t count) {
  return member < 0 ? -1.f
                    : static_cast<float>(member) / static_cast<float>(std::max<std::size_t>(1, count - 1));
}

// Steps that grow by factors are shown on a logarithmic axis.
bool grows_by_factors(const CheckpointSeries& series) {
  const auto& members = series.members;
  const auto first =
      std::find_if(members.begin(), members.end(), [](const auto& one) { return one.step > 0; });
  return first != members.end() && members.back().step > 200 * first->step;
}

ImU32 head_shade(int layer, int layers, int head, int heads) {
  const Theme& t = theme();
  const ImU32 hues[] = {t.accent, t.residual, t.attention, t.k, t.v, t.ok};
  const float share = heads > 1 ? static_cast<float>(head) / static_cast<float>(heads - 1) : 0.f;
  const int hue = layers > 6 ? layer * 6 / layers : layer;
  return with_alpha(hues[hue % 6], 1.f - 0.55f * share);
}

void add_level(LinePlot& plot, LineSeries level, std::string name) {
  level.colour = theme().text_dim;
  level.dashed = true;
  level.label = std::move(name);
  plot.series.push_back(std::move(level));
  fit_y(plot);
}

}  // namespace

bool TrainingSeries::possible(const ViewContext& context) {
  const auto& opened = context.run.document.opened;
  return opened && opened->series && !context.session.shows_training();
}

std::string TrainingSeries::probed(const ViewContext& context) const {
  const auto& prompts = context.run.document.data.prompts;
  if (!probing_ || !prompts || prompts->lines.empty()) return {};
  return prompts->lines.front().answer.empty() ? "token" : "answer";
}

const SeriesQuestion& TrainingSeries::question(const ViewContext& context) {
  const AskedMeasure& asked = context.workspace.asking.measure;
  const auto& made =
      question_.get({context.run.version, reinterpret_cast<std::uintptr_t>(series_.get()), key_of(asked.text),
                     static_cast<std::uint64_t>(asked.row + 1), key_of(likely_), key_of(probed(context))},
                    [&] {
                      SeriesQuestion out;
                      out.series = series_;
                      out.document = context.run.document;
                      if (context.run.document.model->config().predicts_next())
                        out.measures.emplace_back(kLossMeasure);
                      if (!asked.text.empty()) {
                        if (const auto answer = asked.of(context.run); answer && answer->measure)
                          out.measures.push_back(answer->text);
                      } else if (!likely_.empty()) {
                        out.measures.push_back(likely_);
                      }
                      out.at = asked.row;
                      out.probe = probed(context);
                      return std::pair(out.key(), out);
                    });
  question_key_ = made.first;
  return made.second;
}

void TrainingSeries::follow(const ViewContext& context) {
  const auto& opened = *context.run.document.opened;
  if (!series_ || series_->folder != opened.series->folder) {
    log_ = grows_by_factors(*opened.series);
    asked_.stop();
    tried_ = 0;
    likely_.clear();
  }
  series_ = opened.series;
  shown_ = series_->index_of(opened.path);
  if (!context.session.opening()) wanted_ = shown_;
  const auto pinned = context.session.pinned();
  pinned_ = pinned ? series_->index_of(pinned->document.opened->path) : -1;
  curves_ = asked_.newest();
  const auto answer = context.workspace.asking.measure.of(context.run);
  if (context.session.opening() || !answer) return;
  // Where no measure was typed: the likeliest output against the second of the step that was open first, so
  // that all steps are asked the same.
  const std::vector<int> ids = context.run.document.sequences.empty()
                                   ? std::vector<int>()
                                   : context.run.document.sequences.front().input.ids;
  if (answer->measure && (likely_.empty() || ids != likely_ids_)) likely_ = answer->text, likely_ids_ = ids;
  const SeriesQuestion& next = question(context);
  const bool small = opened.file_bytes * series_->members.size() <= kSeriesAtOnce;
  if (!small || tried_ == question_key_ || (curves_ && curves_->key == question_key_)) return;
  tried_ = question_key_;
  context.commands.act([this, next](Session& session) { asked_.start(session.workers(), next); });
}

void TrainingSeries::want(const ViewContext& context, int member) {
  const int last = static_cast<int>(series_->members.size()) - 1;
  member = std::clamp(member, 0, last);
  if (member == wanted_) return;
  wanted_ = member;
  const std::string path = series_->members[static_cast<std::size_t>(member)].path;
  context.commands.act([path](Session& session) { session.open_checkpoint(path); });
}

// Arrow keys go to the checkpoint before and after.
void TrainingSeries::walk(const ViewContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  if (context.workspace.view != "training" || io.WantTextInput || io.KeyCtrl || ImGui::IsAnyItemActive())
    return;
  const int by = compat::arrow_pressed();
  if (by != 0) want(context, std::max(0, wanted_) + by);
}

bool TrainingSeries::draw_head(const ViewContext& context, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Label own(tr("training.series.train"), "###train_own");
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - chip_width(own), at.y));
  const bool leaves = chip(own, false, tr("training.series.train.help"));
  ImGui::SetCursorScreenPos(at);
  const CheckpointMember* shown = shown_ < 0 ? nullptr : &series_->members[static_cast<std::size_t>(shown_)];
  const std::string count = std::to_string(series_->members.size());
  const std::string title = shown ? tr("training.series.title", {format_count(shown->step), count})
                                  : tr("training.series.none", {count});
  const float room = width - chip_width(own) - scaled(16);
  draw_text(Canvas(), fonts().body_bold, at, theme().text, middle_truncated(fonts().body_bold, title, room));
  const float y = at.y + text_size(fonts().body_bold, "X").y + scaled(3);
  draw_text(Canvas(), fonts().small, ImVec2(at.x, y), theme().text_dim,
            middle_truncated(fonts().small, series_->folder, room));
  end_at(ImVec2(at.x, y + text_size(fonts().small, "X").y + scaled(8)));
  (void)context;
  return leaves;
}

void TrainingSeries::draw_slider(const ViewContext& context, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::size_t count = series_->members.size();
  const Label pin(tr("training.series.pin"), "###train_pin");
  const std::string last = tr("training.shown", {format_count(series_->members.back().step)});
  const float step_width = text_size(fonts().mono, last).x;
  const float right = chip_width(pin) + step_width + scaled(20);
  Track track{"###train_series",
              tr("training.series.help"),
              {},
              share_of(dragged_ >= 0 ? dragged_ : wanted_, count),
              share_of(pinned_, count)};
  for (std::size_t i = 0; i < count; ++i) track.ticks.push_back(share_of(static_cast<int>(i), count));
  const TrackEvent event = draw_track(track, at, width - right);
  if (event.dragged) dragged_ = static_cast<int>(std::lround(event.share * static_cast<float>(count - 1)));
  if (event.released && dragged_ >= 0) want(context, std::exchange(dragged_, -1));
  const int at_step = dragged_ >= 0 ? dragged_ : wanted_;
  if (at_step >= 0)
    draw_text(
        Canvas(), fonts().mono,
        ImVec2(at.x + width - right + scaled(6), at.y + (scaled(28) - text_size(fonts().mono, "0").y) / 2),
        at_step == shown_ ? theme().text : theme().text_dim,
        tr("training.shown", {format_count(series_->members[static_cast<std::size_t>(at_step)].step)}));
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - chip_width(pin), at.y));
  const bool here = pinned_ >= 0 && pinned_ == shown_;
  if (chip(pin, here, tr("training.series.pin.help")))
    context.commands.act([here](Session& session) { here ? session.unpin() : session.pin(); });
  end_at(ImVec2(at.x, at.y + scaled(36)));
}

// What of the curves is known, and what was passed over.
void TrainingSeries::draw_state(const ViewContext& context, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const SeriesQuestion& next = question(context);
  const bool running = asked_.running(), current = curves_ && curves_->key == question_key_;
  const Label label(tr(running ? "training.series.stop" : "training.series.start"), "###train_curves");
  float x = at.x;
  if (running || !current || !curves_->done) {
    if (chip(label, false, tr("training.series.start.help")))
      context.commands.act([this, running, next](Session& session) {
        running ? asked_.stop() : asked_.start(session.workers(), next);
      });
    x += chip_width(label) + scaled(10);
  }
  const std::string known = std::to_string(curves_ ? curves_->points.size() : 0),
                    all = std::to_string(series_->members.size());
  const auto broken = [](const SeriesPoint& point) { return point.error.has_value(); };
  const std::ptrdiff_t lost =
      curves_ ? std::count_if(curves_->points.begin(), curves_->points.end(), broken) : 0;
  std::string text = !curves_               ? std::string(tr("training.series.ask"))
                     : curves_->error       ? curves_->error->text()
                     : !current && !running ? std::string(tr("training.series.other"))
                     : curves_->done        ? std::string(tr("training.series.done"))
                                            : tr("training.series.known", {known, all});
  bool warns = curves_ && (curves_->error || (!current && !running));
  if (lost > 0 && !warns) {
    const auto first = std::find_if(curves_->points.begin(), curves_->points.end(), broken);
    text = tr("training.series.lost",
              {std::to_string(lost), format_count(first->step), first->error->sentence()});
    warns = true;
  }
  const FontScope face(fonts().small);
  const ColourScope ink(ImGuiCol_Text, warns ? theme().warning : theme().text_dim);
  ImGui::SetCursorScreenPos(ImVec2(x, at.y + scaled(4)));
  note_text(text);
  text_in_lines(text, at.x + width - x);
  note_item("train_series_state");
  end_at(ImVec2(at.x, std::max(ImGui::GetCursorScreenPos().y, at.y + scaled(26)) + scaled(4)));
}

LinePlot TrainingSeries::plot_of(const char* id, std::string title) const {
  LinePlot plot;
  plot.key = id;
  plot.title = std::move(title);
  plot.readout = true;
  plot.log_x = log_;
  plot.x_name = tr("training.step");
  const auto& members = series_->members;
  const auto first =
      std::find_if(members.begin(), members.end(), [&](const auto& one) { return one.step > 0 || !log_; });
  plot.x0 = first == members.end() ? 0.f : static_cast<float>(first->step);
  plot.x1 = std::max(plot.x0 + 1, static_cast<float>(members.back().step));
  plot.left = text_size(fonts().mono_small, "0.0000").x + 10 * ui_scale();
  for (const int member : {pinned_, shown_})
    if (member >= 0 && (!log_ || members[static_cast<std::size_t>(member)].step > 0))
      plot.x_marks.push_back(static_cast<float>(members[static_cast<std::size_t>(member)].step));
  return plot;
}

// A click goes to the checkpoint that is nearest on the axis.
void TrainingSeries::draw_plot(const ViewContext& context, const LinePlot& plot, ImVec2 at, ImVec2 size) {
  const LineEvent event = draw_line_plot(plot, at, size);
  if (!event.clicked) return;
  const auto distance = [&](const CheckpointMember& member) {
    const auto x = static_cast<float>(member.step);
    return log_ ? std::fabs(std::log(std::max(x, 0.5f)) - std::log(std::max(event.x, 0.5f)))
                : std::fabs(x - event.x);
  };
  const auto& members = series_->members;
  const auto nearest = std::min_element(members.begin(), members.end(), [&](const auto& a, const auto& b) {
    return distance(a) < distance(b);
  });
  want(context, static_cast<int>(nearest - members.begin()));
}

std::vector<LinePlot> TrainingSeries::measure_plots() const {
  std::vector<LinePlot> out;
  for (std::size_t i = 0; i < curves_->measures.size(); ++i) {
    LinePlot plot =
        plot_of(i == 0 ? "train_series_first" : "train_series_second", measure_title(curves_->measures[i]));
    LineSeries line;
    line.colour = theme().accent;
    line.dots = true;
    line.label = curves_->measures[i];
    for (const SeriesPoint& point : curves_->points)
      if (in_sight(point) && i < point.values.size() && std::isfinite(point.values[i].value))
        line.points.emplace_back(static_cast<float>(point.step), static_cast<float>(point.values[i].value));
    plot.series.push_back(std::move(line));
    if (!plot.series.front().points.empty()) fit_y(plot);
    out.push_back(std::move(plot));
  }
  return out;
}

TrainingSeries::PlaceLines TrainingSeries::lines_of(std::string_view measure, int least_head,
                                                    LineSeries& chance) const {
  PlaceLines lines;
  for (const SeriesPoint& point : curves_->points) {
    if (!in_sight(point)) continue;
    bool first = true;
    for (const CurveValue& value : point.values) {
      if (value.head < least_head || value.measure != measure) continue;
      const auto step = static_cast<float>(point.step);
      LineSeries& line = lines[{value.layer, value.head}];
      line.points.emplace_back(step, static_cast<float>(value.value));
      line.label = value.at;
      if (std::exchange(first, false)) chance.points.emplace_back(step, static_cast<float>(value.chance));
    }
  }
  return lines;
}

// The role of every head: a line each, and the level of chance. Without lines where no head has the role.
LinePlot TrainingSeries::head_plot(const ModelConfig& config, bool titled) const {
  const std::string name(role_name(role.value));
  LinePlot plot =
      plot_of("train_series_heads", titled ? std::string(tr("attention.role_long." + name)) : std::string());
  LineSeries chance;
  PlaceLines lines = lines_of(name, 0, chance);
  const int layers = static_cast<int>(config.n_layers());
  for (auto& [place, line] : lines) {
    const auto& block = config.blocks[static_cast<std::size_t>(std::clamp(place.first, 0, layers - 1))];
    line.colour = head_shade(place.first, layers, place.second, block.attention.n_heads);
    line.dots = lines.size() <= kSeriesLabels;
    line.label = lines.size() <= kSeriesLabels ? format("%d.%d", place.first, place.second) : std::string();
    plot.series.push_back(std::move(line));
  }
  if (plot.series.empty()) return plot;
  add_level(plot, std::move(chance), tr("training.series.chance"));
  plot.y0 = 0, plot.y1 = std::clamp(plot.y1, 0.25f, 1.02f);
  return plot;
}

void TrainingSeries::draw_curves(const ViewContext& context, ImVec2 at, ImVec2 size) {
  if (!curves_ || curves_->series->folder != series_->folder) return;
  const float gap = scaled(22), left = (size.x - gap) * 0.5f;
  const std::size_t count = std::max<std::size_t>(1, curves_->measures.size());
  const float height = std::max(scaled(kSeriesLeast), size.y / static_cast<float>(count) - scaled(10));
  const std::uint64_t of =
      key_of({reinterpret_cast<std::uintptr_t>(curves_.get()), log_, static_cast<std::uint64_t>(shown_ + 1),
              static_cast<std::uint64_t>(pinned_ + 1)});
  const std::vector<LinePlot>& measures = measures_.get({of}, [&] { return measure_plots(); });
  for (std::size_t i = 0; i < measures.size(); ++i)
    if (!measures[i].series.front().points.empty())
      draw_plot(context, measures[i], ImVec2(at.x, at.y + static_cast<float>(i) * (height + scaled(10))),
                ImVec2(left, height));
  draw_right(context, of, ImVec2(at.x + left + gap, at.y), ImVec2(left, size.y));
}

// The roles of the heads, or probes at every depth.
void TrainingSeries::draw_right(const ViewContext& context, std::uint64_t of, ImVec2 at, ImVec2 size) {
  ChipRow row(at, size.x, {{7, 3}, 4});
  const Role before = role.value;
  choose(row, role);
  if (role.value != before) probing_ = false;
  const bool data = context.run.document.data.prompts != nullptr;
  const Label label(tr("training.series.probe"), "###train_probe");
  if (data && row(label, probing_, tr("training.series.probe.help"))) probing_ = !probing_;
  const float top = row.height() + scaled(8);
  const bool titled = size.x >= scaled(700), probes = !probed(context).empty();
  const LinePlot& plot = probes ? probes_.get({of}, [&] { return probe_plot(); })
                                : heads_.get({of, static_cast<std::uint64_t>(role.value), titled}, [&] {
                                    return head_plot(context.run.document.model->config(), titled);
                                  });
  const ImVec2 place(at.x, at.y + top);
  if (plot.series.empty()) {
    const FontScope face(fonts().small);
    ImGui::SetCursorScreenPos(place);
    caption(tr(probes ? "training.series.no_probe" : "training.series.no_role"), size.x);
    return;
  }
  draw_plot(context, plot, place, ImVec2(size.x, std::max(scaled(kSeriesLeast), size.y - top)));
}

// A line for each depth: how much of the held-out rows a linear map reads off there, and the commonest class.
LinePlot TrainingSeries::probe_plot() const {
  LinePlot plot = plot_of("train_series_probes", tr("training.series.probe.title"));
  LineSeries chance;
  PlaceLines lines = lines_of(kProbeMeasure, -1, chance);
  const int depths = static_cast<int>(lines.size());
  for (auto& [place, line] : lines) {
    line.colour = head_shade(place.first, depths, 0, 1);
    line.dots = lines.size() <= kSeriesLabels;
    if (lines.size() > kSeriesLabels) line.label.clear();
    plot.series.push_back(std::move(line));
  }
  if (plot.series.empty()) return plot;
  add_level(plot, std::move(chance), tr("training.series.guessing"));
  plot.y0 = 0, plot.y1 = 1.02f;
  return plot;
}

bool TrainingSeries::draw(const ViewContext& context, float width, ImVec2 room) {
  follow(context);
  walk(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const bool leaves = draw_head(context, width);
  draw_slider(context, width);
  draw_state(context, width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Label log(tr("training.log"), "###train_series_log");
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - chip_width(log), at.y - scaled(32)));
  if (chip(log, log_, tr("training.series.log.help"))) log_ = !log_;
  draw_curves(context, at,
              ImVec2(width, std::max(scaled(2 * kSeriesLeast + 20), origin.y + room.y - at.y - scaled(8))));
  return leaves;
}

}  // namespace attnscope
