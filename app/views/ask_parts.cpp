// Texts are in assets/strings/*/ask_view.json.
#include "app/views/ask_parts.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/look/item_map.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lens/attention_row.h"
#include "core/lens/attribution_graph.h"

namespace attnscope {
namespace {

constexpr float kAskPartsNarrow = 440.f;  // units
constexpr std::size_t kMostInside = 400;  // bars

std::uint64_t parts_subject(const ViewContext& context) {
  return key_of(
      {context.session.opened_version(), static_cast<std::uint64_t>(context.workspace.cursor.sequence)});
}

// Of one run and measure.
std::uint64_t parts_key(const ViewContext& context, const LogitMeasure& measure) {
  return key_of({parts_subject(context), context.run.version, static_cast<std::uint64_t>(measure.kind),
                 static_cast<std::uint64_t>(measure.target), static_cast<std::uint64_t>(measure.distractor),
                 static_cast<std::uint64_t>(measure.row)});
}

// What was found of the logit, out of how much, and what is left over.
void draw_sum_line(const Attribution& sum) {
  text_line(fonts().mono_small, theme().ok,
            tr("ask.sum", {signed_number(sum.total - sum.rest, 4), signed_number(sum.total, 4),
                           significant(sum.rest, 2)}));
}

}  // namespace

void AskParts::draw_list(const ViewContext& context, const Sums& sums, ImVec2 at, ImVec2 room) {
  const Attribution& sum = *sums.heads;
  const std::vector<PartBar> bars = part_bars(sum);
  const auto same = [&](const PartBar& bar) { return bar.id == chosen_; };
  if (std::none_of(bars.begin(), bars.end(), same)) {
    const auto first = std::find_if(bars.begin(), bars.end(), can_open);
    chosen_ = first != bars.end() ? first->id : std::string();
  }
  const std::string held = sum.held.empty() ? "" : tr("ask.held", {join(sum.held, ", ")});
  ImFont* small = fonts().small;
  const float lines =
      held.empty() ? 0 : small->CalcTextSizeA(compat::font_size(small), FLT_MAX, room.x, held.c_str()).y;
  const float foot = std::min(scaled(28) + lines, room.y * 0.4f),
              need = static_cast<float>(bars.size()) * scaled(kAskPartsRow + 1) + scaled(4),
              height = std::max(scaled(40), std::min(need, room.y - foot));
  ImGui::SetCursorScreenPos(at);
  {
    const ChildScope child("ask_bars", ImVec2(room.x, height));
    const TableEvent event = draw_part_bars(context, bars, chosen_, "part_", [&](int row) {
      const LogitPart& part = bars[static_cast<std::size_t>(row)].part;
      const PartPlace place = ask_parts_place_of(part);
      if (ImGui::IsItemHovered() && (place.kind == PartKind::head || place.kind == PartKind::mlp))
        offer_edit(context.workspace, {Cell{place.site, part.at}, {}, {}});
    });
    if (event.clicked >= 0) {
      const PartBar& bar = bars[static_cast<std::size_t>(event.clicked)];
      if (can_open(bar)) chosen_ = bar.id, inside_.clear();
      go_to_part(context, bar.part);
    }
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + scaled(4)));
  const ChildScope child("ask_sum", ImVec2(room.x, foot - scaled(6)));
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(0, scaled(2)));
  draw_sum_line(sum);
  note_item("ask_sum");
  if (!held.empty()) caption(held);
}

