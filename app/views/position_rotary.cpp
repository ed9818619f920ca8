#include "app/views/position_rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/look/item_map.h"
#include "app/views/position_pages.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/computed.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kPositionRotaryTokensPerSecond = 3.f;
constexpr std::int64_t kLeastCurve = 32, kMostCurve = 128;           // largest distance in the curve
constexpr float kLeastDial = 26.f, kPositionRotaryMostDial = 190.f;  // units

struct Variant {
  RopeSpec::Kind kind;
  const char* name;
};
constexpr Variant kVariants[] = {{RopeSpec::Kind::standard, "standard"},
                                 {RopeSpec::Kind::linear, "linear"},
                                 {RopeSpec::Kind::dynamic, "dynamic"},
                                 {RopeSpec::Kind::llama3, "llama3"},
                                 {RopeSpec::Kind::yarn, "yarn"}};

// A row of Q or K before the rotation: projected, or normed.
Tensor projected(const Trace& trace, Site site, Slot normed, std::int64_t head, std::int64_t pos) {
  Site own = site;
  own.slot = normed;
  if (trace.find(own)) site = own;
  const Record* record = trace.find(site);
  if (!record) return {};
  const Tensor row = trace.slice(site, trace.own_head(site, head), {pos, pos + 1}, {0, record->shape.back()});
  return row.empty() || row.size(0) == 0 ? Tensor() : row.select(0, 0);
}

void draw_arrow(const Canvas& canvas, ImVec2 from, ImVec2 to, ImU32 colour, float thickness) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 1) return;
  const float ux = dx / length, uy = dy / length, head = std::min(length * 0.55f, thickness * 3.2f);
  canvas.line(from, ImVec2(to.x - ux * head * 0.7f, to.y - uy * head * 0.7f), colour, thickness);
  canvas.fill_triangle(to, ImVec2(to.x - ux * head - uy * head * 0.55f, to.y - uy * head + ux * head * 0.55f),
                       ImVec2(to.x - ux * head + uy * head * 0.55f, to.y - uy * head - ux * head * 0.55f),
                       colour);
}

double longest_of(const std::vector<RotaryPair>& pairs) {
  double longest = 1e-12;
  for (const RotaryPair& pair : pairs)
    longest = std::max({longest, std::hypot(pair.q[0], pair.q[1]), std::hypot(pair.k[0], pair.k[1])});
  return longest;
}

}  // namespace

bool RotaryPage::possible(const Trace& trace, Stack stack, int layer) {
  return trace.config().attention_at(site_of(StepRole::split, layer, stack)).position.rotates() &&
         trace.find(site_of(StepRole::split, layer, stack)) &&
         trace.find(site_of(slot_of(StepRole::split, Hue::key), layer, stack));
}

