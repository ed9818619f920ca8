#include "core/view/ask_tables.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

bool is_share_of_row(HeadScore score) { return score <= HeadScore::antecedent || score == HeadScore::change; }

std::vector<HeadsShown::Column> columns_of_heads(const std::vector<RankedHead>& heads, HeadScore by) {
  std::vector<HeadsShown::Column> out;
  for (int i = 0; i < kHeadScoreCount; ++i) {
    HeadsShown::Column column{static_cast<HeadScore>(i), 0};
    bool any = column.score == by;
    for (const RankedHead& head : heads)
      if (std::isfinite(head.of(column.score)))
        any = true, column.most = std::max(column.most, std::fabs(head.of(column.score)));
    if (is_share_of_row(column.score)) column.most = 1;
    if (any) out.push_back(column);
  }
  return out;
}

// On which side of a head that reads; empty where its pattern is held.
std::string side_of(const CircuitLink& link) { return graph_side_name(link.side); }

}  // namespace

HeadsShown heads_shown(std::vector<RankedHead> heads, const AskSettings& settings,
                       const SweepAnswer* effects) {
  HeadsShown out;
  out.over_data = effects && effects->over_data();
  out.spread = out.over_data && settings.over == AskOver::spread;
  if (effects) {
    std::vector<double> changes;
    for (std::size_t cell = 0; cell < effects->cells().size(); ++cell)
      changes.push_back(effects->exact[cell] ? effects->shown(cell, true, out.spread) : NAN);
    take_effects(heads, effects->cells(), changes, 0);
  }
  out.columns = columns_of_heads(heads, settings.heads_by);
  rank_heads(heads, settings.heads_by, settings.heads_largest);
  const auto by = std::find_if(out.columns.begin(), out.columns.end(),
                               [&](const auto& column) { return column.score == settings.heads_by; });
  if (settings.heads_least > 0)
    std::erase_if(heads, [&](const RankedHead& head) {
      return !(std::fabs(head.of(by->score)) >= static_cast<double>(settings.heads_least) * by->most);
    });
  out.heads = std::move(heads);
  return out;
}

std::string head_words(const RankedHead& head) {
  const bool cross = head.pattern.part == Part::cross, encoder = head.pattern.stack == Stack::enc;
  const char* key = cross                                 ? "circuit.cross"
                    : encoder                             ? "circuit.head.enc"
                    : head.pattern.stack == Stack::vision ? "ask.heads.vision"
                                                          : "circuit.head";
  return tr(key, {std::to_string(head.pattern.layer), std::to_string(head.head)});
}

std::string head_score_key(HeadScore score, bool before, bool over_data, bool spread) {
  const bool data = score == HeadScore::effect && over_data;
  return "ask.heads." + std::string(head_score_name(score)) +
         (score == HeadScore::change && before ? ".before"
          : !data                              ? ""
          : spread                             ? ".spread"
                                               : ".mean");
}

ShownTable heads_table(const HeadsShown& shown, bool before) {
  ShownTable out;
  out.columns = {tr("ask.heads.table.head")};
  for (const auto& column : shown.columns)
    out.columns.emplace_back(tr(head_score_key(column.score, before, shown.over_data, shown.spread)));
  for (const RankedHead& head : shown.heads) {
    out.rows.push_back({head_words(head)});
    for (const auto& column : shown.columns) out.rows.back().push_back(table_number(head.of(column.score)));
  }
  return out;
}

std::string block_words(const ModelConfig& config, const Site& site) {
  const std::string layer = std::to_string(site.layer);
  if (site.part == Part::cross) return tr("ask.row.cross", {layer});
  if (site.stack == Stack::enc) return tr("ask.row.enc", {layer});
  if (site.stack == Stack::vision) return tr("ask.row.vision", {layer});
  return tr(config.encoder() ? "ask.row.dec" : "ask.row.block", {layer});
}

std::string row_words(const OpenedModel& opened, const Trace& trace, Stack stack, std::int64_t row) {
  if (!trace.is_real(stack, row)) return tr("place.padding");
  const std::string label = row_label(opened, trace, stack, row);
  const bool number =
      stack == trace.config().stack && !trace.input.vectors.empty() && vector_name(trace.input, row).empty();
  return number ? tr("place.token", {label}) : label;
}

