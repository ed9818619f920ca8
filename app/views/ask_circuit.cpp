// Texts are in assets/strings/*/ask_circuit.json.
#include "app/views/ask_circuit.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/look/item_map.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/data_prompt.h"
#include "core/session/named_circuits.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

constexpr double kCircuitAtOnce = 3e10, kCircuitRows = 16;
constexpr float kCircuitSide = 320.f, kCircuitNarrow = 620.f, kCircuitCount = 34.f, kCircuitShare = 64.f;

std::string share_words(double share) {
  return std::isfinite(share) ? number_text(static_cast<float>(share), 3) : std::string("–");
}

// "head 1.3", "MLP 1"; what has no such name as it is written.
std::string circuit_part_words(const std::string& part) {
  const auto cell = parse_cell(part);
  if (!cell) return part;
  const std::string block = std::to_string(cell->site.layer);
  if (cell->site.is(StepRole::head_out) && cell->at.size() == 1 && cell->site.stack != Stack::enc)
    return tr(cell->site.part == Part::cross ? "circuit.cross" : "circuit.head",
              {block, std::to_string(cell->at.front().begin)});
  if (cell->site.is(StepKind::mlp_down) && cell->at.empty() && cell->site.stack != Stack::enc)
    return tr("circuit.mlp", {block});
  return part;
}

// A name that no circuit has yet.
std::string free_name(const Document& document) {
  for (int i = 1;; ++i) {
    const std::string name = tr("ask.circuit.name", {std::to_string(i)});
    if (!circuit_named(document, name)) return name;
  }
}

}  // namespace

const Result<std::shared_ptr<const AskCircuit::Asked>>& AskCircuit::asked(
    const ViewContext& context, const std::shared_ptr<const DataPrompts>& prompts) {
  const Asking& asking = context.workspace.asking;
  const auto start = over_.start(context);
  const std::uint64_t subject = key_of({context.run.opened_version}),
                      key = key_of({subject, reinterpret_cast<std::uintptr_t>(prompts.get()), over_.edits(),
                                    key_of(asking.measure.text),
                                    static_cast<std::uint64_t>(asking.measure.row + 1),
                                    static_cast<std::uint64_t>(asking.settings.circuit_how)});
  const auto make = [&]() -> Result<std::shared_ptr<const Asked>> {
    Asked out{prompts, start, {}, key, subject};
    TRY(out.question, circuit_asked(asking, *prompts));
    return std::make_shared<const Asked>(std::move(out));
  };
  return *asked_.get({key}, [&] { return std::optional(make()); });
}

// What parts become. False: it has not been asked yet, and takes long.
bool AskCircuit::draw_choices(const ViewContext& context, const Asked& asked, float width) {
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(5), scaled(6)));
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  AskSettings& settings = context.workspace.asking.settings;
  ChipRow line(width);
  for (const auto& [name, how] : kAskHows) {
    const Label key(how != AskHow::zero ? "ask.data.how." : "ask.how.",
                    how == AskHow::mean_by_pos ? "mean_by_pos" : std::string_view(name));
    if (line(Label(tr(key), "###ask.circuit.how.", name), settings.circuit_how == how,
             tr(Label(key, ".help"))))
      settings.circuit_how = how;
  }
  const auto parts = static_cast<double>(context.run.document.model->config().n_layers()) * 32;
  const double effort = static_cast<double>(asked.start->model->weights().parameter_count()) *
                        static_cast<double>(asked.prompts->lines.size()) * kCircuitRows * parts;
  const bool may = effort <= kCircuitAtOnce && !context.session.training().running();
  if (may || made_.asked(asked.key) || allowed_ == asked.key) return true;
  line.part();
  if (line(Label(tr("ask.start"), "###ask_circuit_start"), false, tr("ask.circuit.start.help")))
    allowed_ = asked.key;
  return false;
}