void AskParts::draw_inside(const ViewContext& context, const Sums& sums, ImVec2 at, ImVec2 room) {
  if (chosen_.empty() || !sums.tokens || !sums.neurons) return;
  const std::vector<PartBar> all = part_bars(*sums.heads);
  const auto chosen =
      std::find_if(all.begin(), all.end(), [&](const PartBar& bar) { return bar.id == chosen_; });
  if (chosen == all.end()) return;
  std::vector<PartBar> bars = bars_inside(chosen_, *sums.tokens, *sums.neurons, *sums.heads);
  if (bars.size() > kMostInside) bars.resize(kMostInside);
  const PartKind kind = ask_parts_place_of(chosen->part).kind;
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("ask_inside", room);
  const std::string value = signed_number(chosen->value), name = bar_name(context, *chosen);
  section_heading(tr(kind == PartKind::head  ? "ask.inside.head"
                     : kind == PartKind::mlp ? "ask.inside.mlp"
                                             : "ask.inside.bias",
                     {name, value}));
  const auto opened =
      std::find_if(bars.begin(), bars.end(), [&](const PartBar& bar) { return bar.id == inside_; });
  if (kind != PartKind::bias) {
    const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
    const FontScope face(fonts().small);
    const bool deeper = opened != bars.end(), head = kind == PartKind::head, why = why_ && head;
    const char* whole = head ? "ask.inside.tokens" : "ask.inside.neurons";
    if (chip(Label(tr(whole), "###", whole), !why && !deeper)) why_ = false, inside_.clear();
    ImGui::SameLine(0, scaled(5));
    if (head && chip(Label(tr("ask.inside.why"), "###ask.inside.why"), why)) why_ = true;
    if (head) ImGui::SameLine(0, scaled(5));
    if (deeper && chip(Label(bar_name(context, *opened), "###ask.inside.one"), !why)) why_ = false;
    if (!deeper) ImGui::NewLine();
    if (why) return draw_why(context, *chosen, ImVec2(room.x, ImGui::GetContentRegionAvail().y));
    if (deeper) return draw_deeper(context, *opened);
  }
  AskedParts& shown = context.workspace.asking.parts;
  shown.inside_of = chosen_;
  for (const PartBar& bar : bars) shown.inside.push_back(bar.part);
  const ChildScope list("ask_inside_bars", ImVec2(room.x - scaled(4), ImGui::GetContentRegionAvail().y));
  const int clicked = draw_part_bars(context, bars, {}, "inside_").clicked;
  if (clicked < 0) return;
  const PartBar& bar = bars[static_cast<std::size_t>(clicked)];
  if (kind != PartKind::bias) inside_ = bar.part.at.empty() ? std::string() : bar.id;
  go_to_part(context, bar.part);
}

// Attribution of what a head read at one position, or of a neuron's input, and the neuron's words.
void AskParts::draw_deeper(const ViewContext& context, const PartBar& part) {
  const auto trace = context.run.shared(context.workspace.cursor.sequence);
  const LogitMeasure measure = *context.workspace.asking.measure.newest()->measure;
  Hash named;
  named.take(part.id);
  const std::uint64_t subject = key_of({context.session.opened_version(), named.value()}),
                      key = key_of({subject, parts_key(context, measure)});
  const auto made = deeper_.get_or_before(
      subject, key, context.workers(), [trace, measure, part = part.part](const std::atomic<bool>&) {
        Deeper out{attribute_inside(*trace, measure, part), {}};
        const PartPlace place = ask_parts_place_of(part);
        if (place.kind == PartKind::neuron)
          out.words = neuron_words(*trace, {place.site.stack, place.site.layer}, at_axis(part, "d_mlp"), 4);
        return out;
      });
  if (!made) return caption(tr("output.pending"));
  if (!made->sum) return caption(made->sum.error().text());
  const Attribution& sum = *made->sum;
  AskedParts& shown = context.workspace.asking.parts;
  if (made.fresh) shown.inside_of = part.id, shown.inside = sum.parts;
  const bool neuron = ask_parts_place_of(part.part).kind == PartKind::neuron;
  const std::string name = bar_name(context, part);
  caption(neuron ? tr("ask.deeper.neuron", {name}) : tr("ask.deeper.token", {name}));
  const auto words = [&](const std::vector<NeuronToken>& tokens) {
    std::vector<std::string> out;
    for (const NeuronToken& one : tokens) out.push_back(token_label(*context.run.document.opened, one.token));
    return join(out, ", ");
  };
  if (!made->words.promotes.empty())
    caption(tr("ask.deeper.words",
               {words(made->words.reads), words(made->words.promotes), words(made->words.suppresses)}));
  draw_sum_line(sum);
  note_item("ask_deeper_sum");
  const std::vector<PartBar> bars = part_bars(sum);
  const ChildScope list("ask_deeper_bars", ImGui::GetContentRegionAvail());
  const int clicked = draw_part_bars(context, bars, {}, "deeper_").clicked;
  if (clicked >= 0)
    go_to_part(context, bars[static_cast<std::size_t>(clicked)].part, at_axis(part.part, "pos"));
}

