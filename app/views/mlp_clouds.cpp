#include "app/views/mlp_clouds.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/point_cloud.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMlpCloudsMostRows = 1024;  // per scatter plot: the last rows

ImU32 group_colour(int group) {
  return group == 1 ? theme().q : group == 2 ? theme().warning : theme().text_dim;
}

}  // namespace

std::vector<MlpCloud> mlp_clouds(const Trace& trace, const MlpPlace& place, const std::vector<int>& group) {
  std::vector<MlpCloud> out;
  const Slot first = trace.find(place.site(Slot::mlp_pre)) ? Slot::mlp_pre : Slot::mlp_gate;
  const std::vector<Site> reads = flow_inputs(trace, place.site(first));
  std::vector<Site> sites;
  if (!reads.empty()) sites.push_back(reads.front());
  sites.push_back(place.site(StepRole::neurons));
  sites.push_back(place.site(slot_of(StepKind::mlp_down)));
  for (const Site& site : sites) {
    const Record* record = trace.find(site);
    if (!record || record->shape.size() != 2) continue;
    const std::int64_t rows = std::min(record->shape[0], kMlpCloudsMostRows);
    const Tensor values =
        trace.slice(site, 0, {record->shape[0] - rows, record->shape[0]}, {0, record->shape[1]});
    const std::vector<int> last(group.end() - std::min<std::ptrdiff_t>(std::ssize(group), rows), group.end());
    out.push_back({site, pca(values), separation(values, last)});
  }
  return out;
}

void MlpClouds::follow(const ViewContext& context, const MlpPlace& place) {
  const int sequence = context.workspace.cursor.sequence;
  const auto trace = context.run.shared(sequence);
  const std::int64_t rows = trace->rows(place.stack);
  const std::uint64_t subject =
      key_of({context.run.opened_version, static_cast<std::uint64_t>(sequence),
              static_cast<std::uint64_t>(place.stack), static_cast<std::uint64_t>(rows)});
  if (subject != subject_) {
    subject_ = subject;
    group_.assign(static_cast<std::size_t>(rows), 0);
    // Initially: first half against second half, without padding.
    for (std::int64_t row = 0; row < rows; ++row)
      if (trace->is_real(place.stack, row)) group_[static_cast<std::size_t>(row)] = 2 * row < rows ? 1 : 2;
  }
  Hash groups;
  for (const int group : group_) groups.take(static_cast<std::uint64_t>(group));
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(place.layer)});
  clouds_ = made_.get_or_before(
      key, key_of({key, groups.value()}), context.workers(),
      [=, group = group_](const std::atomic<bool>&) { return mlp_clouds(*trace, place, group); });
}

// Positions as chips in the colour of their group; a click moves one to the next group. Returns the y below.
float MlpClouds::draw_tokens(const ViewContext& context, const MlpPlace& place, ImVec2 at, float width) {
  const int sequence = context.workspace.cursor.sequence;
  const Canvas canvas;
  ImFont* const font = fonts().mono_small;
  const float line = text_size(font, "X").y + scaled(6);
  float x = at.x, y = at.y;
  int lines = 1;
  for (std::size_t row = 0; row < group_.size(); ++row) {
    const std::string name = row_name(context.run, sequence, place.stack, static_cast<std::int64_t>(row));
    note_text(name);
    const std::string text(middle_truncated(font, name, scaled(120)));
    const float wide = text_size(font, text).x + scaled(10);
    if (x + wide > at.x + width) {
      if (++lines > 2) {
        draw_text(canvas, font, ImVec2(x, y + scaled(3)), theme().text_dim, "…");
        break;
      }
      x = at.x, y += line + scaled(3);
    }
    const ImU32 colour = group_colour(group_[row]);
    canvas.fill_rect(ImVec2(x, y), ImVec2(x + wide, y + line),
                     with_alpha(colour, group_[row] ? 0.28f : 0.08f), scaled(4));
    draw_text(canvas, font, ImVec2(x + scaled(5), y + scaled(3)),
              group_[row] ? theme().text : theme().text_dim, text);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    const std::string id = "###mlp_group_" + std::to_string(row);
    if (hit_area(id.c_str(), ImVec2(wide, line))) group_[row] = (group_[row] + 1) % 3;
    note_item(id);
    compat::item_tooltip(tr("mlp.group.help"));
    x += wide + scaled(4);
  }
  return y + line + scaled(8);
}