void RotaryPage::follow(const ViewContext& context) {
  Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  stack_ = cursor.stack;
  layer_ = std::clamp(cursor.layer, 0, trace.config().of(stack_).n_layers() - 1);
  const std::int64_t rows = trace.rows(stack_);
  const auto clamped = [&](std::int64_t pos) { return std::clamp<std::int64_t>(pos, 0, rows - 1); };
  if (playing_) {
    context.workspace.moving = true;
    move_.value =
        std::fmod(move_ + ImGui::GetIO().DeltaTime * kPositionRotaryTokensPerSecond * context.workspace.speed,
                  kFarthestMove);
  }
  const std::uint64_t key = key_of(
      {context.run.version, static_cast<std::uint64_t>(cursor.sequence), static_cast<std::uint64_t>(stack_),
       static_cast<std::uint64_t>(layer_), static_cast<std::uint64_t>(cursor.head),
       static_cast<std::uint64_t>(cursor.query), static_cast<std::uint64_t>(cursor.key)});
  const Positions positions = trace.positions(stack_);
  query_pos_ = static_cast<double>(positions.of(clamped(cursor.query)));
  key_pos_ = static_cast<double>(positions.of(clamped(cursor.key)));
  if (key != key_) {
    key_ = key;
    q_ = projected(trace, site_of(StepRole::split, layer_, stack_), slot_of(StepRole::head_norm, Hue::query),
                   cursor.head, clamped(cursor.query));
    k_ = projected(trace, site_of(slot_of(StepRole::split, Hue::key), layer_, stack_),
                   slot_of(StepRole::head_norm, Hue::key), cursor.head, clamped(cursor.key));
    curve_.clear();
    if (q_.empty() || k_.empty()) return;
    rotary_ = rotary_of(trace, site_of(StepRole::split, layer_, stack_));
    wavelengths_ = wavelengths_of(rotary_);
    const std::int64_t far = std::clamp(2 * rows, kLeastCurve, kMostCurve);
    for (auto d = std::min<std::int64_t>(0, std::llround(query_pos_ - key_pos_)); d <= far; ++d)
      curve_.emplace_back(static_cast<float>(d),
                          static_cast<float>(rotary_dot(q_, k_, rotary_, static_cast<double>(d), 0)));
    dot_ = rotary_dot(q_, k_, rotary_, query_pos_, key_pos_);
  }
  if (q_.empty() || k_.empty()) return;
  const double move = static_cast<double>(move_.value);
  moved_dot_ = rotary_dot(q_, k_, rotary_, query_pos_ + move, key_pos_ + move);
  pairs_.clear();
  const Rotary turning = shown(context);
  wavelengths_ = wavelengths_of(turning);
  selected_ = std::clamp(selected_, 0, std::max(0, static_cast<int>(wavelengths_.size()) - 1));
  for (std::size_t pair = 0; pair < wavelengths_.size(); ++pair)
    pairs_.push_back(
        rotary_pair(q_, k_, turning, static_cast<std::int64_t>(pair), query_pos_ + move, key_pos_ + move));
}

void RotaryPage::draw_controls(const ViewContext& context, float width) {
  Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const int layers = trace.config().of(stack_).n_layers();
  const std::int64_t heads =
      trace.config().attention_at(site_of(StepRole::pattern, cursor.layer, stack_)).n_heads;
  const std::int64_t last = trace.rows(stack_) - 1;
  const float gap = scaled(14), play = context.workspace.animate ? scaled(38) : 0;
  const float slider = (width - play - 4 * gap) / 5.2f;
  std::int64_t layer = cursor.layer, head = cursor.head;
  const auto label = [&](const char* key, std::int64_t pos) {
    return tr(key, {row_name(context.run, cursor.sequence, stack_, pos)});
  };
  (void)slider_int("###rope_layer", tr("position.layer"), layer, 0, layers - 1, slider,
                   tr("position.layer.help"));
  ImGui::SameLine(0, gap);
  (void)slider_int("###rope_head", tr("position.head"), head, 0, heads - 1, slider, tr("position.head.help"));
  ImGui::SameLine(0, gap);
  (void)slider_int("###rope_query", label("position.query", cursor.query), cursor.query, 0, last, slider,
                   tr("position.query.help"));
  ImGui::SameLine(0, gap);
  (void)slider_int("###rope_key", label("position.key", cursor.key), cursor.key, 0, last, slider,
                   tr("position.key.help"));
  ImGui::SameLine(0, gap);
  cursor.layer = static_cast<int>(layer);
  cursor.head = static_cast<int>(head);
  if (play > 0) {
    if (play_button("###rope_play", playing_, tr("position.play"))) playing_ = !playing_;
    ImGui::SameLine(0, scaled(10));
  } else {
    playing_ = false;
  }
  (void)slide(move_, "+%.1f", slider * 1.2f);
}