// The score of the cursor's key in this head's row, or of the key with the largest weight.
void AskParts::draw_why(const ViewContext& context, const PartBar& head, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  const auto answer = context.workspace.asking.measure.newest();
  Site pattern = ask_parts_place_of(head.part).site;
  pattern = pattern.near(StepRole::pattern);
  const std::int64_t at = at_axis(head.part, "head"),
                     query = answer && answer->measure ? row_of(*answer->measure, trace) : cursor.query;
  const bool here = cursor.step == pattern && cursor.head == at && cursor.query == query;
  const std::int64_t key = here ? cursor.key : strongest_key(trace, pattern, at, query);
  score_.draw(context, pattern, at, query, key, ImGui::GetCursorScreenPos(), room);
}

void AskParts::draw_direct(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const auto trace = context.run.shared(cursor.sequence);
  const std::uint64_t subject = parts_subject(context), key = parts_key(context, measure);
  const auto sums =
      sums_.get_or_before(subject, key, context.workers(), [trace, measure](const std::atomic<bool>& cancel) {
        Sums out;
        out.heads = attribute(*trace, measure, AttributeBy::head);
        if (!cancel && out.heads) {
          out.tokens = attribute(*trace, measure, AttributeBy::token);
          out.neurons = attribute(*trace, measure, AttributeBy::neuron);
        }
        return out;
      });
  AskedParts& shown = context.workspace.asking.parts;
  ImGui::SetCursorScreenPos(at);
  if (!sums) return caption(tr("output.pending"));
  if (!sums->heads) {
    const ChildScope child("ask_no_sum", room);
    return caption(sums->heads.error().text());
  }
  if (sums.fresh)
    shown.run = trace, shown.measure = measure,
    shown.sum = std::shared_ptr<const Attribution>(sums.value, &*sums->heads);
  if (room.x < scaled(kAskPartsNarrow)) {  // stacked vertically
    const float top = std::round(room.y * 0.48f), below = top + scaled(4);
    draw_list(context, *sums, at, ImVec2(room.x, top));
    draw_inside(context, *sums, ImVec2(at.x, at.y + below), ImVec2(room.x, room.y - below));
    if (!sums.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
    return;
  }
  const float gap = scaled(18), left = (room.x - gap) * 0.56f;
  draw_list(context, *sums, at, ImVec2(left, room.y));
  draw_inside(context, *sums, ImVec2(at.x + left + gap, at.y), ImVec2(room.x - left - gap, room.y));
  if (!sums.fresh) veil(at, ImVec2(at.x + room.x, at.y + room.y));
}

// Which sum: chips above it. Returns their height with a gap.
float AskParts::draw_sums(const ViewContext& context, ImVec2 at, float width) {
  AskSettings& settings = context.workspace.asking.settings;
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(3)));
  ImGui::SetCursorScreenPos(at);
  ChipRow line(width);
  for (const auto& [name, sum] : kAskSums) {
    const Label key("ask.sum.", name);
    if (line(Label(tr(key), "###", key), settings.sum == sum, tr(Label(key, ".help")))) settings.sum = sum;
  }
  return line.height() + scaled(6);
}

