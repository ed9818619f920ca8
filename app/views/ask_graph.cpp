// Texts are in assets/strings/*/ask_graph.json.
#include "app/views/ask_graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/look/item_map.h"
#include "app/views/ask_graph_file.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

using NodeKind = CircuitNode::Kind;

constexpr float kNode = 9.f, kAskGraphSide = 250.f, kAskGraphLine = 20.f, kAskGraphFoot = 22.f;  // units

// Vertical level: the heads of a block are below its MLP.
int level_of(const CircuitNode& node, int layers) {
  switch (node.kind) {
    case NodeKind::embed: return 0;
    case NodeKind::output: return 2 * layers + 1;
    case NodeKind::mlp: return 2 * node.layer + 2;
    default: return 2 * std::max(0, node.layer) + 1;
  }
}

ImU32 ink_of(NodeKind kind) {
  const Theme& t = theme();
  switch (kind) {
    case NodeKind::embed: return t.residual;
    case NodeKind::head: return t.attention;
    case NodeKind::mlp: return t.mlp;
    case NodeKind::output: return t.accent;
    case NodeKind::other: break;
  }
  return t.norm;
}

// Label inside a node: "1.3", "MLP 0".
std::string short_label(const CircuitNode& node) {
  const auto site = parse_site(node.step);
  if (!site || node.kind != NodeKind::head || site->part == Part::cross) return node.label;
  return std::to_string(site->layer) + "." + std::to_string(node.step_head);
}

// Label beside a level; `node`: one of its nodes.
std::string level_label(const CircuitNode& node) {
  const auto site = parse_site(node.step);
  switch (node.kind) {
    case NodeKind::embed: return tr(is_normed_entry(node.step) ? "ask.part.ln_embed" : "ask.part.embed");
    case NodeKind::output: return {};
    case NodeKind::mlp: return node.label;
    default: break;
  }
  const bool encoder = site && site->stack == Stack::enc;
  return tr(encoder ? "ask.graph.heads.enc"
            : site  ? "ask.graph.heads"
                    : "ask.graph.layer",
            {std::to_string(site ? site->layer : node.layer)});
}

void go_to_node(const ViewContext& context, const CircuitNode& node) {
  const auto site = parse_site(node.step);
  if (!site || node.kind == NodeKind::output || node.kind == NodeKind::embed) return;
  Cursor& cursor = context.workspace.cursor;
  const Trace& trace = context.run.trace(cursor.sequence);
  if (!trace.find(*site)) return;
  Site to = *site;
  cursor.query = node.step_row;
  if (node.kind == NodeKind::head) {
    cursor.head = static_cast<int>(node.step_head);
    to = to.near(StepRole::pattern);
  }
  go_to_site(context.workspace, context.run, to);
}

}  // namespace

std::shared_ptr<const Circuit> AskGraph::circuit(const ViewContext& context, const MeasureAnswer& measure,
                                                 bool& fresh) {
  fresh = true;
  if (opened_->circuit) return opened_->circuit;
  const int sequence = context.run.nearest(context.workspace.cursor.sequence);
  const auto trace = context.run.shared(sequence);
  const LogitMeasure asked = *measure.measure;
  const bool followed = context.workspace.asking.settings.graph_qk;
  const std::uint64_t subject =
      key_of({context.session.opened_version(), static_cast<std::uint64_t>(sequence)});
  const std::uint64_t key =
      key_of({subject, context.run.version, static_cast<std::uint64_t>(asked.kind),
              static_cast<std::uint64_t>(asked.target), static_cast<std::uint64_t>(asked.distractor),
              static_cast<std::uint64_t>(asked.row), static_cast<std::uint64_t>(followed)});
  const auto made = made_.get_or_before(
      subject, key, context.workers(),
      [trace, asked, opened = context.run.document.opened,
       patterns = followed ? GraphPatterns::followed : GraphPatterns::held,
       words = measure_words(*context.run.document.opened, asked)](
          const std::atomic<bool>& cancel) -> Result<Circuit> {
        TRY(const AttributionGraph graph,
            attribution_graph(
                *trace, asked, kLeastGraphShare, kMostGraphNodes, [&] { return !cancel; }, patterns));
        return circuit_of(*opened, *trace, graph, words);
      });
  fresh = made.fresh;
  if (!made) return nullptr;
  if (!*made.value) {
    error_ = made->error();
    return nullptr;
  }
  return {made.value, &**made.value};
}