void RotaryPage::draw_dial(std::size_t pair, ImVec2 centre, float radius, float longest) const {
  const Theme& t = theme();
  const Canvas canvas;
  const RotaryPair& at = pairs_[pair];
  const bool selected = static_cast<int>(pair) == selected_;
  canvas.fill_circle(centre, radius, t.panel_raised);
  canvas.circle(centre, radius, selected ? t.accent : t.border, 0, scaled(selected ? 2.f : 1.f));
  const auto hand = [&](const double(&v)[2], ImU32 colour, const char* name, float aside) {
    const float length = static_cast<float>(std::hypot(v[0], v[1]));
    if (length <= 0) return;
    const float x = static_cast<float>(v[0]) / length,
                y = -static_cast<float>(v[1]) / length;  // y grows downwards
    canvas.line(centre, ImVec2(centre.x + x * radius, centre.y + y * radius), with_alpha(colour, 0.35f),
                scaled(1.2f));
    const float reach = radius * length / longest;
    draw_arrow(canvas, centre, ImVec2(centre.x + x * reach, centre.y + y * reach), colour,
               std::clamp(radius * 0.05f, scaled(1.6f), scaled(3.2f)));
    if (radius < scaled(34)) return;
    const ImVec2 size = text_size(fonts().mono_small, name);
    const float away = radius - scaled(10);
    draw_text(
        canvas, fonts().mono_small,
        ImVec2(centre.x + x * away - size.x / 2 - y * aside, centre.y + y * away - size.y / 2 + x * aside),
        colour, name);
  };
  // Each label is on the side of its hand away from the other hand, so that they do not overlap.
  const double turn = at.rotated_k[1] * at.rotated_q[0] - at.rotated_k[0] * at.rotated_q[1];
  const float aside = scaled(turn > 0 ? 9.f : -9.f);
  hand(at.rotated_k, t.k, "k", -aside);
  hand(at.rotated_q, t.q, "q", aside);
}

void RotaryPage::draw_dials(ImVec2 at, ImVec2 room) {
  const int count = static_cast<int>(pairs_.size());
  const float line = text_size(fonts().mono_small, "0").y;
  // The largest dials that all fit.
  float side = 0;
  const int columns = best_columns(count, room, line, scaled(kPositionRotaryMostDial), side);
  side = std::max(side, scaled(kLeastDial));
  const float longest = static_cast<float>(longest_of(pairs_)),
              step = std::min(room.x / static_cast<float>(columns), side * 1.35f);
  for (int pair = 0; pair < count; ++pair) {
    const float row = static_cast<float>(pair / columns), col = static_cast<float>(pair % columns);
    const ImVec2 corner(at.x + col * step, at.y + row * (side + line));
    if (corner.y + side > at.y + room.y + scaled(2)) return;
    const ImVec2 centre(corner.x + step / 2, corner.y + side / 2);
    draw_dial(static_cast<std::size_t>(pair), centre, side / 2 - scaled(3), longest);
    const std::string wavelength = short_number(wavelengths_[static_cast<std::size_t>(pair)]);
    const std::string full = tr("position.dial.tokens", {wavelength});
    const std::string& text = text_size(fonts().mono_small, full).x + scaled(2) <= step ? full : wavelength;
    const float wide = text_size(fonts().mono_small, text).x;
    if (wide + scaled(2) <= step)
      draw_text(Canvas(), fonts().mono_small, ImVec2(centre.x - wide / 2, corner.y + side - scaled(1)),
                theme().text_dim, text);
    ImGui::SetCursorScreenPos(corner);
    if (hit_area(("###dial_" + std::to_string(pair)).c_str(), ImVec2(step, side))) selected_ = pair;
    if (!ImGui::IsItemHovered()) continue;
    const RotaryPair& now = pairs_[static_cast<std::size_t>(pair)];
    ImGui::SetTooltip("%s",
                      tr("position.dial.help", {std::to_string(pair), wavelength, format("%.3f", now.angle_q),
                                                format("%.3f", now.angle_k), format("%.5f", now.dot)})
                          .c_str());
  }
}

