// Attention heads of a model in training, on the fixed example.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/views/training_panes.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/attention_plane.h"

namespace attnscope {
namespace {

constexpr std::int64_t kTrainingHeadsSide = 64;
constexpr float kTrainingHeadsLargest = 108.f, kTrainingHeadsSmallest = 26.f;  // units
constexpr const char* kTrainingHeadsAtlas = "training.heads";

std::string role_text(const HeadRoles& roles) {
  Role role = Role::self;
  if (!roles.strongest(role)) return {};
  return std::string(tr("attention.role." + std::string(role_name(role)))) + " " +
         number_text(static_cast<float>(roles.of(role).score), 2);
}

}  // namespace

std::string TrainingHeads::name() const { return format("%d.%d", layer_, head_); }

void TrainingHeads::choose(const ViewContext& context, const TrainingScene& scene, int layer, int head) {
  layer_ = layer;
  head_ = head;
  if (!scene.followed) return;
  Cursor& cursor = context.workspace.cursor;
  if (is_attention_stage(cursor.step.slot))
    go_to_site(context.workspace, context.run, place_.site(cursor.step.slot, layer));
  cursor.stack = place_.stack, cursor.part = place_.part;
  cursor.layer = layer;
  cursor.head = head;
}

void TrainingHeads::follow(const ViewContext& context, const TrainingScene& scene) {
  if (!scene.shown.shown) return;
  const Trace& trace = *scene.shown.shown;
  const std::vector<AttentionPlace> places = attention_places(trace);
  if (places.empty()) return;
  const Cursor& cursor = context.workspace.cursor;
  // If the cursor is not at an attention step, keeps the last head; initially the last attention, which is
  // cross-attention in encoder-decoder models.
  const bool follows = scene.followed && is_attention_stage(cursor.step.slot);
  const AttentionPlace wanted = follows ? cursor_place(cursor, trace) : place_;
  place_ = std::find(places.begin(), places.end(), wanted) != places.end() ? wanted : places.back();
  if (follows) layer_ = cursor.layer, head_ = cursor.head;
  const std::uint64_t key = key_of(
      {scene.key(), static_cast<std::uint64_t>(place_.stack), static_cast<std::uint64_t>(place_.part)});
  if (key != key_ || !maps_) {
    key_ = key;
    maps_ = thumbnails(trace, place_, kTrainingHeadsSide);
  }
  if (maps_->heads.empty()) return;
  if (!maps_->find(layer_, head_)) layer_ = maps_->heads.front().layer, head_ = maps_->heads.front().head;
  const std::uint64_t plane_key =
      key_of({key, static_cast<std::uint64_t>(layer_), static_cast<std::uint64_t>(head_)});
  if (plane_key == plane_key_) return;
  plane_key_ = plane_key;
  const std::int64_t all = std::int64_t{1} << 20;
  plane_ = attention_plane(trace, {place_.pattern(layer_), head_, {0, all}, {0, all}});
}

float TrainingHeads::draw_places(const ViewContext& context, const TrainingScene& scene, ImVec2 at,
                                 float width) {
  const Trace& trace = *scene.shown.shown;
  const std::vector<AttentionPlace> places = attention_places(trace);
  const auto title = [&] {
    draw_text(Canvas(), fonts().body_bold, at, theme().text, tr("training.heads_title"));
  };
  const float line = text_size(fonts().body_bold, "X").y + scaled(6);
  if (places.size() < 2) {
    title();
    return line;
  }
  const FontScope face(fonts().small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(6), scaled(1)));
  float all = 0;
  for (const AttentionPlace& place : places)
    all += chip_width(attention_name(trace.config(), place)) + scaled(4);
  if (text_size(fonts().body_bold, tr("training.heads_title")).x + all + scaled(8) < width) title();
  ImVec2 chip_at(std::max(at.x, at.x + width - all), at.y - scaled(2));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string label =
        attention_name(trace.config(), places[i]) + "###train_place_" + std::to_string(i);
    ImGui::SetCursorScreenPos(chip_at);
    chip_at.x += chip_width(label) + scaled(4);
    if (!chip(label, places[i] == place_)) continue;
    place_ = places[i];
    if (scene.followed) go_to_place(context.workspace, context.run, place_);
  }
  return line;
}