void AskGraph::follow(const std::shared_ptr<const Circuit>& circuit, float share) {
  if (whole_ == circuit && shown_share_ == share) return;
  whole_ = circuit;
  shown_share_ = share;
  shown_ = pruned(*circuit, static_cast<double>(share));
  hovered_ = -1;
  lay_out();
}

// Columns are the token positions that have nodes, levels are half blocks (attention, MLP); nodes at the same
// place are side by side.
void AskGraph::lay_out() {
  std::set<std::int64_t> rows;
  std::set<int> used;
  std::map<std::pair<int, std::int64_t>, std::vector<std::size_t>> cells;
  for (std::size_t i = 0; i < shown_.nodes.size(); ++i) {
    const CircuitNode& node = shown_.nodes[i];
    const int level = level_of(node, shown_.layers);
    rows.insert(node.row);
    used.insert(level);
    cells[{level, node.row}].push_back(i);
  }
  std::map<std::int64_t, float> width, begin;  // of each column: the largest number of nodes at one level
  float all = 0;
  for (const std::int64_t row : rows) {
    std::size_t most = 1;
    for (const auto& [place, nodes] : cells)
      if (place.second == row) most = std::max(most, nodes.size());
    width[row] = static_cast<float>(most) + 0.4f;
    begin[row] = all;
    all += width[row];
  }
  spots_.assign(shown_.nodes.size(), {});
  columns_.clear(), levels_.clear();
  for (const std::int64_t row : rows)
    columns_.emplace_back((begin[row] + width[row] / 2) / all, shown_.tokens[static_cast<std::size_t>(row)]);
  int step = 0;
  for (const int level : used) {
    const float up = (static_cast<float>(step++) + 0.5f) / static_cast<float>(used.size());
    const auto first =
        std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell.first.first == level; });
    levels_.emplace_back(up, level_label(shown_.nodes[first->second.front()]));
    for (auto& [place, nodes] : cells) {
      if (place.first != level) continue;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const float slot = width[place.second] / static_cast<float>(nodes.size());
        spots_[nodes[i]].middle =
            ImVec2((begin[place.second] + slot * (static_cast<float>(i) + 0.5f)) / all, up);
        spots_[nodes[i]].half = slot / all / 2;
      }
    }
  }
}

ImVec2 AskGraph::place(std::size_t node, ImVec2 at, ImVec2 room) const {
  const ImVec2 share = spots_[node].middle;
  return ImVec2(at.x + share.x * room.x, at.y + (1 - share.y) * room.y);
}

int AskGraph::chosen() const {
  for (std::size_t i = 0; i < shown_.nodes.size(); ++i)
    if (shown_.nodes[i].id == chosen_) return static_cast<int>(i);
  return shown_.nodes.empty() ? -1 : 0;
}

void AskGraph::draw_choices(const ViewContext& context, const Circuit& whole, float width) {
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  AskSettings& settings = context.workspace.asking.settings;
  (void)slider_real("###ask_graph_share", tr("ask.graph.share"), settings.graph_share,
                    static_cast<float>(kLeastGraphShare), static_cast<float>(kMostGraphShare), "%.3f",
                    std::min(width * 0.4f, scaled(250)), tr("ask.graph.share.help"));
  note_item("ask_graph_share");
  ImGui::SameLine(0, scaled(14));
  if (!opened_->circuit) {
    if (chip(Label(tr("ask.graph.qk"), "###ask_graph_qk"), settings.graph_qk, tr("ask.graph.qk.help")))
      settings.graph_qk = !settings.graph_qk;
    ImGui::SameLine();
  }
  if (chip(std::string(tr("ask.graph.save")) + "###ask_graph_save", false, tr("ask.graph.save.help"))) {
    const auto kept = std::make_shared<const GraphToSave>(
        opened_->circuit ? GraphToSave{whole} : graph_saying_run(context, whole));
    context.commands.ask_file(
        {true, "ask.graph.save", "graph.json", [kept](Session& session, const std::string& path) {
           const Status done = write_graph_file(*kept, path);
           if (!done) session.report(done.error());
         }});
  }
  ImGui::SameLine();
  if (chip(std::string(tr("ask.graph.open")) + "###ask_graph_open", false, tr("ask.graph.open.help")))
    context.commands.ask_file(
        {false, "ask.graph.open", "", [slot = opened_](Session& session, const std::string& path) {
           auto read = read_circuit(path);
           if (!read) return session.report(read.error());
           slot->circuit = std::make_shared<const Circuit>(*std::move(read));
           slot->path = path;
         }});
  if (!opened_->circuit) return;
  ImGui::SameLine();
  if (chip(std::string(tr("ask.graph.own")) + "###ask_graph_own", true, tr("ask.graph.own.help")))
    *opened_ = {};
}

