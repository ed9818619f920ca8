// Texts are in assets/strings/*/ask_links.json.
#include "app/views/ask_links.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/views/ask_grid.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kLinkRow = 19.f, kLinkTip = 356.f;  // units
constexpr std::size_t kMostLinks = 300;

// How far the measure moves: exact where that is known, else estimated.
double link_effect(const SweepAnswer& answer, std::size_t cell) { return answer.shown(cell, true, false); }

std::string link_tip(const ViewContext& context, const SweepAnswer& answer, std::size_t cell) {
  const Asking& asking = context.workspace.asking;
  std::string out = place_words(*context.run.document.opened, answer, answer.cells()[cell]) + "\n" +
                    cell_text(answer.cells()[cell]) + "\n" +
                    (answer.exact[cell] ? tr("ask.cell.exact", {signed_number(answer.values[cell], 4),
                                                                signed_number(link_effect(answer, cell), 4)})
                                        : std::string(tr("ask.cell.waiting")));
  if (!std::isnan(answer.estimates[cell]))
    out += "\n" + tr("ask.cell.estimate", {signed_number(answer.estimates[cell], 4),
                                           signed_number(answer.estimates[cell] - answer.base(), 4)});
  return out + "\n" +
         tr(asking.is_put(context.session.document(), answer, cell) ? "ask.cell.back" : "ask.cell.click");
}

}  // namespace

std::string sender_words(const OpenedModel& opened, const SweepAnswer& answer, const SweepCell& cell) {
  const std::string layer = std::to_string(cell.site.layer);
  const AxisRange* const last = cell.at.empty() ? nullptr : &cell.at.back();
  if (cell.site.is(StepRole::head_out))
    return tr(cell.site.part == Part::cross ? "ask.part.cross" : "ask.part.head",
              {layer, last ? to_text(*last) : ""});
  if (cell.site.is(StepRole::neurons))
    return tr("ask.part.neuron", {layer + "." + (last ? to_text(*last) : "")});
  if (cell.site.is(StepKind::mlp_down)) return tr("ask.part.mlp", {layer});
  if (!last) return tr("ask.part.embed");
  if (answer.over_data()) return tr("ask.link.position", {to_text(*last)});
  const Stack stack = rows_stack(cell.site, Axis::pos);
  const Trace& run = *answer.sweep->run();
  const std::string token =
      run.is_real(stack, last->begin) ? row_label(opened, run, stack, last->begin) : tr("place.padding");
  return tr("ask.link.token", {token, to_text(*last)});
}

std::string receiver_words(const Target& where) {
  const std::string layer = std::to_string(where.site.layer);
  if (where.site.is(StepRole::split)) {
    const AxisRange* head = range_on(where.at, "head");
    const char* key = where.site.is(StepRole::split, Hue::query) ? "ask.link.q"
                      : where.site.is(StepRole::split, Hue::key) ? "ask.link.k"
                                                                 : "ask.link.v";
    return tr(key, {head ? layer + "." + to_text(*head) : layer});
  }
  return where.site.layer >= 0 && where.site.is(StepKind::mlp_down) ? tr("ask.part.mlp", {layer})
                                                                    : std::string(tr("ask.link.logits"));
}

void draw_link_ends(const ViewContext& context, ChipRow& line) {
  AskSettings& settings = context.workspace.asking.settings;
  line.part();
  for (const auto& [name, from] : kAskFroms) {
    const Label key("ask.link.from.", name);
    if (line(Label(tr(key), "###", key), settings.from == from, tr(Label(key, ".help"))))
      settings.from = from;
  }
  line.part();
  for (const auto& [name, to] : kAskTos) {
    const Label key("ask.link.to.", name);
    if (line(Label(tr(key), "###", key), settings.to == to, tr(Label(key, ".help")))) settings.to = to;
  }
}

// The largest effect first.
Table AskLinks::table_of(const ViewContext& context, const SweepAnswer& answer, std::size_t cell,
                         float width) {
  const std::vector<SweepCell>& all = answer.cells();
  cells_.clear();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].to == all[cell].to) cells_.push_back(i);
  std::stable_sort(cells_.begin(), cells_.end(), [&](std::size_t a, std::size_t b) {
    const auto size = [&](std::size_t i) {
      const double effect = std::fabs(link_effect(answer, i));
      return std::isnan(effect) ? -1 : effect;
    };
    return size(a) > size(b);
  });
  cells_.resize(std::min(cells_.size(), kMostLinks));
  Table out;
  const float number = text_size(fonts().mono_small, "−000.00").x + scaled(10);
  out.columns = {{.width = std::min(width * 0.4f, scaled(150))}, number_column({}, number), bar_column()};
  out.row = scaled(kLinkRow);
  out.words = fonts().small, out.digits = fonts().mono_small;
  const Document& document = context.session.document();
  for (const std::size_t i : cells_) {
    const double effect = link_effect(answer, i);
    TableRow row{
        "###ask_link_" + std::to_string(i), {}, context.workspace.asking.is_put(document, answer, i)};
    const ImU32 ink = i == cell ? theme().accent : answer.exact[i] ? theme().text : theme().text_dim;
    row.cells.push_back({sender_words(*context.run.document.opened, answer, all[i]), ink});
    row.cells.push_back({signed_number(effect, 2), ink});
    row.cells.push_back({{}, 0, std::fabs(effect), effect < 0 ? theme().negative : theme().positive});
    out.rows.push_back(std::move(row));
  }
  return out;
}

void AskLinks::draw(const ViewContext& context, const std::shared_ptr<const SweepAnswer>& answer,
                    std::size_t cell, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  const ChildScope child("ask_links", room);
  const Asking& asking = context.workspace.asking;
  const auto measure = asking.measure.newest();
  const std::string& title = title_.get({answer->key, cell, measure ? measure->run : 0}, [&] {
    const std::string words =
        measure && measure->measure ? measure_words(*context.run.document.opened, *measure->measure) : "";
    return tr(Label("ask.link.list.", name_of_value(asking.settings.path, kPathKinds)),
              {receiver_words(*answer->cells()[cell].to), words});
  });
  caption(title);
  note_item("ask_links_title");
  const float width = ImGui::GetContentRegionAvail().x - scaled(14);
  const Table& table = table_.get({answer->key, answer->change, cell, context.session.history().point(),
                                   static_cast<std::uint64_t>(width)},
                                  [&] { return table_of(context, *answer, cell, width); });
  const ImVec2 rows = ImGui::GetCursorScreenPos();
  const TableEvent event = draw_table(table, rows, width, [](int) {});
  if (event.hovered >= 0) {
    const std::string tip = link_tip(context, *answer, cells_[static_cast<std::size_t>(event.hovered)]);
    note_text(tip);
    const std::string lines(in_lines(tip, scaled(kLinkTip)));
    const float top = rows.y + static_cast<float>(event.hovered) * scaled(kLinkRow);
    tooltip_beside(ImVec2(rows.x, top), ImVec2(rows.x + width, top + scaled(kLinkRow)), lines.c_str());
    ImGui::SetTooltip("%s", lines.c_str());
  }
  if (event.clicked >= 0) AskGrid::toggle(context, *answer, cells_[static_cast<std::size_t>(event.clicked)]);
}

}  // namespace attnscope
