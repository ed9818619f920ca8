// The calculator's pane of FLOPs: what a forward pass needs, beside what a run counted, and the machine's
// roofline.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/views/calculator_lines.h"
#include "app/views/calculator_panes.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/calc_tables.h"

namespace attnscope {
namespace {

constexpr float kLeastRoof = 140.f, kMostRoof = 190.f;  // units: heights of the roofline

// Roofline plot, log-log: FLOP/s against FLOPs per byte, with the points of prefill and decoding.
void draw_roofline(const CalculatorScene& scene, float width) {
  const Machine& machine = *scene.machine;
  const double batch = static_cast<double>(scene.work.batch), ridge = machine.ridge();
  LinePlot plot;
  plot.key = "calculator_roof";
  plot.title = tr("calculator.roofline");
  plot.x_title = tr("calculator.intensity");
  plot.log_x = plot.log_y = true;
  plot.x0 = 0.1f;
  plot.x1 = static_cast<float>(std::max(1e4, ridge * 10));
  plot.y0 = static_cast<float>(machine.bytes_per_s * 0.1);
  plot.y1 = static_cast<float>(machine.flops_per_s * 2);
  const auto roof = [&](double x) {
    return static_cast<float>(std::min(machine.flops_per_s, x * machine.bytes_per_s));
  };
  LineSeries line;
  line.colour = theme().accent;
  line.label = machine.name == kThisMachine ? std::string(tr("calculator.machine.this")) : machine.name;
  for (const double x : {0.1, ridge, static_cast<double>(plot.x1)})
    line.points.emplace_back(static_cast<float>(x), roof(x));
  plot.series.push_back(line);
  const auto mark = [&](const char* key, ImU32 colour, double flops, double bytes) {
    if (flops <= 0 || bytes <= 0) return;
    const double x = std::clamp(flops / bytes, 0.1, static_cast<double>(plot.x1));
    LineSeries dot;
    dot.colour = colour;
    dot.label = tr(key);
    dot.dots = true;
    dot.points = {ImVec2(static_cast<float>(x), plot.y0), ImVec2(static_cast<float>(x), roof(x))};
    plot.series.push_back(std::move(dot));
  };
  mark("calculator.prefill", theme().ok, batch * scene.calc.forward.prefill.total().real(),
       scene.calc.traffic.prefill.real());
  mark("calculator.decode", theme().warning, batch * scene.calc.forward.decode.total().real(),
       scene.calc.traffic.decode.real());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().y - scaled(10);  // lower before it is cut
  const ImVec2 size(width, std::clamp(room, scaled(kLeastRoof), scaled(kMostRoof)));
  draw_line_plot(plot, at, size);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + size.y));
  ImGui::Dummy(ImVec2(1, scaled(6)));
}

void draw_counted(const CalculatorScene& scene, float width) {
  const Counted& core = *scene.counted;
  Workload same = scene.work;  // as counted in core: one sequence in float32
  same.seq = core.positions;
  same.source = 0;
  same.batch = 1;
  same.dtype = same.cache = *format_named("f32");
  const auto need = calculate(scene.model, same);
  if (!need) return;
  section_heading(tr("calculator.counted"));
  note_item("calc_counted");
  caption(tr("calculator.counted.help", {format_count(core.positions)}));
  Table table = calculator_table(width, {tr("calculator.needed"), tr("calculator.core")});
  Workload next = same;
  next.seq = core.positions + 1;
  const ForwardCost after = forward_cost(scene.model, next);
  const auto both = [&](const char* key, Count math, Count counted) {
    add_calculator_line(table, tr(key), {count_text(math), count_text(counted)});
  };
  both("calculator.parameters", need->parameters.total, core.parameters);
  both("calculator.cache_bytes", need->cache.total(), core.cache_bytes);
  both("calculator.flops.matrices.prefill", need->forward.prefill.matrices, core.prefill.matrices);
  both("calculator.flops.attention.prefill", need->forward.prefill.attention, core.prefill.attention);
  both("calculator.flops.matrices.decode", after.decode.matrices, core.decode.matrices);
  both("calculator.flops.attention.decode", after.decode.attention, core.decode.attention);
  both("calculator.flops.unembedding", after.decode.unembedding, core.decode.unembedding);
  draw_calculator_table(table, width);
}

}  // namespace

void draw_calculator_flops(const CalculatorScene& scene, float width) {
  draw_calculator_lines(flops_lines(scene.calc, scene.work, scene.machine), width);
  if (scene.machine) ImGui::Dummy(ImVec2(1, scaled(6)));
  if (scene.counted) draw_counted(scene, width);
  if (scene.machine) draw_roofline(scene, width);
}

}  // namespace attnscope