void AskCircuit::draw_curve(const Made<Curve>& made, ImVec2 at, ImVec2 room) {
  const LinePlot& drawn = plot_.get({made.serial}, [&] {
    const CircuitAnswer& found = **made.value;
    LinePlot plot;
    plot.key = "ask_circuit";
    plot.title = tr("ask.circuit.plot");
    plot.x_title = plot.x_name = tr("ask.circuit.kept");
    plot.x1 = static_cast<float>(std::max<std::size_t>(2, found.points.size()) - 1);
    plot.counts_x = plot.readout = true;
    LineSeries share, whole;
    for (const KeptPoint& point : found.points)
      if (const double value = found.recovered(point.value); std::isfinite(value))
        share.points.emplace_back(static_cast<float>(point.kept), static_cast<float>(value));
    share.colour = theme().accent, share.dots = true, share.label = tr("ask.circuit.share");
    whole.points = {{0, 1}, {plot.x1, 1}};
    whole.colour = with_alpha(theme().text_dim, 0.6f), whole.dashed = true;
    plot.series = {std::move(share), std::move(whole)};
    return plot;
  });
  (void)draw_line_plot(drawn, at, room);
}

// The parts in the order in which they are kept; a click keeps all down to that one.
void AskCircuit::draw_parts(const Made<Curve>& made, float width) {
  const CircuitAnswer& found = **made.value;
  Table& drawn = table_.get({made.serial, chosen_, std::bit_cast<std::uint32_t>(width)}, [&] {
    Table table;
    const float count = scaled(kCircuitCount), share = scaled(kCircuitShare);
    table.columns = {number_column(tr("ask.circuit.count"), count),
                     {.title = tr("ask.circuit.part"), .share = 1.f},
                     number_column(tr("ask.circuit.effect"), share),
                     number_column(tr("ask.circuit.share"), share)};
    table.words = fonts().small, table.digits = fonts().mono_small;
    for (std::size_t i = 1; i < found.points.size(); ++i) {
      TableRow row{"###ask_circuit_" + std::to_string(i), {}, i <= chosen_};
      row.cells.push_back({std::to_string(i)});
      row.cells.push_back({circuit_part_words(found.effects[i - 1].part)});
      row.cells.push_back({signed_number(found.effects[i - 1].effect, 2)});
      row.cells.push_back({share_words(found.recovered(found.points[i].value))});
      table.rows.push_back(std::move(row));
    }
    return table;
  });
  const TableEvent event = draw_table(drawn, ImGui::GetCursorScreenPos(), width, [&](int row) {
    compat::item_tooltip(found.effects[static_cast<std::size_t>(row)].part.c_str());
  });
  if (event.clicked >= 0) chosen_ = static_cast<std::size_t>(event.clicked) + 1;
}

void AskCircuit::keep(const ViewContext& context, const CircuitAnswer& found,
                      const std::string& measure) const {
  NamedCircuit circuit{free_name(context.session.document()), {}, measure};
  for (std::size_t i = 0; i < std::min(chosen_, found.points.size() - 1); ++i)
    circuit.parts.push_back(found.effects[i].part);
  context.commands.edit(Text::of("ask.circuit.did", {circuit.name}), {},
                        [circuit](Document& document) { return put_circuit(document, circuit); });
}

// Those that the document keeps, each with its share of the same measure.
void AskCircuit::draw_circuits(const ViewContext& context, const std::shared_ptr<const Asked>& asked,
                               float width) {
  const std::vector<NamedCircuit>& all = context.session.document().circuits;
  if (all.empty()) return;
  Hash lists;
  for (const NamedCircuit& one : all)
    for (const std::string& part : one.parts) lists.take(part), lists.take(one.name);
  const auto work = [asked, all](const std::atomic<bool>& cancel) {
    Shares out;
    for (const NamedCircuit& one : all) {
      CircuitQuestion question = asked->question;
      if (one.parts.front().find("->") != std::string::npos)
        question.data.steps = kCircuitSenders, question.to = kCircuitReceivers;
      DataRuns runs(*asked->prompts, *asked->start);
      auto circuit = CircuitRuns::prepare(runs, question, &cancel);
      auto found = circuit ? circuit->keep(one.parts, &cancel) : Result<CircuitAnswer>(circuit.error());
      out.push_back(found ? std::optional(found->recovered(found->points.front().value)) : std::nullopt);
    }
    return out;
  };
  const auto shares =
      shares_.get_or_before(asked->subject, key_of({asked->key, lists.value()}), context.workers(), work);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string index = std::to_string(i);
    const bool known = shares && shares.fresh && i < shares->size();
    const std::string share = !known ? std::string("…") : (*shares)[i] ? share_words(*(*shares)[i]) : "–";
    if (chip(Label("×", "###ask_circuit_drop_", index), false, tr("ask.circuit.drop.help")))
      context.commands.edit(Text::of("ask.circuit.dropped", {all[i].name}), {},
                            [name = all[i].name](Document& document) {
                              drop_circuit(document, name);
                              return Status(Done{});
                            });
    note_item("ask_circuit_drop_" + index);
    ImGui::SameLine(0, scaled(6));
    text_line(
        fonts().small, theme().text,
        middle_truncated(fonts().small,
                         tr("ask.circuit.line", {all[i].name, std::to_string(all[i].parts.size()), share}),
                         width - scaled(34)));
    compat::item_tooltip(join(all[i].parts, "\n").c_str());
    note_item("ask_circuit_kept_" + index);
  }
}

