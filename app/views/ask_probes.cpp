// Texts are in assets/strings/*/ask_probes.json.
#include "app/views/ask_probes.h"

#include <algorithm>
#include <bit>

#include "app/look/item_map.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

constexpr std::int64_t kAskProbesAtOnce = 1
                                          << 19;  // parameters; models with fewer are probed without a click
constexpr float kAskProbesRow = 24.f, kAskProbesName = 118.f, kAskProbesColumn = 92.f;  // units

ImU32 probed_colour(int kind) {
  const Theme& t = theme();
  return static_cast<Probed>(kind) == Probed::token      ? t.residual
         : static_cast<Probed>(kind) == Probed::position ? t.k
                                                         : t.attention;
}

}  // namespace

void AskProbes::draw_head(const ViewContext& context, const ProbesAnswer* answer, float width) {
  const bool running = probes_.running();
  const std::string label = std::string(tr(running ? "ask.cancel" : "ask.start")) + "###ask_probes_start";
  if (chip(label, false, tr(running ? "ask.cancel.help" : "ask.probes.start.help")))
    context.commands.act([this, running, opened = context.run.document.opened,
                          model = context.run.document.model](Session& session) {
      running ? probes_.stop() : probes_.start(session.workers(), opened, model);
    });
  if (!answer) return;
  ImGui::SameLine(0, scaled(12));
  const bool other = answer->model != context.run.document.model;
  const std::string text =
      running           ? tr("ask.probes.progress", {percent_text(static_cast<double>(answer->share))})
      : answer->error   ? answer->error->text()
      : other           ? std::string(tr("ask.probes.other"))
      : answer->stopped ? tr("ask.probes.stopped", {percent_text(static_cast<double>(answer->share))})
                        : tr("ask.probes.done", {std::to_string(kProbeTexts)});
  const float left = width - chip_width(label) - scaled(20);
  text_line(fonts().small, answer->error || other ? theme().warning : theme().text_dim,
            middle_truncated(fonts().small, text, left));
  note_item("ask_probes_state");
}

// Accuracy over depth: a line per probed property, its guessing baseline dashed.
void AskProbes::draw_plot(const ProbesAnswer& answer, ImVec2 at, ImVec2 room) {
  LinePlot plot;
  plot.key = "ask_probes";
  plot.title = tr("ask.probes.plot");
  plot.x_title = tr("ask.probes.depth");
  plot.x_name = tr("ask.probes.depth");
  plot.x1 = static_cast<float>(std::max<std::int64_t>(1, answer.model->config().n_layers()));
  plot.counts_x = plot.readout = true;
  for (int kind = 0; kind < kProbedCount; ++kind) {
    const ProbeAnswer& found = answer.found[static_cast<std::size_t>(kind)];
    if (found.depths.empty()) continue;
    LineSeries held_out, guess;
    for (std::size_t depth = 0; depth < found.depths.size(); ++depth)
      held_out.points.emplace_back(static_cast<float>(depth),
                                   static_cast<float>(found.depths[depth].held_out));
    held_out.colour = probed_colour(kind);
    held_out.label = tr(probed_key(kind));
    held_out.dots = true;
    guess.points = {{0, static_cast<float>(found.guessing)}, {plot.x1, static_cast<float>(found.guessing)}};
    guess.colour = with_alpha(held_out.colour, 0.6f);
    guess.dashed = true;
    plot.series.push_back(std::move(held_out));
    plot.series.push_back(std::move(guess));
  }
  (void)draw_line_plot(plot, at, room);
}

