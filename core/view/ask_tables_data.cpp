// The tables of Ask's pages over a data set, and of strength.
#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/measure_text.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

// The run has the step, and every index is one of its axes.
bool run_has(const Trace& trace, const Cell& cell) {
  const Record* record = trace.find(cell.site);
  return record && !cell.at.empty() && std::all_of(cell.at.begin(), cell.at.end(), [&](const AxisRange& at) {
           for (std::size_t d = 0; d < record->axes.size(); ++d)
             if (axis_name(record->axes[d]) == at.axis) return at.begin < record->shape[d];
           return false;
         });
}

// That head; its block's first where the run has no such head.
Cell head_at(const Trace& trace, const AttentionPlace& place, int layer, std::int64_t head) {
  const Site z = place.pattern(layer).near(StepRole::head_out);
  const Record* record = trace.find(z);
  const std::int64_t heads = record ? record->shape.front() : 1;
  return {record ? z : place.pattern(0).near(StepRole::head_out),
          {AxisRange("head", std::clamp<std::int64_t>(head, 0, heads - 1))}};
}

}  // namespace

StrengthPlace strength_asked(const Trace& trace, const AskSettings& settings, const AttentionPlace& place,
                             int layer, std::int64_t head) {
  Cell cell = head_at(trace, place, layer, head);
  if (const auto chosen = parse_cell(settings.strongest);
      chosen && run_has(trace, *chosen) && strength_place(*chosen, std::nullopt))
    cell = *chosen;
  const bool of_head = cell.site.is(StepRole::head_out);
  const auto out = strength_place(cell, of_head ? std::optional(settings.strength) : std::nullopt);
  return out ? *out : StrengthPlace{cell};
}

std::string text_token_words(const OpenedModel& opened, const StrongText& text, std::size_t row) {
  return row < text.ids.size() ? token_label(opened, text.ids[row]) : std::to_string(row);
}

ShownTable texts_table(const OpenedModel& opened, const std::vector<StrongTextPtr>& texts) {
  ShownTable out;
  out.columns = {tr("ask.texts.table.prompt"), tr("ask.texts.table.strength"), tr("ask.texts.table.token"),
                 tr("ask.texts.table.pos"), tr("ask.texts.table.text")};
  for (const StrongTextPtr& text : texts) {
    std::string words;
    for (std::size_t row = 0; row < text->ids.size(); ++row)
      words += (row == 0 ? "" : " ") + text_token_words(opened, *text, row);
    const bool there = text->pos >= 0;
    out.rows.push_back(
        {std::to_string(text->prompt + 1), table_number(text->value),
         there ? text_token_words(opened, *text, static_cast<std::size_t>(text->pos)) : std::string(),
         there ? std::to_string(text->pos) : std::string(), std::move(words)});
  }
  return out;
}

Result<CircuitQuestion> circuit_asked(const Asking& asking, const DataPrompts& prompts) {
  CircuitQuestion out;
  TRY(out.data.measure, data_measure(asking.measure.text, prompts));
  TRY_OK(check_data_measure(out.data.measure));
  out.data.at = asking.measure.row, out.data.steps = kCircuitNodes;
  out.data.how.from = knockout_from(asking.settings.circuit_how), out.data.how.seed = prompts.choice.seed;
  return out;
}

ShownTable kept_table(const CircuitAnswer& found) {
  ShownTable out;
  out.columns = {tr("ask.circuit.count"), tr("ask.circuit.part"), tr("ask.circuit.effect"),
                 tr("ask.circuit.table.measure"), tr("ask.circuit.share")};
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    const KeptPoint& point = found.points[i];
    out.rows.push_back({std::to_string(point.kept), i == 0 ? std::string() : found.effects[i - 1].part,
                        i == 0 ? std::string() : table_number(found.effects[i - 1].effect),
                        table_number(point.value.mean()), table_number(found.recovered(point.value))});
  }
  return out;
}

std::string steer_words(const SteerCell& cell, int own) {
  if (cell.block < 0) return tr("ask.steer.all");
  return tr(cell.block == own ? "ask.steer.own" : "ask.steer.block", {std::to_string(cell.block)});
}

ShownTable steer_table(const SteerCurves& found) {
  ShownTable out;
  out.columns = {tr("ask.steer.strength")};
  for (std::size_t s = 0; s < found.strengths; ++s)
    out.rows.push_back({table_number(found.cells[s].strength)});
  for (std::size_t i = 0; i < found.cells.size(); i += found.strengths) {
    out.columns.push_back(steer_words(found.cells[i], found.own));
    for (std::size_t s = 0; s < found.strengths; ++s)
      out.rows[s].push_back(table_number(found.values[1 + i + s]));
  }
  return out;
}

}  // namespace attnscope