void RotaryPage::draw_numbers(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const Theme& t = theme();
  const Cursor& cursor = context.workspace.cursor;
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("rope_numbers", room, ImGuiWindowFlags_NoScrollbar);
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(8), scaled(3)));
  const auto number = [&](const std::string& name, const std::string& value, ImU32 colour) {
    const ImVec2 here = ImGui::GetCursorScreenPos();
    const Canvas canvas;
    const ImVec2 size = text_size(fonts().mono, value);
    draw_text(canvas, fonts().small, ImVec2(here.x, here.y + scaled(2)), t.text_dim,
              middle_truncated(fonts().small, name, room.x - size.x - scaled(16)));
    draw_text(canvas, fonts().mono, ImVec2(here.x + room.x - size.x - scaled(8), here.y), colour, value);
    ImGui::Dummy(ImVec2(1, size.y + scaled(2)));
  };
  const auto exact = [](double value) { return format("%.6f", value); };
  const auto place = [](double pos) { return format("%.4g", pos); };
  section_heading(tr("position.dot"));
  number(tr("position.dot.here", {place(query_pos_), place(key_pos_)}), exact(dot_), t.text);
  const double move = static_cast<double>(move_.value);
  number(tr("position.dot.moved", {format("%.1f", query_pos_ + move), format("%.1f", key_pos_ + move)}),
         exact(moved_dot_), t.text);
  const double difference = std::fabs(moved_dot_ - dot_);
  number(tr("position.dot.difference"), format("%.1e", difference), difference < 1e-9 ? t.ok : t.warning);
  const Trace& trace = context.run.trace(cursor.sequence);
  const float score =
      trace.cell(site_of(StepRole::scores, cursor.layer, stack_), {cursor.head, cursor.query, cursor.key});
  if (std::isfinite(score)) number(tr("position.dot.trace"), exact(static_cast<double>(score)), t.text_dim);
  ImGui::Dummy(ImVec2(1, scaled(3)));
  const auto pair = static_cast<std::size_t>(selected_);
  number(tr("position.pair", {std::to_string(selected_)}), exact(pairs_[pair].dot), t.text);
  caption(tr("position.pair.wavelength",
             {short_number(wavelengths_[pair]), short_number(2 * std::numbers::pi / wavelengths_[pair])}));
}

void RotaryPage::draw_distance(ImVec2 at, ImVec2 room) {
  LinePlot plot = dotted_plot("rope_distance", curve_, theme().attention);
  plot.x_title = tr("position.distance.axis");
  plot.x_marks.push_back(static_cast<float>(query_pos_ - key_pos_));
  (void)draw_line_plot(plot, at, room);
}

Rotary RotaryPage::shown(const ViewContext& context) const {
  if (variant_ < 0 || page_ != Page::variants) return rotary_;
  const ModelConfig& config = context.run.trace(context.workspace.cursor.sequence).config().of(stack_);
  return rotary_variant(config, layer_, kVariants[variant_.value].kind, static_cast<double>(factor_.value));
}

// Tokens per turn of every pair, for each kind of frequency scaling.
void RotaryPage::draw_variants(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const ModelConfig& config = context.run.trace(context.workspace.cursor.sequence).config().of(stack_);
  const float slider = scaled(110);
  float x = at.x + slider + scaled(14);
  ImGui::SetCursorScreenPos(at);
  (void)slide(factor_, "%.1f", slider);
  const float used = std::max(scaled(34), ImGui::GetItemRectMax().y - at.y) + scaled(4);
  ChipRow row(ImVec2(x, at.y + scaled(6)), at.x + room.x - x, {{6, 3}, 4, true});
  choose(row, variant_);
  LinePlot plot;
  plot.key = "rope_variants";
  const ImU32 colours[] = {theme().attention, theme().v, theme().mlp, theme().warning, theme().k};
  for (std::size_t i = 0; i < std::size(kVariants); ++i) {
    const Rotary rotary =
        rotary_variant(config, layer_, kVariants[i].kind, static_cast<double>(factor_.value));
    LineSeries series;
    series.colour = colours[i];
    series.label = kVariants[i].name;
    series.dots = true;
    const auto waves = wavelengths_of(rotary);
    for (std::size_t pair = 0; pair < waves.size(); ++pair)
      series.points.emplace_back(static_cast<float>(pair), static_cast<float>(waves[pair]));
    plot.series.push_back(std::move(series));
  }
  plot.log_y = true;
  plot.x1 = static_cast<float>(std::max<std::size_t>(wavelengths_.size(), 2) - 1);
  plot.x_title = tr("position.variant.axis");
  plot.readout = true;
  plot.x_name = tr("position.column.pair");
  fit_y(plot);
  if (config.position.max_positions > 0)
    plot.y_marks.push_back(static_cast<float>(config.position.max_positions));
  (void)draw_line_plot(plot, ImVec2(at.x, at.y + used), ImVec2(room.x, room.y - used));
}