void TrainingHeads::draw_map(const ViewContext& context, const TrainingScene& scene, std::size_t index,
                             ImVec2 p0, ImVec2 size) {
  const HeadThumbnail& map = maps_->heads[index];
  ImGui::SetCursorScreenPos(p0);
  const std::string id = format("###train_head_%d_%d", map.layer, map.head);
  const bool clicked = hit_area(id.c_str(), size);
  note_item(id);
  const bool hovered = ImGui::IsItemHovered(), current = map.layer == layer_ && map.head == head_;
  if (hovered) {
    const std::string title =
        tr("attention.head",
           {block_name(scene.shown.shown->config(), place_.stack, map.layer), std::to_string(map.head)});
    const std::string role = role_text(map.roles);
    ImGui::SetTooltip("%s", (role.empty() ? title : title + "\n" + role).c_str());
  }
  const float out = current || hovered ? scaled(2) : scaled(1);
  Canvas().rect(ImVec2(p0.x - out, p0.y - out), ImVec2(p0.x + size.x + out, p0.y + size.y + out),
                current   ? theme().accent
                : hovered ? theme().text_dim
                          : theme().border,
                scaled(4), 0, out);
  if (clicked) choose(context, scene, map.layer, map.head);
}

float TrainingHeads::draw_all(const ViewContext& context, const TrainingScene& scene, ImVec2 at,
                              ImVec2 size) {
  if (!scene.shown.shown || !maps_ || maps_->heads.empty()) return 0;
  const float top = draw_places(context, scene, at, size.x);
  std::vector<int> layers;
  std::vector<Tensor> cells;
  for (const HeadThumbnail& map : maps_->heads) {
    if (layers.empty() || layers.back() != map.layer) layers.push_back(map.layer);
    cells.push_back(map.cells);
  }
  const Tensor& first = maps_->heads.front().cells;
  const float aspect =
      std::clamp(static_cast<float>(first.size(0)) / static_cast<float>(first.size(1)), 0.3f, 2.f);
  const float gap = scaled(8), left = text_size(fonts().mono_small, "00").x + scaled(6);
  const float columns = static_cast<float>(std::max(1, maps_->widest)),
              rows = static_cast<float>(layers.size());
  const float wide = (size.x - left + gap) / columns - gap,
              high = ((size.y - top + gap) / rows - gap) / aspect;
  const float side =
      std::clamp(std::min(wide, high), scaled(kTrainingHeadsSmallest), scaled(kTrainingHeadsLargest));
  const ImVec2 map_size(side, side * aspect);
  context.painter.upload_atlas(kTrainingHeadsAtlas, cells, maps_->widest);
  std::vector<AtlasPlace> places;
  for (std::size_t i = 0; i < maps_->heads.size(); ++i) {
    const HeadThumbnail& map = maps_->heads[i];
    const auto row = std::find(layers.begin(), layers.end(), map.layer) - layers.begin();
    const ImVec2 p0(at.x + left + static_cast<float>(map.head) * (side + gap),
                    at.y + top + static_cast<float>(row) * (map_size.y + gap));
    places.push_back({static_cast<int>(i), p0, ImVec2(p0.x + map_size.x, p0.y + map_size.y)});
  }
  HeatStyle style;
  Canvas().atlas(context.painter, kTrainingHeadsAtlas, places, style);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (maps_->heads[i].head == 0)
      draw_text(Canvas(), fonts().mono_small,
                ImVec2(at.x, places[i].p0.y + (map_size.y - text_size(fonts().mono_small, "0").y) / 2),
                theme().text_dim, std::to_string(maps_->heads[i].layer));
    draw_map(context, scene, i, places[i].p0, map_size);
  }
  return top + rows * (map_size.y + gap) - gap;
}

void TrainingHeads::draw_one(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size) {
  if (!scene.shown.shown || plane_.empty()) return;
  const Trace& trace = *scene.shown.shown;
  const OpenedModel& opened = *scene.snapshot->opened;
  const auto label = [&](Stack stack) {
    return [&opened, &trace, stack](std::int64_t row) {
      std::string text = row_label(opened, trace, stack, row);
      note_text(text);
      return text;
    };
  };
  MatrixPlot plot;
  plot.key = "training_head";
  plot.values = plane_;
  plot.rows.title = tr("attention.axis.query");
  plot.rows.colour = theme().q;
  plot.rows.label_of = label(place_.stack);
  plot.cols.title = tr("attention.axis.key");
  plot.cols.colour = theme().k;
  plot.cols.label_of = label(place_.keys());
  plot.digits = 2;
  plot.masked_numbers = false;
  plot.max_cell = 44;
  plot.aspect = 1;
  const ImVec2 wanted = matrix_size(plot, size);
  const MatrixEvent event =
      draw_matrix(context.painter, plot, at, ImVec2(std::min(size.x, wanted.x), std::min(size.y, wanted.y)));
  if (!event.hovered()) return;
  const std::string weight = number_text(plane_.at(event.row, event.col), 4);
  ImGui::SetTooltip(
      "%s", tr("training.weight.help", {plot.rows.label_of(event.row), plot.cols.label_of(event.col), weight})
                .c_str());
  if (!event.clicked || !scene.followed) return;
  context.workspace.cursor.query = event.row;
  context.workspace.cursor.key = event.col;
}

}  // namespace attnscope