void AskGraph::draw_edges(ImVec2 at, ImVec2 room, int lit) const {
  const Canvas canvas;
  const Theme& t = theme();
  for (const bool over : {false, true})
    for (const CircuitLink& link : shown_.links) {
      const bool on = lit >= 0 && (link.from == lit || link.to == lit);
      if (on != over) continue;
      const double share = shown_.scale > 0 ? std::fabs(link.weight) / shown_.scale : 0;
      const float thick = scaled(std::clamp(static_cast<float>(share) * 14.f, 0.8f, 7.f));
      const ImU32 ink = link.weight < 0 ? t.negative : t.positive;
      canvas.line(place(static_cast<std::size_t>(link.from), at, room),
                  place(static_cast<std::size_t>(link.to), at, room),
                  with_alpha(ink, on         ? 0.95f
                                  : lit >= 0 ? 0.36f
                                             : 0.5f),
                  thick);
    }
}

void AskGraph::draw_node(const ViewContext& context, std::size_t index, ImVec2 at, ImVec2 room,
                         int& hovered) {
  const Canvas canvas;
  const Theme& t = theme();
  const CircuitNode& node = shown_.nodes[index];
  const ImVec2 middle = place(index, at, room);
  const std::string label = node.kind == NodeKind::embed ? std::string() : short_label(node);
  const float wide = label.empty() ? 0 : text_size(fonts().mono_small, label).x,
              free = spots_[index].half * room.x - scaled(2);
  const bool pill = wide > 0 && (wide / 2 + scaled(4) <= free || node.kind == NodeKind::output);
  const float half = pill ? wide / 2 + scaled(6) : std::clamp(free, scaled(3), scaled(kNode * 0.7f)),
              tall = pill ? scaled(kNode) : half;
  const ImVec2 p0(middle.x - half, middle.y - tall), p1(middle.x + half, middle.y + tall);
  ImGui::SetCursorScreenPos(p0);
  const std::string id = "###ask_node_" + node.id;
  const bool clicked = hit_area(id.c_str(), ImVec2(std::max(1.f, p1.x - p0.x), std::max(1.f, p1.y - p0.y)));
  note_item(id);
  const bool over = ImGui::IsItemHovered(), on = chosen() == static_cast<int>(index);
  const ImU32 ink = ink_of(node.kind);
  canvas.fill_rect(p0, p1, t.ground, tall);
  canvas.fill_rect(p0, p1, with_alpha(ink, over || on ? 0.55f : 0.3f), tall);
  canvas.rect(p0, p1, on ? t.accent : ink, tall, 0, scaled(on ? 2 : 1));
  if (pill)
    draw_text(canvas, fonts().mono_small,
              ImVec2(middle.x - wide / 2, middle.y - text_size(fonts().mono_small, "0").y / 2), t.text,
              label);
  if (over) {
    hovered = static_cast<int>(index);
    std::string tip = graph_node_words(shown_, node);
    if (node.value) tip += "\n" + tr("ask.graph.value", {signed_number(*node.value, 4)});
    note_text(tip);
    ImGui::SetTooltip("%s", tip.c_str());
    const auto site = parse_site(node.step);
    if (site && node.kind == NodeKind::head)
      offer_edit(context.workspace, {Cell{*site, {{"head", node.step_head}}}, {}, {}});
    if (site && node.kind == NodeKind::mlp)
      offer_edit(context.workspace, {Cell{*site, {{"pos", node.step_row}}}, {}, {}});
  }
  if (!clicked) return;
  chosen_ = node.id;
  if (!opened_->circuit) go_to_node(context, node);
}

