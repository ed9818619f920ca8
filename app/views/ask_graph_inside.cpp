// Ask's graph: who wrote what the chosen node reads, line by line.
#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/views/ask_graph.h"
#include "app/widgets/measure_field.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

constexpr std::size_t kAskGraphMostLines = 60;

const char* side_words(GraphSide side) {
  return tr(side == GraphSide::query ? "ask.graph.query"
            : side == GraphSide::key ? "ask.graph.key"
                                     : "ask.graph.read_value");
}

// Who wrote, and on which side of a head it is read.
std::string edge_words(const Circuit& circuit, const CircuitLink& link, const CircuitNode& from) {
  const std::string words = graph_node_words(circuit, from);
  return has_side(link) ? tr("ask.graph.edge", {graph_side_name(link.side), words}) : words;
}

}  // namespace

// Incoming edges of the chosen node, one per line, and their sum.
void AskGraph::draw_inside(ImVec2 room) const {
  const int at = chosen();
  if (at < 0) return;
  const CircuitNode& node = shown_.nodes[static_cast<std::size_t>(at)];
  section_heading(graph_node_words(shown_, node));
  const Canvas canvas;
  const Theme& t = theme();
  double sum = 0, most = 0;
  std::size_t lines = 0;
  for (const CircuitLink& link : shown_.links)
    if (link.to == at) sum += link.weight, most = std::max(most, std::fabs(link.weight));
  const float width = room.x - scaled(10), line = scaled(kAskGraphLine);
  for (const CircuitLink& link : shown_.links) {
    if (link.to != at || ++lines > kAskGraphMostLines) continue;
    const CircuitNode& from = shown_.nodes[static_cast<std::size_t>(link.from)];
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const std::string number = signed_number(link.weight);
    if (has_side(link)) {
      ImGui::SetCursorScreenPos(p);
      const Label id("###ask_graph_edge_", std::to_string(lines));
      hit_area(id.c_str(), ImVec2(width, line - ImGui::GetStyle().ItemSpacing.y));
      note_item(id);
      const std::string tip = tr("ask.graph.alone", {side_words(link.side), signed_number(link.weight, 4),
                                                     signed_number(link.alone.value_or(0), 4)});
      compat::item_tooltip(tip.c_str());
      ImGui::SetCursorScreenPos(p);
    }
    const float wide = text_size(fonts().mono_small, number).x;
    const float bar = most > 0 ? static_cast<float>(std::fabs(link.weight) / most) * width : 0;
    canvas.fill_rect(ImVec2(p.x, p.y + line - scaled(5)), ImVec2(p.x + bar, p.y + line - scaled(2)),
                     with_alpha(link.weight < 0 ? t.negative : t.positive, 0.8f));
    const std::string name(
        middle_truncated(fonts().mono_small, edge_words(shown_, link, from), width - wide - scaled(12)));
    note_text(name);
    draw_text(canvas, fonts().mono_small, ImVec2(p.x, p.y), t.text, name);
    draw_text(canvas, fonts().mono_small, ImVec2(p.x + width - wide, p.y), t.text, number);
    ImGui::Dummy(ImVec2(width, line - ImGui::GetStyle().ItemSpacing.y));
  }
  if (node.kind == CircuitNode::Kind::embed) return caption(tr("ask.graph.source"));
  if (!node.value) return caption(tr("ask.graph.in", {signed_number(sum)}));
  caption(tr("ask.graph.sum", {signed_number(sum), signed_number(node.bias.value_or(0)),
                               signed_number(node.rest.value_or(0)), signed_number(*node.value)}));
  note_item("ask_graph_sum");
}

}  // namespace attnscope
