#include <algorithm>
#include <cmath>
#include <set>

#include "app/views/embedding_parts.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/point_cloud.h"
#include "app/widgets/table.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kWholeVocabulary = 400;
constexpr std::size_t kNearWord = 8, kNearOfEach = 6, kMostWords = 300;

WordMap make_map(const Tensor& table, const std::vector<int>& ids, int chosen) {
  WordMap out;
  out.whole = table.size(0) <= kWholeVocabulary;
  if (chosen >= 0 && chosen < table.size(0))
    out.near =
        nearest_rows(table, table.slice(0, chosen, chosen + 1).packed().select(0, 0), kNearWord, chosen);
  std::vector<int> words;
  std::set<int> seen;
  const auto take = [&](std::int64_t id) {
    if (words.size() < kMostWords && id >= 0 && id < table.size(0) &&
        seen.insert(static_cast<int>(id)).second)
      words.push_back(static_cast<int>(id));
  };
  take(chosen);
  for (const NearRow& one : out.near) take(one.row);
  if (out.whole) {
    for (std::int64_t id = 0; id < table.size(0); ++id)
      if (seen.insert(static_cast<int>(id)).second) words.push_back(static_cast<int>(id));
  } else {
    for (const int id : ids) take(id);
    for (const int id : std::vector<int>(words))
      if (words.size() < kMostWords && id >= 0 && id < table.size(0))
        for (const NearRow& one :
             nearest_rows(table, table.slice(0, id, id + 1).packed().select(0, 0), kNearOfEach, id))
          take(one.row);
  }
  std::sort(words.begin(), words.end());
  std::vector<std::int64_t> rows(words.begin(), words.end());
  out.plane = pca(table.take_rows(rows));
  out.ids = std::move(words);
  return out;
}

}  // namespace

void EmbeddingMap::draw(const ViewContext& context, Stack stack, std::int64_t row, ImVec2 at, ImVec2 size) {
  const int sequence = context.workspace.cursor.sequence;
  const auto trace = context.run.shared(sequence);
  const Tensor table = token_table(*trace, stack);
  ImGui::SetCursorScreenPos(at);
  if (table.empty()) return caption(tr("embedding.map.none"));
  const std::vector<int>& ids = trace->ids_of(stack);
  const std::uint64_t subject = key_of(
      {context.run.opened_version, static_cast<std::uint64_t>(stack), static_cast<std::uint64_t>(sequence)});
  if (subject != subject_ || row != seen_row_) {
    subject_ = subject;
    seen_row_ = row;
    chosen_ = row >= 0 && row < std::ssize(ids) ? ids[static_cast<std::size_t>(row)] : -1;
  }
  map_ = made_.get_or_before(
      subject, key_of({subject, context.run.version, static_cast<std::uint64_t>(chosen_ + 1)}),
      context.workers(),
      [=, chosen = chosen_](const std::atomic<bool>&) { return make_map(table, ids, chosen); });
  if (!map_) return caption(tr("embedding.pending"));
  const WordMap& map = *map_;
  const OpenedModel& opened = *context.run.document.opened;
  const std::set<int> here(ids.begin(), ids.end());
  PointCloud cloud;
  cloud.key = "embedding_map";
  cloud.title = tr(map.whole ? "embedding.map.whole" : "embedding.map.part",
                   {std::to_string(map.ids.size()), std::to_string(table.size(0))});
  cloud.caption = tr("embedding.map.share", {number_text(static_cast<float>(100 * map.plane.share(0)), 0),
                                             number_text(static_cast<float>(100 * map.plane.share(1)), 0)});
  for (std::size_t i = 0; i < map.ids.size(); ++i) {
    const auto point = static_cast<std::int64_t>(i);
    const bool used = here.count(map.ids[i]) > 0;
    cloud.points.push_back({map.plane.points.at(point, 0),
                            map.plane.points.size(1) > 1 ? map.plane.points.at(point, 1) : 0.f,
                            used ? theme().residual : with_alpha(theme().text_dim, 0.7f),
                            token_label(opened, map.ids[i]), false});
    if (map.ids[i] == chosen_) cloud.selected = static_cast<int>(i);
    for (const NearRow& one : map.near)
      if (one.row == map.ids[i]) cloud.joined.push_back(static_cast<int>(i));
  }
  const float side = std::clamp(size.x * 0.27f, scaled(160), scaled(260));
  const CloudEvent event = draw_point_cloud(cloud, at, ImVec2(size.x - side - scaled(14), size.y));
  if (event.point >= 0) {
    const int id = map.ids[static_cast<std::size_t>(event.point)];
    ImGui::SetTooltip("%s", tr("embedding.map.help", {token_label(opened, id), std::to_string(id)}).c_str());
    if (event.clicked) chosen_ = id;
  }
  const ImVec2 list(at.x + size.x - side, at.y);
  ImGui::SetCursorScreenPos(list);
  const ChildScope child("embedding_near", ImVec2(side + scaled(8), size.y), ImGuiWindowFlags_NoScrollbar);
  const std::string word = chosen_ >= 0 ? token_label(opened, chosen_) : std::string();
  note_text(word);
  section_heading(middle_truncated(fonts().body_bold, tr("embedding.near", {word}), side));
  caption(tr("embedding.near.help"));
  Table nearest;
  nearest.columns = {{.width = side * 0.42f}, bar_column({}, 1), number_column()};
  nearest.words = nearest.digits = fonts().mono_small,
  nearest.row = text_size(fonts().mono_small, "X").y + scaled(6);
  for (const NearRow& one : map.near)
    nearest.rows.push_back({"###embedding_near_" + std::to_string(one.row),
                            {{token_label(opened, static_cast<int>(one.row))},
                             {.bar = std::fabs(one.cosine), .bar_ink = theme().residual},
                             {number_text(static_cast<float>(one.cosine), 3), theme().text_dim}}});
  const int near = draw_table(nearest, ImGui::GetCursorScreenPos(), side).clicked;
  if (near >= 0) chosen_ = static_cast<int>(map.near[static_cast<std::size_t>(near)].row);
  if (!map_.fresh) veil(at, ImVec2(at.x + size.x, at.y + size.y));
}

}  // namespace attnscope