AttentionPlace attention_named(const Trace& trace, const std::string& of) {
  const std::vector<AttentionPlace> places = attention_places(trace);
  if (const auto site = parse_site(of)) {
    const AttentionPlace wanted{site->stack, site->part == Part::cross ? Part::cross : Part::attn};
    if (std::find(places.begin(), places.end(), wanted) != places.end()) return wanted;
  }
  AttentionPlace out = places.empty() ? AttentionPlace{} : places.back();
  for (const AttentionPlace& place : places)
    if (place.stack == trace.config().stack && looks_at_itself(place)) out = place;
  return out;
}

ShownTable attention_table(const OpenedModel& opened, const Trace& trace, const AttentionPlace& place,
                           const PathRows& rows) {
  ShownTable out;
  out.columns = {tr("ask.paths.table.block")};
  for (std::int64_t row = 0; row < rows.weights.size(1); ++row)
    out.columns.push_back(row_words(opened, trace, place.keys(), row));
  for (std::int64_t block = rows.weights.size(0); block-- > 0;) {
    const int layer = rows.layers[static_cast<std::size_t>(block)];
    out.rows.push_back({block_words(trace.config(), place.pattern(layer))});
    for (std::int64_t row = 0; row < rows.weights.size(1); ++row)
      out.rows.back().push_back(table_number(static_cast<double>(rows.weights.at(block, row))));
  }
  return out;
}

std::string graph_node_words(const Circuit& circuit, const CircuitNode& node) {
  const auto row = static_cast<std::size_t>(node.row);
  const std::string token = row < circuit.tokens.size() ? circuit.tokens[row] : std::string();
  std::string name = node.label.empty() ? node.id : node.label;
  const std::int64_t own = node.step_row >= 0 ? node.step_row : node.row;
  return node.kind == CircuitNode::Kind::embed ? name
                                               : tr("ask.graph.node", {name, std::to_string(own), token});
}

ShownTable graph_table(const Circuit& circuit) {
  ShownTable out;
  out.columns = {tr("ask.graph.table.from"), tr("ask.graph.table.to")};
  if (circuit.followed) out.columns.emplace_back(tr("ask.graph.table.side"));
  out.columns.emplace_back(tr("ask.graph.table.value"));
  if (circuit.followed) out.columns.emplace_back(tr("ask.graph.table.alone"));
  for (const CircuitLink& link : circuit.links) {
    std::vector<std::string>& row = out.rows.emplace_back();
    for (const int node : {link.from, link.to})
      row.push_back(graph_node_words(circuit, circuit.nodes[static_cast<std::size_t>(node)]));
    if (circuit.followed) row.push_back(side_of(link));
    row.push_back(table_number(link.weight));
    if (circuit.followed) row.push_back(link.alone ? table_number(*link.alone) : std::string());
  }
  return out;
}

std::string probe_depth_words(std::size_t depth) {
  return depth == 0 ? std::string(tr("ask.probes.before"))
                    : tr("ask.probes.after", {std::to_string(depth - 1)});
}

std::string probed_key(int kind) {
  return "ask.probes." + std::string(probed_name(static_cast<Probed>(kind)));
}

std::size_t probe_depths(const ProbesAnswer& answer) {
  std::size_t out = 0;
  for (const ProbeAnswer& found : answer.found) out = std::max(out, found.depths.size());
  return out;
}

ShownTable probes_table(const ProbesAnswer& answer) {
  ShownTable out;
  out.columns = {tr("ask.probes.depth")};
  const std::size_t depths = probe_depths(answer);
  for (std::size_t depth = depths; depth-- > 0;) out.rows.push_back({probe_depth_words(depth)});
  out.rows.push_back({tr("ask.probes.guessing")});
  for (int kind = 0; kind < kProbedCount; ++kind) {
    if (!answer.asked[static_cast<std::size_t>(kind)]) continue;
    const ProbeAnswer& found = answer.found[static_cast<std::size_t>(kind)];
    out.columns.emplace_back(tr(probed_key(kind)));
    for (std::size_t depth = depths; depth-- > 0;)
      out.rows[depths - 1 - depth].push_back(
          depth < found.depths.size() ? table_number(found.depths[depth].held_out) : std::string());
    out.rows.back().push_back(found.depths.empty() ? std::string() : table_number(found.guessing));
  }
  return out;
}

}  // namespace attnscope