// All bars of the twin, largest first, and below them what they close to. A token's bar looks at its column,
// and its matrix stands beside.
void AskParts::draw_twin(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room) {
  const Cursor& cursor = context.workspace.cursor;
  const auto trace = context.run.shared(cursor.sequence);
  const AttributeBy by = twin_by(context.workspace.asking.settings.sum);
  const std::uint64_t subject = key_of({parts_subject(context), static_cast<std::uint64_t>(by)}),
                      key = key_of({parts_key(context, measure), static_cast<std::uint64_t>(by)});
  const auto found = twin_.get_or_before(
      subject, key, context.workers(),
      [trace, measure, by](const std::atomic<bool>&) { return linear_twin(*trace, measure, by); });
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("ask_twin", room);
  if (!found) return caption(tr("output.pending"));
  if (!*found.value) return caption(found->error().text());
  const LinearTwin& twin = **found.value;
  AskedParts& shown = context.workspace.asking.parts;
  if (found.fresh)
    shown.run = trace, shown.measure = measure,
    shown.twin = std::shared_ptr<const LinearTwin>(found.value, &twin),
    shown.twin_row = context.workspace.asking.settings.twin_row;
  text_line(fonts().mono_small, theme().ok,
            tr("ask.twin.sum", {signed_number(twin.total - twin.rest, 6), signed_number(twin.total, 6),
                                significant(twin.rest, 2), signed_number(twin.run, 4)}));
  note_item("ask_twin_sum");
  caption(tr("ask.twin.held"));
  std::vector<PartBar> bars;
  for (const LogitPart& part : twin.parts) bars.push_back({part.step + to_text(part.at), part, part.value});
  sort_bars(bars);
  if (bars.size() > kMostInside) {
    caption(tr("ask.twin.most", {std::to_string(kMostInside), std::to_string(bars.size())}));
    bars.resize(kMostInside);
  }
  const ImVec2 top = ImGui::GetCursorScreenPos(), left_room = ImGui::GetContentRegionAvail();
  const std::string own_tokens = std::string(stack_prefix(trace->config().stack)) + "embed";
  const auto of_token = [&](const PartBar& bar) {
    return bar.part.step == own_tokens && at_axis(bar.part, "pos") >= 0;
  };
  std::int64_t& chosen = context.workspace.asking.settings.twin_row;
  const std::int64_t row = twin_row(twin, trace->config().stack, chosen);
  const auto token = std::find_if(bars.begin(), bars.end(), [&](const PartBar& bar) {
    return of_token(bar) && at_axis(bar.part, "pos") == row;
  });
  const bool beside = by == AttributeBy::token && token != bars.end() && room.x >= scaled(kAskPartsNarrow);
  const float gap = scaled(18), left = beside ? (left_room.x - gap) * 0.5f : left_room.x;
  int clicked = -1;
  {
    const ChildScope list("ask_twin_bars", ImVec2(left, left_room.y));
    clicked = draw_part_bars(context, bars, beside ? token->id : std::string(), "twin_").clicked;
  }
  if (beside) {
    ImGui::SetCursorScreenPos(ImVec2(top.x + left + gap, top.y));
    matrix_.draw(context, trace, measure, subject, key, at_axis(token->part, "pos"),
                 bar_name(context, *token), ImVec2(left_room.x - left - gap, left_room.y));
  }
  if (clicked < 0) return;
  const PartBar& bar = bars[static_cast<std::size_t>(clicked)];
  if (of_token(bar)) chosen = at_axis(bar.part, "pos");
  if (at_axis(bar.part, "pos") >= 0 && ask_parts_place_of(bar.part).kind == PartKind::embed)
    context.workspace.cursor.key = at_axis(bar.part, "pos");
  else
    go_to_part(context, bar.part);
}

void AskParts::draw(const ViewContext& context, const LogitMeasure& measure, ImVec2 at, ImVec2 room) {
  context.workspace.asking.parts = {};
  const float used = draw_sums(context, at, room.x);
  at.y += used, room.y = std::max(scaled(60), room.y - used);
  if (context.workspace.asking.settings.sum == AskSum::direct) return draw_direct(context, measure, at, room);
  draw_twin(context, measure, at, room);
}

}  // namespace attnscope
