// Target and predicted distribution of a row of the fixed example: shows the effect of label smoothing.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/views/training_panes.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kNamed = 24;
constexpr float kBarRow = 25.f;  // units

struct BarRow {
  std::string name;
  double target = 0, predicted = 0;
  bool right = false;
};

void bar(ImVec2 at, float length, float height, ImU32 colour) {
  if (!(length > 0)) return;
  Canvas().fill_rect(at, ImVec2(at.x + std::max(length, scaled(1)), at.y + height), colour, scaled(1.5f));
}

void right_number(float right, float y, ImU32 colour, double value) {
  const std::string text = number_text(static_cast<float>(value), 4);
  draw_text(Canvas(), fonts().mono_small, ImVec2(right - text_size(fonts().mono_small, text).x, y), colour,
            text);
}

// `name`: width of the names, pixels.
void training_targets_draw_row(const BarRow& row, ImVec2 at, float width, float name) {
  const Theme& t = theme();
  const float number = text_size(fonts().mono_small, "0.0000").x;
  const float line = text_size(fonts().mono_small, "0").y, height = scaled(kBarRow);
  draw_text(Canvas(), fonts().mono, ImVec2(at.x, at.y + (height - line) / 2 - scaled(1)),
            row.right ? t.accent : t.text, middle_truncated(fonts().mono, row.name, name - scaled(6)));
  const float x = at.x + name, room = width - name - 2 * number - scaled(18), half = (height - scaled(7)) / 2;
  bar(ImVec2(x, at.y + scaled(2)), room * static_cast<float>(row.target), half, t.residual);
  bar(ImVec2(x, at.y + scaled(3) + half), room * static_cast<float>(row.predicted), half, t.attention);
  const float y = at.y + (height - line) / 2 - scaled(1);
  right_number(at.x + width - number - scaled(10), y, t.residual, row.target);
  right_number(at.x + width, y, t.attention, row.predicted);
}

void draw_legend_line(ImVec2 at, float width) {
  const Theme& t = theme();
  const std::string target = tr("training.bar.target"), predicted = tr("training.bar.predicted");
  const float right = text_size(fonts().small, predicted).x;
  draw_text(Canvas(), fonts().small, ImVec2(at.x + width - right, at.y), t.attention, predicted);
  draw_text(Canvas(), fonts().small,
            ImVec2(at.x + width - right - scaled(12) - text_size(fonts().small, target).x, at.y), t.residual,
            target);
}

}  // namespace

void TrainingTargets::draw_rows(const TrainingScene& scene, float width) {
  const OpenedModel& opened = *scene.snapshot->opened;
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(4), scaled(4)));
  ChipRow chips(ImGui::GetCursorScreenPos(), width, {{5, 1}, 4, false, fonts().mono_small});
  for (const std::int64_t row : counted_rows(scene.snapshot->example)) {
    const std::string word =
        token_label(opened, scene.snapshot->example.targets[static_cast<std::size_t>(row)]);
    note_text(word);
    const bool suffix = word.rfind("##", 0) == 0;  // in a label, "##" would start the ID
    const std::string label = (suffix ? "-" + word.substr(2) : word) + "###train_row_" + std::to_string(row),
                      place = std::to_string(row);
    const std::string here = row_label(opened, *scene.shown.shown, scene.shown.shown->config().stack, row);
    if (chips(label, row == row_, tr("training.row.help", {place, here, word}).c_str())) row_ = row;
  }
}

void TrainingTargets::draw_bars(const TrainingScene& scene, float width, float height) {
  const double smoothing = scene.snapshot->settings.recipe.smoothing;
  const OpenedModel& opened = *scene.snapshot->opened;
  ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string loss = smoothing > 0 ? tr("training.row.loss_smoothed",
                                              {short_number(bars_.loss), short_number(bars_.plain_loss)})
                                         : tr("training.row.loss", {short_number(bars_.plain_loss)});
  draw_text(Canvas(), fonts().small, at, theme().text_dim, loss);
  const float line = text_size(fonts().small, "X").y + scaled(5);
  const bool narrow = text_size(fonts().small, loss).x > width - scaled(110);
  if (narrow) at.y += line;
  draw_legend_line(at, width);
  at.y += line;
  const float head = narrow ? 2 * line : line;
  const auto fit = std::max(1, static_cast<int>((height - head) / scaled(kBarRow)) - 1);
  const auto shown = std::min(bars_.rows.size(), static_cast<std::size_t>(fit));
  BarRow rest{{}, bars_.rest.target, bars_.rest.predicted, false};
  int others = bars_.rest.token;
  for (std::size_t i = shown; i < bars_.rows.size(); ++i, ++others)
    rest.target += bars_.rows[i].target, rest.predicted += bars_.rows[i].predicted;
  rest.name = kept_tr("training.bar.others", {std::to_string(others)});
  const float share = std::clamp(width * 0.22f, scaled(56), scaled(120));
  const float names = std::max(share, text_size(fonts().mono, rest.name).x + scaled(8));
  for (std::size_t i = 0; i < shown; ++i) {
    const RowTarget& row = bars_.rows[i];
    const std::string name = token_label(opened, row.token);
    note_text(name);
    training_targets_draw_row({name, row.target, row.predicted, row.token == bars_.target}, at, width, names);
    at.y += scaled(kBarRow);
  }
  if (others > 0) training_targets_draw_row(rest, at, width, names);
}

void TrainingTargets::draw(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size) {
  if (!scene.shown.shown) return;
  const std::vector<std::int64_t> rows = counted_rows(scene.snapshot->example);
  if (rows.empty()) return;
  const std::int64_t cursor = context.workspace.cursor.query;
  if (scene.followed && std::find(rows.begin(), rows.end(), cursor) != rows.end() && row_ < 0) row_ = cursor;
  if (std::find(rows.begin(), rows.end(), row_) == rows.end()) row_ = rows.front();
  const double smoothing = scene.snapshot->settings.recipe.smoothing;
  const std::uint64_t key =
      key_of({scene.key(), static_cast<std::uint64_t>(row_), static_cast<std::uint64_t>(smoothing * 1e6)});
  if (key != key_) {
    key_ = key;
    bars_ = row_targets(*scene.shown.shown, scene.snapshot->example.targets, row_, smoothing, kNamed);
  }
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("###train_targets", size);
  const float width = size.x - scaled(12);
  draw_rows(scene, width);
  ImGui::Dummy(ImVec2(1, scaled(2)));
  const ImVec2 bars = ImGui::GetCursorScreenPos();
  draw_bars(scene, width, at.y + size.y - bars.y);
}

}  // namespace attnscope