// The last block on top, as on the other pages.
void AskProbes::draw_table(const ViewContext& context, const ProbesAnswer& answer, ImVec2 at,
                           ImVec2 room) const {
  const Theme& t = theme();
  const std::size_t depths = probe_depths(answer);
  Table table;
  table.columns = {{.width = scaled(kAskProbesName)}};
  table.rows.resize(depths);
  table.row = table.title_row = scaled(kAskProbesRow);
  table.words = fonts().small, table.digits = fonts().mono_small;
  for (std::size_t row = 0; row < depths; ++row)
    table.rows[row] = {"###ask_probe_" + std::to_string(depths - 1 - row),
                       {{probe_depth_words(depths - 1 - row)}}};
  std::vector<int> kinds;
  for (int kind = 0; kind < kProbedCount; ++kind)
    if (answer.asked[static_cast<std::size_t>(kind)]) kinds.push_back(kind);
  const float each =
      std::min(scaled(kAskProbesColumn), (room.x - scaled(kAskProbesName)) /
                                             static_cast<float>(std::max<std::size_t>(1, kinds.size())));
  for (const int kind : kinds) {
    const auto& found = answer.found[static_cast<std::size_t>(kind)].depths;
    table.columns.push_back(
        {TableColumn::Kind::number, tr(probed_key(kind)), each, 0, 0, probed_colour(kind)});
    for (std::size_t depth = 0; depth < depths; ++depth)
      table.rows[depths - 1 - depth].cells.push_back(
          depth < found.size() ? TableCell{number_text(static_cast<float>(found[depth].held_out), 4)}
                               : TableCell{"–", t.border});
  }
  const auto place = [&](int row) {  // the site of the last kind that has the depth
    const std::size_t depth = depths - 1 - static_cast<std::size_t>(row);
    const Site* out = nullptr;
    for (const int kind : kinds)
      if (const auto& found = answer.found[static_cast<std::size_t>(kind)].depths; depth < found.size())
        out = &found[depth].site;
    return out;
  };
  const TableEvent event = attnscope::draw_table(table, at, room.x, [&](int row) {
    if (const Site* site = ImGui::IsItemHovered() ? place(row) : nullptr)
      compat::item_tooltip(to_text(*site).c_str());
  });
  if (const Site* site = event.clicked >= 0 ? place(event.clicked) : nullptr)
    go_to_site(context.workspace, context.run, *site);
  const float y = at.y + table_height(table);
  ImGui::SetCursorScreenPos(ImVec2(at.x, y + scaled(6)));
  for (const int kind : kinds) {
    const ProbeAnswer& found = answer.found[static_cast<std::size_t>(kind)];
    if (found.depths.empty()) continue;
    ImGui::SetCursorScreenPos(ImVec2(at.x, ImGui::GetCursorScreenPos().y));
    caption(tr("ask.probes.facts",
               {tr(probed_key(kind)), std::to_string(found.classes), percent_text(found.guessing),
                std::to_string(found.fitted_rows), std::to_string(found.held_out_rows)}));
  }
}

void AskProbes::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const auto opened = context.run.document.opened;
  const auto model = context.run.document.model;
  ImGui::SetCursorScreenPos(at);
  if (const Status can = check_probes(*opened); !can) {
    caption(can.error().text());
    return note_item("ask_probes_none");
  }
  const auto answer = probes_.newest();
  const bool cheap =
      model->weights().parameter_count() <= kAskProbesAtOnce && !context.session.training().running();
  if (!answer && cheap && begun_ != context.run.opened_version) {
    begun_ = context.run.opened_version;
    context.commands.act(
        [this, opened, model](Session& session) { probes_.start(session.workers(), opened, model); });
  }
  draw_head(context, answer.get(), room.x);
  if (!answer || probe_depths(*answer) == 0) return;
  context.workspace.asking.show_table(
      AskPage::probes,
      key_of({reinterpret_cast<std::uintptr_t>(answer.get()), std::bit_cast<std::uint32_t>(answer->share),
              static_cast<std::uint64_t>(answer->done), key_of(language())}),
      [&] {
        ShownTable table = probes_table(*answer);
        table.whole = answer->done && !answer->stopped && !answer->error;
        return table;
      });
  const ImVec2 top(at.x, ImGui::GetCursorScreenPos().y + scaled(6));
  const float high = std::max(scaled(120), at.y + room.y - top.y), gap = scaled(20);
  const float table = std::min(scaled(kAskProbesName + 3 * kAskProbesColumn), room.x * 0.5f),
              plot = room.x - table - gap;
  draw_plot(*answer, top, ImVec2(plot, std::min(high, scaled(360))));
  ImGui::SetCursorScreenPos(ImVec2(top.x + plot + gap, top.y));
  const ChildScope child("ask_probes_table", ImVec2(table, high));
  draw_table(context, *answer, ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail());
}

}  // namespace attnscope