void AskGraph::draw_labels(ImVec2 at, ImVec2 room) const {
  const Canvas canvas;
  float free = -1e9f;
  for (const auto& [share, words] : columns_) {
    note_text(words);
    const std::string text(middle_truncated(fonts().mono_small, words, scaled(90)));
    const float wide = text_size(fonts().mono_small, text).x,
                x = std::clamp(at.x + share * room.x - wide / 2, at.x, std::max(at.x, at.x + room.x - wide));
    if (x < free) continue;
    draw_text(canvas, fonts().mono_small, ImVec2(x, at.y + room.y + scaled(3)), theme().text_dim, text);
    free = x + wide + scaled(6);
  }
}

void AskGraph::draw_graph(const ViewContext& context, ImVec2 at, ImVec2 room) {
  const DrawGroupScope group("graph");
  float left = 0;
  for (const auto& [share, words] : levels_)
    left = std::max(left, text_size(fonts().small, words).x + scaled(8));
  const ImVec2 p(at.x + left, at.y), size(room.x - left, room.y - scaled(kAskGraphFoot));
  float free = 1e9f;
  for (const auto& [share, words] : levels_) {
    const float y = p.y + (1 - share) * size.y - text_size(fonts().small, "X").y / 2;
    if (y + text_size(fonts().small, "X").y > free) continue;
    draw_text(Canvas(), fonts().small, ImVec2(at.x, y), theme().text_dim, words);
    free = y;
  }
  const int lit = hovered_ >= 0 && hovered_ < static_cast<int>(shown_.nodes.size()) ? hovered_ : chosen();
  draw_edges(p, size, lit);
  int hovered = -1;
  for (std::size_t i = 0; i < shown_.nodes.size(); ++i) draw_node(context, i, p, size, hovered);
  hovered_ = hovered;
  draw_labels(p, size);
}

void AskGraph::draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  error_ = {};
  bool fresh = true;
  const auto whole = circuit(context, measure, fresh);
  if (!whole) return caption(error_.sentence().empty() ? std::string(tr("output.pending")) : error_.text());
  draw_choices(context, *whole, room.x);
  AskSettings& settings = context.workspace.asking.settings;
  settings.graph_file = opened_->circuit ? opened_->path : std::string();
  follow(whole, settings.graph_share);
  context.workspace.asking.show_table(
      AskPage::graph,
      key_of({reinterpret_cast<std::uintptr_t>(whole.get()), std::bit_cast<std::uint32_t>(shown_share_),
              key_of(language())}),
      [&] { return graph_table(shown_); });
  caption(!opened_->circuit ? whole->followed ? tr("ask.graph.followed",
                                                   {number_text(static_cast<float>(100 * whole->off), 0)})
                                              : std::string(tr("ask.graph.held"))
          : opened_->circuit->edits.empty()
              ? tr("ask.graph.file", {opened_->path})
              : tr("ask.graph.file.edited", {opened_->path, opened_->circuit->edits}));
  const float y = ImGui::GetCursorScreenPos().y + scaled(4),
              height = std::max(scaled(120), at.y + room.y - y);
  const float side = std::min(scaled(kAskGraphSide), room.x * 0.36f), gap = scaled(16);
  draw_graph(context, ImVec2(at.x, y), ImVec2(room.x - side - gap, height));
  ImGui::SetCursorScreenPos(ImVec2(at.x + room.x - side, y));
  {
    const ChildScope child("ask_graph_inside", ImVec2(side, height));
    draw_inside(ImVec2(side, height));
  }
  if (!fresh) veil(ImVec2(at.x, y), ImVec2(at.x + room.x, y + height));
}

}  // namespace attnscope
