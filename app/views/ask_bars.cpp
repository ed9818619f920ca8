#include "app/views/ask_bars.h"

#include <algorithm>
#include <cmath>

#include "app/views/ask_grid.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"
#include "core/lens/attention_row.h"

namespace attnscope {

PartPlace ask_parts_place_of(const LogitPart& part) {
  if (part.step.ends_with("bias")) return {};
  if (part.step.ends_with("embed") || is_normed_entry(part.step)) return {PartKind::embed, {}};
  const auto site = parse_site(part.step);
  if (!site) return {};
  if (site->is(StepRole::head_out)) return {part.at.empty() ? PartKind::attention : PartKind::head, *site};
  if (site->is(StepRole::neurons)) return {PartKind::neuron, *site};
  if (!site->is(StepRole::branch) || site->is(StepKind::output)) return {PartKind::edit, *site};
  return {PartKind::mlp, *site};
}

std::int64_t at_axis(const LogitPart& part, std::string_view axis) {
  for (const AxisRange& c : part.at)
    if (c.axis == axis) return c.begin;
  return -1;
}

void sort_bars(std::vector<PartBar>& bars) {
  std::stable_sort(bars.begin(), bars.end(), [](const PartBar& a, const PartBar& b) {
    return std::fabs(a.value) > std::fabs(b.value);
  });
}

std::string bar_name(const ViewContext& context, const PartBar& bar) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const PartPlace place = ask_parts_place_of(bar.part);
  const bool cross = place.site.part == Part::cross;
  const std::string layer = std::to_string(place.site.layer);
  const std::int64_t head = at_axis(bar.part, "head"), pos = at_axis(bar.part, "pos");
  if (place.kind == PartKind::head && pos >= 0)
    return row_name(context.run, context.workspace.cursor.sequence, rows_stack(place.site, Axis::key), pos);
  switch (place.kind) {
    case PartKind::embed:  // of one row: the linear twin's
      return pos < 0
                 ? std::string(tr(is_normed_entry(bar.part.step) ? "ask.part.ln_embed" : "ask.part.embed"))
                 : tr("ask.link.token",
                      {row_name(context.run, context.workspace.cursor.sequence,
                                bar.part.step == "enc.embed" ? Stack::enc : trace.config().stack, pos),
                       std::to_string(pos)});
    case PartKind::head: return tr(cross ? "ask.part.cross" : "ask.part.head", {layer, std::to_string(head)});
    case PartKind::attention: return tr("ask.part.attention", {layer});
    case PartKind::mlp: return tr("ask.part.mlp", {layer});
    case PartKind::neuron: return tr("ask.part.neuron", {std::to_string(at_axis(bar.part, "d_mlp"))});
    case PartKind::edit: return tr("ask.part.edit", {bar.part.step});
    case PartKind::bias: break;
  }
  return bar.id == "bias" ? std::string(tr("ask.part.biases")) : bar.part.step;
}

namespace {

ImU32 bar_colour(const PartBar& bar) {
  const Theme& t = theme();
  ImU32 colour = t.norm;
  switch (ask_parts_place_of(bar.part).kind) {
    case PartKind::embed: colour = t.residual; break;
    case PartKind::head:
    case PartKind::attention: colour = t.attention; break;
    case PartKind::mlp:
    case PartKind::neuron: colour = t.mlp; break;
    case PartKind::edit: colour = t.accent; break;
    case PartKind::bias: break;
  }
  return bar.value < 0 ? with_alpha(colour, 0.55f) : colour;
}

}  // namespace

TableEvent draw_part_bars(const ViewContext& context, const std::vector<PartBar>& bars,
                          const std::string& chosen, const char* prefix,
                          const std::function<void(int)>& item) {
  Table table;
  table.columns = {{}, {.kind = TableColumn::Kind::bar_number, .share = 1}};
  table.row = scaled(kAskPartsRow + 1);
  table.words = table.digits = fonts().mono_small;
  for (const PartBar& bar : bars)
    table.rows.push_back({std::string("###") + prefix + bar.id,
                          {{bar_name(context, bar)},
                           {.text = signed_number(bar.value), .bar = bar.value, .bar_ink = bar_colour(bar)}},
                          bar.id == chosen});
  return draw_table(table, ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x - scaled(6), item);
}

void go_to_part(const ViewContext& context, const LogitPart& part, std::int64_t row) {
  const PartPlace place = ask_parts_place_of(part);
  if (place.kind == PartKind::bias || place.kind == PartKind::embed) return;
  Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  Site site = place.site;
  if (place.kind == PartKind::head) {
    site = site.near(StepRole::pattern);
    cursor.head = static_cast<int>(at_axis(part, "head"));
    if (const auto answer = context.workspace.asking.measure.of(context.run); answer && answer->measure)
      cursor.query = row >= 0 ? row : row_of(*answer->measure, trace);
    const std::int64_t key = at_axis(part, "pos");
    cursor.key = key >= 0 ? key : strongest_key(trace, site, cursor.head, cursor.query);
  }
  go_to_site(context.workspace, context.run, site);
}

bool can_open(const PartBar& bar) {
  const PartKind kind = ask_parts_place_of(bar.part).kind;
  return kind == PartKind::head || kind == PartKind::mlp || bar.id == "bias";
}

std::vector<PartBar> part_bars(const Attribution& sum) {
  std::vector<PartBar> out;
  PartBar biases{"bias", {"bias", {}, 0}, 0};
  bool any = false;
  for (const LogitPart& part : sum.parts) {
    if (ask_parts_place_of(part).kind == PartKind::bias) {
      biases.value += part.value;
      any = true;
    } else {
      out.push_back({part.step + to_text(part.at), part, part.value});
    }
  }
  biases.part.value = biases.value;
  if (any) out.push_back(biases);
  sort_bars(out);
  return out;
}

std::vector<PartBar> bars_inside(const std::string& id, const Attribution& tokens, const Attribution& neurons,
                                 const Attribution& heads) {
  std::vector<PartBar> out;
  const auto add = [&](const LogitPart& part) {
    out.push_back({part.step + to_text(part.at), part, part.value});
  };
  if (id == "bias") {
    for (const LogitPart& part : heads.parts)
      if (ask_parts_place_of(part).kind == PartKind::bias) add(part);
  }
  for (const LogitPart& part : tokens.parts) {
    if (ask_parts_place_of(part).kind != PartKind::head) continue;
    const std::vector<AxisRange> head{{"head", at_axis(part, "head")}};
    if (part.step + to_text(head) == id) add(part);
  }
  for (const LogitPart& part : neurons.parts) {
    const PartPlace place = ask_parts_place_of(part);
    const Site out_site = place.site.near(StepRole::branch, Hue::mlp);
    if (place.kind == PartKind::neuron && to_text(out_site) == id) add(part);
    if (part.step == id + ".bias") out.push_back({part.step, part, part.value});
  }
  sort_bars(out);
  return out;
}

}  // namespace attnscope