void AskCircuit::draw(const ViewContext& context, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  if (context.run.recorded() || !context.run.document.model) return caption(tr("ask.recorded"));
  const auto prompts = over_.prompts_or_offer(context, "###ask.circuit.own");
  if (!prompts) return;
  const auto& question = asked(context, prompts);
  if (!question) return caption(question.error().text());
  const std::shared_ptr<const Asked>& now = *question;
  if (!draw_choices(context, *now, room.x)) return;
  const auto made = made_.get_or_before(
      now->subject, now->key, context.workers(), [now](const std::atomic<bool>& cancel) -> Curve {
        DataRuns runs(*now->prompts, *now->start);
        TRY(CircuitRuns circuit, CircuitRuns::prepare(runs, now->question, &cancel));
        return circuit.curve(kMostKeptParts, &cancel);
      });
  ImGui::SetCursorScreenPos(ImVec2(at.x, ImGui::GetCursorScreenPos().y));
  if (!made) return caption(tr("output.pending"));
  if (!*made) return caption(made->error().text());
  const CircuitAnswer& found = **made.value;
  chosen_ = std::clamp<std::size_t>(chosen_, 1, std::max<std::size_t>(1, found.points.size() - 1));
  const KeptPoint& point = found.points[std::min(chosen_, found.points.size() - 1)];
  caption(kept_tr("ask.circuit.facts",
                  {std::to_string(chosen_), std::to_string(found.parts.size()),
                   share_words(found.recovered(point.value)),
                   number_text(static_cast<float>(found.full.mean()), 2),
                   number_text(static_cast<float>(found.none.mean()), 2), format_count(found.full.n())}),
          room.x);
  note_item("ask_circuit_facts");
  context.workspace.asking.show_table(AskPage::circuit, key_of({made.serial, key_of(language())}),
                                      [&] { return kept_table(found); });
  const ImVec2 top(at.x, ImGui::GetCursorScreenPos().y + scaled(4));
  const float high = std::max(scaled(80), at.y + room.y - top.y);
  const bool narrow = room.x < scaled(kCircuitNarrow);
  const float side = narrow ? room.x : scaled(kCircuitSide), gap = scaled(16),
              plot_high = narrow ? high * 0.4f : std::min(high, scaled(360));
  draw_curve(made, top, ImVec2(narrow ? room.x - scaled(8) : room.x - side - gap, plot_high));
  ImGui::SetCursorScreenPos(narrow ? ImVec2(top.x, top.y + plot_high + scaled(4))
                                   : ImVec2(top.x + room.x - side, top.y));
  const ChildScope child("ask_circuit_side", ImVec2(side, narrow ? high - plot_high - scaled(4) : high));
  const float width = ImGui::GetContentRegionAvail().x - scaled(14);
  if (chip(Label(kept_tr("ask.circuit.keep", {std::to_string(chosen_)}), "###ask_circuit_keep"), false,
           tr("ask.circuit.keep.help")) &&
      made.fresh)
    keep(context, found, now->question.data.measure);
  note_item("ask_circuit_keep");
  draw_circuits(context, now, width);
  ImGui::Dummy(ImVec2(1, scaled(4)));
  draw_parts(made, width);
}

}  // namespace attnscope
