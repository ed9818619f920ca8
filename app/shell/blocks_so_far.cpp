#include "app/shell/blocks_so_far.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/figure/canvas.h"
#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/shell/welcome.h"
#include "app/state/controls.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr const char* kAtlas = "blocks_so_far";
constexpr float kBlockGap = 6.f, kLeft = 24.f, kBlockBelow = 112.f;  // units; below: the progress
constexpr float kWidestBlock = 2.f;                                  // times its height
constexpr float kLargestMap = 150.f, kSmallestMap = 12.f;            // units

struct BlockGrid {
  ImVec2 map, origin;  // size of a map; corner of the first
  ImVec2 at(int layer, int head) const {
    return ImVec2(origin.x + static_cast<float>(head) * (map.x + px(kBlockGap)),
                  origin.y + static_cast<float>(layer) * (map.y + px(kBlockGap)));
  }
};

std::shared_ptr<const PicturesSoFar> pictures_of(const Session& session) {
  const auto so_far = session.so_far();
  return so_far && session.runs_anew() ? so_far->pictures() : nullptr;
}

BlockGrid grid_of(const PicturesSoFar& pictures, ImVec2 at, ImVec2 room) {
  const auto columns = static_cast<float>(pictures.widest), rows = static_cast<float>(pictures.of_layers);
  const float wide = (room.x - px(kLeft)) / columns, tall = (room.y - px(kBlockBelow)) / std::max(1.f, rows);
  const auto side = [](float step) {
    return std::floor(std::clamp(step - px(kBlockGap), px(kSmallestMap), px(kLargestMap)));
  };
  const float height = side(std::min(wide, tall));
  return {ImVec2(std::min(side(wide), kWidestBlock * height), height), ImVec2(at.x + px(kLeft), at.y)};
}

}  // namespace

bool has_blocks_so_far(const Session& session) { return pictures_of(session) != nullptr; }

bool draw_blocks_so_far(FrameState& state, Painter& painter) {
  const auto pictures = pictures_of(state.session);
  if (!pictures || pictures->heads.empty()) return false;
  wrapped_text(tr(pictures->row_stride > 1 ? "frame.blocks.sampled" : "frame.blocks",
                  {std::to_string(pictures->layers), std::to_string(pictures->of_layers),
                   std::to_string(pictures->row_stride)}),
               theme().text_dim);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const BlockGrid grid = grid_of(*pictures, origin, ImGui::GetContentRegionAvail());
  std::vector<Tensor> maps;
  std::vector<AtlasPlace> places;
  Cursor& cursor = state.workspace.cursor;
  const Canvas canvas;
  for (const HeadSoFar& head : pictures->heads) {
    const ImVec2 p0 = grid.at(head.layer, head.head), p1(p0.x + grid.map.x, p0.y + grid.map.y);
    places.push_back({static_cast<int>(maps.size()), p0, p1});
    maps.push_back(head.cells);
    const std::string id = format("###so_far_%d_%d", head.layer, head.head);
    ImGui::SetCursorScreenPos(p0);
    if (hit_area(id.c_str(), grid.map)) cursor.layer = head.layer, cursor.head = head.head;
    note_item(id);
    if (head.head == 0)
      draw_text(canvas, fonts().small,
                ImVec2(origin.x, p0.y + (grid.map.y - text_size(fonts().small, "0").y) / 2), theme().text_dim,
                std::to_string(head.layer));
  }
  painter.upload_atlas(kAtlas, maps, pictures->widest);
  HeatStyle style;
  set_range(style, ValueRange{0, 1, 0, 1});
  canvas.atlas(painter, kAtlas, places, style);
  for (const AtlasPlace& place : places) {
    const HeadSoFar& head = pictures->heads[static_cast<std::size_t>(place.map)];
    const bool chosen = head.layer == cursor.layer && head.head == cursor.head;
    canvas.rect(place.p0, place.p1, chosen ? theme().accent : theme().border, 0, 0, px(chosen ? 2.f : 1.f));
  }
  return true;
}

bool draw_run_stopped(FrameState& state) {
  const Session& session = state.session;
  if (session.running() || session.opening() || session.error() || session.mixed() || session.has_news() ||
      !session.document().model)
    return false;
  ImGui::Dummy(ImVec2(1, ImGui::GetContentRegionAvail().y * 0.4f));
  centred_text(tr("frame.stopped"), theme().text_dim, fonts().body);
  const char* const again = tr("frame.compute_again");
  ImGui::SetCursorPosX((ImGui::GetContentRegionAvail().x - button_width(again)) / 2);
  if (ImGui::Button(Label(again, "###compute_again").c_str()))
    state.commands.act([](Session& s) { s.run(); });
  note_item("compute_again");
  return true;
}

std::string run_time_left(const Session& session) {
  const auto so_far = session.so_far();
  const auto seconds = so_far ? so_far->seconds_left() : std::nullopt;
  if (!seconds) return {};
  if (*seconds < 90)
    return tr("frame.seconds_left", {std::to_string(std::max(1, static_cast<int>(std::ceil(*seconds))))});
  return tr("frame.minutes_left", {std::to_string(static_cast<int>(std::ceil(*seconds / 60)))});
}

}  // namespace attnscope
