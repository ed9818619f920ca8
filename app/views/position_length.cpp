#include "app/views/position_length.h"

#include <algorithm>

#include "app/gpu/gl_context.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kUsualLength = 64, kMostLength = 2048;

}  // namespace

void LengthPage::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const float whole = room.x;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const std::int64_t known = trace.config().position.max_positions;
  const std::int64_t trained = known > 0 ? std::min<std::int64_t>(known, kMostLength / 2) : kUsualLength;
  ImGui::SetCursorScreenPos(at);
  const float slider = std::min(scaled(200), room.x * 0.4f);
  (void)slide(times_, slider);
  const float used = ImGui::GetItemRectMax().y - at.y;
  const Label trained_too(tr("position.length.lab"), "###position_length_lab");
  if (!context.workspace.told && !context.workspace.presenting) {
    room.x -= chip_width(trained_too) + scaled(8);
    ImGui::SetCursorScreenPos(ImVec2(at.x + room.x + scaled(8), at.y));
    if (chip(trained_too, false, tr("position.length.lab.help")))
      context.workspace.lab = "length", context.workspace.view = "labs";
  }
  const float words_x = at.x + slider + scaled(18);
  const std::int64_t length = std::min(kMostLength, trained * times_);
  const auto model = context.run.document.model;
  if (!model || context.run.recorded()) {
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + used + scaled(12)));
    return caption(tr("position.length.recorded"));
  }
  const std::uint64_t key =
      key_of({context.run.version, static_cast<std::uint64_t>(context.workspace.cursor.sequence),
              static_cast<std::uint64_t>(length)});
  const auto answer = made_.get_or_before(context.run.opened_version, key, context.workers(),
                                          [model, ids = trace.ids, length](const std::atomic<bool>& cancel) {
                                            auto out = length_accuracy(*model, ids, length, &cancel);
                                            wake_window();
                                            return out;
                                          });
  ImGui::SetCursorScreenPos(ImVec2(words_x, at.y));
  {
    const ChildScope words("###position_length_words", ImVec2(at.x + room.x - words_x, scaled(48)),
                           ImGuiWindowFlags_NoScrollbar);
    const std::string limit = std::to_string(known);
    if (!answer)
      caption(tr("position.pending"));
    else if (!answer->ok())
      caption(answer->error().sentence());
    else if ((*answer)->ends)
      caption(tr("position.length.ends", {limit}));
    else
      caption(tr(known > 0 ? "position.length.words" : "position.length.unknown", {limit}));
  }
  if (!answer || !answer->ok()) return;
  const LengthAccuracy& measured = **answer;
  const Theme& t = theme();
  LinePlot plot;
  plot.key = "position_length";
  LineSeries right, probability;
  const auto readings = measured.readings();
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const float x = static_cast<float>(static_cast<std::int64_t>(i + 1) * measured.period);
    right.points.emplace_back(x, static_cast<float>(readings[i].right));
    probability.points.emplace_back(x, static_cast<float>(readings[i].probability));
  }
  if (readings.empty()) return;
  right.colour = t.ok, right.label = tr("position.length.right"), right.dots = true;
  probability.colour = t.attention, probability.label = tr("position.length.probability"),
  probability.dots = true;
  plot.series = {std::move(right), std::move(probability)};
  plot.x0 = 0, plot.x1 = static_cast<float>(length);
  plot.y0 = 0, plot.y1 = 1.02f;
  plot.x_title = tr("position.length.axis");
  plot.readout = true;
  plot.x_name = tr("position.axis.position");
  if (known > 0 && known <= length) plot.x_marks.push_back(static_cast<float>(known));
  const float top = at.y + std::max(used, scaled(48)) + scaled(12);
  (void)draw_line_plot(plot, ImVec2(at.x, top), ImVec2(whole, at.y + room.y - top));
}

}  // namespace attnscope