void MlpClouds::draw(const ViewContext& context, const MlpPlace& place, ImVec2 at, ImVec2 size) {
  follow(context, place);
  const float below = draw_tokens(context, place, at, size.x);
  const ImVec2 from(at.x, below);
  if (!clouds_) {
    ImGui::SetCursorScreenPos(from);
    return caption(tr("mlp.pending"));
  }
  const std::vector<MlpCloud>& clouds = *clouds_;
  const Canvas canvas;
  const int sequence = context.workspace.cursor.sequence;
  const std::int64_t rows = std::ssize(group_);
  const float gap = scaled(12), words = 2 * (text_size(fonts().body, "X").y + scaled(2));
  const float wide =
      (size.x - gap * static_cast<float>(clouds.size() - 1)) / static_cast<float>(clouds.size());
  const float tall = at.y + size.y - from.y - words - scaled(4);
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    const MlpCloud& it = clouds[i];
    const DrawGroupScope group("cloud", it.site);
    const std::int64_t shown = it.plane.points.empty() ? 0 : it.plane.points.size(0), first = rows - shown;
    PointCloud cloud;
    cloud.key = "mlp_cloud_" + std::to_string(i);
    cloud.title = tr(it.site.is(StepRole::neurons)    ? "mlp.cloud.post"
                     : it.site.is(StepKind::mlp_down) ? "mlp.cloud.out"
                                                      : "mlp.cloud.in",
                     {std::to_string(it.plane.mean.count())});
    cloud.caption = tr("mlp.cloud.share", {number_text(static_cast<float>(100 * it.plane.share(0)), 0),
                                           number_text(static_cast<float>(100 * it.plane.share(1)), 0)});
    for (std::int64_t row = 0; row < shown; ++row) {
      const int own = group_[static_cast<std::size_t>(first + row)];
      cloud.points.push_back(
          {it.plane.points.at(row, 0), it.plane.points.size(1) > 1 ? it.plane.points.at(row, 1) : 0.f,
           group_colour(own), row_name(context.run, sequence, place.stack, first + row), own == 0});
    }
    cloud.selected = static_cast<int>(context.workspace.cursor.query - first);
    const float x = at.x + (wide + gap) * static_cast<float>(i);
    const CloudEvent event = draw_point_cloud(cloud, ImVec2(x, from.y), ImVec2(wide, tall));
    if (event.point >= 0) {
      const std::int64_t row = first + event.point;
      ImGui::SetTooltip("%s", tr("mlp.cloud.help", {std::to_string(row),
                                                    cloud.points[static_cast<std::size_t>(event.point)].label,
                                                    to_text(it.site)})
                                  .c_str());
      if (event.clicked) {
        context.workspace.cursor.query = row;
        go_to_site(context.workspace, context.run, it.site);
      }
    }
    const Separation& parted = it.parted;
    const std::string text =
        parted.exists()
            ? tr("mlp.parted", {std::to_string(parted.right), std::to_string(parted.a + parted.b)})
            : std::string(tr("mlp.parted.none"));
    ImGui::SetCursorScreenPos(ImVec2(x, from.y + tall + scaled(4)));
    const ChildScope child(("mlp_words_" + std::to_string(i)).c_str(), ImVec2(wide, words),
                           ImGuiWindowFlags_NoScrollbar);
    figure_text(text, wide - scaled(4));
  }
  if (!clouds_.fresh) veil(from, ImVec2(at.x + size.x, from.y + tall));
}

}  // namespace attnscope