void RotaryPage::draw_wavelengths(ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("rope_wavelengths", room);
  const FontScope face(fonts().mono_small);
  const ImGuiTableFlags flags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_ScrollY;
  if (!ImGui::BeginTable("rope_table", 4, flags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* key : {"position.column.pair", "position.column.dims", "position.column.frequency",
                          "position.column.wavelength"})
    ImGui::TableSetupColumn(tr(key));
  ImGui::TableHeadersRow();
  const auto half = static_cast<int>(wavelengths_.size());
  for (int pair = 0; pair < half; ++pair) {
    const auto i = static_cast<std::size_t>(pair);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string id = std::to_string(pair) + "###wavelength_" + std::to_string(pair);
    if (ImGui::Selectable(id.c_str(), pair == selected_, ImGuiSelectableFlags_SpanAllColumns))
      selected_ = pair;
    for (const std::string& text :
         {std::to_string(rotary_.first_of(pair)) + ", " + std::to_string(rotary_.second_of(pair)),
          short_number(rotary_.frequencies[i]), short_number(wavelengths_[i])}) {
      ImGui::TableNextColumn();
      figure_text(text);
    }
  }
  ImGui::EndTable();
}

void RotaryPage::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  follow(context);
  ImGui::SetCursorScreenPos(at);
  draw_controls(context, room.x);
  if (q_.empty() || k_.empty()) return caption(tr("position.no_projection"));
  const float begin = ImGui::GetCursorScreenPos().y + scaled(6), height = at.y + room.y - begin;
  float side = 0;
  const float line = text_size(fonts().mono_small, "0").y;
  const int count = static_cast<int>(pairs_.size());
  const ImVec2 most(room.x, height - std::clamp(height * 0.46f, scaled(150), scaled(260)) - scaled(10));
  const int columns = std::max(1, best_columns(count, most, line, scaled(kPositionRotaryMostDial), side));
  const float dials = std::min(most.y, static_cast<float>((count + columns - 1) / columns) * (side + line));
  const float lower = height - dials - scaled(10);  // height left by the dials
  draw_dials(ImVec2(at.x, begin), ImVec2(room.x, height - lower - scaled(10)));
  const float left = std::min(scaled(270), room.x * 0.4f), y = at.y + room.y - lower;
  draw_numbers(context, ImVec2(at.x, y), ImVec2(left, lower));
  const float x = at.x + left + scaled(18);
  ImGui::SetCursorScreenPos(ImVec2(x, y));
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(4)));
  ChipRow row(ImVec2(x, y), room.x, {{7, 4}});
  choose(row, page_);
  const float below = y + ImGui::GetFrameHeight() + scaled(6);
  const ImVec2 size(at.x + room.x - x, at.y + room.y - below);
  if (page_ == Page::distance)
    draw_distance(ImVec2(x, below), size);
  else if (page_ == Page::reach)
    draw_reaches(rotary_.frequencies, selected_, ImVec2(x, below), size);
  else if (page_ == Page::variants)
    draw_variants(context, ImVec2(x, below), size);
  else
    draw_wavelengths(ImVec2(x, below), size);
}

}  // namespace attnscope
